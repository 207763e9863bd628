//! Whether enough of the past was looked at to let a lesson refuse calls.
//!
//! A person has said of hits whether they are right. Those answers are the examples of the lesson: a hit that is
//! the same call as one of `fires` is right, one that is the same call as one of `quiet` is wrong.

use std::collections::HashSet;

use lessons_core::lesson::{Examples, ONE_WRONG_IN, SampleCall};
use serde::Serialize;

use crate::group;
use crate::report::{Group, Replay};

/// So many different hits must be looked at, or all where there are fewer.
pub const NEEDED: usize = 20;

/// What is known of the hits of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// Different calls at which it fires.
    pub hits: usize,
    /// Those that can become examples, and so can be looked at.
    pub labellable: usize,
    /// Those that were found right.
    pub right: usize,
    /// Those that were found wrong.
    pub wrong: usize,
}

/// What a person said of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Label {
    /// It should fire there.
    Right,
    /// It should not.
    Wrong,
}

/// The answers that the examples of a lesson hold.
#[derive(Debug, Default)]
pub struct Labels {
    right: HashSet<String>,
    wrong: HashSet<String>,
}

impl Labels {
    /// Reads them.
    pub fn of(examples: &Examples) -> Self {
        let keys = |samples: &[SampleCall]| samples.iter().map(group::key).collect();
        Self { right: keys(&examples.fires), wrong: keys(&examples.quiet) }
    }

    /// What was said of a hit. Of two answers the one that says no counts.
    pub fn get(&self, hit: &Group) -> Option<Label> {
        match () {
            () if self.wrong.contains(&hit.key) => Some(Label::Wrong),
            () if self.right.contains(&hit.key) => Some(Label::Right),
            () => None,
        }
    }
}

impl Proof {
    /// What the examples of a lesson say of its hits.
    pub fn of(examples: &Examples, replay: &Replay) -> Self {
        let labels = Labels::of(examples);
        let said = |wanted| replay.hits.iter().filter(|hit| labels.get(hit) == Some(wanted)).count();
        let can = |hit: &&Group| hit.unkept.is_none() || labels.get(hit).is_some();
        Self {
            hits: replay.hits.len(),
            labellable: replay.hits.iter().filter(can).count(),
            right: said(Label::Right),
            wrong: said(Label::Wrong),
        }
    }

    /// How many were looked at.
    pub fn labelled(&self) -> usize {
        self.right + self.wrong
    }

    /// How many must be looked at. Where some cannot be, the others are enough; one at least.
    pub fn needed(&self) -> usize {
        self.hits.min(NEEDED).min(self.labellable.max(1))
    }

    /// How many more must be looked at.
    pub fn missing(&self) -> usize {
        self.needed().saturating_sub(self.labelled())
    }

    /// Whether too many of those that were looked at are wrong.
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
        Proof { hits, labellable: hits, right, wrong }
    }

    #[test]
    fn twenty_of_many_are_enough_and_all_of_few() {
        assert!(proof(100, 20, 0).is_enough());
        assert_eq!(proof(100, 19, 0).missing(), 1);
        assert!(!proof(100, 19, 0).is_enough());
        assert!(proof(3, 3, 0).is_enough() && !proof(3, 2, 0).is_enough());
        assert!(proof(0, 0, 0).is_enough(), "what never fires is wrong nowhere");
    }

    #[test]
    fn hits_that_cannot_be_looked_at_are_not_waited_for_unless_there_are_no_others() {
        assert!(Proof { hits: 30, labellable: 2, right: 2, wrong: 0 }.is_enough());
        assert!(!Proof { hits: 30, labellable: 2, right: 1, wrong: 0 }.is_enough());
        assert!(!Proof { hits: 30, labellable: 0, right: 0, wrong: 0 }.is_enough());
    }

    #[test]
    fn one_in_twenty_may_be_wrong() {
        assert!(proof(20, 19, 1).is_enough());
        assert!(!proof(20, 18, 2).is_enough());
        assert!(proof(100, 38, 2).is_enough());
        assert!(!proof(5, 4, 1).is_enough());
    }
}
