//! Whole-system tests of Lessons, and what they are run with.
//!
//! - [`binaries`]: our programs, built once.
//! - [`scratch`]: a home and a project that belong to one test.
//! - [`model`]: a scripted stand-in for the model behind the client.
//! - [`client`]: one run of the real Claude Code client against that model, without a network.
//! - [`requests`]: what reached the model, which is what the real-client tests assert on.
//! - [`plugin`]: the plugin's folder, as it would be installed, from freshly built programs.
//! - [`env`]: one machine for one test, without a client.
//! - [`person`]: somebody who types `lessons`.
//! - [`terminal`]: a terminal, and somebody who looks at it and types.
//! - [`svg`]: a picture of such a terminal.
//! - [`files`]: what lies below a folder.
//! - [`processes`]: which processes of a test are still there.
//! - [`shared`]: peers, and the events that they sign.
//! - [`reach`]: the calls that went wrong, put to the hooks one by one.
//! - [`record`]: what the hook answers, byte for byte, kept from one version to the next.
//!
//! The harness fails by panicking, with a message that says what was wanted and what was there instead.
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "the harness of tests: a panic is how a test fails"
)]

pub mod binaries;
pub mod client;
pub mod controlling_terminal;
pub mod env;
pub mod files;
pub mod model;
pub mod person;
pub mod plugin;
pub mod processes;
pub mod reach;
pub mod record;
pub mod requests;
pub mod scratch;
pub mod shared;
pub mod svg;
pub mod terminal;
