//! The hook before a tool call, at the cost of starting a process.
//!
//! It has no standard library, no C library and no loader; it reads the index, not the manifest, and
//! what it decides is [`lessons_core::answer`], as everywhere. Whatever is out of the ordinary it leaves
//! to `lessons-pre-tool-use-full` beside it, which reads the manifest and knows every case: a missing,
//! stale or damaged index, a data folder that is not as it should be, a question to the person.
//!
//! In reading order: [`environment`], [`home`], [`index`], [`hook`]; then what they need of the system:
//! [`files`], [`session`], [`log`], [`clock`], [`disk`], [`input`], and [`handover`] to the other program.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

/// The memory in the program's image, in bytes. It costs nothing before it is touched.
pub const OWN_MEMORY: usize = 128 << 10;

mod clock;
mod disk;
pub mod environment;
mod files;
pub mod handover;
mod home;
pub mod hook;
mod index;
mod input;
mod log;
mod session;
mod standard;
