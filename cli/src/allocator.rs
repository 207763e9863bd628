//! The allocator of our commands: mimalloc.
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
