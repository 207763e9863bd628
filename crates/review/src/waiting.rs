//! The number of waiting candidates, published for the hook at the start of a session, which opens no database.

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_home::files;
use lessons_ledger::database::Database;
use lessons_lesson::waiting::WaitingCount;
use lessons_store::durable;
use lessons_text::wording::counted;

use crate::lookup;

/// The largest published count that is read, in bytes.
const LIMIT: u64 = 256;

/// Counts the waiting candidates. Where none is new, the lessons, of which there may be many, need not be read.
fn count(context: &Context) -> Result<WaitingCount> {
    if !Database::open(&context.home)?.has_new_candidates()? {
        return Ok(WaitingCount::default());
    }
    let waiting = lookup::waiting_candidates(context)?;
    let flagged = waiting.iter().filter(|candidate| !candidate.finding.flags.is_empty()).count();
    Ok(WaitingCount { unflagged: waiting.len() - flagged, flagged })
}

/// The count for a person, with the command that shows the candidates; `None` if none waits.
pub fn in_words(WaitingCount { unflagged, flagged }: WaitingCount) -> Option<String> {
    let all = unflagged + flagged;
    let wait = if all == 1 { "waits" } else { "wait" };
    let doubtful = if flagged > 0 { format!(", {flagged} of them flagged") } else { String::new() };
    let words =
        format!("{} {wait} for your decision{doubtful}. Next: lessons candidates", counted(all, "candidate"));
    (all > 0).then_some(words)
}

/// Publishes the count if it changed, and removes what a publication left that was interrupted. An error is ignored: the count only says how many a notice names, and `lessons
/// status` counts by itself.
pub fn publish(context: &Context) {
    if !context.home.database().exists() {
        return;
    }
    let Ok(bytes) = count(context).and_then(|count| Ok(serde_json::to_vec(&count)?)) else { return };
    let _ = durable::sweep(&context.home.log());
    let published = files::read(&context.home.waiting(), LIMIT).ok().flatten();
    if published.as_deref() != Some(&bytes) && files::ensure_folder(&context.home.log()).is_ok() {
        let _ = durable::replace(&context.home.waiting(), &bytes);
    }
}
