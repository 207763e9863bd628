//! The command line: verbs and their arguments.

mod candidates;
mod fields;
mod graph;
mod in_project;
mod incidents;
mod keeping;
mod list;
mod overview;
mod replay;
mod sharing;
mod trust;

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::background::BackgroundWork;

pub use candidates::{Candidates, Promote, Propose, Reflect, Reject, Review, Switch};
pub use fields::Fields;
pub use graph::{
    Export, ExportFormat, Init, MergeDriver, Prune, Query, StripMarkers, Two, Untrigger, Validate,
};
pub use in_project::InProject;
pub use incidents::{AcceptIncident, Check, IncidentAction, Incidents, ListIncidents, ReportIncident};
pub use keeping::{Receive, Report, Schedule, ScheduleAction};
pub use list::{List, Sort};
pub use overview::overview;
pub use replay::{Explain, Replay};
pub use sharing::{Peers, PeersAction, Share};
pub use trust::{Project, Trust};

/// Stops a coding agent from making the same mistake twice.
///
/// Mistakes are found in session transcripts, you decide which become lessons, and the right lesson
/// is given to the model at the tool call where it matters.
#[derive(Debug, Parser)]
#[command(name = "lessons", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(help_template = "{about-section}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}")]
pub struct Cli {
    /// The verb; `status` if there is none
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub json: bool,
}

impl Cli {
    /// The definition with the verbs of every day in its help. Whoever only reads arguments does without: the list takes
    /// as long as reading them does.
    pub fn with_help() -> Command {
        Self::command().after_help(overview::everyday())
    }
}

/// One verb.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show reminders, blocked calls and what waits for you (the same as `lessons` alone)
    Status,
    /// List your lessons, or find some by words
    List(List),
    /// Show all details of a lesson or candidate
    Show(One),
    /// List mistakes found in sessions that wait for your decision
    Candidates(Candidates),
    /// Find lessons by words, or for a file, a command or a topic
    Query(Query),
    /// Show how often lessons are queried, given and recorded, and what that costs
    ///
    /// Reminders of hooks are always counted. Queries and recorded lessons are counted with `telemetry = true` in
    /// config.toml: numbers only, and only on this machine.
    Stats,
    /// Show what lessons do: whether the model does as told, and which lessons cannot help
    ///
    /// A session counts once it has been quiet for an hour; only numbers are kept. A lesson has to come up in 12 sessions
    /// before anything is said about it.
    Effect(Effect),
    /// Decide which mistakes found in your sessions become lessons
    Review(Review),
    /// Make a candidate a lesson
    Promote(Promote),
    /// Reject a candidate
    Reject(Reject),
    /// Print what happened in your sessions, for a model that looks for lessons
    ///
    /// It holds what you typed and refused, what failed again, and what was written down to be remembered; not what was read
    /// before. `/lessons:reflect` in Claude Code reads it and proposes lessons.
    Reflect(Reflect),
    /// Try the lessons that a model found in a reading, for you to decide about
    Propose(Propose),
    /// Accept lessons and settings that were changed in the files themselves
    ///
    /// An editor or git may have done it. Until then, what you accepted before stays in force. `lessons undo` undoes it, and `lessons restore --store`
    /// restores lessons.json instead.
    Accept(Accept),
    /// Record a lesson
    Add(Add),
    /// Change a lesson
    ///
    /// Each given flag replaces the old value. Without one, a form opens in your editor, which is the one that VISUAL or EDITOR names. The form is checked, and before it is saved you see what the
    /// change would have done in past sessions.
    Edit(Edit),
    /// Retire a lesson
    #[command(alias = "deprecate")]
    Retire(Retire),
    /// Merge one lesson into another
    ///
    /// The first lesson's triggers and evidence are added to the second.
    Merge(Two),
    /// Replace one lesson with another
    Supersede(Two),
    /// Remove a trigger from a lesson
    Untrigger(Untrigger),
    /// Bring back a rejected candidate or a retired lesson
    Restore(Restore),
    /// Switch a lesson, a built-in lesson or everything off; `on` switches it on again
    Off(Off),
    /// Switch a lesson or everything on again
    On(On),
    /// Undo your last change, or any other one by its number
    Undo(Undo),
    /// List every change of lessons, candidates, trust and settings, the newest first
    ///
    /// The files that `lessons schedule` and `lessons init --team` write are not logged: `lessons schedule remove`
    /// undoes the one, git the other.
    Log(Log),
    /// Approve the lessons that a project brings along
    Trust(Trust),
    /// Withdraw the approval of a project's lessons
    Untrust(Project),
    /// Sign lessons of yours, for others to take
    ///
    /// Each becomes a file in the project's .lessons/shared. Everything that others will read is shown first. A lesson with a secret, an absolute path or a flag is refused.
    /// See docs/sharing.md.
    Share(Share),
    /// Ask others to use a shared lesson no more
    Unshare(Share),
    /// List the keys whose shared lessons you want; trust and distrust them
    Peers(Peers),
    /// Show the public key with which this machine signs shared lessons
    Identity,
    /// Show what a lesson, a candidate or a trigger would have done in past sessions
    Replay(Replay),
    /// Explain why a call was advised, blocked or left alone
    Explain(Explain),
    /// Run the examples of every lesson
    ///
    /// Those of the current project are run too, trusted or not. The exit status is 1 if an example fails, so CI can check a shared store.
    Test {
        /// Test only the lessons of this store
        file: Option<PathBuf>,
    },
    /// Check your lessons for errors and doubtful entries
    Validate(Validate),
    /// Check the whole installation and suggest fixes
    ///
    /// It checks the installed files, the manifest and index, your lessons and those of projects, the settings, the
    /// database, lessons against each other and against the project's CLAUDE.md, and hooks and scans as they went. It
    /// also replays lessons over past sessions. The exit status is 1 if something does not work.
    Doctor(Doctor),
    /// Install Lessons into Claude Code, or a newer version of it
    ///
    /// It also links `lessons` into your PATH.
    /// The plugin around this program is copied into the data folder; the unpacked archive may be deleted afterwards. If
    /// Claude Code has fetched the plugin itself, only the link is made.
    Install(Install),
    /// Remove Lessons from Claude Code and from your PATH, and keep your lessons
    Uninstall,
    /// List texts that were dangerous once, and decide about them
    ///
    /// Web pages, files and tool results that gave the agent orders are remembered. A text that is like a critical one is
    /// withheld from the agent, or a lesson like it refused; others are pointed out.
    Incidents(Incidents),
    /// Check whether a text is like an incident, or gives orders itself
    ///
    /// The exit status is 1 if it is not safe: only a critical incident makes it so.
    Check(Check),
    /// Take in the lessons that peers share
    ///
    /// They become candidates, or are in force at once where you trust a peer so. A session start, the nightly run and the follower do the same. An event whose author you do not trust is counted and
    /// nothing more; see `lessons peers`.
    Receive(Receive),
    /// Look for mistakes in the sessions on this machine
    Scan(Scan),
    /// Compile the lessons for the hooks
    Build,
    /// Remove triggers that match nothing and entries that nothing uses
    ///
    /// Without --apply they are only listed.
    Prune(Prune),
    /// Remove references such as `See L128` from rules; `lessons prune --markers --apply` does it too
    #[command(hide = true)]
    StripMarkers(StripMarkers),
    /// Write a settings file with every default; `--team` sets up git merges of lessons
    Init(Init),
    /// Import lessons from another tool or person
    Import(Import),
    /// Export your lessons for another tool
    Export(Export),
    /// Serve lessons to a model over the Model Context Protocol, on standard input and output
    ///
    /// `claude mcp add lessons -- lessons mcp` adds it to Claude Code. The plugin works without it.
    Mcp,
    /// Rebuild the index from the accepted copies; a hook runs this when the index is unusable
    #[command(hide = true)]
    Index,
    /// Plan a call of an agent, so that the person can be asked about it; the hook runs this
    #[command(hide = true)]
    Question,
    /// Merge two versions of a project's lessons; git runs this
    #[command(hide = true)]
    MergeDriver(MergeDriver),
    /// Permanently erase a text from all stored data
    ///
    /// The text is read from a prompt that does not show it, or from standard input. It is not an argument,
    /// because other users can see arguments and the shell records them.
    Forget,
    /// Show the report of the last nightly run, or make a page of what lessons do
    ///
    /// The page is one HTML file without script, which loads and sends nothing. The nightly run keeps the newest in
    /// reports/ in the data folder.
    Report(Report),
    /// Scan, reject what has waited for 90 days, back up, build, check, report
    Nightly,
    /// Run `lessons nightly` every night with the machine's own scheduler
    Schedule(Schedule),
    /// Generate shell completions
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Explain a verb, or list `all` of them
    #[command(hide = true)]
    Help {
        /// The verb, or `all`
        verb: Option<String>,
    },
    /// Print a manual page: `lessons man add | man -l -`
    #[command(hide = true)]
    Man {
        /// The verb; without one, the page of `lessons` itself. With --json, every page by its file name
        verb: Option<String>,
    },
}

/// One id.
#[derive(Debug, Args)]
pub struct One {
    /// The id, or the start of it
    pub id: String,
}

/// Arguments of `lessons retire`.
#[derive(Debug, Args)]
pub struct Retire {
    /// The id, or the start of it
    pub id: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Retire it because it is wrong: what contradicts it is kept, and you are warned of a similar rule later
    #[arg(long)]
    pub wrong: bool,
}

/// Arguments of `lessons accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// Only show the differences from what you accepted
    #[arg(long)]
    pub dry_run: bool,
}

/// Arguments of `lessons restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// The id, or the start of it
    #[arg(required_unless_present = "store", conflicts_with = "store")]
    pub id: Option<String>,
    /// Restore lessons.json to what you accepted
    #[arg(long)]
    pub store: bool,
    /// The store in which the lesson is
    #[command(flatten)]
    pub within: InProject,
}

/// Arguments of `lessons effect`.
#[derive(Debug, Args)]
pub struct Effect {
    /// Show one lesson: its id, or the start of it
    pub id: Option<String>,
    /// Delete the numbers of this lesson; sessions before now do not count again
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    pub forget: Option<String>,
}

/// Arguments of `lessons add`.
#[derive(Debug, Args)]
#[command(after_help = overview::ADD_EXAMPLES)]
pub struct Add {
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// The lesson's fields
    #[command(flatten)]
    pub fields: Fields,
    /// A line about the topic, if the topic is new
    #[arg(long, value_name = "TEXT")]
    pub topic_summary: Option<String>,
    /// Read the lesson as JSON from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub json_input: Option<PathBuf>,
    /// The acceptance of an incident
    #[command(flatten)]
    pub incident: AcceptIncident,
}

/// Arguments of `lessons edit`.
#[derive(Debug, Args)]
pub struct Edit {
    /// The lesson's id, or the start of it
    pub id: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// The fields to change
    #[command(flatten)]
    pub fields: Fields,
    /// Read the changes as JSON from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub json_input: Option<PathBuf>,
    /// The acceptance of an incident
    #[command(flatten)]
    pub incident: AcceptIncident,
}

/// Arguments of `lessons off`.
#[derive(Debug, Args)]
pub struct Off {
    /// A lesson's id, `seed/ID` for a built-in lesson, or `all`
    pub id: String,
    /// For how long, such as 30m, 2h or 3d; without it, until `lessons on`
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<String>,
    /// Until the current session ends
    #[arg(long, conflicts_with = "duration")]
    pub session: bool,
}

/// Arguments of `lessons on`.
#[derive(Debug, Args)]
pub struct On {
    /// A lesson's id, `seed/ID` for a built-in lesson, or `all`
    pub id: String,
}

/// Arguments of `lessons doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Apply safe fixes: rebuild, finish interrupted changes, clean up, restore the database
    #[arg(long)]
    pub fix: bool,
}

/// Arguments of `lessons undo`.
#[derive(Debug, Args)]
pub struct Undo {
    /// The number of the change, as `lessons log` shows it; by default your last change that is not undone
    pub number: Option<u64>,
}

/// Arguments of `lessons log`.
#[derive(Debug, Args)]
pub struct Log {
    /// List only changes of this lesson, candidate, project or setting: its id, or the start of it
    pub id: Option<String>,
    /// List instead what was told and stopped: when, where, at which call, and what came of it
    #[arg(long)]
    pub fired: bool,
    /// Only of today
    #[arg(long, requires = "fired")]
    pub today: bool,
    /// Maximum number of entries
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// Arguments of `lessons install`.
#[derive(Debug, Args)]
pub struct Install {
    /// Link `lessons` into ~/.local/bin without asking
    #[arg(long)]
    pub yes: bool,
    /// Only show whether your terminal finds `lessons`, and what to type if it does not
    #[arg(long, conflicts_with = "yes")]
    pub status: bool,
}

/// Arguments of `lessons scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Scan this folder of transcripts too
    #[arg(long, value_name = "FOLDER")]
    pub root: Vec<PathBuf>,
    /// Work on without the terminal, as a session start has it
    #[arg(long, value_enum, hide = true, conflicts_with = "root")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "scan")]
    pub background: Option<BackgroundWork>,
}

/// Arguments of `lessons import`.
#[derive(Debug, Args)]
pub struct Import {
    /// The format of the file
    #[arg(long, value_enum)]
    pub format: ImportFormat,
    /// The folder of a project that the file names, such as `srv-app=/srv/app`
    #[arg(long, value_name = "NAME=FOLDER")]
    pub project: Vec<String>,
    /// Let its lessons block without proof from past sessions, for this reason
    #[arg(long, value_name = "REASON")]
    pub force_block: Option<String>,
    /// Import lessons that block or bump as advice, until you have seen what they would block
    #[arg(long, conflicts_with = "force_block")]
    pub as_advice: bool,
    /// The acceptance of an incident
    #[command(flatten)]
    pub incident: AcceptIncident,
    /// The file, or the folder
    pub file: PathBuf,
}

/// A format that can be imported.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ImportFormat {
    /// A manifest of the plugin lessons-learned
    LessonsLearned,
    /// A lessons graph, such as another person's lessons.json
    LessonsGraph,
    /// The folder of an older lessons graph, with index.yaml, topics/ and journal.md
    LessonsFolder,
    /// One lesson a line in JSON, as `lessons export --format jsonl` writes them
    Jsonl,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
