//! The line that tells the user of waiting candidates, once a day at most.

use std::time::{Duration, SystemTime};

use lessons_home::{Home, files};
use lessons_lesson::WaitingCount;

/// The largest record that is read, in bytes: many times what two numbers need.
const RECORD_LIMIT: u64 = 256;
/// The shortest time between two such lines: a day.
const INTERVAL: Duration = Duration::from_hours(24);

/// The line, if candidates wait and the user was not told within a day.
pub(crate) fn line(home: &Home) -> Option<String> {
    let bytes = files::read(&home.waiting(), RECORD_LIMIT).ok()??;
    let waiting: WaitingCount = serde_json::from_slice(&bytes).ok()?;
    if was_told_lately(home) {
        return None;
    }
    match waiting {
        WaitingCount { unflagged: 0, flagged: 0 } => None,
        WaitingCount { unflagged: 0, flagged } => {
            let (verb, noun) = words(flagged);
            Some(format!("Lessons: {flagged} flagged {noun} {verb}: run `lessons review` in a terminal"))
        }
        WaitingCount { unflagged, .. } => {
            let (verb, noun) = words(unflagged);
            Some(format!("Lessons: {unflagged} {noun} {verb}: /lessons:review"))
        }
    }
}

/// The verb and the noun for a number of candidates.
fn words(number: usize) -> (&'static str, &'static str) {
    if number == 1 { ("waits", "candidate") } else { ("wait", "candidates") }
}

/// Whether the line was printed within a day. A time in the future, as after the clock was set, does not count.
fn was_told_lately(home: &Home) -> bool {
    let told = home.waiting_told().symlink_metadata().and_then(|found| found.modified());
    told.ok().and_then(|at: SystemTime| at.elapsed().ok()).is_some_and(|age| age < INTERVAL)
}
