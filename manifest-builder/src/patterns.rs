//! Patterns, each worked out once.
//!
//! To check a pattern, to find what every match holds, and to make its automata is nearly all the work of a
//! build. So it is done once for each, whoever asks, and what the index in force holds (see [`crate::index::whole`]) is
//! not done again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use lessons_core::pattern::PatternError;
use lessons_core::prepared::{self, Compiled, Prepared};
use lessons_core::trigger::{Trigger, TriggerKind};

/// What was worked out of a pattern, or why it is none.
pub type Outcome = Rc<Result<Prepared, PatternError>>;

/// What is known of patterns.
#[derive(Debug, Default)]
pub struct Patterns {
    known: RefCell<HashMap<Trigger, Outcome, RandomState>>,
}

impl Patterns {
    /// Adds what was worked out of `trigger` before.
    pub(crate) fn know(&mut self, trigger: Trigger, prepared: Prepared) {
        self.known.get_mut().insert(trigger, Rc::new(Ok(prepared)));
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
    pub fn get(&self, trigger: &Trigger) -> Outcome {
        if let Some(known) = self.known.borrow().get(trigger) {
            return Rc::clone(known);
        }
        let outcome = Rc::new(prepared::prepare(trigger));
        self.known.borrow_mut().insert(trigger.clone(), Rc::clone(&outcome));
        outcome
    }

    /// Texts in ASCII lower case of which every match of a pattern holds one. None: nothing is known.
    pub fn literals(&self, kind: TriggerKind, pattern: &str) -> Vec<String> {
        match self.get(&Trigger::new(kind, pattern)).as_ref() {
            Ok(Prepared { compiled: Compiled::Regex { literals }, .. }) => literals.clone(),
            _ => Vec::new(),
        }
    }
}
