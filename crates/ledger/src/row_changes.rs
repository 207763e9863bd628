//! Changes of what stands in the database itself: where candidates stand, and what was said of calls. Each is
//! done in the transaction that writes it down.

use rusqlite::{Connection, Transaction, params};

use crate::candidates::{put_standing, standing_of};
use crate::database::{Database, DatabaseError};
use crate::integers::signed;
use crate::journal::{Deed, Difference, Entry, Kind, State, Thing, rows};
use crate::labels;

/// A thing as it is, in the words of the journal; `None` where it is not there.
pub(crate) fn text_of(connection: &Connection, thing: &Thing) -> rusqlite::Result<Option<String>> {
    match thing.kind {
        Kind::Candidate => standing_of(connection, &thing.name),
        Kind::Label => labels::text_of(connection, &thing.name),
        _ => Ok(None),
    }
}

/// Has a thing be as the journal says.
pub(crate) fn put(
    change: &Transaction<'_>,
    thing: &Thing,
    to: Option<&str>,
    now: u64,
) -> rusqlite::Result<()> {
    match thing.kind {
        Kind::Candidate => put_standing(change, &thing.name, to, now),
        Kind::Label => labels::put(change, &thing.name, to),
        _ => Ok(()),
    }
}

/// What would be another than before if things came to be so. A candidate that is not there is not made.
fn moves(connection: &Connection, to: &[(Thing, Option<String>)]) -> rusqlite::Result<Vec<Difference>> {
    let mut moves: Vec<Difference> = Vec::new();
    for (thing, after) in to {
        let before = text_of(connection, thing)?;
        let is_there = thing.kind != Kind::Candidate || before.is_some();
        if is_there && before != *after {
            moves.push(Difference { thing: thing.clone(), before, after: after.clone() });
        }
    }
    Ok(moves)
}

impl Database {
    /// Says what became of a change. What it does in the database itself is done with it.
    pub(crate) fn mark(&mut self, change: u64, state: State) -> Result<(), DatabaseError> {
        let pending: Vec<Entry> =
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
            Ok(())
        })
    }

    /// What would be another than before if things came to be so.
    pub(crate) fn moves(&self, to: &[(Thing, Option<String>)]) -> Result<Vec<Difference>, DatabaseError> {
        moves(&self.connection, to).map_err(|error| self.explain(error))
    }

    /// Has things be so, and writes that down. Returns the number of the change; `None` where all of them are so
    /// already.
    pub(crate) fn put_inside(
        &mut self,
        to: &[(Thing, Option<String>)],
        undoes: Option<u64>,
        deed: &Deed,
    ) -> Result<Option<u64>, DatabaseError> {
        if to.is_empty() {
            return Ok(None);
        }
        let change = self.writing()?;
        let run = || {
            let differences = moves(&change, to)?;
            // Also what is so already: that a person had to do with a candidate keeps it from growing old.
            for (thing, after) in to {
                put(&change, thing, after.as_deref(), deed.now)?;
            }
            if differences.is_empty() {
                return Ok(None);
            }
            rows::note(&change, deed, undoes, &differences).map(Some)
        };
        let done = run().and_then(|done| {
            lessons_store::crash::point();
            change.commit().map(|()| done)
        });
        lessons_store::crash::point();
        done.map_err(|error| self.explain(error))
    }

    /// Takes back what a change did here. Returns the number of the change that does so, or what is another than
    /// it was left by now.
    pub(crate) fn take_back_inside(
        &mut self,
        inverse: &[Difference],
        undoes: u64,
        deed: &Deed,
    ) -> Result<Result<u64, Thing>, DatabaseError> {
        let change = self.writing()?;
        let take_back = || {
            for Difference { thing, before, after } in inverse {
                // A scan takes no lock of ours.
                if text_of(&change, thing)? != *before {
                    return Ok(Err(thing.clone()));
                }
                put(&change, thing, after.as_deref(), deed.now)?;
            }
            rows::note(&change, deed, Some(undoes), inverse).map(Ok)
        };
        let number = take_back().and_then(|number| {
            lessons_store::crash::point();
            if number.is_ok() {
                change.commit()?;
            } else {
                change.rollback()?;
            }
            Ok(number)
        });
        lessons_store::crash::point();
        number.map_err(|error| self.explain(error))
    }
}
