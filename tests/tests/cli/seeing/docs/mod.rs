//! What README.md and docs/ show of the program is what the program does.
//!
//! - [`scene`]: the story that the README tells, as sessions on a machine.
//! - [`shown`]: the pictures and the list of verbs, which `cargo xtask docs` writes.
//! - [`hour`]: the first hour of a newcomer, screen by screen.
//! - [`settings`]: the settings that docs/settings.md lists.
//! - [`walk`]: the README's commands, run in their order.

mod hour;
mod scene;
mod settings;
mod shown;
mod walk;
