//! `lessons log --fired`: list what hooks told and stopped, at which call, and what came of it.
//!
//! The events name a call only by its id. What it was is read from the transcript now, and stored nowhere.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_decide::claims::session_hash;
use lessons_decide::events::name;
use lessons_ledger::database::Database;
use lessons_ledger::events;
use lessons_ledger::fired::FiredEvent;
use lessons_lesson::lesson::MAIN;
use lessons_lesson::payload::Contents;
use lessons_replay::call_log::{CallOutcome, RecordedCall};
use lessons_replay::history::History;
use lessons_review::lookup;
use lessons_text::neutral::{line, shortened};
use serde::Serialize;

use crate::app::App;
use crate::ui::local_time::LocalTime;
use crate::verbs::seeing::log::Log;

/// The longest call that is shown, in characters.
const LONGEST_CALL: usize = 100;

/// A time at which a hook spoke.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fired {
    /// The time, in milliseconds since 1970.
    time: u64,
    /// What the hook did: `told`, `refused` or `passed`.
    outcome: String,
    lessons: Vec<String>,
    agent: String,
    /// The project's root, or the folder in which the session was started.
    project: Option<String>,
    /// The id of the call; empty at the start of a session.
    call: String,
    /// The call itself; `None` where no transcript holds it any more.
    #[serde(flatten)]
    found: Option<FoundCall>,
}

/// A call, as the transcript holds it.
#[derive(Debug, Serialize)]
struct FoundCall {
    tool: String,
    command: Option<String>,
    files: Vec<String>,
    /// How it ended.
    result: &'static str,
    /// How the next call ended that says the same, if the thread made one.
    again: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(transparent)]
struct FiredList {
    fired: Vec<Fired>,
    #[serde(skip)]
    local: LocalTime,
}

pub(crate) fn run(app: &App, args: &Log) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let from = if args.today { app.ui.local.day_start(app.now_ms()) } else { 0 };
    let events = database.fired(from, args.id.as_deref(), args.limit)?;
    let is_wanted = |id: &str| events.iter().any(|event| event.session == session_hash(id));
    let folders = lookup::transcript_folders(app, &[])?;
    let history = History::of_sessions(&folders, &is_wanted, Contents::Skip);
    let fired = events.iter().map(|event| Fired::of(event, &history)).collect();
    app.recorded(&FiredList { fired, local: app.ui.local.clone() })?;
    Ok(Exit::Done)
}

impl Fired {
    fn of(event: &FiredEvent, history: &History) -> Self {
        let session = history.sessions().iter().find(|session| session_hash(&session.id) == event.session);
        let project = session.and_then(|session| session.project().or(session.start.as_deref()));
        Self {
            time: event.time,
            outcome: event.outcome.clone(),
            lessons: event.lessons.clone(),
            agent: event.agent.clone(),
            project: project.map(str::to_owned),
            call: event.call.clone(),
            found: (!event.call.is_empty()).then(|| FoundCall::of(event, history)).flatten(),
        }
    }
}

impl FoundCall {
    fn of(event: &FiredEvent, history: &History) -> Option<Self> {
        let is_of_session = |session: &str| session_hash(session) == event.session;
        history.logs().iter().find_map(|log| {
            is_of_session(&history.session(log)?.id).then_some(())?;
            let mut calls = log.calls().skip_while(|call| name(call.id) != event.call);
            let found = calls.next()?;
            let says_the_same = |later: &RecordedCall<'_>| {
                let (call, later) = (&found.call, &later.call);
                (&call.tool, &call.command, &call.paths) == (&later.tool, &later.command, &later.paths)
            };
            Some(Self {
                tool: found.call.tool.to_string(),
                command: found.call.command.as_deref().map(str::to_owned),
                files: found.call.paths.iter().map(ToString::to_string).collect(),
                result: match (event.outcome.as_str(), found.outcome) {
                    ("refused", CallOutcome::Fine) => "ran all the same: something else dropped the block",
                    // A refusal of a hook looks like a failure in some transcripts.
                    ("refused", _) => "was stopped",
                    _ => ending(&found),
                },
                again: calls.find(says_the_same).map(|later| ending(&later)),
            })
        })
    }
}

/// How a call ended.
fn ending(call: &RecordedCall<'_>) -> &'static str {
    match call.outcome {
        CallOutcome::Fine => "ran",
        CallOutcome::Failed => "failed",
        CallOutcome::Stopped => "was stopped",
    }
}

/// What a hook did, in the words of a person.
pub(crate) fn in_words(outcome: &str) -> &'static str {
    match outcome {
        "refused" => "blocked",
        "passed" => "allowed on retry",
        _ => "reminder",
    }
}

impl fmt::Display for FiredList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fired in &self.fired {
            let (time, what) = (self.local.time(fired.time), in_words(&fired.outcome));
            write!(f, "{time}  {what}  {}", line(&fired.lessons.join(", ")))?;
            if fired.agent != MAIN {
                write!(f, ", to {}", line(&fired.agent))?;
            }
            match &fired.project {
                Some(project) => writeln!(f, ", in {}", line(project))?,
                None => writeln!(f)?,
            }
            match &fired.found {
                Some(found) => writeln!(f, "    {found}")?,
                None if fired.call.is_empty() => writeln!(f, "    at the start")?,
                None => writeln!(f, "    call {}, which no transcript holds", line(&fired.call))?,
            }
        }
        match self.fired.iter().find(|fired| fired.found.is_some()) {
            Some(fired) => write!(f, "Next: lessons explain --tool-use {}", line(&fired.call)),
            None if self.fired.is_empty() => write!(f, "Nothing was told or stopped\nNext: lessons list"),
            None => write!(f, "Next: lessons show ID"),
        }
    }
}

impl fmt::Display for FoundCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", line(&self.tool))?;
        for part in self.command.iter().chain(&self.files) {
            write!(f, " `{}`", shortened(&line(part), LONGEST_CALL))?;
        }
        write!(f, " {}", self.result)?;
        match self.again {
            Some(again) => write!(f, "; the same call came again and {again}"),
            None => write!(f, "; the same call did not come again"),
        }
    }
}
