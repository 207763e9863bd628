//! Changes of rows that the journal records: the status of candidates, and labels. Each is
//! made in the transaction that records it.

use rusqlite::{Connection, Transaction, params};

use crate::candidates::{put_status, status_text};
use crate::columns::signed;
use crate::database::{Database, DatabaseError};
use crate::journal::{Deed, Difference, JournalEntry, State, Thing, ThingKind, rows};
use crate::labels;

/// Returns a thing of the database as the journal stores it; `None` if it does not exist.
pub(crate) fn text_of(connection: &Connection, thing: &Thing) -> rusqlite::Result<Option<String>> {
    match thing.kind {
        ThingKind::Candidate => status_text(connection, &thing.name),
        ThingKind::Label => labels::text_of(connection, &thing.name),
        _ => Ok(None),
    }
}

/// Sets a thing of the database from its stored form.
pub(crate) fn put(
    change: &Transaction<'_>,
    thing: &Thing,
    to: Option<&str>,
    now: u64,
) -> rusqlite::Result<()> {
    match thing.kind {
        ThingKind::Candidate => put_status(change, &thing.name, to, now),
        ThingKind::Label => labels::put(change, &thing.name, to),
        _ => Ok(()),
    }
}

/// Returns the things that would change. A candidate that does not exist is not created.
fn row_differences(
    connection: &Connection,
    to: &[(Thing, Option<String>)],
) -> rusqlite::Result<Vec<Difference>> {
    let mut moves: Vec<Difference> = Vec::new();
    for (thing, after) in to {
        let before = text_of(connection, thing)?;
        let is_there = thing.kind != ThingKind::Candidate || before.is_some();
        if is_there && before != *after {
            moves.push(Difference { thing: thing.clone(), before, after: after.clone() });
        }
    }
    Ok(moves)
}

impl Database {
    /// Marks a pending change as done or undone. Its changes of rows are made in the same transaction.
    /// With a digest the file of decisions has that one alone from then on.
    pub(crate) fn mark(
        &mut self,
        change: u64,
        state: State,
        decisions: Option<&str>,
    ) -> Result<(), DatabaseError> {
        let pending: Vec<JournalEntry> =
            self.change(change)?.into_iter().filter(|entry| entry.state == State::Pending).collect();
        self.in_full_sync(|transaction| {
            for entry in pending.iter().filter(|_| state == State::Done) {
                if entry.thing.kind.is_of_the_database() {
                    put(transaction, &entry.thing, entry.after.as_deref(), entry.time)?;
                }
            }
            transaction.execute(
                "UPDATE journal SET state = ?2 WHERE change = ?1 AND state = 'pending'",
                params![signed(change), state.name()],
            )?;
            decisions.map_or(Ok(()), |digest| rows::expect_alone(transaction, digest))
        })
    }

    /// Returns the things that would change.
    pub(crate) fn row_differences(
        &self,
        to: &[(Thing, Option<String>)],
    ) -> Result<Vec<Difference>, DatabaseError> {
        row_differences(&self.connection, to).map_err(|error| self.explain(error))
    }

    /// Changes things of the database and records that. Returns the number of the change; `None` where nothing changes.
    /// The status of each thing is set in either case.
    pub(crate) fn change_rows(
        &mut self,
        to: &[(Thing, Option<String>)],
        deed: &Deed,
    ) -> Result<Option<u64>, DatabaseError> {
        if to.is_empty() {
            return Ok(None);
        }
        self.in_transaction(|change| {
            let differences = row_differences(change, to)?;
            // Unchanged things too: a candidate that a person dealt with counts as touched.
            for (thing, after) in to {
                put(change, thing, after.as_deref(), deed.now)?;
            }
            if differences.is_empty() {
                return Ok(None);
            }
            rows::note(change, deed, &differences).map(Some)
        })
    }

    /// Undoes the changes of rows of a change. Returns the number of the change that does so, or the first thing that
    /// is no longer as that change left it.
    pub(crate) fn undo_rows(
        &mut self,
        inverse: &[Difference],
        deed: &Deed,
    ) -> Result<Result<u64, Thing>, DatabaseError> {
        self.in_transaction(|change| {
            // A scan changes candidates without taking the lock.
            for Difference { thing, before, .. } in inverse {
                if text_of(change, thing)? != *before {
                    return Ok(Err(thing.clone()));
                }
            }
            for Difference { thing, after, .. } in inverse {
                put(change, thing, after.as_deref(), deed.now)?;
            }
            rows::note(change, deed, inverse).map(Ok)
        })
    }
}
