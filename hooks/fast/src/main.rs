//! `lessons-pre-tool-use`: the program around [`lessons_fast_hook`].
//!
//! Built with the feature `program`, alone, for a target without a C library: see `cargo xtask dist`.
#![no_std]
#![no_main]

extern crate alloc;

mod arena;
mod start;

use core::ffi::CStr;

use lessons_fast_hook::environment::Environment;
use lessons_fast_hook::handover::{Next, beside};
use lessons_fast_hook::hook;

#[global_allocator]
static MEMORY: arena::Arena = arena::Arena::new();

/// Runs the hook. Returns the status to exit with: 0, whatever happens, or the client would show an error.
fn run(arguments: &start::Arguments) -> i32 {
    let environment = Environment::of(arguments.variables(Environment::INITIALS));
    if hook::run(&environment) == Next::HandOver
        && let Some(program) = arguments.program().map(CStr::to_bytes).and_then(beside)
    {
        start::execute(&program, arguments);
    }
    0
}

/// A panic is what everything else is: no reason to stop a call.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    start::exit(0)
}
