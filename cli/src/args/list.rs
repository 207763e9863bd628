//! Arguments of `lessons list`.

use clap::{Args, ValueEnum};

/// Arguments of `lessons list`.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct List {
    /// Also list lessons that are retired or switched off
    #[arg(long)]
    pub all: bool,
    /// List only your own lessons
    #[arg(long)]
    pub mine: bool,
    /// List only lessons of this project: those that it brings along, and your own that are limited to it
    #[arg(long)]
    pub project: bool,
    /// One short line for each lesson
    #[arg(long)]
    pub short: bool,
    /// Show this page of a list that is longer than the screen
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub page: u32,
    /// Sort all of them by this, instead of your own first
    #[arg(long, value_enum, value_name = "WHAT")]
    pub sort: Option<Sort>,
    /// List only lessons with these words in any of their texts, best match first
    pub text: Vec<String>,
}

/// An order of lessons in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The newest first
    Created,
    /// The last changed first
    Updated,
    /// The highest priority first
    Priority,
}

impl Sort {
    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Priority => "priority",
        }
    }
}
