//! The harness of `cargo xtask bench` and `cargo xtask gates`: the cost of a call of the hook, measured on the plugin as
//! `cargo xtask dist` assembles it. `tests/benches.rs` runs its tests.
#![allow(clippy::disallowed_methods, reason = "what it writes is measured again, not kept")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a person in a terminal")]
#![cfg_attr(test, allow(dead_code, unused_imports, reason = "its tests run elsewhere"))]

#[cfg(target_os = "linux")]
mod harness;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    harness::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("error: the benchmarks count page faults and system calls as Linux does; run them there");
    std::process::ExitCode::FAILURE
}
