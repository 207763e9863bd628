//! Rows for programs that are timed as a whole: builds, queries and replays.

use std::time::Duration;

use super::numbers::thousands;

/// The times of one kind of build.
#[derive(Debug)]
pub(crate) struct BuildRow {
    pub(crate) label: &'static str,
    pub(crate) lessons: usize,
    /// The longest median that is accepted.
    pub(crate) limit: Duration,
    /// The time of each build, sorted.
    pub(crate) times: Vec<Duration>,
}

/// The times of one question.
#[derive(Debug)]
pub(crate) struct QueryRow {
    pub(crate) label: &'static str,
    pub(crate) lessons: usize,
    /// The longest median that is accepted.
    pub(crate) limit: Duration,
    /// The time of each run, sorted.
    pub(crate) times: Vec<Duration>,
}

/// The median time of replays, or of their first hits.
#[derive(Debug)]
pub(crate) struct ReplayRow {
    pub(crate) label: String,
    pub(crate) time: Duration,
    /// The longest time that is accepted.
    pub(crate) limit: Duration,
    /// The processor time on all cores, if it was measured.
    pub(crate) processor: Option<Duration>,
    /// The peak of the memory in KiB, if it was measured.
    pub(crate) peak_kib: Option<u64>,
    /// The number of runs.
    pub(crate) runs: usize,
}

impl BuildRow {
    pub(super) fn markdown(&self) -> String {
        let median = percentile(&self.times, 50);
        format!(
            "| {} | {} | {:.2} | {} | {} | {} |\n",
            self.label,
            thousands(self.lessons),
            median.as_secs_f64(),
            self.limit.as_secs(),
            verdict(median, self.limit),
            self.times.len()
        )
    }
}

impl QueryRow {
    pub(super) fn markdown(&self) -> String {
        let millis = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        let median = percentile(&self.times, 50);
        format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            self.label,
            thousands(self.lessons),
            millis(median),
            millis(percentile(&self.times, 90)),
            self.limit.as_millis(),
            verdict(median, self.limit),
            self.times.len()
        )
    }
}

impl ReplayRow {
    pub(super) fn markdown(&self) -> String {
        format!(
            "| {} | {:.2} | {:.1} | {} | {} | {} | {} |\n",
            self.label,
            self.time.as_secs_f64(),
            self.limit.as_secs_f64(),
            verdict(self.time, self.limit),
            self.processor.map(|time| format!("{:.2}", time.as_secs_f64())).unwrap_or_default(),
            self.peak_kib.map(|peak| (peak / 1024).to_string()).unwrap_or_default(),
            self.runs
        )
    }
}

/// Returns the time that `percent` of 100 sorted times come before.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}

fn verdict(time: Duration, limit: Duration) -> &'static str {
    if time <= limit { "ok" } else { "**OVER**" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_its_median_and_says_when_that_is_over_the_limit() {
        let row = |limit| QueryRow {
            label: "in words",
            lessons: 10_000,
            limit: Duration::from_millis(limit),
            times: [1, 2, 3, 4].map(Duration::from_millis).to_vec(),
        };
        assert_eq!(row(3).markdown(), "| in words | 10,000 | 3.0 | 4.0 | 3 | ok | 4 |\n");
        assert!(row(2).markdown().contains("**OVER**"));
    }
}
