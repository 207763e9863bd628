//! What an installation puts outside the data folder's lessons: copies of the plugin, entries in the settings of each agent, a
//! link on the PATH, and a job of the system's scheduler.
//!
//! In reading order:
//!
//! - [`machine`]: where an installation is, programs and variables. [`package`]: the plugin around this program, from which it
//!   installs.
//! - [`copies`]: the copies of the plugin in the data folder.
//! - [`claude`]: the plugin commands of Claude Code. [`agents`]: the settings of the other agents, and what of ours is in them.
//! - [`command_link`]: the link by which a shell finds `lessons`.
//! - [`schedule`]: the nightly run in the system's scheduler, planned as steps that are shown before they are taken.
//! - [`first_lesson`]: a built-in lesson, told by the installed hook.
//!
//! Everything here can be taken out again, and what is not ours stays as it was. It never prints, asks or parses arguments, and
//! never looks at lessons.
//!
//! Copies of the plugin are made again and not kept, so no file of them passes the crash points of
//! [`lessons_store::durable`]. A new copy takes effect by one rename.
#![allow(
    clippy::disallowed_methods,
    reason = "an interrupted installation is repeated, and takes effect by one rename"
)]

pub mod agents;
pub mod claude;
pub mod command_link;
pub mod copies;
mod error;
pub mod first_lesson;
pub mod machine;
pub mod package;
pub mod schedule;

pub use agents::{Agent, State};
pub use claude::{Claude, PLUGIN_ANYWHERE};
pub use machine::InstallFolders;
pub use package::{Keeper, Package};
