//! Arguments of the verbs that list candidates and decide about them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Fields, InProject};

/// Arguments of `lessons candidates`.
#[derive(Debug, Args)]
pub struct Candidates {
    /// Also list rejected candidates
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `lessons promote`.
#[derive(Debug, Args)]
pub struct Promote {
    /// The candidate's id, or the start of it
    pub id: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Fields of the lesson; the others come from the candidate
    #[command(flatten)]
    pub fields: Fields,
    /// Promote it although it has this flag, such as echo
    #[arg(long, value_name = "FLAG", requires = "reason")]
    pub accept: Vec<String>,
    /// The reason for `--accept`
    #[arg(long)]
    pub reason: Option<String>,
}

/// Arguments of `lessons reflect`.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Reflect {
    /// Read the sessions of every project, not only of this one
    #[arg(long)]
    pub all_projects: bool,
    /// Print everything, also what was read before
    #[arg(long)]
    pub all: bool,
    /// Print what a model is told about a reading, in the place of one
    #[arg(long, conflicts_with_all = ["all", "dry_run"])]
    pub instruction: bool,
    /// Print only how much there is to read
    #[arg(long)]
    pub dry_run: bool,
    /// Have a program read it, which gets the text on standard input and prints its answer: `claude` for Claude Code without
    /// tools, or any command line
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["all", "instruction", "dry_run"])]
    pub with: Option<String>,
    /// Have the nightly run do that, or no longer; with --with by that program
    #[arg(long, value_name = "on|off", conflicts_with_all = ["all", "instruction", "dry_run", "all_projects"])]
    pub nightly: Option<Switch>,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// Arguments of `lessons propose`.
#[derive(Debug, Args)]
#[command(after_help = PROPOSE)]
pub struct Propose {
    /// The file; `-` is standard input
    pub file: PathBuf,
    /// They answer the reading over every project, not that of this one
    #[arg(long)]
    pub all_projects: bool,
    /// Only try them, as an answer to this reading of `lessons reflect --all --json`; nothing is recorded
    #[arg(long, value_name = "FILE")]
    pub reading: Option<PathBuf>,
}

/// Arguments of `lessons reject`.
#[derive(Debug, Args)]
pub struct Reject {
    /// The candidate's id, or the start of it
    pub id: String,
    /// The reason
    #[arg(long)]
    pub reason: Option<String>,
}

/// Arguments of `lessons review`.
#[derive(Debug, Args)]
#[command(after_help = REVIEW)]
pub struct Review {
    /// Print the first waiting candidate with all its details
    #[arg(long, conflicts_with_all = ["check", "apply"])]
    pub next: bool,
    /// Print the one after this candidate instead
    #[arg(long, value_name = "ID", requires = "next")]
    pub after: Option<String>,
    /// Show what a file of decisions would do, and the command that does it; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    pub check: Option<PathBuf>,
    /// Carry out a file of decisions, all of them or none
    #[arg(long, value_name = "FILE")]
    pub apply: Option<PathBuf>,
}

/// The help text about files of lessons, and about files of decisions.
const PROPOSE: &str =
    "The file is the answer of a model to the last reading of `lessons reflect`: a JSON list of lessons,
in the form that `lessons reflect --instruction` asks for. A lesson names the items that show it by
their ids. A trigger that is too wide is narrowed; one that fires on the wrong calls is left out,
and the lesson is told at the start of sessions. A person reviews what passes. With it the reading
counts as read, also where the list is empty.";

const REVIEW: &str = r#"Without an option it opens a screen with one candidate at a time; ? shows every key.
With --json alone it lists all waiting candidates.

A file of decisions:
  {"decisions": [
    {"do": "promote", "candidate": "3f2a", "fields": {"rule": "…", "mode": "bump"}},
    {"do": "promote", "candidate": "77ab", "accept": {"flags": ["echo"], "reason": "…"}},
    {"do": "merge",   "candidate": "9c01", "lesson": "git-stash"},
    {"do": "edit",    "candidate": "52d0", "lesson": "git-stash", "fields": {"rule": "…"}},
    {"do": "reject",  "candidate": "10fe", "reason": "…"},
    {"do": "skip",    "candidate": "e4b8"}
  ]}
`fields` are named like the flags of `lessons promote`, without dashes: scopeProject for
--scope-project."#;
