//! What was measured, as tables.

use std::fmt::Write;
use std::time::Duration;

use super::asking::Asked;
use super::cases::{Case, Kind, SIZES, Topic};
use super::count::Counted;
use super::rebuild::Build;
use super::replaying::Replayed;
use super::sampling::Samples;
use super::scanning::Scanned;

/// The most memory a hook may have besides its payload, in KiB.
pub(crate) const MOST_MEMORY_KIB: u64 = 4096;
/// The most that a call may take longer over the largest store than over the smallest.
const MOST_GROWTH: f64 = 1.15;

/// Everything that was measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Calls.
    pub(crate) rows: Vec<Row>,
    /// Builds.
    pub(crate) builds: Vec<Build>,
    /// Queries.
    pub(crate) queries: Vec<Asked>,
    /// Scans, and what else reads the same files.
    pub(crate) scans: Vec<Scanned>,
    /// Replays.
    pub(crate) replays: Vec<Replayed>,
}

/// One line of the table of calls.
#[derive(Debug)]
pub(crate) struct Row {
    topic: Topic,
    words: String,
    lessons: Option<usize>,
    limit: Option<f64>,
    samples: Samples,
    /// How many times the exit floor's median its own is.
    ratio: f64,
    over: Vec<String>,
    counted: Option<Counted>,
}

impl Row {
    /// A floor, beside which nothing is asked.
    pub(crate) fn of_floor(topic: Topic, words: &str, samples: &Samples, empty: &Samples) -> Self {
        Self {
            topic,
            words: words.to_owned(),
            lessons: None,
            limit: None,
            ratio: samples.median().div_duration_f64(empty.median()),
            samples: samples.clone(),
            over: Vec::new(),
            counted: None,
        }
    }

    /// A call of the hook.
    pub(crate) fn of_case(
        topic: Topic,
        case: &Case,
        samples: &Samples,
        empty: &Samples,
        truth: &Samples,
        counted: Option<Counted>,
    ) -> Self {
        let ratio = samples.median().div_duration_f64(empty.median());
        let mut over = Vec::new();
        if case.limit.is_some_and(|limit| ratio > limit) {
            over.push("time".to_owned());
        }
        if case.kind == Kind::Miss && samples.median() >= truth.median() {
            over.push("slower than `/bin/true`".to_owned());
        }
        if case.kind == Kind::Miss && counted.as_ref().is_some_and(|counted| counted.execs > 0) {
            over.push("became another program".to_owned());
        }
        let payload = case.contender.payload.bytes().len() as u64 / 1024;
        if counted.as_ref().is_some_and(|counted| counted.peak_kib > MOST_MEMORY_KIB + payload) {
            over.push("memory".to_owned());
        }
        Self {
            topic,
            words: case.words.clone(),
            lessons: Some(case.lessons),
            limit: case.limit,
            samples: samples.clone(),
            ratio,
            over,
            counted,
        }
    }

    fn verdict(&self) -> String {
        match (&self.limit, self.over.is_empty()) {
            (None, true) => String::new(),
            (Some(_), true) => "ok".to_owned(),
            (_, false) => format!("**OVER**: {}", self.over.join(", ")),
        }
    }

    fn line(&self) -> String {
        let optional = |value: Option<String>| value.unwrap_or_default();
        let cells = [
            self.words.clone(),
            optional(self.lessons.map(thousands)),
            format!("{:.2}", self.ratio),
            optional(self.limit.map(|limit| format!("{limit:.2}"))),
            self.verdict(),
            micros(self.samples.median()),
            micros(self.samples.percentile(90)),
            micros(self.samples.percentile(99)),
            self.faults(),
            optional(self.counted.as_ref().map(|counted| counted.calls.len().to_string())),
            optional(self.counted.as_ref().map(|counted| counted.instructions.to_string())),
            optional(self.counted.as_ref().map(|counted| counted.peak_kib.to_string())),
            self.samples.runs().to_string(),
        ];
        format!("| {} |\n", cells.join(" | "))
    }

    fn faults(&self) -> String {
        match self.samples.major_faults() {
            0 => self.samples.minor_faults().to_string(),
            major => format!("{} + {major} from disk", self.samples.minor_faults()),
        }
    }
}

impl Report {
    /// All tables, as they stand in a document.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.rows.is_empty() {
            text.push_str(
                "| call | lessons | x exit floor | at most | | p50 us | p90 us | p99 us | page faults | system calls \
                 | instructions | peak KiB | runs |\n\
                 |---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            );
            text.extend(self.rows.iter().map(Row::line));
            text.push_str(&self.growth());
        }
        if !self.builds.is_empty() {
            text.push_str("\n| build, on one core | lessons | seconds | at most | | builds |\n|---|--:|--:|--:|---|--:|\n");
            text.extend(self.builds.iter().map(Build::line));
        }
        if !self.queries.is_empty() {
            text.push_str("\n| `lessons query` | lessons | p50 ms | p90 ms | at most | | runs |\n|---|--:|--:|--:|--:|---|--:|\n");
            text.extend(self.queries.iter().map(Asked::line));
        }
        text.extend(self.scans.iter().map(Scanned::markdown));
        if !self.replays.is_empty() {
            text.push_str("\n| `lessons replay` | seconds | at most | | CPU seconds | peak MiB | runs |\n|---|--:|--:|---|--:|--:|--:|\n");
            text.extend(self.replays.iter().map(Replayed::line));
        }
        text
    }

    /// How much longer calls take over the largest store than over the smallest.
    fn growth(&self) -> String {
        let mut text = String::new();
        for topic in [Topic::Short, Topic::Shared, Topic::Quoted] {
            let median = |lessons: usize| {
                let row = self.rows.iter().find(|row| row.topic == topic && row.lessons == Some(lessons))?;
                Some(row.samples.median())
            };
            let (smallest, largest) = (SIZES[0], SIZES[SIZES.len() - 1]);
            let Some((few, many)) = median(smallest).zip(median(largest)) else { continue };
            let growth = many.div_duration_f64(few);
            let verdict = if growth <= MOST_GROWTH { "ok" } else { "**OVER**" };
            let _ = writeln!(
                text,
                "\nGrowth from {smallest} to {} lessons, {}: {growth:.2}, at most {MOST_GROWTH}: {verdict}.",
                thousands(largest),
                topic.words()
            );
        }
        text
    }
}

/// Microseconds, without digits that mean nothing.
fn micros(time: Duration) -> String {
    thousands(usize::try_from(time.as_micros()).unwrap_or(usize::MAX))
}

/// A number with commas.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 12, 123, 1234, 1_234_567].map(thousands), ["0", "12", "123", "1,234", "1,234,567"]);
    }
}
