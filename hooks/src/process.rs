//! The start and the end of a hook's process.
//!
//! The standard library's own start is left out (`#![no_main]`): it costs a tenth of a call and does three things of
//! which a hook needs two, which are done here. Without it `std::env::args` is empty if the C library is musl.

use std::ffi::{CStr, c_char, c_int};
use std::process::exit;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, signal};

use crate::stdio;

/// Defines the program of a hook: its memory, and where the C library begins.
#[macro_export]
macro_rules! program {
    ($($run:ident)::+) => {
        #[global_allocator]
        static ALLOCATOR: $crate::allocator::BumpAllocator = $crate::allocator::BumpAllocator::new();

        #[allow(unsafe_code, reason = "the C library finds it by its name, which nothing else here has")]
        #[unsafe(no_mangle)]
        extern "C" fn main(_: ::std::ffi::c_int, _: *const *const ::std::ffi::c_char) -> ::std::ffi::c_int {
            $crate::process::run($crate::$($run)::+)
        }
    };
}

/// Runs a hook and returns the exit status: always 0, or the client would show an error.
pub fn run(hook: impl FnOnce()) -> c_int {
    // A panic is treated as any other failure: it must not stop the call.
    std::panic::set_hook(Box::new(|_| exit(0)));
    ignore_failed_writes();
    if standard_streams_are_open() {
        hook();
    }
    0
}

/// The arguments of a program. What is no UTF-8 is none of ours, and left out.
///
/// # Safety
///
/// They are those of `main`.
#[allow(unsafe_code, reason = "the standard library reads them at its own start alone")]
pub unsafe fn arguments(count: c_int, values: *const *const c_char) -> Vec<String> {
    let count = usize::try_from(count).unwrap_or_default();
    // SAFETY: `main` gets as many texts as it says, each with an end.
    let texts = (0..count).map(|number| unsafe { CStr::from_ptr(*values.add(number)) });
    texts.filter_map(|text| text.to_str().ok().map(str::to_owned)).collect()
}

/// Ignores SIGPIPE and SIGXFSZ, so that writing to a client that has gone away, or a file that would become larger than the
/// process may write, is an ordinary error.
#[allow(unsafe_code, reason = "nix cannot know which functions may handle a signal")]
fn ignore_failed_writes() {
    for failed in [Signal::SIGPIPE, Signal::SIGXFSZ] {
        // SAFETY: no function becomes a handler.
        let _ = unsafe { signal(failed, SigHandler::SigIgn) };
    }
}

/// Whether standard input and output are open. If one is closed, the next file that is opened gets its number: it would be
/// read as a payload, or an answer written into it.
fn standard_streams_are_open() -> bool {
    let mut streams = [stdio::input(), stdio::output()].map(|stream| PollFd::new(stream, PollFlags::empty()));
    let polled = poll(&mut streams, PollTimeout::ZERO);
    let is_closed =
        |stream: &PollFd<'_>| stream.revents().is_none_or(|found| found.contains(PollFlags::POLLNVAL));
    polled.is_ok() && !streams.iter().any(is_closed)
}
