//! The programs that the client starts at its events.
//!
//! There is one small binary per event, and one course for all of them (`event`): read the payload, open the data folder
//! and its index, answer, print one JSON object or nothing, record what happened. A new hook is a file like
//! [`pre_tool_use`], a binary of one line, and an entry in `hooks.json`. [`any_client`] asks them all for other clients.
//!
//! In reading order: [`process`], [`allocator`], `event`, [`pre_tool_use`], [`post_tool_use_failure`],
//! [`post_tool_use`] with `incidents`, [`session_start`], [`subagent_start`]; then what they need: `environment`, `input`,
//! `output`, `stdio`, `repair` of an unusable index, `background` processes, `notices` for the user with the line about candidates that are
//! `waiting`, withheld texts that are `undecided` and `memory_files` that give orders, and the `last_notice` of all. All
//! other access to the system is in `lessons-home`, for every program.
//!
//! Invariants:
//! - A hook cannot open a network connection or a database: the crate depends on the crates up to `lessons-decide`
//!   alone, and a test checks the dependency tree.
//! - A hook exits 0 whatever happens, never prints a path that the call did not contain, never logs what a user
//!   typed, and writes only claims, events, records of texts that it withheld, of the last notices, and of the last attempt to
//!   rebuild the index.
//! - A hook waits for nothing but its payload and, at most two seconds, a rebuild of the index.
//! - A hook starts only `lessons index`, `lessons question` for a call that a person has to approve, and, at the start
//!   of a session, `lessons scan --background`, from its own folder.

pub mod allocator;
pub mod any_client;
mod attendance;
mod background;
mod environment;
mod event;
mod incidents;
mod input;
mod memory_files;
mod notices;
mod output;
pub mod post_tool_use;
pub mod post_tool_use_failure;
pub mod pre_tool_use;
pub mod process;
mod question;
mod repair;
pub mod session_start;
mod stdio;
pub mod subagent_start;
