//! Runs at the events of every client but Claude Code: see [`lessons_hooks::any_client`].
#![no_main]

use std::ffi::{c_char, c_int};

use lessons_hooks::allocator::BumpAllocator;
use lessons_hooks::{any_client, process};

#[global_allocator]
static ALLOCATOR: BumpAllocator = BumpAllocator::new();

/// Where the C library begins.
#[allow(unsafe_code, reason = "the C library finds it by its name, which nothing else here has")]
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, values: *const *const c_char) -> c_int {
    // SAFETY: they are what the C library gives to a program.
    let arguments = unsafe { process::arguments(count, values) };
    process::run(|| any_client::run(&arguments))
}
