//! The flag of the verbs that can change the lessons of a project.

use clap::Args;

/// Which store a verb changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args, Default)]
pub struct InProject {
    /// Change the lessons that this project carries, in .lessons/lessons.json, instead of your own
    #[arg(long)]
    pub project: bool,
}
