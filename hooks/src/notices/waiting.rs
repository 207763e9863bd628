//! The line that tells the user of waiting candidates, once a day at most.

use std::time::{Duration, SystemTime};

use lessons_home::{Home, files};
use lessons_lesson::WaitingCount;
use lessons_text::counted;

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
    let (number, noun, how) = match waiting.unflagged {
        0 => (waiting.flagged, "flagged candidate", "run `lessons review` in a terminal"),
        unflagged => (unflagged, "candidate", "/lessons:review"),
    };
    let verb = if number == 1 { "waits" } else { "wait" };
    (number > 0).then(|| format!("Lessons: {} {verb}: {how}", counted(number, noun)))
}

/// Whether the line was printed within a day. A time in the future, as after the clock was set, does not count.
fn was_told_lately(home: &Home) -> bool {
    let told = home.waiting_told().symlink_metadata().and_then(|found| found.modified());
    told.ok().and_then(|at: SystemTime| at.elapsed().ok()).is_some_and(|age| age < INTERVAL)
}
