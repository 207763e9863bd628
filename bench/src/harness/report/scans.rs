//! Tables of programs that were run over the same files.

use std::fmt::Write as _;
use std::time::Duration;

use super::super::process::ProcessCost;

/// The most memory that a scan may have, in KiB.
const MOST_MEMORY_KIB: u64 = 64 << 10;

/// The costs of scans and of other programs over the same files.
#[derive(Debug)]
pub(crate) struct ScanTable {
    pub(crate) title: String,
    /// The heading of the column that compares a scan with another program.
    pub(crate) ratio_heading: &'static str,
    pub(crate) rows: Vec<ScanRow>,
    /// The number of runs of each program.
    pub(crate) runs: usize,
}

/// The median cost of one program.
#[derive(Debug)]
pub(crate) struct ScanRow {
    label: String,
    cost: ProcessCost,
    /// The time as a multiple of the other program's.
    ratio: Option<f64>,
    limit: Option<f64>,
    /// The limits that were exceeded.
    over: Vec<&'static str>,
}

impl ScanRow {
    /// Compares the cost of a program with that of `other`, which may take `1 / limit` of its time. The limit of memory
    /// holds for programs that are compared, and not for those they are compared with.
    pub(crate) fn new(
        label: impl Into<String>,
        cost: ProcessCost,
        other: Option<ProcessCost>,
        limit: Option<f64>,
    ) -> Self {
        let ratio = other.map(|other| cost.wall.div_duration_f64(other.wall));
        let mut over = Vec::new();
        if ratio.zip(limit).is_some_and(|(ratio, limit)| ratio > limit) {
            over.push("time");
        }
        if other.is_some() && cost.peak_kib > MOST_MEMORY_KIB {
            over.push("memory");
        }
        Self { label: label.into(), cost, ratio, limit, over }
    }

    fn verdict(&self) -> String {
        match (&self.limit, self.over.is_empty()) {
            (_, false) => format!("**OVER**: {}", self.over.join(", ")),
            (Some(_), true) => "ok".into(),
            (None, true) => String::new(),
        }
    }
}

impl ScanTable {
    pub(super) fn markdown(&self) -> String {
        let mut text = format!(
            "\n| {} | seconds | {} | at most | | CPU seconds | peak MiB | runs |\n|---|--:|--:|--:|---|--:|--:|--:|\n",
            self.title, self.ratio_heading
        );
        let optional = |number: Option<f64>| number.map(|number| format!("{number:.2}")).unwrap_or_default();
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {:.3} | {} | {} | {} | {:.3} | {:.1} | {} |",
                row.label,
                row.cost.wall.as_secs_f64(),
                optional(row.ratio),
                optional(row.limit),
                row.verdict(),
                row.cost.processor.as_secs_f64(),
                Duration::from_secs(row.cost.peak_kib).as_secs_f64() / 1024.0,
                self.runs
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_is_held_against_the_other_program_and_against_the_limit_of_memory() {
        let cost = |seconds, peak_kib| ProcessCost {
            wall: Duration::from_secs(seconds),
            processor: Duration::from_secs(seconds),
            peak_kib,
        };
        let verdict = |scan, limit| ScanRow::new("scan", scan, Some(cost(2, u64::MAX)), limit).verdict();
        assert_eq!(verdict(cost(4, 1), Some(2.0)), "ok");
        assert_eq!(verdict(cost(5, MOST_MEMORY_KIB + 1), Some(2.0)), "**OVER**: time, memory");
        assert_eq!(verdict(cost(9, 1), None), "");
        assert_eq!(ScanRow::new("search", cost(2, u64::MAX), None, None).verdict(), "");
    }
}
