//! The command line: verbs and their arguments.

mod fields;
mod graph;
mod replay;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::schedule::{SchedulerName, TimeOfDay};

pub use fields::Fields;
pub use graph::{
    Export, ExportFormat, Init, MergeDriver, Prune, Query, StripMarkers, Two, Untrigger, Validate,
};
pub use replay::{Explain, Replay};

/// The verbs in the order of the flow, as `lessons --help` shows them.
const OVERVIEW: &str = "\
See
  status        What was told and refused, what waits for you (the same as `lessons` alone)
  list          The lessons in force, or all of them
  show          One lesson or candidate, with everything that is known about it
  candidates    Mistakes found in sessions that wait for your decision
  report        What the last nightly run did and found
  log           Every change: who, when, what, and whether it was undone
  query         The lessons that concern a file, a command or what the work is about
  stats         How often lessons are asked for, told and recorded, and what that costs

Decide
  review        Go through the candidates one at a time
  promote       Make a candidate a lesson
  reject        Put a candidate away
  accept        Accept what was changed in the files themselves; `restore --store` takes it back
  add           Record a lesson yourself
  edit          Change a lesson
  deprecate     Put a lesson away; `restore` brings it back
  merge         Make two lessons one
  supersede     Put a lesson in the place of another
  untrigger     Take a trigger from a lesson
  restore       Bring back a rejected candidate or a deprecated lesson
  off, on       Switch a lesson, a seed or everything off and on again
  undo          Take back your last change, or any other one by its number
  trust         Approve the lessons that a project brings along; `untrust` ends it

Try
  replay        What a lesson, a candidate or a trigger would have done in past sessions
  explain       Why a call gets what it gets, and why a lesson keeps quiet
  test          Run the examples of every lesson
  validate      Everything that is wrong or doubtful in your lessons
  doctor        The same for the whole machine, each with the command that mends it

Keep
  scan          Look for mistakes in the sessions on this machine
  build         Compile the lessons for the hooks
  prune         Take out what no longer matches and what nobody uses
  strip-markers Take references such as `See L128` out of rules
  init          Write every setting out; `--team` lets git merge a project's lessons
  import        Take over lessons from another tool or a colleague
  export        Your lessons for another tool
  nightly       Scan, put away what has waited for 90 days, back up, build, check, report
  schedule      Have `nightly` run every night: install, status, remove
  completions   What your shell needs to complete all this
  forget        Take a text out of everything that is kept, which nothing brings back";

/// Stops a coding agent from making the same mistake twice.
///
/// Mistakes are found in session transcripts, you decide which become lessons, and the right lesson
/// is put in front of the model at the tool call where it matters.
#[derive(Debug, Parser)]
#[command(name = "lessons", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(help_template = "{about-section}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}")]
#[command(after_help = OVERVIEW)]
pub struct Cli {
    /// What to do. Nothing: status
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub json: bool,
}

/// One verb.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// What was told and refused, what waits for you
    Status,
    /// The lessons in force
    List(List),
    /// One lesson or candidate, whole
    Show(One),
    /// Mistakes found in sessions that wait for your decision
    Candidates(Candidates),
    /// The lessons that concern a file, a command or what the work is about
    Query(Query),
    /// How often lessons are asked for, told and recorded, and what that costs
    ///
    /// What hooks told is always known. Queries and captures are counted where `telemetry = true` stands in
    /// config.toml: numbers only, and only on this machine.
    Stats,
    /// Decide about candidates, one at a time
    Review(Review),
    /// Make a candidate a lesson
    Promote(Promote),
    /// Put a candidate away
    Reject(Reject),
    /// Accept lessons and settings that were changed in the files themselves, such as by an editor or git
    ///
    /// Until then, what you accepted before stays in force. `lessons undo` takes it back, and `lessons restore --store`
    /// puts lessons.json back instead.
    Accept(Accept),
    /// Record a lesson yourself
    Add(Add),
    /// Change a lesson: a flag that is given replaces what was there
    Edit(Edit),
    /// Put a lesson away
    Deprecate(One),
    /// Make two lessons one: what the first fires on and comes from goes to the second
    Merge(Two),
    /// Put a lesson in the place of another
    Supersede(Two),
    /// Take a trigger from a lesson
    Untrigger(Untrigger),
    /// Bring back a rejected candidate or a deprecated lesson
    Restore(Restore),
    /// Switch a lesson, a seed or everything off
    Off(Off),
    /// Switch it on again
    On(On),
    /// Take back a change: your last one, or any other one by its number
    Undo(Undo),
    /// Every change of lessons, candidates, trust and settings, the newest first
    ///
    /// What `lessons schedule` and `lessons init --team` set up is none of these: it stands in files of your scheduler
    /// and of your project. `lessons schedule remove` takes the one back, git the other.
    Log(Log),
    /// Approve the lessons that a project brings along
    Trust(Trust),
    /// End the trust in a project's lessons
    Untrust(Project),
    /// What a lesson, a candidate or a trigger would have done in the sessions on this machine
    Replay(Replay),
    /// Why a call gets what it gets, and why a lesson keeps quiet
    Explain(Explain),
    /// Run the examples of every lesson, those of the project here included, trusted or not
    ///
    /// It ends with 1 where one fails, so it can guard a shared store in CI.
    Test {
        /// Only the lessons of this store
        file: Option<PathBuf>,
    },
    /// Everything that is wrong or doubtful in your lessons
    Validate(Validate),
    /// Everything that is wrong or doubtful on this machine, each with the command that mends it
    ///
    /// It looks at the installation, what the hooks read, your lessons and those of projects, settings, the
    /// database, lessons against each other and against the project's CLAUDE.md, how hooks and scans went, and
    /// tries lessons on the sessions of the past. It ends with 1 where something does not work.
    Doctor(Doctor),
    /// Look for mistakes in the sessions on this machine
    Scan(Scan),
    /// Compile the lessons for the hooks
    Build,
    /// Take out what no longer matches and what nobody uses; without --apply it only shows what
    Prune(Prune),
    /// Take references to the lines of a file that is gone, such as `See L128`, out of rules
    StripMarkers(StripMarkers),
    /// Write every setting out at its default
    Init(Init),
    /// Take over lessons from another tool or a colleague
    Import(Import),
    /// Print your lessons for another tool
    Export(Export),
    /// Make the index of what was accepted anew; a hook runs this where it finds none that it can use
    #[command(hide = true)]
    Index,
    /// Merge two versions of a project's lessons; git runs this
    #[command(hide = true)]
    MergeDriver(MergeDriver),
    /// Take a text out of everything that is kept, which nothing brings back
    ///
    /// The text is asked for without being shown, or read from standard input. It is never typed on the
    /// command line, where other users of the machine see it and the shell writes it down.
    Forget,
    /// What the last nightly run did and found
    Report,
    /// Scan, put away what has waited for 90 days, back up, build, check, report
    Nightly,
    /// Have `lessons nightly` run every night by the machine's own scheduler
    Schedule(Schedule),
    /// Print what a shell needs to complete our verbs and options
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print a manual page: `lessons man add | man -l -`
    #[command(hide = true)]
    Man {
        /// The verb; without one, the page of `lessons` itself. With --json, every page by its file name
        verb: Option<String>,
    },
}

/// `lessons schedule`.
#[derive(Debug, Args)]
pub struct Schedule {
    /// What to do about it
    #[command(subcommand)]
    pub action: ScheduleAction,
}

/// What `lessons schedule` can do.
#[derive(Debug, Subcommand)]
pub enum ScheduleAction {
    /// Set it up, or change the time
    Install {
        /// When, by the clock of this machine
        #[arg(long, value_name = "HH:MM", default_value = "03:30")]
        at: TimeOfDay,
        /// With this scheduler, whatever else the machine has
        #[arg(long, value_enum)]
        with: Option<SchedulerName>,
        /// Only show what would be written and run
        #[arg(long)]
        dry_run: bool,
    },
    /// Undo what `install` did
    Remove,
    /// Whether it is set up, and how
    Status,
}

/// One id.
#[derive(Debug, Args)]
pub struct One {
    /// The id, or the start of it
    pub id: String,
}

/// `lessons accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// Only show what differs from what you accepted
    #[arg(long)]
    pub dry_run: bool,
}

/// `lessons restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// The id, or the start of it
    #[arg(required_unless_present = "store", conflicts_with = "store")]
    pub id: Option<String>,
    /// Put lessons.json back to what you accepted
    #[arg(long)]
    pub store: bool,
}

/// `lessons list`.
#[derive(Debug, Args)]
pub struct List {
    /// Deprecated ones and ones that are switched off too
    #[arg(long)]
    pub all: bool,
    /// Only those that hold this text
    pub text: Option<String>,
}

/// `lessons candidates`.
#[derive(Debug, Args)]
pub struct Candidates {
    /// Rejected ones too
    #[arg(long)]
    pub all: bool,
}

/// `lessons promote`.
#[derive(Debug, Args)]
pub struct Promote {
    /// The candidate's id, or the start of it
    pub id: String,
    /// What the lesson should say and do; what is not given comes from the candidate
    #[command(flatten)]
    pub fields: Fields,
    /// Take it although it has this flag (echo, or the name of a warning)
    #[arg(long, value_name = "FLAG", requires = "reason")]
    pub accept: Vec<String>,
    /// Why, for `--accept`
    #[arg(long)]
    pub reason: Option<String>,
}

/// `lessons reject`.
#[derive(Debug, Args)]
pub struct Reject {
    /// The candidate's id, or the start of it
    pub id: String,
    /// Why
    #[arg(long)]
    pub reason: Option<String>,
}

/// `lessons review`.
#[derive(Debug, Args)]
#[command(after_help = REVIEW)]
pub struct Review {
    /// Print the first candidate that waits, with everything that is known about it
    #[arg(long, conflicts_with_all = ["check", "apply"])]
    pub next: bool,
    /// The first that comes after this one
    #[arg(long, value_name = "ID", requires = "next")]
    pub after: Option<String>,
    /// Say what a file of decisions would do, and print the command that does it; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    pub check: Option<PathBuf>,
    /// Carry out a file of decisions, all of them or none
    #[arg(long, value_name = "FILE")]
    pub apply: Option<PathBuf>,
    /// Only if this is what the file would do, in the words of --check
    #[arg(long, value_name = "TEXT", requires = "apply")]
    pub agreed: Option<String>,
}

/// What a file of decisions looks like.
const REVIEW: &str = r#"Without an option it opens a screen with one candidate at a time; ? there shows every key. With --json alone it
lists all that waits.

A file of decisions:
  {"decisions": [
    {"do": "promote", "candidate": "3f2a", "fields": {"rule": "…", "trigger": ["cmd=…"], "mode": "bump"}},
    {"do": "promote", "candidate": "77ab", "accept": {"flags": ["echo"], "reason": "…"}},
    {"do": "merge",   "candidate": "9c01", "lesson": "git-stash"},
    {"do": "edit",    "candidate": "52d0", "lesson": "git-stash", "fields": {"rule": "…"}},
    {"do": "reject",  "candidate": "10fe", "reason": "…"},
    {"do": "skip",    "candidate": "e4b8"}
  ]}
`fields` are named like the flags of `lessons promote`, without dashes: scopeProject for --scope-project."#;

/// `lessons add`.
#[derive(Debug, Args)]
pub struct Add {
    /// What the lesson says and does
    #[command(flatten)]
    pub fields: Fields,
    /// What its topic is about in a line, where the topic is new
    #[arg(long, value_name = "TEXT")]
    pub topic_summary: Option<String>,
    /// Read the lesson as JSON from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub json_input: Option<PathBuf>,
}

/// `lessons edit`.
#[derive(Debug, Args)]
pub struct Edit {
    /// The lesson's id, or the start of it
    pub id: String,
    /// What to change
    #[command(flatten)]
    pub fields: Fields,
    /// Read the changes as JSON from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub json_input: Option<PathBuf>,
}

/// `lessons off`.
#[derive(Debug, Args)]
pub struct Off {
    /// A lesson's id, `seed/ID`, or `all`
    pub id: String,
    /// For how long, such as 30m, 2h or 3d; without it, until `lessons on`
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<String>,
    /// Until the session ends in which this is typed
    #[arg(long, conflicts_with = "duration")]
    pub session: bool,
}

/// `lessons on`.
#[derive(Debug, Args)]
pub struct On {
    /// A lesson's id, `seed/ID`, or `all`
    pub id: String,
}

/// `lessons doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Mend what takes nothing from anybody: compile anew, settle and sweep what died, put back the database
    #[arg(long)]
    pub fix: bool,
}

/// `lessons undo`.
#[derive(Debug, Args)]
pub struct Undo {
    /// The number of the change, as `lessons log` shows it; without one, your last change that stands
    pub number: Option<u64>,
}

/// `lessons log`.
#[derive(Debug, Args)]
pub struct Log {
    /// Only what was done to this: the id of a lesson or a candidate, a project, a setting; or the start of it
    pub id: Option<String>,
    /// So many changes at most
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `lessons untrust`.
#[derive(Debug, Args)]
pub struct Project {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
}

/// `lessons trust`.
#[derive(Debug, Args)]
pub struct Trust {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
    /// Approve what was shown, without asking again
    #[arg(long)]
    pub yes: bool,
    /// Take a lesson although its text is flagged
    #[arg(long, value_name = "ID")]
    pub accept: Vec<String>,
    /// Let its lessons refuse calls; without this they only advise
    #[arg(long)]
    pub allow_refusals: bool,
}

/// `lessons scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Where transcripts are, besides the configured places
    #[arg(long, value_name = "FOLDER")]
    pub root: Vec<PathBuf>,
}

/// `lessons import`.
#[derive(Debug, Args)]
pub struct Import {
    /// What wrote the file
    #[arg(long, value_enum)]
    pub format: ImportFormat,
    /// Where a project that the file names lies, such as `srv-app=/srv/app`
    #[arg(long, value_name = "NAME=FOLDER")]
    pub project: Vec<String>,
    /// Let its lessons block without proof from the past, for this reason
    #[arg(long, value_name = "REASON")]
    pub force_block: Option<String>,
    /// Let lessons that block there advise here, until you have looked at what they would refuse
    #[arg(long, conflicts_with = "force_block")]
    pub as_advice: bool,
    /// The file, or the folder
    pub file: PathBuf,
}

/// A file of another tool.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ImportFormat {
    /// A manifest of the plugin lessons-learned
    LessonsLearned,
    /// A lessons graph, such as another person's lessons.json
    LessonsGraph,
    /// The folder of an older lessons graph, with index.yaml, topics/ and journal.md
    LessonsFolder,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_overview_names_every_verb_and_no_other() {
        let verbs: Vec<String> = Cli::command()
            .get_subcommands()
            .filter(|verb| !verb.is_hide_set())
            .map(|verb| verb.get_name().to_owned())
            .collect();
        for verb in &verbs {
            assert!(
                OVERVIEW.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == verb),
                "{verb}"
            );
        }
    }
}
