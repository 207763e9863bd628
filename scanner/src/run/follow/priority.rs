//! The lowest priority for processor and disk.

/// Gives this process the lowest priority. Best effort: where the system refuses, nothing changes.
pub(super) fn lowest() {
    lowest_processor_priority();
    lowest_disk_priority();
}

#[allow(unsafe_code, reason = "there is no safe binding of setpriority")]
fn lowest_processor_priority() {
    // SAFETY: setpriority takes three numbers and touches no memory of ours.
    unsafe {
        nix::libc::setpriority(nix::libc::PRIO_PROCESS, 0, 19);
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "there is no binding of ioprio_set")]
fn lowest_disk_priority() {
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
fn lowest_disk_priority() {}
