//! Rows for programs that are timed as a whole: builds, queries and replays.

use std::time::Duration;

use super::numbers::thousands;

/// The times of one kind of build, or of one query.
#[derive(Debug)]
pub(crate) struct TimedRow {
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

impl TimedRow {
    /// Formats a build, in seconds.
    pub(super) fn build(&self) -> String {
        let median = percentile(&self.times, 50).as_secs_f64();
        self.row(&format!("{median:.2} | {}", self.limit.as_secs()))
    }

    /// Formats a query, in milliseconds.
    pub(super) fn query(&self) -> String {
        let [median, slow] = [50, 90].map(|percent| percentile(&self.times, percent).as_secs_f64() * 1000.0);
        self.row(&format!("{median:.1} | {slow:.1} | {}", self.limit.as_millis()))
    }

    fn row(&self, times: &str) -> String {
        let verdict = verdict(percentile(&self.times, 50), self.limit);
        let (lessons, runs) = (thousands(self.lessons), self.times.len());
        format!("| {} | {lessons} | {times} | {verdict} | {runs} |\n", self.label)
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
        let row = |limit| TimedRow {
            label: "in words",
            lessons: 10_000,
            limit: Duration::from_millis(limit),
            times: [1, 2, 3, 4].map(Duration::from_millis).to_vec(),
        };
        assert_eq!(row(3).query(), "| in words | 10,000 | 3.0 | 4.0 | 3 | ok | 4 |\n");
        assert!(row(2).query().contains("**OVER**"));
        assert_eq!(row(3).build(), "| in words | 10,000 | 0.00 | 0 | ok | 4 |\n");
    }
}
