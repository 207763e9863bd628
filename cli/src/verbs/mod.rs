//! The verbs: a file for each with its arguments, its help, its run and what it prints. [`run`] only dispatches.

pub(crate) mod deciding;
pub mod keeping;
pub(crate) mod seeing;
pub(crate) mod sharing;
pub(crate) mod trying;

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use lessons_context::Authority;
use lessons_decide::approval;
use lessons_home::files;

use crate::forgetting;
use crate::prelude::*;

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

/// One verb.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show reminders, blocked calls and what waits for you (the same as `lessons` alone)
    Status,
    /// List your lessons, or find some by words
    #[command(visible_alias = "search")]
    List(seeing::list::List),
    /// Show all details of a lesson or candidate
    Show(seeing::show::One),
    /// List mistakes found in sessions that wait for your decision
    Candidates(seeing::candidates::Candidates),
    /// Find lessons by words, or for a file, a command or a topic
    Query(seeing::query::Query),
    /// Show how often lessons are queried, given and recorded, and what that costs
    ///
    /// Reminders of hooks are always counted. Queries and recorded lessons are counted with `telemetry = true` in
    /// config.toml: numbers only, and only on this machine.
    Stats,
    /// Show what lessons do: whether the model does as told, and which lessons cannot help
    ///
    /// A session counts once it has been quiet for an hour; only numbers are kept. A lesson has to come up in 12 sessions
    /// before anything is said about it.
    Effect(seeing::effect::Effect),
    /// Decide which mistakes found in your sessions become lessons
    Review(deciding::review::Review),
    /// Make a candidate a lesson
    Promote(deciding::promote::Promote),
    /// Reject a candidate
    Reject(deciding::promote::Reject),
    /// Print what happened in your sessions, for a model that looks for lessons
    ///
    /// It holds what you typed and refused, what failed again, and what was written down to be remembered; not what was read
    /// before. `/lessons:reflect` in Claude Code reads it and proposes lessons.
    Reflect(deciding::reflect::Reflect),
    /// Try the lessons that a model found in a reading, for you to decide about
    Propose(deciding::reflect::Propose),
    /// Accept lessons and settings that were changed in the files themselves
    ///
    /// An editor or git may have done it. Until then, what you accepted before stays in force. `lessons undo` undoes it, and `lessons restore --store`
    /// restores lessons.json instead.
    Accept(deciding::accept::Accept),
    /// Record a lesson
    Add(deciding::add::Add),
    /// Change a lesson
    ///
    /// Each given flag replaces the old value. Without one, a form opens in your editor, which is the one that VISUAL or EDITOR names. The form is checked, and before it is saved you see what the
    /// change would have done in past sessions.
    Edit(deciding::edit::Edit),
    /// Retire a lesson
    #[command(alias = "deprecate")]
    Retire(deciding::retire::Retire),
    /// Merge one lesson into another
    ///
    /// The first lesson's triggers and evidence are added to the second, unless --replace says otherwise.
    Merge(deciding::curate::Merge),
    /// Replace one lesson with another; `lessons merge --replace` as another tool has it
    #[command(hide = true)]
    Supersede(deciding::curate::Two),
    /// Remove a trigger from a lesson; `lessons edit --remove-trigger` as another tool has it
    #[command(hide = true)]
    Untrigger(deciding::curate::Untrigger),
    /// Bring back a rejected candidate or a retired lesson
    Restore(deciding::retire::Restore),
    /// Switch a lesson, a built-in lesson or everything off; `on` switches it on again
    Off(deciding::on_off::Off),
    /// Switch a lesson or everything on again
    On(deciding::on_off::On),
    /// Measure what reminders change, by sessions that get none
    ///
    /// Off by default. With it, one session of four gets no reminders. Blocks and bumps, and lessons of high or critical severity,
    /// are never left out. `lessons effect` compares these sessions with the others.
    Measure(deciding::on_off::Measure),
    /// Undo your last change, or any other one by its number
    Undo(deciding::undo::Undo),
    /// List every change of lessons, candidates, trust and settings, the newest first
    ///
    /// The files that `lessons schedule` and `lessons init --team` write are not logged: `lessons schedule remove`
    /// undoes the one, git the other.
    Log(seeing::log::Log),
    /// Approve the lessons that a project brings along
    Trust(deciding::trust::Trust),
    /// Withdraw the approval of a project's lessons
    Untrust(deciding::trust::Project),
    /// Sign lessons of yours, for others to take
    ///
    /// Each becomes a file in the project's .lessons/shared. Everything that others will read is shown first. A lesson with a secret, an absolute path or a flag is refused.
    /// See docs/sharing.md.
    Share(sharing::share::Share),
    /// Ask others to use a shared lesson no more
    Unshare(sharing::share::Share),
    /// Show this machine's key and the peers whose lessons you want; trust and distrust them
    Peers(sharing::peers::Peers),
    /// Show what a lesson, a candidate or a trigger would have done in past sessions
    Replay(trying::replay::Replay),
    /// Explain why a call was advised, blocked or left alone
    Explain(trying::explain::Explain),
    /// Run the examples of every lesson
    ///
    /// Those of the current project are run too, trusted or not. The exit status is 1 if an example fails, so CI can check a shared store.
    Test {
        /// Test only the lessons of this store
        file: Option<PathBuf>,
    },
    /// Check your lessons for errors and doubtful entries
    Validate(trying::validate::Validate),
    /// Check the whole installation and suggest fixes
    ///
    /// It checks the installed files, the manifest and index, your lessons and those of projects, the settings, the
    /// database, lessons against each other and against the project's CLAUDE.md, and hooks and scans as they went. It
    /// also replays lessons over past sessions. The exit status is 1 if something does not work.
    Doctor(trying::doctor::Doctor),
    /// List the agents on this machine, and which of them have Lessons
    Agents,
    /// Install Lessons into Claude Code or another agent, or a newer version of it
    ///
    /// It also links `lessons` into your PATH.
    /// The plugin around this program is copied into the data folder; the unpacked archive may be deleted afterwards. If
    /// Claude Code has fetched the plugin itself, only the link is made.
    Install(keeping::install::Install),
    /// Remove Lessons from every agent and from your PATH, and keep your lessons
    Uninstall(keeping::install::Uninstall),
    /// List texts that were dangerous once, and decide about them
    ///
    /// Web pages, files and tool results that gave the agent orders are remembered. A text that is like a critical one is
    /// withheld from the agent, or a lesson like it refused; others are pointed out.
    Incidents(seeing::incidents::Incidents),
    /// Take in the lessons that peers share
    ///
    /// They become candidates, or are in force at once where you trust a peer so. A session start, the nightly run and the follower do the same. An event whose author you do not trust is counted and
    /// nothing more; see `lessons peers`.
    Receive(sharing::peers::Receive),
    /// Look for mistakes in the sessions on this machine
    Scan(keeping::scan::Scan),
    /// Compile the lessons for the hooks
    Build,
    /// Remove triggers that match nothing and entries that nothing uses
    ///
    /// Without --apply they are only listed.
    Prune(deciding::curate::Prune),
    /// Remove references such as `See L128` from rules; `lessons prune --markers --apply` does it too
    #[command(hide = true)]
    StripMarkers(deciding::curate::StripMarkers),
    /// Write a settings file with every default; `--team` sets up git merges of lessons
    Init(keeping::init::Init),
    /// Import lessons from another tool or person
    #[command(alias = "import-md")]
    Import(sharing::import::Import),
    /// Export your lessons for another tool
    Export(sharing::export::Export),
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
    MergeDriver(sharing::merge_driver::MergeDriver),
    /// Permanently erase a text from all stored data
    ///
    /// The text is read from a prompt that does not show it, or from standard input; both need a terminal.
    /// It is not an argument, because other users can see arguments and the shell records them.
    Forget,
    /// Show the report of the last nightly run, or make a page of what lessons do
    ///
    /// The page is one HTML file without script, which loads and sends nothing. The nightly run keeps the newest in
    /// reports/ in the data folder.
    Report(seeing::report::Report),
    /// Scan, reject what has waited for 90 days, back up, build, check, report
    Nightly,
    /// Run `lessons nightly` every night with the machine's own scheduler
    Schedule(keeping::schedule::Schedule),
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

/// What a verb needs besides its arguments.
impl Verb {
    /// The context with the authority that it needs. The hook asks the same function of words, so the two agree about what
    /// needs a person.
    fn permitted(&self, app: &App) -> Result<App> {
        match self {
            Self::Forget => keeping::forget::only_for_a_person(app)?,
            Self::Incidents(args) => seeing::incidents::only_for_a_person(app, args)?,
            Self::Off(args) => deciding::on_off::only_where_asked(app, args)?,
            _ => {}
        }
        match self {
            // git calls it for everyone; it cannot reach what only a person may change.
            Self::MergeDriver(_) => Ok(app.clone()),
            _ if is_free(app) => Ok(app.clone()),
            Self::Install(_) | Self::Uninstall(_) => keeping::install::permitted(app),
            Self::Init(args) if args.scripts => app.in_new_home().map_or_else(|| app.permitted(), Ok),
            _ => app.permitted(),
        }
    }

    /// Whether the number of waiting candidates may differ afterwards. A plan changes nothing.
    fn may_change_candidates(&self, app: &App) -> bool {
        let finds = matches!(self, Self::Scan(_) | Self::Nightly | Self::Propose(_) | Self::Build);
        !matches!(app.authority, Authority::Planning(_)) && (finds || !is_free(app))
    }
}

/// Whether the command needs no person.
fn is_free(app: &App) -> bool {
    let words: Vec<&str> = app.argv.iter().map(String::as_str).collect();
    approval::is_free(&words)
}

/// Makes the data folder ready for a verb.
fn prepare(app: &App) -> Result<()> {
    if app.home.root().exists() {
        // A folder that others can write is refused before any of its files is trusted.
        files::ensure_folder(app.home.root())?;
    }
    app.mark_home()?;
    building::find_decisions(app);
    forgetting::finish(app);
    Ok(())
}

/// Runs a verb.
pub fn run(app: &App, verb: Option<&Verb>) -> Result<Exit> {
    let verb = verb.unwrap_or(&Verb::Status);
    let app = &verb.permitted(app)?;
    match prepare(app) {
        // `doctor` says what is wrong with the data folder.
        Err(_) if matches!(verb, Verb::Doctor(_)) => {}
        prepared => prepared?,
    }
    // `doctor` says what is wrong with the index, and `build` and `index` build anyway.
    if !matches!(verb, Verb::Doctor(_) | Verb::Build | Verb::Index) {
        building::repair(app);
    }
    let done = carry_out(app, verb);
    if verb.may_change_candidates(app) {
        lookup::publish(app);
    }
    done
}

fn carry_out(app: &App, verb: &Verb) -> Result<Exit> {
    match verb {
        Verb::Status => seeing::status::run(app),
        Verb::List(args) => seeing::list::run(app, args),
        Verb::Show(args) => seeing::show::run(app, args),
        Verb::Candidates(args) => seeing::candidates::run(app, args),
        Verb::Query(args) => seeing::query::run(app, args),
        Verb::Stats => seeing::stats::run(app),
        Verb::Effect(args) => seeing::effect::run(app, args),
        Verb::Review(args) => deciding::review::run(app, args),
        Verb::Promote(args) => deciding::promote::run(app, args),
        Verb::Reject(args) => deciding::promote::reject(app, args),
        Verb::Reflect(args) => deciding::reflect::run(app, args),
        Verb::Propose(args) => deciding::reflect::propose(app, args),
        Verb::Accept(args) => deciding::accept::run(app, args),
        Verb::Add(args) => deciding::add::run(app, args),
        Verb::Edit(args) => deciding::edit::run(app, args),
        Verb::Retire(args) => deciding::retire::retire(app, args),
        Verb::Merge(args) if args.replace => deciding::curate::supersede(app, &args.two),
        Verb::Merge(args) => deciding::curate::merge(app, &args.two),
        Verb::Supersede(args) => deciding::curate::supersede(app, args),
        Verb::Untrigger(args) => {
            deciding::curate::untrigger(&args.store.chosen(app)?, &args.id, &args.trigger)
        }
        Verb::Restore(args) => deciding::retire::restore(app, args),
        Verb::Off(args) => deciding::on_off::off(app, args),
        Verb::On(args) => deciding::on_off::on(app, args),
        Verb::Measure(args) => deciding::on_off::measure(app, args),
        Verb::Undo(args) => deciding::undo::run(app, args),
        Verb::Log(args) if args.fired => seeing::log::fired(app, args),
        Verb::Log(args) => seeing::log::run(app, args),
        Verb::Trust(args) => deciding::trust::run(app, args),
        Verb::Untrust(args) => deciding::trust::withdraw(app, args),
        Verb::Share(args) => sharing::share::run(app, args),
        Verb::Unshare(args) => sharing::share::unshare(app, args),
        Verb::Peers(args) => sharing::peers::run(app, args),
        Verb::Replay(args) => trying::replay::run(app, args),
        Verb::Mcp => crate::mcp::run(app),
        Verb::Explain(args) => trying::explain::run(app, args),
        Verb::Test { file } => trying::validate::test(app, file.as_deref()),
        Verb::Doctor(args) => trying::doctor::run(app, args),
        Verb::Validate(args) => trying::validate::run(app, args),
        Verb::Install(args) if args.status => keeping::install::status(app),
        Verb::Install(args) => keeping::install::run(app, args),
        Verb::Uninstall(args) => keeping::install::undo(app, args),
        Verb::Agents => keeping::install::agents(app),
        Verb::Incidents(args) => seeing::incidents::run(app, args),
        Verb::Receive(args) => sharing::peers::receive(app, args),
        Verb::Scan(args) => keeping::scan::run(app, args),
        Verb::Build => keeping::build::run(app),
        Verb::Index => keeping::build::index(app),
        Verb::Prune(args) => deciding::curate::prune(app, args),
        Verb::StripMarkers(args) => deciding::curate::strip_markers(app, !args.dry_run),
        Verb::Init(args) => keeping::init::run(app, args),
        Verb::Export(args) => sharing::export::run(app, args),
        Verb::MergeDriver(args) => sharing::merge_driver::run(app, args),
        Verb::Import(args) => sharing::import::run(app, args),
        Verb::Nightly => crate::nightly::told(app),
        Verb::Forget => keeping::forget::run(app),
        Verb::Report(args) => seeing::report::run(app, args),
        Verb::Schedule(args) => keeping::schedule::run(app, args),
        // These are answered before there is an `App`.
        Verb::Completions { .. } | Verb::Help { .. } | Verb::Man { .. } | Verb::Question => Ok(Exit::Done),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
