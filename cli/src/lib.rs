//! The command line `lessons`, which is the scanner in the background too.
//!
//! - [`verbs`]: a file for each verb with its arguments, help, run and printing, in five folders that are the headings of
//!   `lessons help all`. [`args`]: flags that several verbs have.
//! - [`app`]: what a verb gets: the context that the libraries know, and where its answers go. `prelude`: the names that
//!   nearly every verb uses. [`ui`]: what a person types and reads.
//! - `change`: changes to lessons as verbs make them. What they take is in `lessons_review`.
//! - [`review`]: candidates as a reviewer sees them, and the screen.
//! - [`forgetting`]: erasing a text from all stored data. `mcp`: a server for models of other programs. [`nightly`]: the
//!   nightly run. [`allocator`]: the allocator.
//!
//! Invariants: a verb that changes anything asks for [`app::App::permitted`] first. Every answer has a form for people
//! and one for programs; so does an error (`{"error": …}` on standard output). Recorded text that an agent reads is
//! neutral and fenced. Nothing here decides whether a lesson matches a call.

pub mod allocator;
pub mod app;
pub mod args;
pub(crate) mod change;
pub mod forgetting;
mod mcp;
pub mod nightly;
mod prelude;
pub mod review;
pub mod ui;
pub mod verbs;
