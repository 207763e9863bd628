//! `cargo xtask mutants`: whether the tests notice a change of the code that decides.
//!
//! A mutant is a copy of the workspace with one small change: a condition turned round, a result replaced. Mutants are
//! drawn with a fixed seed, and each one is tested with the tests of its own crate. [`tool`] runs `cargo-mutants`, which
//! makes and tests them.

mod tool;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::workspace::Workspace;
use tool::{MutantOutcome, MutationTool};

/// The files and folders of the code that decides: what a call gets, whether a lesson was told before, who may approve,
/// and which lessons match.
const DECIDING: [&str; 6] = [
    "crates/decide/src/answer.rs",
    "crates/decide/src/claims",
    "crates/decide/src/approval",
    "crates/index/src/matching.rs",
    "crates/index/src/search.rs",
    "crates/index/src/record",
];

/// The seed of the draw. Another seed draws other mutants.
const SEED: &str = "lessons 1";

/// The least share of mutants that the tests must catch, in percent.
const LEAST_CAUGHT_PERCENT: usize = 85;

/// The outcomes of all drawn mutants, by name.
#[derive(Debug, Default)]
struct Tally {
    caught: usize,
    missed: Vec<String>,
    unviable: usize,
}

impl Tally {
    fn add(&mut self, mutant: String, outcome: MutantOutcome) {
        match outcome {
            MutantOutcome::Caught => self.caught += 1,
            MutantOutcome::Missed => self.missed.push(mutant),
            MutantOutcome::Unviable => self.unviable += 1,
        }
    }

    /// Counts the mutants that compile. The tests can say nothing about the others.
    fn viable(&self) -> usize {
        self.caught + self.missed.len()
    }

    fn is_enough(&self) -> bool {
        self.caught * 100 >= self.viable() * LEAST_CAUGHT_PERCENT
    }
}

/// Draws and tests `count` mutants that compile. Fails if the tests catch too few of them.
pub(crate) fn run(workspace: &Workspace, count: usize) -> Result<()> {
    let tool = MutationTool::install(workspace)?;
    let mut drawn = draw(tool.list(&DECIDING)?, SEED).into_iter();
    let mut tally = Tally::default();
    // A mutant that does not compile is replaced by the next one of the draw.
    for round in 1.. {
        let batch: Vec<String> = drawn.by_ref().take(count - tally.viable()).collect();
        if batch.is_empty() {
            break;
        }
        println!("Round {round}: testing {} mutants", batch.len());
        for (mutant, outcome) in tool.test(&batch, &format!("round-{round}"))? {
            tally.add(mutant, outcome);
        }
    }
    let viable = tally.viable();
    for mutant in &tally.missed {
        println!("missed: {mutant}");
    }
    println!(
        "{} of {viable} mutants caught, {} missed; {} did not compile and were replaced",
        tally.caught,
        tally.missed.len(),
        tally.unviable
    );
    ensure!(viable == count, "there are only {viable} mutants that compile, and {count} were asked for");
    ensure!(tally.is_enough(), "the tests catch less than {LEAST_CAUGHT_PERCENT} % of the mutants");
    Ok(())
}

/// Puts mutants into the order of the draw: that of the SHA-256 of seed and name.
fn draw(mut mutants: Vec<String>, seed: &str) -> Vec<String> {
    mutants.sort_by_cached_key(|mutant| Sha256::digest(format!("{seed}\n{mutant}")));
    mutants
}

/// Reads a number of mutants to draw from the command line.
pub(crate) fn parse_count(text: &str) -> Result<usize> {
    let count = text.parse().context("not a number")?;
    ensure!(count > 0, "must be at least 1");
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("a.rs:{number}:1: replace f with ()")).collect()
    }

    #[test]
    fn a_seed_draws_the_same_mutants_whatever_their_order_and_another_seed_draws_others() {
        let drawn = draw(names(50), "one");
        let mut reversed = names(50);
        reversed.reverse();
        assert_eq!(drawn, draw(reversed, "one"));
        assert_ne!(drawn, draw(names(50), "two"));
        assert_ne!(drawn, names(50));
        let mut sorted = drawn;
        sorted.sort();
        let mut all = names(50);
        all.sort();
        assert_eq!(sorted, all);
    }

    #[test]
    fn eighty_five_of_a_hundred_are_enough_and_mutants_that_do_not_compile_count_for_nothing() {
        let tally = |caught, missed, unviable| Tally { caught, missed: names(missed), unviable };
        assert!(tally(85, 15, 0).is_enough() && tally(85, 15, 40).is_enough());
        assert!(!tally(84, 16, 0).is_enough() && !tally(84, 16, 40).is_enough());
        assert!(tally(6, 1, 0).is_enough() && !tally(5, 1, 0).is_enough());
    }

    #[test]
    fn all_code_that_is_mutated_is_there() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(DECIDING.map(|path| root.join(path).exists()), DECIDING.map(|_| true), "{DECIDING:?}");
    }

    #[test]
    fn a_count_is_a_number_above_zero() {
        assert_eq!(parse_count("6").unwrap(), 6);
        assert!(parse_count("0").is_err() && parse_count("many").is_err() && parse_count("-1").is_err());
    }
}
