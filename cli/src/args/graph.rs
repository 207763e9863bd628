//! Arguments of the verbs that query, check, curate and exchange lessons.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args, ValueEnum};

use super::InProject;

/// Arguments of `lessons query`: words to search for, or the work ahead.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("asked").args(["text", "file", "cmd", "keyword"]).required(true).multiple(true))]
pub struct Query {
    /// Words to search for in all texts of the lessons in force
    #[arg(conflicts_with_all = ["file", "cmd", "keyword", "session"])]
    pub text: Vec<String>,
    /// A file that is going to be changed
    #[arg(long, value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    pub file: Option<String>,
    /// A command that is going to be run; one that starts with a dash is given as --cmd=COMMAND
    #[arg(long, value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    pub cmd: Option<String>,
    /// What the work is about, in words
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub keyword: Option<String>,
    /// Maximum number of lessons
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub top: Option<usize>,
    /// Maximum number of tokens of text, four characters each; the first lesson is always shown
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_tokens: Option<usize>,
    /// Show all matching lessons
    #[arg(long, conflicts_with_all = ["top", "max_tokens"])]
    pub all: bool,
    /// Show each lesson's id in front of it
    #[arg(long)]
    pub ids: bool,
    /// Leave out what a query with the same word here has shown before
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub session: Option<String>,
}

/// Arguments of `lessons validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// Another store than your own, such as a project's .lessons/lessons.json
    pub file: Option<PathBuf>,
    /// A project in which every glob should match a file
    #[arg(long, value_name = "FOLDER")]
    pub tree: Option<PathBuf>,
}

/// Arguments of `lessons merge` and `lessons supersede`.
#[derive(Debug, Args)]
pub struct Two {
    /// The lesson that is retired: its id, or the start of it
    pub loser: String,
    /// The lesson that takes its place
    pub keeper: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Let it block without proof from past sessions, for this reason
    #[arg(long, value_name = "REASON")]
    pub force_block: Option<String>,
}

/// Arguments of `lessons untrigger`.
#[derive(Debug, Args)]
pub struct Untrigger {
    /// The lesson's id, or the start of it
    pub id: String,
    /// The trigger as `lessons show` prints it, KIND=PATTERN, or its id in lessons.json
    pub trigger: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
}

/// Arguments of `lessons prune`.
#[derive(Debug, Args)]
pub struct Prune {
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Remove what was listed
    #[arg(long)]
    pub apply: bool,
    /// Maximum number of triggers of a lesson
    #[arg(long, value_name = "N", default_value_t = lessons_store::curate::CAP, value_parser = at_least_one)]
    pub cap: usize,
    /// Also remove globs that match no file of this project; by default they stay, because your lessons are for every
    /// project. With --project it is that project
    #[arg(long, value_name = "FOLDER")]
    pub tree: Option<PathBuf>,
    /// Instead, remove references to lines of a file that no longer exists, such as `See L128`, from rules
    #[arg(long, conflicts_with_all = ["tree", "cap"])]
    pub markers: bool,
}

/// Arguments of `lessons strip-markers`: `lessons prune --markers` as another tool has it.
#[derive(Debug, Args)]
pub struct StripMarkers {
    /// Only list the rules that would change
    #[arg(long)]
    pub dry_run: bool,
}

impl From<&StripMarkers> for Prune {
    fn from(args: &StripMarkers) -> Self {
        let store = InProject { project: false };
        Self { store, apply: !args.dry_run, cap: lessons_store::curate::CAP, tree: None, markers: true }
    }
}

/// Arguments of `lessons export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The format
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Exit with 1 if the format cannot hold something
    #[arg(long)]
    pub strict: bool,
    /// With jsonl, also export where each lesson comes from, such as session ids
    #[arg(long)]
    pub evidence: bool,
}

/// A format for another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A lessons graph of version 1, without fields that only this tool knows
    LessonsGraph,
    /// One lesson a line in JSON, with all its fields, for retrieval or to tune a model on
    Jsonl,
}

/// Arguments of `lessons init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Set up the current project so that several people can record lessons in it
    #[arg(long)]
    pub team: bool,
    /// Let scripts without a terminal decide too: sets `gate.scripts`
    #[arg(long)]
    pub scripts: bool,
}

/// Arguments of `lessons merge-driver`.
#[derive(Debug, Args)]
pub struct MergeDriver {
    /// The version before both
    pub base: PathBuf,
    /// The version of this branch, which the result replaces
    pub ours: PathBuf,
    /// The version of the other branch
    pub theirs: PathBuf,
}

/// Parses a whole number of at least 1.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| "it must be a whole number above 0".to_owned())
}
