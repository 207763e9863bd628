//! Blocks that something else in the client dropped: the call ran all the same.
//!
//! The transcript shows it. A scan looks at the calls that were blocked lately, and leaves a line for the next session start.

use std::collections::HashSet;

use lessons_context::{Context, DAY, Result};
use lessons_decide::events::name;
use lessons_decide::session_hash;
use lessons_ledger::events::fired::OVERRIDDEN;
use lessons_ledger::{Database, FiredEvent, notice};
use lessons_lesson::Contents;
use lessons_replay::{CallOutcome, History, RecordedCall};
use lessons_text::line;

use crate::lookup;

/// The greatest age of a blocked call at which it is looked at, in milliseconds.
const LOOKED_AT: u64 = 2 * DAY;
/// The age up to which an overridden block is told, in milliseconds.
const TOLD: u64 = 7 * DAY;

/// What tells more.
pub const HELP: &str = "`lessons doctor` names what can";

/// Records which of the calls that were blocked lately ran all the same.
pub fn note(context: &Context) -> Result<()> {
    let database = Database::open(&context.home)?;
    let blocked = database.fired_at_calls("refused", context.now_ms().saturating_sub(LOOKED_AT))?;
    if blocked.is_empty() {
        return Ok(());
    }
    let sessions: HashSet<&str> = blocked.iter().map(|event| event.session.as_str()).collect();
    let is_wanted = |id: &str| sessions.contains(session_hash(id).as_str());
    let history =
        History::of_sessions(&lookup::transcript_folders(context, &[])?, &is_wanted, Contents::Skip);
    for event in &blocked {
        let call = calls_from(event, &history).next();
        if call.is_some_and(|call| call.outcome == CallOutcome::Fine) {
            database.record_overridden(event)?;
            notice::leave(&context.home, &format!("{}. {HELP}", words(context, event)))?;
        }
    }
    Ok(())
}

/// The overridden blocks of the last week, newest first. None where they cannot be read, which other checks say.
pub fn lately(context: &Context) -> Vec<FiredEvent> {
    let since = context.now_ms().saturating_sub(TOLD);
    let Ok(Some(database)) = Database::existing(&context.home) else { return Vec::new() };
    database.fired_at_calls(OVERRIDDEN, since).unwrap_or_default()
}

/// A clause about an overridden block.
pub fn words(context: &Context, event: &FiredEvent) -> String {
    let (lessons, time) = (line(&event.lessons.join(", ")), context.local.time(event.time));
    format!(
        "a call that {lessons} blocked ran all the same, {time}: something else in the client dropped the block"
    )
}

/// The call of an event, as a transcript holds it, and those that its thread made after it.
pub fn calls_from<'h>(event: &FiredEvent, history: &'h History) -> impl Iterator<Item = &'h RecordedCall> {
    let is_of_session =
        |log| history.session(log).is_some_and(|session| session_hash(&session.id) == event.session);
    let is_its = |call: &&RecordedCall| name(&call.id) == event.call;
    let mut logs = history.logs.iter().filter(|log| is_of_session(log));
    let calls = logs.find_map(|log| log.calls.get(log.calls.iter().position(|call| is_its(&call))?..));
    calls.into_iter().flatten()
}
