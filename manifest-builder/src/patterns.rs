//! Patterns, each worked out once.
//!
//! To check a pattern, to find what every match holds, and to make its automata is nearly all the work of a
//! build. So it is done once for each, whoever asks, and what the index in force holds (see [`crate::index::loaded`]) is
//! not done again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use lessons_pattern::PatternError;
use lessons_pattern::prepared::{self, Prepared};
use lessons_pattern::trigger::Trigger;

/// What was worked out from a pattern, or why it is not one.
pub type PreparedPattern = Result<Rc<Prepared>, PatternError>;

/// What is known of patterns.
#[derive(Debug, Default)]
pub struct Patterns {
    known: RefCell<HashMap<Trigger, PreparedPattern, RandomState>>,
}

impl Patterns {
    /// Adds what was worked out of `trigger` before.
    pub(crate) fn know(&mut self, trigger: Trigger, prepared: Prepared) {
        self.known.get_mut().insert(trigger, Ok(Rc::new(prepared)));
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.known.borrow().len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What [`prepared::prepare`] says of `trigger`.
    pub fn get(&self, trigger: &Trigger) -> PreparedPattern {
        if let Some(known) = self.known.borrow().get(trigger) {
            return known.clone();
        }
        let prepared = prepared::prepare(trigger).map(Rc::new);
        self.known.borrow_mut().insert(trigger.clone(), prepared.clone());
        prepared
    }
}
