//! How long `lessons build` takes on one core: from nothing, and after one lesson has changed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lessons_bench::generator::{Mixture, Recipe};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use super::scratch::{self, Scratch};
use super::table::{Report, thousands};

/// Sizes with how long a build from nothing and one after a change may take, and how many are timed.
const SIZES: [Size; 2] = [
    Size { lessons: 10_000, whole: Duration::from_secs(5), change: Duration::from_secs(1), builds: 3 },
    Size { lessons: 100_000, whole: Duration::from_secs(45), change: Duration::from_secs(5), builds: 1 },
];

struct Size {
    lessons: usize,
    whole: Duration,
    change: Duration,
    builds: usize,
}

/// A timed kind of build.
#[derive(Debug)]
pub(crate) struct Build {
    words: &'static str,
    lessons: usize,
    limit: Duration,
    /// Sorted.
    times: Vec<Duration>,
}

impl Build {
    /// Its line in the table.
    pub(crate) fn line(&self) -> String {
        let median = self.times.get(self.times.len() / 2).copied().unwrap_or_default();
        let verdict = if median <= self.limit { "ok" } else { "**OVER**" };
        format!(
            "| {} | {} | {:.2} | {} | {verdict} | {} |\n",
            self.words,
            thousands(self.lessons),
            median.as_secs_f64(),
            self.limit.as_secs(),
            self.times.len()
        )
    }
}

/// Times all builds.
pub(crate) fn measure(scratch: &Scratch, largest: usize, report: &mut Report) -> Result<()> {
    for size in SIZES.into_iter().filter(|size| size.lessons <= largest) {
        let (mut whole, mut change) = (Vec::new(), Vec::new());
        for _ in 0..size.builds {
            let home = scratch.folder("rebuild")?;
            let recipe = Recipe { lessons: size.lessons, mixture: Mixture::Mixed, changed: None };
            scratch::write_lessons(&home, recipe)?;
            whole.push(build(scratch, &home, size.lessons)?);
            scratch::write_lessons(&home, Recipe { changed: Some(size.lessons / 2), ..recipe })?;
            change.push(build(scratch, &home, size.lessons)?);
            fs::remove_dir_all(&home)?;
        }
        for (words, limit, mut times) in
            [("from nothing", size.whole, whole), ("after one change", size.change, change)]
        {
            times.sort_unstable();
            report.builds.push(Build { words, lessons: size.lessons, limit, times });
        }
    }
    Ok(())
}

/// Builds once on one core.
fn build(scratch: &Scratch, home: &Path, lessons: usize) -> Result<Duration> {
    let _pinned = Pinned::to_one_core()?;
    let start = Instant::now();
    let report = scratch.build(home, &["build", "--json"])?;
    let time = start.elapsed();
    ensure!(report["user"] == lessons, "`lessons build` left lessons out: {} are in", report["user"]);
    Ok(time)
}

/// This thread, and what it starts, on one core, until this is dropped.
struct Pinned {
    before: CpuSet,
}

impl Pinned {
    fn to_one_core() -> Result<Self> {
        let me = Pid::from_raw(0);
        let before = sched_getaffinity(me).context("cannot ask which cores there are")?;
        let first = (0..CpuSet::count()).find(|core| before.is_set(*core).unwrap_or_default());
        let mut one = CpuSet::new();
        one.set(first.context("there is no core")?)?;
        sched_setaffinity(me, &one).context("cannot stay on one core")?;
        Ok(Self { before })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // It was allowed before, so it is allowed again.
        let _ = sched_setaffinity(Pid::from_raw(0), &self.before);
    }
}
