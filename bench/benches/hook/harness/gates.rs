//! The gates: limits on counts, which are the same on every machine and at every run.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::case::{Case, Ceiling, MOST_MEMORY_KIB, MOST_STEPS};
use super::cases::{crowd, misses};
use super::count::{Counted, Instructions, count, name};
use super::report::thousands;
use super::scratch::Scratch;

/// The sizes of stores, in lessons.
const SIZES: [usize; 2] = [30, 10_000];

/// Counts each call, prints the counts, and fails with all that are over a limit.
pub(crate) fn run(scratch: &Scratch) -> Result<()> {
    let mut over = Vec::new();
    for lessons in SIZES {
        for (case, ceiling) in misses(scratch, lessons)? {
            case.check_sees_lessons(scratch)?;
            let counted = count(&case.contender, MOST_STEPS)?;
            let call = print_counts(&case, &counted);
            let found =
                over_common_limits(&case, &counted).into_iter().chain(over_ceiling(ceiling, &counted));
            over.extend(found.map(|finding| format!("{call}: {finding}")));
        }
    }
    // The instructions grow with the number of lessons that match, but the memory has the same limit.
    let case = crowd(scratch, SIZES[1])?;
    let counted = count(&case.contender, MOST_STEPS)?;
    let call = print_counts(&case, &counted);
    over.extend(over_common_limits(&case, &counted).into_iter().map(|finding| format!("{call}: {finding}")));
    ensure!(over.is_empty(), "a call costs too much:\n  {}", over.join("\n  "));
    Ok(())
}

/// Prints the counts of a call and returns its description.
fn print_counts(case: &Case, counted: &Counted) -> String {
    let call = format!("{} over {} lessons", case.label, thousands(case.lessons()));
    println!(
        "  {:>5} system calls, {:>8} instructions, {:>6} KiB: {call}",
        counted.calls.len(),
        counted.instructions.to_string(),
        counted.peak_kib
    );
    call
}

/// Finds limits of every call that were exceeded.
fn over_common_limits(case: &Case, counted: &Counted) -> Vec<String> {
    let mut over = Vec::new();
    if counted.execs > 0 {
        over.push("it became another program".to_owned());
    }
    let memory = MOST_MEMORY_KIB + case.contender.payload.bytes().len() as u64 / 1024;
    if counted.peak_kib > memory {
        over.push(format!("{} KiB of memory, at most {memory}", counted.peak_kib));
    }
    over
}

/// Finds counts that are over the ceiling of the call.
fn over_ceiling(ceiling: Ceiling, counted: &Counted) -> Vec<String> {
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

/// Lists system calls by name, with the number of times each was made.
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
