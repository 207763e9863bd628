//! Samples: many runs of several programs in turn, so that other work of the machine disturbs all of them alike.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::contender::Contender;
use super::spawn::{Runner, TimedRun};

/// The least number of runs behind a published figure, unless the time limit ended them before.
pub(crate) const LEAST_RUNS: usize = 300;
/// The number of runs that are not counted. They bring files into the page cache.
const WARM_UP: usize = 10;

/// The number of runs and the time for them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// The number of runs of each program.
    pub(crate) runs: usize,
    /// The time limit for all programs together.
    pub(crate) limit: Duration,
}

/// The figures of one program's runs, each sorted.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    times: Vec<Duration>,
    minor_faults: Vec<u64>,
    major_faults: Vec<u64>,
}

impl Samples {
    fn of(runs: &[TimedRun]) -> Self {
        fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
            let mut values: Vec<T> = values.collect();
            values.sort_unstable();
            values
        }
        Self {
            times: sorted(runs.iter().map(|run| run.time)),
            minor_faults: sorted(runs.iter().map(|run| run.minor_faults)),
            major_faults: sorted(runs.iter().map(|run| run.major_faults)),
        }
    }

    /// Returns the number of runs.
    pub(crate) fn runs(&self) -> usize {
        self.times.len()
    }

    /// Returns the time that `percent` of 100 runs did not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        nearest_rank(&self.times, percent)
    }

    /// Returns the median time.
    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// Returns the median number of page faults that needed no disk.
    pub(crate) fn minor_faults(&self) -> u64 {
        nearest_rank(&self.minor_faults, 50)
    }

    /// Returns the median number of page faults that needed the disk.
    pub(crate) fn major_faults(&self) -> u64 {
        nearest_rank(&self.major_faults, 50)
    }
}

/// Returns the least of the sorted values that `percent` of 100 values do not exceed.
fn nearest_rank<T: Copy + Default>(sorted: &[T], percent: usize) -> T {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// Returns the order of `count` programs in a round. In `count` rounds, or twice as many if `count` is odd, each program
/// follows each other one equally often (Williams, "Experimental Designs Balanced for the Estimation of Residual Effects of Treatments",
/// 1949). A process leaves work behind, `/bin/true` most of all, and the next one pays for some of it.
fn order(round: usize, count: usize) -> impl Iterator<Item = usize> {
    let from_both_ends = (0..count).map(|n| if n % 2 == 1 { n.div_ceil(2) } else { (count - n / 2) % count });
    let mut order: Vec<usize> = from_both_ends.map(|place| (place + round) % count).collect();
    if round / count % 2 == 1 {
        order.reverse();
    }
    order.into_iter()
}

/// Runs all contenders in turn and returns their samples in the same order.
pub(crate) fn sample(contenders: &[Contender], effort: Effort) -> Result<Vec<Samples>> {
    let runners: Vec<Runner<'_>> = contenders.iter().map(Runner::new).collect::<Result<_>>()?;
    let start = Instant::now();
    let up = || start.elapsed() >= effort.limit;
    for _ in 0..WARM_UP.min(effort.runs) {
        for runner in &runners {
            runner.run()?;
        }
        if up() {
            break;
        }
    }
    let mut taken: Vec<Vec<TimedRun>> = vec![Vec::with_capacity(effort.runs); runners.len()];
    for round in 0..effort.runs {
        if round > 0 && up() {
            break;
        }
        for place in order(round, runners.len()) {
            if let (Some(runner), Some(taken)) = (runners.get(place), taken.get_mut(place)) {
                taken.push(runner.run()?);
            }
        }
    }
    ensure!(taken.iter().all(|runs| !runs.is_empty()), "nothing was run");
    Ok(taken.iter().map(|runs| Samples::of(runs)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_behind_each_other_equally_often() {
        for count in 1..=9 {
            let mut behind = vec![0; count * count];
            for round in 0..2 * count {
                let order: Vec<usize> = order(round, count).collect();
                assert_eq!((0..count).filter(|one| order.contains(one)).count(), count);
                order.windows(2).for_each(|pair| behind[pair[0] * count + pair[1]] += 1);
            }
            for (place, times) in behind.into_iter().enumerate() {
                assert_eq!(times, if place % count == place / count { 0 } else { 2 }, "{count}");
            }
        }
    }

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let sorted: Vec<u64> = (1..=10).collect();
        let at = |percent| nearest_rank(&sorted, percent);
        assert_eq!([0, 1, 50, 90, 91, 99, 100].map(at), [1, 1, 5, 9, 10, 10, 10]);
        assert_eq!(nearest_rank(&[7u64], 50), 7);
        assert_eq!(nearest_rank::<u64>(&[], 50), 0);
    }
}
