//! What must hold at every change: counts, which are the same on every machine and at every run.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::cases::{Case, misses};
use super::count::{Counted, Instructions, count, name};
use super::scratch::Scratch;
use super::table::{MOST_MEMORY_KIB, thousands};

/// Over these stores.
const SIZES: [usize; 2] = [30, 10_000];
/// The most system calls of a call that nothing matches, the `execve` that starts it counted too.
const MOST_CALLS: usize = 16;
/// The most instructions of such a call.
const MOST_INSTRUCTIONS: u64 = 30_000;
/// A hook far over the limit is not followed for ever.
const MOST_STEPS: u64 = 2 * MOST_INSTRUCTIONS;

/// Counts, prints, and fails over a limit.
pub(crate) fn run(scratch: &Scratch) -> Result<()> {
    let mut over = Vec::new();
    for lessons in SIZES {
        for case in misses(scratch, lessons)? {
            case.prove(scratch)?;
            let counted = count(&case.contender, MOST_STEPS)?;
            let what = format!("{} over {} lessons", case.words, thousands(lessons));
            println!(
                "  {:>2} system calls, {:>8} instructions, {:>6} KiB: {what}",
                counted.calls.len(),
                counted.instructions.to_string(),
                counted.peak_kib
            );
            over.extend(findings(&case, &counted).into_iter().map(|finding| format!("{what}: {finding}")));
        }
    }
    ensure!(over.is_empty(), "a call that nothing matches costs too much:\n  {}", over.join("\n  "));
    Ok(())
}

fn findings(case: &Case, counted: &Counted) -> Vec<String> {
    let mut over = Vec::new();
    if counted.execs > 0 {
        over.push("the fast hook gave up and became another program".to_owned());
    }
    if counted.calls.len() > MOST_CALLS {
        let calls = summary(&counted.calls);
        over.push(format!("{} system calls, at most {MOST_CALLS}: {calls}", counted.calls.len()));
    }
    if counted.instructions > Instructions::Exactly(MOST_INSTRUCTIONS) {
        over.push(format!("{} instructions, at most {MOST_INSTRUCTIONS}", counted.instructions));
    }
    let memory = MOST_MEMORY_KIB + case.contender.payload.bytes().len() as u64 / 1024;
    if counted.peak_kib > memory {
        over.push(format!("{} KiB of memory, at most {memory}", counted.peak_kib));
    }
    over
}

/// System calls with how often each was made.
fn summary(calls: &[i64]) -> String {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for call in calls {
        *times.entry(name(*call)).or_default() += 1;
    }
    let parts = times.into_iter().map(|(name, times)| match times {
        1 => name,
        times => format!("{name} x {times}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use nix::libc::{SYS_execve, SYS_openat, SYS_read};

    use super::*;

    #[test]
    fn system_calls_are_named_and_counted() {
        assert_eq!(summary(&[SYS_execve, SYS_read, SYS_openat, SYS_read, 9_999]), {
            "call 9999, execve, openat, read x 2"
        });
    }

    #[test]
    fn a_number_that_was_passed_is_over_the_limit_and_an_exact_one_on_it_is_not() {
        let limit = Instructions::Exactly(MOST_INSTRUCTIONS);
        assert!(Instructions::Exactly(MOST_INSTRUCTIONS) <= limit);
        assert!(Instructions::Exactly(MOST_INSTRUCTIONS + 1) > limit);
        assert!(Instructions::MoreThan(MOST_STEPS) > limit);
    }
}
