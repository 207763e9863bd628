//! The proof that a lesson may refuse calls: enough of its hits were labelled, and hardly any as wrong.
//!
//! The rule: of the different calls at which a lesson fires, a person has looked at [`NEEDED`], or at all where
//! there are fewer, and has found at most one in [`ONE_WRONG_IN`] wrong. What counts as looked at are the answers
//! to the question that is put to a person about a hit, and nothing else. The examples of a lesson say nothing
//! here: they are its tests, and whoever writes a lesson can write them.
//!
//! An answer is about a call as it is grouped (see [`crate::group::key`]), and stays with the lesson when the
//! lesson is changed: what counts then are the answers about the calls at which it fires as it is now.

use std::collections::HashMap;

use lessons_lesson::Label;
use lessons_lesson::lesson::ONE_WRONG_IN;
use serde::Serialize;

use crate::report::Replay;

/// The number of different hits that must be labelled, or all where there are fewer.
pub const NEEDED: usize = 20;

/// The labels of the hits of a lesson, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// The number of different calls at which the lesson fires.
    pub hits: usize,
    /// The hits that were labelled right.
    pub right: usize,
    /// The hits that were labelled wrong.
    pub wrong: usize,
}

/// The labels that a person gave to hits, by the [keys](crate::group::key) of their calls.
pub type Labels = HashMap<String, Label>;

impl Proof {
    /// Counts the labels of the hits of a replay.
    pub fn of(labels: &Labels, replay: &Replay) -> Self {
        let said = |wanted| replay.hits.iter().filter(|hit| labels.get(&hit.key) == Some(&wanted)).count();
        Self { hits: replay.hits.len(), right: said(Label::Right), wrong: said(Label::Wrong) }
    }

    /// The number of labelled hits.
    pub fn labelled(&self) -> usize {
        self.right + self.wrong
    }

    /// The number of hits that must be labelled.
    pub fn needed(&self) -> usize {
        self.hits.min(NEEDED)
    }

    /// The number of hits that must still be labelled.
    pub fn missing(&self) -> usize {
        self.needed().saturating_sub(self.labelled())
    }

    /// Whether too many of the labelled hits are wrong.
    pub fn is_too_often_wrong(&self) -> bool {
        self.wrong * ONE_WRONG_IN > self.labelled()
    }

    /// Whether the lesson may refuse calls.
    pub fn is_enough(&self) -> bool {
        self.missing() == 0 && !self.is_too_often_wrong()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(hits: usize, right: usize, wrong: usize) -> Proof {
        Proof { hits, right, wrong }
    }

    #[test]
    fn twenty_of_many_are_enough_and_all_of_few() {
        assert!(proof(100, 20, 0).is_enough());
        assert_eq!(proof(100, 19, 0).missing(), 1);
        assert!(!proof(100, 19, 0).is_enough());
        assert!(proof(3, 3, 0).is_enough() && !proof(3, 2, 0).is_enough());
        assert!(!proof(30, 2, 0).is_enough());
        assert!(proof(0, 0, 0).is_enough(), "what never fires is wrong nowhere");
    }

    #[test]
    fn one_in_twenty_may_be_wrong() {
        assert!(proof(20, 19, 1).is_enough());
        assert!(!proof(20, 18, 2).is_enough());
        assert!(proof(100, 38, 2).is_enough());
        assert!(!proof(5, 4, 1).is_enough());
    }
}
