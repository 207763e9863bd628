//! Last in line for processor and disk.

/// Makes this process the last in line. Best effort: where the system says no, it runs as it did.
pub(super) fn lowest() {
    last_for_the_processor();
    last_for_the_disk();
}

#[allow(unsafe_code, reason = "there is no safe binding of setpriority")]
fn last_for_the_processor() {
    // SAFETY: setpriority takes three numbers and touches no memory of ours.
    unsafe {
        nix::libc::setpriority(nix::libc::PRIO_PROCESS, 0, 19);
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "there is no binding of ioprio_set")]
fn last_for_the_disk() {
    /// This process: see `linux/ioprio.h`.
    const WHO_PROCESS: nix::libc::c_int = 1;
    /// The class of those that wait for all others.
    const CLASS_IDLE: nix::libc::c_int = 3 << 13;
    // SAFETY: ioprio_set takes three numbers and touches no memory of ours.
    unsafe {
        nix::libc::syscall(nix::libc::SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE);
    }
}

/// Elsewhere the processor's priority counts for the disk too, or there is none.
#[cfg(not(target_os = "linux"))]
fn last_for_the_disk() {}
