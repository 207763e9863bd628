//! How long `lessons query` takes: a process from its start to its end, over a store that has been built.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lessons_bench::generator::{Mixture, TOLD, TOLD_COMMAND, TOLD_FOR_PATH, TOLD_PATH};

use super::scratch::Scratch;
use super::table::{Report, thousands};

/// How many lessons the store has.
const LESSONS: usize = 10_000;
/// The most that the median may be.
const LIMIT: Duration = Duration::from_millis(40);
/// How often each question is asked.
const TIMES: usize = 30;

/// A question, in words, as arguments, and the lessons that must be among the answer.
type Question = (&'static str, [&'static str; 2], &'static [&'static str]);

const QUESTIONS: [Question; 4] = [
    ("about a command", ["--cmd", TOLD_COMMAND], &TOLD),
    ("about a command of common words", ["--cmd", "git status --short && npm test -- --silent"], &[]),
    ("about a file", ["--file", TOLD_PATH], &[TOLD_FOR_PATH]),
    ("in words", ["--keyword", "deploy a region"], &[]),
];

/// A question that was timed.
#[derive(Debug)]
pub(crate) struct Asked {
    words: &'static str,
    lessons: usize,
    /// Sorted.
    times: Vec<Duration>,
}

impl Asked {
    /// Its line in the table.
    pub(crate) fn line(&self) -> String {
        let part = |percent: usize| {
            let at = self.times.len() * percent / 100;
            self.times.get(at).copied().unwrap_or_default()
        };
        let millis = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        let verdict = if part(50) <= LIMIT { "ok" } else { "**OVER**" };
        format!(
            "| {} | {} | {} | {} | {} | {verdict} | {} |\n",
            self.words,
            thousands(self.lessons),
            millis(part(50)),
            millis(part(90)),
            LIMIT.as_millis(),
            self.times.len()
        )
    }
}

/// Times every question.
pub(crate) fn measure(scratch: &Scratch, largest: usize, report: &mut Report) -> Result<()> {
    let lessons = LESSONS.min(largest);
    let store = scratch.store(lessons, Mixture::Mixed)?;
    for (words, [option, value], expected) in QUESTIONS {
        let answer = scratch.build(&store.home, &["query", option, value, "--all", "--json"])?;
        let found: Vec<&str> = answer["lessons"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|lesson| lesson["id"].as_str()?.strip_prefix("user/"))
            .collect();
        ensure!(expected.iter().all(|id| found.contains(id)), "`{option} {value}` found {found:?}");
        let mut times = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            let mut command = scratch.lessons(&store.home);
            command.args(["query", option, value]);
            let start = Instant::now();
            let output = command.output()?;
            times.push(start.elapsed());
            ensure!(output.status.success(), "`lessons query {option} {value}` failed");
        }
        times.sort_unstable();
        report.queries.push(Asked { words, lessons, times });
    }
    Ok(())
}
