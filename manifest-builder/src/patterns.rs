//! Patterns, each worked out once.
//!
//! To check a pattern, to find what every match holds, and to make its automata is nearly all the work of a
//! build. So it is done once for each, whoever asks, and what the index in force holds is not done again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use bytes::Bytes;
use foldhash::fast::RandomState;
use lessons_core::automaton::build::Built;
use lessons_core::index::header::{BYTES as HEADER_BYTES, Header, Span, VERSION};
use lessons_core::index::record::{Cursor, Test};
use lessons_core::index::storage;
use lessons_core::index::{Damaged, Index};
use lessons_core::pattern::{self, Compiled, PatternError, Prepared};
use lessons_core::trigger::{Trigger, TriggerKind};

use crate::summed;

/// What was worked out of a pattern, or why it is none.
pub type Outcome = Rc<Result<Prepared, PatternError>>;

/// What is known of patterns.
#[derive(Debug, Default)]
pub struct Patterns {
    known: RefCell<HashMap<Trigger, Outcome, RandomState>>,
}

impl Patterns {
    /// What an index knows of its patterns. One that is damaged anywhere, or of another version, knows
    /// nothing.
    pub fn of_index(index: &Bytes) -> Result<Self, Damaged> {
        let header = verify(index)?;
        let part = |part: Span| {
            let start = usize::try_from(part.at).ok()?;
            index.get(start..start.checked_add(usize::try_from(part.length).ok()?)?)
        };
        let mut notes = Cursor::new(part(header.notes).ok_or(Damaged)?);
        let mut known = HashMap::default();
        for record in storage::contents(part(header.triggers).ok_or(Damaged)?) {
            let Some(note) = notes.note()? else { continue };
            let trigger = Cursor::new(record?).trigger()?;
            let Test::Pattern { automaton, .. } = trigger.test else { return Err(Damaged) };
            let automaton = Built::new(index.slice_ref(automaton));
            let prepared =
                Prepared::of_expression(note.clauses.into_owned(), note.endings.to_vec(), automaton);
            known.insert(Trigger::new(trigger.kind, note.pattern), Rc::new(Ok(prepared)));
        }
        Ok(Self { known: RefCell::new(known) })
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.known.borrow().len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What [`pattern::prepare`] says of `trigger`.
    pub fn get(&self, trigger: &Trigger) -> Outcome {
        if let Some(known) = self.known.borrow().get(trigger) {
            return Rc::clone(known);
        }
        let outcome = Rc::new(pattern::prepare(trigger));
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

/// Whether every byte of an index is as it was written. A hook checks only what it reads.
pub fn verify(bytes: &[u8]) -> Result<Header, Damaged> {
    let header = Index::of_bytes(bytes)?.header().clone();
    let body = bytes.get(HEADER_BYTES..).ok_or(Damaged)?;
    if header.body == summed::sum(u64::from(VERSION), body) { Ok(header) } else { Err(Damaged) }
}
