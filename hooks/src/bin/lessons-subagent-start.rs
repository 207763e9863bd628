//! Runs at the start of every sub-agent: see [`lessons_hooks::subagent_start`].
#![no_main]

use std::ffi::{c_char, c_int};

use lessons_hooks::allocator::BumpAllocator;

#[global_allocator]
static ALLOCATOR: BumpAllocator = BumpAllocator::new();

/// Where the C library begins.
#[allow(unsafe_code, reason = "the C library finds it by its name, which nothing else here has")]
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    lessons_hooks::process::run(lessons_hooks::subagent_start::run)
}
