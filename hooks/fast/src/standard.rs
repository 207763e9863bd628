//! Standard input and output.

#![allow(unsafe_code, reason = "rustix cannot know that nobody closes them")]
#![allow(
    unused_unsafe,
    reason = "with its feature `std`, as in a build of the whole workspace, it thinks it can"
)]

use rustix::fd::BorrowedFd;
use rustix::stdio;

/// Standard input.
pub(crate) fn input() -> BorrowedFd<'static> {
    // SAFETY: nothing here closes it. Where it was never open, the next file that is opened gets
    // its number: what is read or written then is the wrong text, but no memory is.
    unsafe { stdio::stdin() }
}

/// Standard output.
pub(crate) fn output() -> BorrowedFd<'static> {
    // SAFETY: as for the input.
    unsafe { stdio::stdout() }
}
