//! A hook in which something goes wrong: for the test that it ends as if nothing had.
#![no_main]

use std::ffi::{c_char, c_int};

/// Where the C library begins.
#[allow(unsafe_code, reason = "the C library finds it by its name, which nothing else here has")]
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    #[allow(clippy::panic, reason = "that is what it is for")]
    lessons_hooks::process::run(|| panic!("something went wrong"))
}
