//! Standard input and output, without the buffers of the standard library.

#![allow(unsafe_code, reason = "the library cannot know that nobody closes them")]

use std::os::fd::BorrowedFd;

use nix::libc::{STDIN_FILENO, STDOUT_FILENO};

/// Standard input.
pub(crate) fn input() -> BorrowedFd<'static> {
    // SAFETY: this program never closes it. Whether it was closed before is the first thing that a hook checks, and it
    // does nothing else then (see `process`).
    unsafe { BorrowedFd::borrow_raw(STDIN_FILENO) }
}

/// Standard output.
pub(crate) fn output() -> BorrowedFd<'static> {
    // SAFETY: as for the input.
    unsafe { BorrowedFd::borrow_raw(STDOUT_FILENO) }
}
