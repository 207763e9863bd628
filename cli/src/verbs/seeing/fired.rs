//! `lessons log --fired`: list what hooks told and stopped, at which call, and what came of it.
//!
//! The events name a call only by its id. What it was is read from the transcript now, and stored nowhere.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_decide::claims::session_hash;
use lessons_ledger::database::Database;
use lessons_ledger::events;
use lessons_ledger::fired::{FiredEvent, OVERRIDDEN};
use lessons_lesson::lesson::MAIN;
use lessons_lesson::payload::Contents;
use lessons_replay::call_log::{CallOutcome, RecordedCall};
use lessons_replay::history::History;
use lessons_review::lookup;
use lessons_review::overridden;
use lessons_text::neutral::{line, shortened};
use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::ui::answer::Answer;
use crate::verbs::seeing::log::Log;

/// The longest call that is shown, in characters.
const LONGEST_CALL: usize = 100;

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

pub(crate) fn run(app: &App, args: &Log) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let from = if args.today { app.local.day_start(app.now_ms()) } else { 0 };
    let events = database.fired(from, args.id.as_deref(), args.limit)?;
    let is_wanted = |id: &str| events.iter().any(|event| event.session == session_hash(id));
    let folders = lookup::transcript_folders(app, &[])?;
    let history = History::of_sessions(&folders, &is_wanted, Contents::Skip);
    let (mut lines, mut rows, mut next) = (Vec::new(), Vec::new(), None);
    let are_several =
        events.windows(2).any(|pair| matches!(pair, [one, other] if one.client != other.client));
    for event in &events {
        let session = history.sessions().iter().find(|session| session_hash(&session.id) == event.session);
        let project = session.and_then(|session| session.project().or(session.start.as_deref()));
        let found = (!event.call.is_empty()).then(|| FoundCall::of(event, &history)).flatten();
        let (time, what) = (app.local.time(event.time), in_words(&event.outcome));
        let to = if event.agent == MAIN { String::new() } else { format!(", to {}", line(&event.agent)) };
        let place = project.map(|project| format!(", in {}", line(project))).unwrap_or_default();
        let with = if are_several { format!(", with {}", event.client.title()) } else { String::new() };
        lines.push(format!("{time}  {what}  {}{to}{place}{with}", line(&event.lessons.join(", "))));
        lines.push(match &found {
            Some(found) => format!("    {found}"),
            None if event.call.is_empty() => "    at the start".to_owned(),
            None => format!("    call {}, which no transcript holds", line(&event.call)),
        });
        next = next.or(found.as_ref().map(|_| &event.call));
        let mut row = serde_json::to_value(&found)?;
        if row.is_null() {
            row = json!({});
        }
        for (name, value) in [
            ("time", json!(event.time)),
            ("outcome", json!(event.outcome)),
            ("lessons", json!(event.lessons)),
            ("agent", json!(event.agent)),
            ("client", json!(event.client)),
            ("project", json!(project)),
            ("call", json!(event.call)),
        ] {
            row[name] = value;
        }
        rows.push(row);
    }
    lines.push(match next {
        Some(call) => format!("Next: lessons explain --tool-use {}", line(call)),
        None if events.is_empty() => "Nothing was told or stopped\nNext: lessons list".to_owned(),
        None => "Next: lessons show ID".to_owned(),
    });
    app.recorded(&Answer::new(lines, rows.into())).map(|()| Exit::Done)
}

impl FoundCall {
    fn of(event: &FiredEvent, history: &History) -> Option<Self> {
        let mut calls = overridden::calls_from(event, history);
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
                (OVERRIDDEN, _) | ("refused", CallOutcome::Fine) => {
                    "ran all the same: something else dropped the block"
                }
                // A refusal of a hook looks like a failure in some transcripts.
                ("refused", _) => "was stopped",
                _ => ending(&found),
            },
            again: calls.find(says_the_same).map(|later| ending(&later)),
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
        "refused" | OVERRIDDEN => "blocked",
        "passed" => "allowed on retry",
        _ => "reminder",
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
