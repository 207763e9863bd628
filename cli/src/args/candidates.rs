//! Arguments of the verbs that list candidates and decide about them.

use std::path::PathBuf;

use clap::Args;

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
pub struct Reflect {
    /// Read the sessions of every project, not only of this one
    #[arg(long)]
    pub all_projects: bool,
    /// Print everything, also what was read before
    #[arg(long)]
    pub all: bool,
    /// Print the instruction for a model as well
    #[arg(long)]
    pub instruction: bool,
    /// Print only how much there is to read
    #[arg(long)]
    pub dry_run: bool,
}

/// Arguments of `lessons propose`.
#[derive(Debug, Args)]
#[command(after_help = PROPOSE)]
pub struct Propose {
    /// The file; `-` is standard input
    pub file: PathBuf,
    /// Let them explain mistakes of every project, not only of this one
    #[arg(long)]
    pub all_projects: bool,
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

/// The help text about files of decisions.
const PROPOSE: &str = r#"The file is {"lessons": [...]}. A lesson has `explains` (ids of `lessons reflect`), `mistake`,
`rule`, `trigger` (a list of KIND=PATTERN), `fails` and `works` (lists of commands), and perhaps
`why`, `also` and `unless`. It must match what fails, keep quiet on what works, and not be too
broad for past sessions. A person reviews what passes."#;

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
