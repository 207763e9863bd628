//! The report: everything that was measured, as tables.

mod calls;
mod numbers;

use std::fmt::Write as _;

pub(crate) use calls::CallRow;
pub(crate) use numbers::thousands;

use super::case::{SIZES, Topic};

/// The most that a call may take over the largest store, as a multiple of its time over the smallest.
const MOST_GROWTH: f64 = 1.15;

/// Everything that was measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) calls: Vec<CallRow>,
}

impl Report {
    /// Formats all tables that have rows as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.calls.is_empty() {
            text.push_str(
                "| call | lessons | x exit floor | at most | | p50 us | p90 us | p99 us | page faults | system calls \
                 | instructions | peak KiB | runs |\n\
                 |---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            );
            text.extend(self.calls.iter().map(CallRow::markdown));
            text.push_str(&self.growth());
        }
        text
    }

    /// Formats a sentence for each topic that was measured over the smallest and the largest store.
    fn growth(&self) -> String {
        let mut text = String::new();
        for topic in [Topic::Short, Topic::Shared, Topic::Quoted] {
            let median = |lessons: usize| {
                let row = self.calls.iter().find(|row| row.topic == topic && row.lessons == Some(lessons))?;
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
                topic.label()
            );
        }
        text
    }
}
