//! `lessons reflect`: print what a model should read next, or how much there is.

use clap::ValueEnum;
use lessons_home::home::SESSION_VARIABLE;
use lessons_ledger::{Database, decisions::setting_changes};
use lessons_review::reflection::next::{self, ReadProject, Size, Unread, instruction};
use lessons_review::reflection::night;
use lessons_review::reflection::reader::Reader;
use lessons_review::reflection::take::{self, LessonOutcome};
use lessons_scanner::digest::{Reading, Wanted};

use crate::prelude::*;
use crate::ui::input::{self, Input};

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
    /// Switch that on without asking
    #[arg(long, requires = "nightly")]
    pub yes: bool,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

pub(crate) fn run(app: &App, args: &Reflect) -> Result<Exit> {
    let mut database = app.database()?;
    if let Some(switch) = args.nightly {
        return nightly(app, database, switch, args);
    }
    next::refresh(app, &mut database)?;
    let project = if args.all_projects { ReadProject::every() } else { ReadProject::here(&database)? };
    if let Some(command) = &args.with {
        return match night::read(app, &mut database, &project, &Reader::named(command))? {
            Some((taken, _)) => app.recorded(&taken),
            None => app.recorded(&answer(&[], Size::default(), None)),
        };
    }
    if args.instruction {
        let most = match next::open(&database, &project)? {
            Some(open) => open.most,
            None => project.most(app, &database)?,
        };
        return app.say(&instruction(most.max(1))).map(|()| Exit::Done);
    }
    let (mut readings, mut waiting, mut end) = (Vec::new(), Size::default(), None);
    if args.all {
        project.each_reading(app, &database, &Wanted::All, &mut |reading| readings.push(reading))?;
    } else {
        let Unread { first, size } = project.unread(app, &database)?;
        let next = if args.dry_run { None } else { next::next(app, &mut database, &project)? };
        let is_enough_today = !args.dry_run && next.is_none() && size.readings > 0;
        end = is_enough_today.then_some(ENOUGH_TODAY);
        waiting = first.filter(|_| next.is_some()).map_or(size, |first| size.without(&first));
        readings.extend(next.map(|open| open.reading));
    }
    // What a session says of a reading that it was shown is nobody's own words.
    if let (false, Ok(session)) = (readings.is_empty(), std::env::var(SESSION_VARIABLE)) {
        database.note_reflecting_session(&session)?;
    }
    app.recorded(&answer(&readings, waiting, end))
}

/// Switches the readings of the nightly run on or off.
fn nightly(app: &App, mut database: Database, switch: Switch, args: &Reflect) -> Result<Exit> {
    let with = args.with.as_deref();
    let is_on = switch == Switch::On;
    let mut said = "nothing is read at night from now on".to_owned();
    if is_on {
        next::refresh(app, &mut database)?;
        let config = night::settings(app)?;
        let reader = Reader::named(with.unwrap_or(&config.reflect.command));
        let costs = night::costs(app, &database)?;
        let sent = "What you typed and refused, error lines and notes for later, without secrets, goes";
        let what =
            format!("{costs}. {sent} {}. Nothing else is sent, and nothing is run", reader.destination());
        app.agree(&format!("Have a model read your sessions at night. {what}"))?;
        said = format!("the nightly run reads from now on. {what}");
        if !args.yes && !app.is_agent() {
            if app.output == Output::Text {
                app.say(&what)?;
            }
            if !prompt::confirmed(app, "Have a model read your sessions at night? [y/N]")? {
                app.say(&"Nothing was changed.")?;
                return Ok(Exit::Findings);
            }
            "the nightly run reads from now on".clone_into(&mut said);
        }
    }
    let lock = app.lock()?;
    setting_changes::save(&lock, &mut database, &app.deed("reflect"), |config| {
        config.put("reflect.nightly", Some(if is_on { "true" } else { "false" }));
        if let Some(command) = with.filter(|_| is_on) {
            // A string of JSON is one of TOML.
            config.put("reflect.command", Some(&json!(command).to_string()));
        }
    })?;
    let next =
        if is_on { "lessons schedule --help, if no nightly run is set up yet" } else { "lessons status" };
    app.done(&Message::new("reflect", "reflect.nightly", said).then(next))
}

/// What is said where as many candidates came of readings today as a day may bring.
const ENOUGH_TODAY: &str = "Enough candidates came of readings today. The next one is for tomorrow.";

/// Some readings, how much waits after these, and what else is said.
fn answer(readings: &[Reading], waiting: Size, end: Option<&str>) -> Answer {
    let mut lines: Vec<String> = readings.iter().map(|reading| reading.text.trim_end().to_owned()).collect();
    if waiting.readings > 0 {
        let when = if readings.is_empty() { "To read" } else { "After this" };
        let (number, items) = (counted(waiting.readings, "reading"), counted(waiting.items, "item"));
        lines.push(format!("{when}: {number} of {items}, about {}.", counted(waiting.tokens, "token")));
    }
    if lines.is_empty() {
        lines.push("Nothing is unread.".to_owned());
    }
    lines.extend(end.map(str::to_owned));
    Answer::new(lines, json!({ "waiting": waiting })).given("readings", readings)
}

/// The help text about the file.
const PROPOSE: &str =
    "The file is the answer of a model to the last reading of `lessons reflect`: a JSON list of lessons,
in the form that `lessons reflect --instruction` asks for. A lesson names the items that show it by
their ids. A trigger that is too wide is narrowed; one that fires on the wrong calls is left out,
and the lesson is told at the start of sessions. A person reviews what passes. With it the reading
counts as read, also where the list is empty.";

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

pub(crate) fn propose(app: &App, args: &Propose) -> Result<Exit> {
    let given = Input::json(&args.file)?;
    let taken = if let Some(reading) = &args.reading {
        let reading: Reading = input::understood(Input::json(reading)?.value()?, "the reading")?;
        take::tried(app, &reading, &given.bytes)?
    } else {
        let mut database = app.database()?;
        let project = if args.all_projects { ReadProject::every() } else { ReadProject::here(&database)? };
        let Some(open) = next::open(&database, &project)? else {
            bail!(Refused("no reading waits for an answer; `lessons reflect` prints the next one".into()));
        };
        take::take(app, &mut database, &open, &given.bytes, "/lessons:reflect")?
    };
    app.recorded(&taken)?;
    let is_back = |outcome: &LessonOutcome| matches!(outcome, LessonOutcome::Back(_));
    let all_passed = taken.left == 0 && !taken.lessons.iter().any(is_back);
    Ok(if all_passed { Exit::Done } else { Exit::Findings })
}
