//! The allocator of `lessons`: mimalloc.
//!
//! A build allocates and frees millions of small values, on which the system's allocator spends a third of the time. The
//! one of musl, which the released programs for Linux would have, takes a lock as well: a scan on two cores took 1.6 times
//! as long with it.

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The number of the option `mi_option_purge_delay` in `mimalloc.h`, of versions 2 and 3.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Has freed memory returned to the system at once, not after a tenth of a second or more: a scan keeps little of what
/// it reads, takes as long with it, and 9 MB less. A build would take longer. To be called before other threads begin.
#[expect(unsafe_code, reason = "a function of C")]
pub fn return_memory_at_once() {
    // SAFETY: the function stores the value in a table of the allocator, and ignores an option that is not in it. No
    // value makes the allocator unsound, and other threads, of which there are none yet, only read it.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, 0) }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_long;
    use std::process::Command;

    use super::*;

    #[expect(unsafe_code, reason = "a function of C")]
    fn purge_delay() -> c_long {
        // SAFETY: the function reads a number from a table of the allocator.
        unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) }
    }

    /// The allocator reads its options by name from the environment of a process when it starts.
    #[test]
    fn the_option_has_this_number_and_is_set() {
        const NAME: &str = "MIMALLOC_PURGE_DELAY";
        if std::env::var(NAME).is_ok_and(|value| value == "77") {
            assert_eq!(purge_delay(), 77);
            return_memory_at_once();
            assert_eq!(purge_delay(), 0);
            return;
        }
        let own = "allocator::tests::the_option_has_this_number_and_is_set";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", own]).env(NAME, "77").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}
