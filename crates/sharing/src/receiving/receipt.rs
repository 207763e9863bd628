//! What is said of a pass.

use std::fmt;

use lessons_ledger::Recorded;
use lessons_review::lookup;
use lessons_text::{counted, neutral};
use serde::Serialize;

/// The most rejected events that are named.
const MOST_NAMED: usize = 10;

/// What a pass came to.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The lessons that were switched on automatically.
    pub switched_on: Vec<String>,
    /// The candidates among the events.
    pub recorded: Recorded,
    /// The number of deletions.
    pub(super) deletions: usize,
    /// The number of events that are older than what is known, or deleted by their author.
    pub(super) stale: usize,
    /// The number of events by people whose key is not trusted, those of earlier passes included.
    pub(super) unknown: usize,
    /// The number of events whose date is more than ten minutes ahead, those of earlier passes included.
    pub(super) early: usize,
    /// The number of events whose author has shared as much as may wait or be in force.
    pub(super) no_room: usize,
    /// The rejected events, each with the reason.
    rejected: Vec<Rejected>,
    /// The number of files that are no events.
    pub(super) foreign: usize,
    /// The number of files that were not looked at.
    pub(super) not_looked_at: usize,
    /// The number of events that were taken in before.
    pub(super) known: usize,
    /// Why folders could not be listed.
    pub(super) unread: Vec<String>,
}

/// A rejected event.
#[derive(Debug, Serialize)]
struct Rejected {
    name: String,
    reason: String,
}

impl Receipt {
    /// Adds an event that is rejected.
    pub(super) fn reject(&mut self, name: &str, reason: &str) {
        self.rejected.push(Rejected { name: neutral::line(name), reason: neutral::line(reason) });
    }

    /// What came of it, without the next command.
    pub fn counts(&self) -> String {
        let text = self.to_string();
        text.rsplit_once('\n').map(|(counts, _)| counts.to_owned()).unwrap_or_default()
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_any = !self.switched_on.is_empty() || self.recorded.new + self.recorded.again > 0;
        if !is_any {
            writeln!(f, "Nothing new was received")?;
        }
        if !self.switched_on.is_empty() {
            let all = counted(self.switched_on.len(), "lesson");
            writeln!(f, "{all} in force automatically: {}", lookup::first_few(self.switched_on.iter()))?;
        }
        if self.recorded.new > 0 {
            let waits = if self.recorded.new == 1 { "waits" } else { "wait" };
            writeln!(f, "{} {waits} for your decision", counted(self.recorded.new, "shared lesson"))?;
        }
        let counts = [
            (self.recorded.again, "said what another candidate says"),
            (self.deletions, "deleted by the author"),
            (self.stale, "older than what was received before"),
            (self.unknown, "held: the author's key is not trusted (`lessons peers`)"),
            (self.early, "held: dated more than 10 minutes ahead"),
            (self.no_room, "held: its author has 50 for an agent already"),
            (self.rejected.len(), "rejected"),
        ];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            writeln!(f, "{} {what}", counted(count, "event"))?;
        }
        for Rejected { name, reason } in self.rejected.iter().take(MOST_NAMED) {
            writeln!(f, "  {name}: {reason}")?;
        }
        if let Some(more) = self.rejected.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            writeln!(f, "  … and {more} more: `lessons receive --json`")?;
        }
        for (count, what) in [(self.foreign, "no event"), (self.not_looked_at, "not looked at: too many")] {
            if count > 0 {
                writeln!(f, "{}: {what}", counted(count, "file"))?;
            }
        }
        for unread in &self.unread {
            writeln!(f, "Cannot be read: {unread}")?;
        }
        let next = if self.recorded.new > 0 { "lessons review" } else { "lessons peers" };
        write!(f, "Next: {next}")
    }
}
