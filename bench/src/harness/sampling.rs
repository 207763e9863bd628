//! Many runs of several programs, one after the other in turn, so that whatever the machine is doing
//! besides happens to all of them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::contender::Contender;
use super::spawn::{Run, Runner};

/// What a table must have at least behind each of its figures, unless the time was up before.
pub(crate) const LEAST_RUNS: usize = 300;
/// Runs that are not counted: they bring files into the page cache.
const WARM_UP: usize = 10;

/// How much is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// How often each program.
    pub(crate) runs: usize,
    /// How long all of them together may take.
    pub(crate) limit: Duration,
}

/// What the runs of one program took.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    times: Vec<Duration>,
    minor_faults: Vec<u64>,
    major_faults: Vec<u64>,
}

impl Samples {
    fn of(runs: &[Run]) -> Self {
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

    /// How many runs.
    pub(crate) fn runs(&self) -> usize {
        self.times.len()
    }

    /// The time that so many of a hundred runs did not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        nearest_rank(&self.times, percent)
    }

    /// The median.
    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The median of the page faults without disk.
    pub(crate) fn minor_faults(&self) -> u64 {
        nearest_rank(&self.minor_faults, 50)
    }

    /// The median of those with.
    pub(crate) fn major_faults(&self) -> u64 {
        nearest_rank(&self.major_faults, 50)
    }
}

/// The least of the sorted values that `percent` of a hundred do not exceed.
fn nearest_rank<T: Copy + Default>(sorted: &[T], percent: usize) -> T {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// Who is run when in a round of so many: in `count` rounds, or twice as many where it is odd, each comes behind each
/// other equally often (Williams, "Experimental Designs Balanced for the Estimation of Residual Effects of Treatments",
/// 1949). A process leaves work behind, `/bin/true` most, and what comes next pays for some of it.
fn order(round: usize, count: usize) -> impl Iterator<Item = usize> {
    let from_both_ends = (0..count).map(|n| if n % 2 == 1 { n.div_ceil(2) } else { (count - n / 2) % count });
    let mut order: Vec<usize> = from_both_ends.map(|place| (place + round) % count).collect();
    if round / count % 2 == 1 {
        order.reverse();
    }
    order.into_iter()
}

/// Runs all contenders in turn. The samples come in their order.
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
    let mut taken: Vec<Vec<Run>> = vec![Vec::with_capacity(effort.runs); runners.len()];
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
