//! What the client starts at its events.
//!
//! One small binary per event, and one shape for all of them (`event`): read the payload, open the data folder and
//! its index, answer, print one JSON object or nothing, write down what happened. A new hook is a file like
//! [`pre_tool_use`], a binary of one line, and an entry in `hooks.json`.
//!
//! In reading order: [`process`], [`memory`], `event`, [`pre_tool_use`], [`session_start`]; then what they need: `surroundings`,
//! `input`, `output`, `standard`, `repair` of an index that cannot be used, programs in the `background`, and what the
//! user is told (`notices`). What they need of the system otherwise is in `lessons-core`, for every program of ours.
//!
//! Invariants:
//! - Nothing here can open a network connection or a database: the crate depends on `lessons-core`
//!   alone, and a test looks at the dependency tree.
//! - A hook exits 0 whatever happens, never prints a path that the call did not contain, never logs what a user
//!   typed, and writes only claims, events, the time of the last look and of the last attempt at an index.
//! - It waits for nothing but its payload and, at most two seconds, an index that has to be made anew.
//! - The only things it ever starts are `lessons index`, and at the start of a session `lessons-scan`, from its own
//!   folder.

mod background;
mod event;
mod input;
pub mod memory;
mod notices;
mod output;
pub mod pre_tool_use;
pub mod process;
mod repair;
pub mod session_start;
mod standard;
mod surroundings;
