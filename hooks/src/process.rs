//! How the process of a hook begins and ends.
//!
//! The standard library's own start is left out (`#![no_main]`): it costs a tenth of a call and does three things of
//! which a hook needs two, which are done here. Without it `std::env::args` is empty where the C library is musl.

use std::ffi::c_int;
use std::process::exit;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, signal};

use crate::standard;

/// Runs a hook and returns the status to exit with: 0, whatever happens, or the client would show an error.
pub fn run(hook: fn()) -> c_int {
    // A panic is what everything else is: no reason to stop a call.
    std::panic::set_hook(Box::new(|_| exit(0)));
    ignore_broken_pipes();
    if standard_streams_are_open() {
        hook();
    }
    0
}

/// Makes writing to a client that has gone away an error, as everything else that can go wrong is.
#[allow(unsafe_code, reason = "nix cannot know which functions may handle a signal")]
fn ignore_broken_pipes() {
    // SAFETY: no function of ours becomes a handler.
    let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigIgn) };
}

/// Whether nobody closed standard input or output. The next file that is opened would take the number: it would be
/// read for a payload, or an answer written into it.
fn standard_streams_are_open() -> bool {
    let mut streams =
        [standard::input(), standard::output()].map(|stream| PollFd::new(stream, PollFlags::empty()));
    let asked = poll(&mut streams, PollTimeout::ZERO);
    let is_closed =
        |stream: &PollFd<'_>| stream.revents().is_none_or(|found| found.contains(PollFlags::POLLNVAL));
    asked.is_ok() && !streams.iter().any(is_closed)
}
