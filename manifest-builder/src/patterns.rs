//! The cache of prepared patterns.
//!
//! Checking a pattern, finding its literals and making its automata is nearly all the work of a build. So each pattern is
//! prepared once, and the results in the index in force (see [`crate::index::loaded`]) are reused.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use lessons_pattern::{PatternError, Prepared, Trigger, prepared};

/// A prepared pattern, or the reason why it is refused.
pub type PreparedPattern = Result<Rc<Prepared>, PatternError>;

/// The prepared patterns, by trigger.
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

    /// The result of [`prepared::prepare`] for `trigger`.
    pub fn get(&self, trigger: &Trigger) -> PreparedPattern {
        if let Some(known) = self.known.borrow().get(trigger) {
            return known.clone();
        }
        let prepared = prepared::prepare(trigger).map(Rc::new);
        self.known.borrow_mut().insert(trigger.clone(), prepared.clone());
        prepared
    }
}
