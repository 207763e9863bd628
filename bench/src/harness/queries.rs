//! The time of `lessons query`: of a whole process, over a store that has been built.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lessons_bench::generator::{Mixture, TOLD, TOLD_COMMAND, TOLD_FOR_PATH, TOLD_PATH};

use super::report::{Report, TimedRow};
use super::scratch::Scratch;

/// The number of lessons in the store.
const LESSONS: usize = 10_000;
/// The longest median that is accepted.
const LIMIT: Duration = Duration::from_millis(40);
/// The number of runs of each question.
const RUNS: usize = 30;

/// A question: its label in the table, its arguments, and the ids of lessons that the answer must hold.
type Question = (&'static str, [&'static str; 2], &'static [&'static str]);

const QUESTIONS: [Question; 4] = [
    ("about a command", ["--cmd", TOLD_COMMAND], &TOLD),
    ("about a command of common words", ["--cmd", "git status --short && npm test -- --silent"], &[]),
    ("about a file", ["--file", TOLD_PATH], &[TOLD_FOR_PATH]),
    ("in words", ["--keyword", "deploy a region"], &[]),
];

/// Times every question and adds the rows to `report`. Fails if an answer lacks an expected lesson.
pub(crate) fn measure(scratch: &Scratch, largest: usize, report: &mut Report) -> Result<()> {
    let lessons = LESSONS.min(largest);
    let store = scratch.store(lessons, Mixture::Mixed)?;
    for (label, [option, value], expected) in QUESTIONS {
        let answer = scratch.json(&store.home, &["query", option, value, "--all", "--json"])?;
        let found: Vec<&str> = answer["lessons"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|lesson| lesson["id"].as_str()?.strip_prefix("user/"))
            .collect();
        ensure!(expected.iter().all(|id| found.contains(id)), "`{option} {value}` found {found:?}");
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let mut command = scratch.lessons(&store.home);
            command.args(["query", option, value]);
            let start = Instant::now();
            let output = command.output()?;
            times.push(start.elapsed());
            ensure!(output.status.success(), "`lessons query {option} {value}` failed");
        }
        times.sort_unstable();
        report.queries.push(TimedRow { label, lessons, limit: LIMIT, times });
    }
    Ok(())
}
