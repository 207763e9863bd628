//! Changes as a person sees them: all entries of one number.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use super::{FORGET, JournalEntry, State, ThingKind};
use crate::database::{Database, DatabaseError};
use crate::integers::signed;

/// One change that took place.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of the change.
    pub number: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The person or program that made it.
    pub actor: String,
    /// The action in a word.
    pub action: String,
    /// The entries, one for each thing.
    pub entries: Vec<JournalEntry>,
    /// The change that this one undoes.
    pub undoes: Option<u64>,
    /// The change that undid this one, and was not undone itself.
    pub undone_by: Option<u64>,
}

impl Change {
    /// Returns whether it changed the store of a project.
    pub fn is_of_a_project(&self) -> bool {
        self.entries.iter().any(|entry| entry.thing.kind.is_of_a_project())
    }

    /// Returns whether nothing can undo it.
    pub fn is_final(&self) -> bool {
        self.action == FORGET || self.entries.iter().any(|entry| entry.thing.kind == ThingKind::Text)
    }
}

impl Database {
    /// Returns the changes that took place, the newest first: at most `limit` that are older than `before`.
    pub fn changes(&self, before: Option<u64>, limit: u32) -> Result<Vec<Change>, DatabaseError> {
        let numbers: Vec<u64> = self.select(
            "SELECT DISTINCT change FROM journal WHERE state = 'done' AND change BETWEEN 1 AND ?1 - 1
                 ORDER BY change DESC LIMIT ?2",
            params![before.map_or(i64::MAX, signed), limit],
            |row| row.get(0).map(i64::cast_unsigned),
        )?;
        let mut changes = Vec::with_capacity(numbers.len());
        for number in numbers {
            changes.extend(self.whole_change(number)?);
        }
        Ok(changes)
    }

    /// Returns a change that took place; `None` if there is none of this number, or it never took place.
    pub fn whole_change(&self, number: u64) -> Result<Option<Change>, DatabaseError> {
        if number == 0 {
            // With it the journal begins.
            return Ok(None);
        }
        let entries: Vec<JournalEntry> =
            self.change(number)?.into_iter().filter(|entry| entry.state == State::Done).collect();
        let Some(first) = entries.first() else { return Ok(None) };
        Ok(Some(Change {
            number,
            time: first.time,
            actor: first.actor.clone(),
            action: first.action.clone(),
            undoes: first.undoes,
            undone_by: self.undone_by(number)?,
            entries,
        }))
    }

    /// Returns the change that undid `number` and was not undone itself.
    fn undone_by(&self, number: u64) -> Result<Option<u64>, DatabaseError> {
        // Which change takes back which is a tree; what was taken back by one that stands does not stand.
        let mut takers: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut open = vec![number];
        while let Some(change) = open.pop() {
            let found: BTreeSet<u64> = self.undoing(change)?.iter().map(|entry| entry.change).collect();
            open.extend(&found);
            takers.insert(change, found);
        }
        // A taker has a higher number than what it takes, so from the highest down every answer is known.
        let mut stands: BTreeMap<u64, bool> = BTreeMap::new();
        for (change, found) in takers.iter().rev() {
            stands.insert(*change, !found.iter().any(|taker| stands.get(taker) == Some(&true)));
        }
        let found = takers.get(&number).into_iter().flatten().rev();
        Ok(found.copied().find(|taker| stands.get(taker) == Some(&true)))
    }
}
