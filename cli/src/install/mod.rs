//! Installation: the plugin's files, Claude Code, and the command on the PATH.
//!
//! - [`folders`]: where an installation is. [`package`]: the plugin around this program, from which it installs.
//! - [`tree`]: copying, hashing and switching folders. [`copies`]: the copies of the plugin in the data folder.
//! - [`client`]: the plugin commands of Claude Code. [`command_link`]: the link by which a shell finds `lessons`.
//! - [`first_lesson`]: a built-in lesson, told by the installed hook.
//!
//! What is written here is copied again and not kept, so no file passes the crash points of
//! [`lessons_store::durable`]. A new copy takes effect by one rename.
#![allow(
    clippy::disallowed_methods,
    reason = "an interrupted installation is repeated, and takes effect by one rename"
)]

pub(crate) mod client;
pub(crate) mod command_link;
pub(crate) mod copies;
pub(crate) mod first_lesson;
pub(crate) mod folders;
pub(crate) mod package;
mod tree;
