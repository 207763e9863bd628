//! The platform layer: where our files are, and how they are opened.
//!
//! - [`home`]: the data folder, and whether a process may believe what its environment says about it.
//! - [`files`]: opening our own files: no links, owned by the user, not writable by others.
//! - [`file_error`]: why one cannot be used, and the command that fixes it.
//! - [`clock`], [`machine`]: what hooks ask the system besides.
//!
//! Invariants: a file of ours that another user owns or can write is refused by name, with the command that fixes it.
//! Nothing here waits, retries or lists a folder.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set their scene with plain files"))]

pub mod clock;
pub mod file_error;
pub mod files;
pub mod home;
pub mod machine;

pub use clock::SystemClock;
pub use home::{Caller, Environment, Home, HomeError, SESSION_VARIABLE};
pub use machine::ThisMachine;
