//! What the client starts at its events.
//!
//! One small binary per event. Each reads its payload to the end, asks `lessons-core` what to say,
//! prints one JSON object or nothing, and exits 0 whatever happens.
//!
//! Invariants:
//! - Nothing here can open a network connection or a database: the crate depends on `lessons-core`
//!   alone, and a test looks at the dependency tree.
//! - A hook never waits, never prints a path that the call did not contain, never logs what a user
//!   typed, and writes only claims, events and the time of the last look.
//! - The only thing it ever starts is `lessons-scan` from its own folder, at the start of a session.

mod background;
mod input;
mod notices;
mod output;
mod surroundings;

pub mod pre_tool_use;
pub mod session_start;

/// Makes a panic what everything else is: no reason to stop a call. The client would take any other
/// exit for an error and show it.
pub fn fail_open() {
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
}
