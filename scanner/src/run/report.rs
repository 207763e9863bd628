//! The report of a scan, for people and for programs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use lessons_ledger::Recorded;
use lessons_ledger::events::TakenIn;
use lessons_ledger::incidents::RecordedIncidents;
use lessons_text::wording::counted;
use serde::Serialize;

/// The most skipped files that a report names; the rest is counted.
pub const MAX_NAMED: usize = 20;

/// The report of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Transcripts that were found.
    pub files: usize,
    /// Transcripts with something new.
    pub files_read: usize,
    /// Bytes read that were not read before.
    pub bytes: u64,
    /// Whole lines in them.
    pub lines: u64,
    /// Tags and cancels in what the assistant said.
    pub tags: usize,
    /// What was recorded.
    #[serde(flatten)]
    pub recorded: Recorded,
    /// Of the new candidates, those that nobody wrote down.
    pub proposed: usize,
    /// Such candidates that were left for the next scan, because there were too many.
    pub left_out: usize,
    /// Incidents: results of tools that gave the agent orders, and candidates that cannot be trusted.
    pub incidents: RecordedIncidents,
    /// What hooks told and refused, taken in.
    pub events: TakenIn,
    /// Tags whose text the model had read earlier in the session.
    pub echoes: usize,
    /// Tags that were not compared with the session, because there was too much to compare.
    pub unchecked: usize,
    /// Cancels that were not obeyed, because they were echoes or stood in a code fence.
    pub cancels_ignored: usize,
    /// Blocks that do not count, by reason.
    pub void: BTreeMap<String, usize>,
    /// Blocks beyond the most that one message may have.
    pub excess: usize,
    /// Lines that could not be read, by reason. Of a line without a tag only the ends are checked.
    pub unreadable: BTreeMap<String, usize>,
    /// Lines too long to be looked at.
    pub long_lines: u64,
    /// Files and folders that could not be looked at. At most [`MAX_NAMED`].
    pub skipped: Vec<Skipped>,
    /// The number of all skipped files and folders.
    pub skipped_count: usize,
    /// Whether the scan was stopped before its end. What it did is done; the next one goes on there.
    pub stopped: bool,
}

/// A file or folder that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The path.
    pub path: String,
    /// The reason.
    pub reason: String,
}

impl Skipped {
    /// `path` was skipped because of `reason`.
    pub fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_string_lossy().into_owned(), reason: reason.into() }
    }
}

impl Report {
    /// Adds a skipped file or folder.
    pub fn skip(&mut self, skipped: Skipped) {
        self.skipped_count += 1;
        if self.skipped.len() < MAX_NAMED {
            self.skipped.push(skipped);
        }
    }

    /// Adds what the report of parts of files counts: what was read, and what was left out of it.
    pub(crate) fn merge(&mut self, part: Self) {
        self.files_read += part.files_read;
        self.bytes += part.bytes;
        self.lines += part.lines;
        self.tags += part.tags;
        self.echoes += part.echoes;
        self.unchecked += part.unchecked;
        self.cancels_ignored += part.cancels_ignored;
        self.excess += part.excess;
        self.long_lines += part.long_lines;
        for (sum, counts) in [(&mut self.void, part.void), (&mut self.unreadable, part.unreadable)] {
            for (reason, number) in counts {
                *sum.entry(reason).or_default() += number;
            }
        }
        self.skipped_count += part.skipped_count - part.skipped.len();
        part.skipped.into_iter().for_each(|skipped| self.skip(skipped));
    }

    /// Adds the changes that recording one part made.
    pub fn add(&mut self, recorded: Recorded) {
        self.recorded.new += recorded.new;
        self.recorded.again += recorded.again;
        self.recorded.cancelled += recorded.cancelled;
        self.recorded.forgotten += recorded.forgotten;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recorded { new, again, cancelled, forgotten } = self.recorded;
        write!(f, "Read {} in {}: ", size(self.bytes), counted(self.files, "transcript"))?;
        writeln!(f, "{}, {again} seen again.", counted(new, "new candidate"))?;
        tell(f, self.proposed, "candidate", "of mistakes that nobody wrote down")?;
        let RecordedIncidents { new, again, left_out } = self.incidents;
        if new + again + left_out > 0 {
            write!(f, "{}, {again} met again", counted(new, "new incident"))?;
            let more =
                if left_out > 0 { format!(", {left_out} left out: too many at once") } else { String::new() };
            writeln!(f, "{more}. `lessons incidents` lists them.")?;
        }
        if self.left_out > 0 {
            let more = self.left_out;
            writeln!(f, "{more} more left for the next scan: `scan.proposals` says how many come at once.")?;
        }
        tell(f, self.echoes, "tag", "repeated what the session had read before: flagged as echo")?;
        tell(f, self.unchecked, "tag", "not compared with what the session had read: it wrote too many")?;
        tell(f, cancelled, "candidate", "taken back by the agent")?;
        tell(f, forgotten, "candidate", "not taken: you had its text forgotten")?;
        tell(f, self.cancels_ignored, "cancel", "not obeyed: quoted, not meant")?;
        for (reason, number) in &self.void {
            tell(f, *number, "block", &format!("not taken: {reason}"))?;
        }
        tell(f, self.excess, "block", "not looked at: too many in one message")?;
        for (reason, number) in &self.unreadable {
            tell(f, *number, "line", &format!("skipped: {reason}"))?;
        }
        tell(f, self.long_lines, "line", "skipped: longer than 8 MiB")?;
        tell(f, self.events.dropped, "event", "of hooks lost: too many on one day")?;
        for Skipped { path, reason } in &self.skipped {
            writeln!(f, "Skipped {path}: {reason}.")?;
        }
        if self.skipped_count > self.skipped.len() {
            writeln!(f, "Skipped {} more.", self.skipped_count - self.skipped.len())?;
        }
        if self.stopped {
            writeln!(f, "Stopped before the end; the next scan goes on there.")?;
        }
        Ok(())
    }
}

/// Writes a line about a number of things, if there are any.
fn tell<N: Copy + fmt::Display + PartialEq + From<u8>>(
    f: &mut fmt::Formatter<'_>,
    number: N,
    noun: &str,
    what: &str,
) -> fmt::Result {
    if number == N::from(0) { Ok(()) } else { writeln!(f, "{} {what}.", counted(number, noun)) }
}

/// Bytes as a person reads them: `1.2 MB`.
fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_scan_takes_one_line() {
        let report = Report { files: 12, bytes: 1_234_567, ..Report::default() };
        assert_eq!(report.to_string(), "Read 1.2 MB in 12 transcripts: 0 new candidates, 0 seen again.\n");
    }

    #[test]
    fn everything_that_was_left_out_is_said() {
        let mut report = Report {
            files: 1,
            bytes: 999,
            recorded: Recorded { new: 1, again: 2, cancelled: 1, forgotten: 1 },
            echoes: 1,
            cancels_ignored: 1,
            void: BTreeMap::from([("no closing marker".to_owned(), 2)]),
            excess: 3,
            unreadable: BTreeMap::from([("not UTF-8".to_owned(), 1)]),
            long_lines: 1,
            events: TakenIn { dropped: 2, ..TakenIn::default() },
            stopped: true,
            ..Report::default()
        };
        for n in 0..=MAX_NAMED {
            report.skip(Skipped::new(Path::new(&format!("/t/{n}.jsonl")), "no regular file"));
        }
        let text = report.to_string();
        for part in [
            "999 bytes in 1 transcript: 1 new candidate, 2 seen again.",
            "1 tag repeated",
            "1 candidate taken back",
            "1 candidate not taken: you had its text forgotten",
            "1 cancel not obeyed",
            "2 blocks not taken: no closing marker.",
            "3 blocks not looked at",
            "1 line skipped: not UTF-8.",
            "1 line skipped: longer than 8 MiB.",
            "2 events of hooks lost",
            "Skipped /t/0.jsonl: no regular file.",
            "Skipped 1 more.",
            "Stopped before the end",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
