//! What must hold at every change: counts, which are the same on every machine and at every run.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::cases::{Case, crowd, misses};
use super::count::{Counted, Instructions, count, name};
use super::scratch::Scratch;
use super::table::{MOST_MEMORY_KIB, thousands};

/// Over these stores.
const SIZES: [usize; 2] = [30, 10_000];
/// A hook far over its ceiling is not followed for ever.
const MOST_STEPS: u64 = 300_000;

/// The most that a call may take which nothing matches: what it took when this was written, and a tenth more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ceiling {
    /// System calls, with the `execve` that starts it.
    pub(crate) calls: usize,
    /// Instructions.
    pub(crate) instructions: u64,
}

/// Counts, prints, and fails over a limit.
pub(crate) fn run(scratch: &Scratch) -> Result<()> {
    let mut over = Vec::new();
    for lessons in SIZES {
        for (case, ceiling) in misses(scratch, lessons)? {
            case.prove(scratch)?;
            let counted = count(&case.contender, MOST_STEPS)?;
            let what = printed(&case, &counted);
            let found = always(&case, &counted).into_iter().chain(beyond(ceiling, &counted));
            over.extend(found.map(|finding| format!("{what}: {finding}")));
        }
    }
    // How long it takes grows with the lessons that match, but its memory has the same limit.
    let case = crowd(scratch, SIZES[1])?;
    let counted = count(&case.contender, MOST_STEPS)?;
    let what = printed(&case, &counted);
    over.extend(always(&case, &counted).into_iter().map(|finding| format!("{what}: {finding}")));
    ensure!(over.is_empty(), "a call costs too much:\n  {}", over.join("\n  "));
    Ok(())
}

/// Prints what was counted, and returns what was called.
fn printed(case: &Case, counted: &Counted) -> String {
    let what = format!("{} over {} lessons", case.words, thousands(case.lessons));
    println!(
        "  {:>5} system calls, {:>8} instructions, {:>6} KiB: {what}",
        counted.calls.len(),
        counted.instructions.to_string(),
        counted.peak_kib
    );
    what
}

/// What holds for every call.
fn always(case: &Case, counted: &Counted) -> Vec<String> {
    let mut over = Vec::new();
    if counted.execs > 0 {
        over.push("the fast hook gave up and became another program".to_owned());
    }
    let memory = MOST_MEMORY_KIB + case.contender.payload.bytes().len() as u64 / 1024;
    if counted.peak_kib > memory {
        over.push(format!("{} KiB of memory, at most {memory}", counted.peak_kib));
    }
    over
}

/// What is over the ceiling.
fn beyond(ceiling: Ceiling, counted: &Counted) -> Vec<String> {
    let mut over = Vec::new();
    let Ceiling { calls, instructions } = ceiling;
    if counted.calls.len() > calls {
        let made = summary(&counted.calls);
        over.push(format!("{} system calls, at most {calls}: {made}", counted.calls.len()));
    }
    if counted.instructions > Instructions::Exactly(instructions) {
        over.push(format!("{} instructions, at most {instructions}", counted.instructions));
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
        let limit = Instructions::Exactly(1000);
        assert!(Instructions::Exactly(1000) <= limit);
        assert!(Instructions::Exactly(1001) > limit);
        assert!(Instructions::MoreThan(MOST_STEPS) > limit);
    }
}
