//! The command line `lessons`, which is the scanner in the background too.
//!
//! Input:
//! - [`args`]: verbs and flags. [`completions`]: help, shell completions and manual pages.
//! - [`fields`] and `json_input`: a lesson's fields from flags and from JSON. `edit_form`: from a form in an editor. [`cleaning`] and `evidence`: secrets and
//!   hidden characters are removed from them. [`lint`]: warnings about a lesson of little use. `duplicates`: lessons that say the
//!   same already. `prompt`: questions at the terminal.
//! - `lesson_difference`: a lesson before and after a change, for the one who decides.
//! - [`lookup`], [`project_files`], [`project_names`], `project_bound` and [`known_projects`]: finding lessons, candidates and projects by name. `search`: finding
//!   lessons by their texts; [`recalling`]: the same for other programs. `wording`: what of a text counts as likeness. `paging`: how much of a list is shown at once.
//!   [`paint`]: colours on a terminal.
//!
//! Work:
//! - [`app`]: the context of a verb. [`verbs`]: one file for each verb. [`messages`]: answers and safe JSON.
//! - `change`: saving changes to lessons. [`building`]: compiling what was accepted, which `previous` compares with what was
//!   in force, so that `lost` and `weakened` refusals are named. [`publishing`]: replacing manifest and index.
//! - [`review`]: decisions about candidates. [`proof`]: the proof that a lesson needs before it may block.
//! - [`trials`]: replays over past sessions. `explain`: why a call was advised, blocked or left alone.
//!   `in_force`: the lessons in force. `repair`: rebuilding an unusable index.
//!   `waiting`: the count of candidates that wait.
//! - `incidents`: texts that were dangerous once, and what is like them.
//! - [`forgetting`]: erasing a text from all stored data. [`doctor`]: checks of the installation.
//! - `mcp`: a server for models of other programs.
//! - `install`: the plugin in Claude Code and the command on the PATH.
//! - [`allocator`]: the allocator.
//! - [`background`]: work that hooks start. [`nightly`]: the nightly run. `report_page`: the page of what lessons do.
//!   [`schedule`]: scheduling it. `usage_counts`: counting use, if the user wants that.
//!
//! Invariants: a verb that changes anything calls [`app::App::permit_change`] first. Every answer has a form for people
//! and one for programs; so does an error (`{"error": …}` on standard output). Recorded text that an agent reads is
//! neutral and fenced. Nothing here decides whether a lesson matches a call.

mod agent_cap;
mod agent_statistics;
pub mod allocator;
pub mod app;
pub mod args;
pub(crate) mod asking;
pub mod background;
pub(crate) mod change;
pub mod completions;
pub mod doctor;
mod duplicates;
mod edit_form;
mod editor;
mod effects;
pub(crate) mod explain;
pub mod fields;
pub mod forgetting;
mod install;
mod json_input;
pub mod local_time;
mod mcp;
pub mod messages;
pub mod nightly;
pub mod overview;
mod own_advice;
mod paging;
pub mod paint;
mod project_bound;
mod prompt;
pub mod proof;
mod reflection;
mod report_page;
pub mod review;
mod rows;
pub mod schedule;
mod shown;
mod too_broad;
pub mod trials;
mod usage_counts;
pub mod verbs;
