//! The rows of the journal: written, marked and read; and changes as a person sees them: all entries of one number.

use std::collections::{BTreeMap, BTreeSet};

use lessons_home::Home;
use lessons_lesson::{LessonId, ProjectHash};
use lessons_store::decisions::trust::sha256;
use lessons_store::{Decisions, WriteError, durable};
use rusqlite::{Connection, Row, ToSql, Transaction, params};

use crate::database::columns::signed;
use crate::database::{Database, Result, SqlResult, change_by, value_of};
use crate::journal::{Change, ConsentRefused, Deed, Difference, JournalEntry, SELF, State, Thing, ThingKind};

/// The bytes of the file of decisions, and the digest by which the journal knows them.
pub(crate) struct DecisionsBytes {
    bytes: Vec<u8>,
    pub(crate) digest: String,
}

impl DecisionsBytes {
    pub(crate) fn of(decisions: &Decisions) -> Self {
        let bytes = decisions.to_bytes();
        Self { digest: sha256(&bytes), bytes }
    }

    /// Replaces the file of `home`.
    pub(crate) fn write(&self, home: &Home) -> Result<(), WriteError> {
        durable::replace(&home.decisions(), &self.bytes)
    }
}

impl Database {
    /// Returns the last entries, the newest first, at most `limit`.
    pub fn journal(&self, limit: u32) -> Result<Vec<JournalEntry>> {
        self.entries("ORDER BY id DESC LIMIT ?1", &limit)
    }

    /// Returns the entries of a change, in their order; none if there is no such change.
    pub fn change(&self, change: u64) -> Result<Vec<JournalEntry>> {
        self.entries("WHERE change = ?1 ORDER BY id", &signed(change))
    }

    /// Returns the changes that undo a change and took place.
    pub(crate) fn undoing(&self, change: u64) -> Result<BTreeSet<u64>> {
        let sql = "SELECT change FROM journal WHERE undoes = ?1 AND state = 'done'";
        let undoing = self.select(sql, [signed(change)], |row| row.get(0).map(i64::cast_unsigned))?;
        Ok(undoing.into_iter().collect())
    }

    /// Returns the last entry about a thing after the change `after` that took place.
    pub(crate) fn changed_after(&self, thing: &Thing, after: u64) -> Result<Option<JournalEntry>> {
        let entries = self.entries("WHERE lesson = ?1 AND state = 'done' ORDER BY id DESC", &thing.name)?;
        Ok(entries.into_iter().find(|entry| entry.thing == *thing && entry.change > after))
    }

    /// Returns the last change that a command made to a lesson or its accepted copy; `None` without one.
    pub fn last_change_of_lesson(&self, id: &LessonId) -> Result<Option<JournalEntry>> {
        let rest = "WHERE lesson = ?1 AND kind IN ('lesson', 'accepted') AND state = 'done' ORDER BY id DESC LIMIT 1";
        Ok(self.entries(rest, &id.as_str())?.pop())
    }

    /// Returns whether a change is pending: a process died in it, or is at it now.
    pub fn is_unsettled(&self) -> Result<bool> {
        Ok(!self.pending()?.is_empty())
    }

    /// Returns the entries of pending changes.
    pub(crate) fn pending(&self) -> Result<Vec<JournalEntry>> {
        self.entries("WHERE state = ?1 ORDER BY id", &"pending")
    }

    /// Returns the entries that say what is decided, the oldest first: about decisions, and about lessons and settings, which
    /// the accepted copies follow. They begin with change 0, where there is one.
    pub(crate) fn journal_of_decisions(&self) -> Result<Vec<JournalEntry>> {
        let kinds = "('accepted', 'accepted setting', 'trust', 'peer', 'received', 'incident', 'lesson', 'topic', 'setting')";
        let begin = "coalesce((SELECT min(id) FROM journal WHERE change = 0), 0)";
        self.entries(&format!("WHERE kind IN {kinds} AND state = ?1 AND id >= {begin} ORDER BY id"), &"done")
    }

    /// Returns the last entries about trust, at most `limit`.
    pub(crate) fn journal_of_trust(&self, limit: u32) -> Result<Vec<JournalEntry>> {
        self.entries("WHERE kind = 'trust' ORDER BY id DESC LIMIT ?1", &limit)
    }

    /// Returns whether the last change of the trust in a project withdrew it, and a person made it. What is recorded without
    /// anybody's deed ([`SELF`]) only says how the file was found.
    pub fn is_trust_withdrawn(&self, project: &ProjectHash) -> Result<bool> {
        let entries =
            self.entries("WHERE kind = ?1 AND state = 'done' ORDER BY id DESC", &ThingKind::Trust.name())?;
        let last = entries.into_iter().find(|entry| ProjectHash::of_root(&entry.thing.name) == *project);
        Ok(last.is_some_and(|entry| entry.after.is_none() && entry.actor != SELF))
    }

    fn entries(&self, rest: &str, argument: &dyn ToSql) -> Result<Vec<JournalEntry>> {
        let columns = "SELECT change, time, actor, action, kind, lesson, before, after, state, undoes, redacted FROM journal";
        self.select(&format!("{columns} {rest}"), [argument], entry)
    }

    /// Announces a change of files, and the decisions that it will write with its number. Returns that number and their file.
    /// The row is on disk before this returns: losing it to
    /// a power cut while the file has the change would leave it without an author.
    pub(crate) fn announce(
        &mut self,
        deed: &Deed,
        differences: &[Difference],
        decisions: Option<&mut Decisions>,
    ) -> Result<(u64, Option<DecisionsBytes>)> {
        self.in_full_sync(|change| {
            let number = next_number(change)?;
            insert(change, number, deed, differences, State::Pending)?;
            let Some(decisions) = decisions else { return Ok((number, None)) };
            decisions.change = number;
            let decided = DecisionsBytes::of(decisions);
            expect(change, &decided.digest)?;
            Ok((number, Some(decided)))
        })
    }

    /// Whether this journal knows a file of decisions, or waits for that of the version before to be taken over.
    pub fn expects_decisions(&self) -> Result<bool> {
        Ok(!self.expected_decisions()?.is_empty())
    }

    /// Returns the digests that the file of decisions may have: one, and during a change that of the file it writes besides.
    pub(crate) fn expected_decisions(&self) -> Result<Vec<String>> {
        self.select("SELECT digest FROM expected_decisions WHERE is_expected", [], |row| row.get(0))
    }

    /// Whether the file of decisions ever had this digest, by this journal.
    pub(crate) fn knows_decisions(&self, digest: &str) -> Result<bool> {
        self.value("SELECT EXISTS (SELECT 1 FROM expected_decisions WHERE digest = ?1)", [digest])
    }

    /// Records the decisions with which the journal begins, as change 0, and the digest of their file.
    pub(crate) fn begin_journal(&mut self, rows: &[Difference], digest: &str) -> Result<()> {
        self.in_full_sync(|change| {
            change.execute("DELETE FROM journal WHERE change = 0", [])?;
            insert(change, 0, &Deed::new(SELF, "recorded", 0), rows, State::Done)?;
            expect_alone(change, digest)
        })
    }

    /// Returns the highest number of a change, and the latest time of one, in milliseconds since 1970; 0 without one.
    pub(crate) fn last_change(&self) -> Result<(u64, u64)> {
        let sql = "SELECT coalesce(max(change), 0), coalesce(max(time), 0) FROM journal";
        let last: Vec<(i64, i64)> = self.select(sql, [], |row| row.try_into())?;
        Ok(last.first().map_or((0, 0), |(change, time)| (change.cast_unsigned(), time.cast_unsigned())))
    }

    pub(crate) fn in_full_sync<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> SqlResult<T>,
    ) -> Result<T> {
        let set = |it: &Self, to: &str| it.connection.pragma_update(None, "synchronous", to);
        set(self, "FULL").map_err(|error| self.explain(error))?;
        let done = self.in_transaction(work);
        let back = set(self, "NORMAL").map_err(|error| self.explain(error));
        done.and_then(|done| back.map(|()| done))
    }
}

/// Lets the file of decisions have this digest too, before it is written.
pub(crate) fn expect(change: &Connection, digest: &str) -> SqlResult<()> {
    let sql = "INSERT INTO expected_decisions (digest) VALUES (?1) ON CONFLICT DO UPDATE SET is_expected = 1";
    change.execute(sql, [digest]).map(drop)
}

/// Lets the file of decisions have this digest alone.
pub(crate) fn expect_alone(change: &Connection, digest: &str) -> SqlResult<()> {
    expect(change, digest)?;
    change.execute("UPDATE expected_decisions SET is_expected = 0 WHERE digest <> ?1", [digest]).map(drop)
}

/// Records a change that takes place in this transaction, and returns its number.
pub(crate) fn note(change: &Connection, deed: &Deed, differences: &[Difference]) -> SqlResult<u64> {
    let number = next_number(change)?;
    insert(change, number, deed, differences, State::Done)?;
    Ok(number)
}

/// Records a part of a change that spans many transactions, such as a scan: it belongs to
/// the last change where that one has the same author, action and time.
pub(crate) fn note_part(change: &Connection, deed: &Deed, differences: &[Difference]) -> SqlResult<()> {
    if differences.is_empty() {
        return Ok(());
    }
    let same = "SELECT change FROM (SELECT * FROM journal ORDER BY id DESC LIMIT 1)
                 WHERE actor = ?1 AND action = ?2 AND time = ?3";
    let same: Option<i64> = value_of(change, same, params![deed.actor, deed.action, signed(deed.now)])?;
    let number = same.map_or_else(|| next_number(change), |number| Ok(number.cast_unsigned()))?;
    insert(change, number, deed, differences, State::Done)
}

fn next_number(change: &Connection) -> SqlResult<u64> {
    let last: Option<i64> = value_of(change, "SELECT coalesce(max(change), 0) FROM journal", [])?;
    Ok(last.unwrap_or_default().cast_unsigned() + 1)
}

fn insert(
    change: &Connection,
    number: u64,
    deed: &Deed,
    differences: &[Difference],
    state: State,
) -> SqlResult<()> {
    // The one place where changes are recorded, so none goes past its consent. The error ends the transaction.
    let refused = |refused: ConsentRefused| rusqlite::Error::ToSqlConversionFailure(refused.into());
    deed.consent.to(differences).map_err(refused)?;
    let sql = "INSERT INTO journal (change, time, actor, action, state, undoes, kind, lesson, before, after)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let (number, now, undoes) = (signed(number), signed(deed.now), deed.undoes.map(signed));
    for Difference { thing: Thing { kind, name }, before, after } in differences {
        let Deed { actor, action, .. } = deed;
        let row = params![number, now, actor, action, state.name(), undoes, kind.name(), name, before, after];
        change_by(change, sql, row)?;
    }
    Ok(())
}

fn entry(row: &Row<'_>) -> SqlResult<JournalEntry> {
    let unsigned = |column: usize| row.get(column).map(i64::cast_unsigned);
    let kind: String = row.get(4)?;
    Ok(JournalEntry {
        change: unsigned(0)?,
        time: unsigned(1)?,
        actor: row.get(2)?,
        action: row.get(3)?,
        thing: Thing { kind: ThingKind::named(&kind).unwrap_or(ThingKind::Text), name: row.get(5)? },
        before: row.get(6)?,
        after: row.get(7)?,
        state: State::named(&row.get::<_, String>(8)?).unwrap_or(State::Pending),
        undoes: row.get::<_, Option<i64>>(9)?.map(i64::cast_unsigned),
        is_redacted: row.get(10)?,
    })
}

impl Database {
    /// Returns the changes that took place, the newest first: at most `limit` that are older than `before`.
    pub fn changes(&self, before: Option<u64>, limit: u32) -> Result<Vec<Change>> {
        let sql = "SELECT DISTINCT change FROM journal WHERE state = 'done' AND change BETWEEN 1 AND ?1 - 1
                    ORDER BY change DESC LIMIT ?2";
        let before = before.map_or(i64::MAX, signed);
        let numbers = self.select(sql, params![before, limit], |row| row.get(0).map(i64::cast_unsigned))?;
        numbers.into_iter().filter_map(|number| self.whole_change(number).transpose()).collect()
    }

    /// Returns a change that took place; `None` if there is none of this number, or it never took place.
    pub fn whole_change(&self, number: u64) -> Result<Option<Change>> {
        if number == 0 {
            // With it the journal begins.
            return Ok(None);
        }
        let mut entries = self.change(number)?;
        entries.retain(|entry| entry.state == State::Done);
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
    fn undone_by(&self, number: u64) -> Result<Option<u64>> {
        // Which change takes back which is a tree; what was taken back by one that stands does not stand.
        let mut takers: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut open = vec![number];
        while let Some(change) = open.pop() {
            let found = self.undoing(change)?;
            open.extend(&found);
            takers.insert(change, found);
        }
        // A taker has a higher number than what it takes, so from the highest down every answer is known.
        let mut standing: BTreeSet<u64> = BTreeSet::new();
        for (change, found) in takers.iter().rev() {
            if found.is_disjoint(&standing) {
                standing.insert(*change);
            }
        }
        Ok(takers.get(&number).and_then(|found| found.intersection(&standing).last().copied()))
    }
}
