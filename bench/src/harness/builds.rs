//! The time of `lessons build` on one core: from nothing, and after one lesson has changed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lessons_bench::generator::{Mixture, Recipe};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use super::report::{Report, TimedRow};
use super::scratch::{self, Scratch};

/// The sizes of stores that are built.
const SIZES: [BuildSize; 2] = [
    BuildSize { lessons: 10_000, whole: Duration::from_secs(5), change: Duration::from_secs(1), builds: 3 },
    BuildSize { lessons: 100_000, whole: Duration::from_secs(45), change: Duration::from_secs(5), builds: 1 },
];

/// A size of store with the limits of its builds.
struct BuildSize {
    lessons: usize,
    /// The longest median of a build from nothing.
    whole: Duration,
    /// The longest median of a build after one change.
    change: Duration,
    /// The number of builds of each kind.
    builds: usize,
}

/// Times the builds of stores with at most `largest` lessons and adds the rows to `report`.
pub(crate) fn measure(scratch: &Scratch, largest: usize, report: &mut Report) -> Result<()> {
    for size in SIZES.into_iter().filter(|size| size.lessons <= largest) {
        let (mut whole, mut change) = (Vec::new(), Vec::new());
        for _ in 0..size.builds {
            let home = scratch.empty_folder("rebuild")?;
            let recipe = Recipe { lessons: size.lessons, mixture: Mixture::Mixed, changed: None };
            scratch::write_lessons(&home, recipe)?;
            whole.push(build(scratch, &home, size.lessons)?);
            scratch::write_lessons(&home, Recipe { changed: Some(size.lessons / 2), ..recipe })?;
            change.push(build(scratch, &home, size.lessons)?);
            fs::remove_dir_all(&home)?;
        }
        for (label, limit, mut times) in
            [("from nothing", size.whole, whole), ("after one change", size.change, change)]
        {
            times.sort_unstable();
            report.builds.push(TimedRow { label, lessons: size.lessons, limit, times });
        }
    }
    Ok(())
}

/// Builds the store at `home` once, on one core, and returns the time.
fn build(scratch: &Scratch, home: &Path, lessons: usize) -> Result<Duration> {
    let _pinned = PinnedThread::to_one_core()?;
    let start = Instant::now();
    let report = scratch.json(home, &["build", "--json"])?;
    let time = start.elapsed();
    ensure!(report["user"] == lessons, "`lessons build` left lessons out: {} are in", report["user"]);
    Ok(time)
}

/// A guard that keeps this thread and the processes it starts on one core.
struct PinnedThread {
    before: CpuSet,
}

impl PinnedThread {
    fn to_one_core() -> Result<Self> {
        let this_thread = Pid::from_raw(0);
        let before = sched_getaffinity(this_thread).context("cannot ask which cores there are")?;
        let first = (0..CpuSet::count()).find(|core| before.is_set(*core).unwrap_or_default());
        let mut one = CpuSet::new();
        one.set(first.context("there is no core")?)?;
        sched_setaffinity(this_thread, &one).context("cannot stay on one core")?;
        Ok(Self { before })
    }
}

impl Drop for PinnedThread {
    fn drop(&mut self) {
        // The cores were allowed before, so setting them again cannot fail.
        let _ = sched_setaffinity(Pid::from_raw(0), &self.before);
    }
}
