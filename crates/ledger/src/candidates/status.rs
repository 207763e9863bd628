//! The status of a candidate, and the changes of it, which the journal records; and which candidates were replayed over the
//! past calls, with the marks that some got by it.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::{Candidate, Doubt, Proposal, json};
use crate::columns::signed;
use crate::database::{Database, DatabaseError, rows_of};
use crate::journal::{Deed, Difference, Thing, ThingKind, rows};

/// The reason given for a candidate whose discovery was undone.
const TAKEN_BACK: &str = "that it was found was taken back";

lessons_text::named! {
    /// The status of a candidate.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CandidateStatus {
        /// It waits for a person.
        New = "new",
        /// A person rejected it.
        Rejected = "rejected",
        /// The agent took it back.
        Cancelled = "cancelled",
        /// It waited too long.
        Archived = "archived",
    }
}

/// A status with its reason, as the journal stores it.
#[derive(Serialize, Deserialize)]
struct StoredStatus {
    reason: Option<String>,
    status: CandidateStatus,
}

/// Returns the status of a candidate as the journal stores it; `None` without such a candidate.
pub(crate) fn status_text(change: &rusqlite::Connection, id: &str) -> rusqlite::Result<Option<String>> {
    let found = change
        .prepare_cached("SELECT status, reason FROM candidate WHERE id = ?1")?
        .query_row([id], |row| {
            Ok(StoredStatus {
                status: CandidateStatus::named(&row.get::<_, String>(0)?).unwrap_or(CandidateStatus::New),
                reason: row.get(1)?,
            })
        })
        .optional()?;
    Ok(found.map(|status_json| json(&status_json)))
}

/// Returns a status as the journal stores it.
pub(crate) fn status_json(status: CandidateStatus, reason: Option<&str>) -> String {
    json(&StoredStatus { reason: reason.map(str::to_owned), status })
}

/// Returns the status that undoing a change restores. A candidate that did not exist is archived: what sessions hold
/// cannot be taken back, and a scan would not find it again.
pub(crate) fn target_of(before: Option<String>) -> String {
    before.unwrap_or_else(|| status_json(CandidateStatus::Archived, Some(TAKEN_BACK)))
}

/// Sets the status of a candidate from its stored form.
pub(crate) fn put_status(
    change: &Transaction<'_>,
    id: &str,
    to: Option<&str>,
    now: u64,
) -> rusqlite::Result<()> {
    let Some(status_json) = to.and_then(|text| serde_json::from_str::<StoredStatus>(text).ok()) else {
        return Ok(());
    };
    change
        .execute(
            "UPDATE candidate SET status = ?2, reason = ?3, touched = ?4 WHERE id = ?1",
            params![id, status_json.status.name(), status_json.reason, signed(now)],
        )
        .map(drop)
}

/// The status of candidates before a change, to find what the change did.
#[derive(Default)]
pub(crate) struct StatusWatch {
    before: BTreeMap<String, Option<String>>,
}

impl StatusWatch {
    /// Remembers the current status of a candidate, unless it is known already.
    pub(crate) fn look_at(&mut self, change: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
        if !self.before.contains_key(id) {
            self.before.insert(id.to_owned(), status_text(change, id)?);
        }
        Ok(())
    }

    /// Returns the candidates whose status has changed.
    pub(crate) fn differences(self, change: &Transaction<'_>) -> rusqlite::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for (id, before) in self.before {
            let after = status_text(change, &id)?;
            if before != after {
                differences.push(Difference { thing: Thing::new(ThingKind::Candidate, id), before, after });
            }
        }
        Ok(differences)
    }
}

impl Database {
    /// Changes the status of a candidate and records it. Returns the number of the change; `None`
    /// without such a candidate, or where it has that status already.
    pub fn set_status(
        &mut self,
        id: &str,
        standing: CandidateStatus,
        reason: Option<&str>,
        deed: &Deed,
    ) -> Result<Option<u64>, DatabaseError> {
        let thing = Thing::new(ThingKind::Candidate, id);
        self.change_rows(&[(thing, Some(status_json(standing, reason)))], deed)
    }

    /// Puts away the candidates that wait and that nobody has had to do with since `before`, in milliseconds
    /// since 1970: no scan has found them again and no person has brought them back. Those in `kept` stay.
    /// Returns the ids, in order.
    pub fn archive_untouched(
        &mut self,
        before: u64,
        reason: &str,
        kept: &HashSet<String>,
        deed: &Deed,
    ) -> Result<Vec<String>, DatabaseError> {
        self.in_transaction(|change| {
            let mut watched = StatusWatch::default();
            let sql = "SELECT id FROM candidate WHERE status = 'new' AND touched < ?1 ORDER BY id";
            let mut untouched: Vec<String> = rows_of(change, sql, [signed(before)], |row| row.get(0))?;
            untouched.retain(|id| !kept.contains(id));
            let sql = "UPDATE candidate SET status = 'archived', reason = ?2 WHERE id = ?1";
            for id in &untouched {
                watched.look_at(change, id)?;
                change.execute(sql, params![id, reason])?;
            }
            let differences = watched.differences(change)?;
            if !differences.is_empty() {
                rows::note(change, deed, &differences)?;
            }
            Ok(untouched)
        })
    }
}

impl Database {
    /// The candidates with proposed triggers that nobody has decided about or replayed yet, in the order in which they
    /// are shown.
    pub fn untried_candidates(&self) -> Result<Vec<Candidate>, DatabaseError> {
        self.candidates_where(
            "status = 'new' AND NOT tried AND json_array_length(proposal, '$.triggers') > 0",
            [],
        )
    }

    /// Notes that a candidate was replayed.
    pub fn note_tried(&self, id: &str) -> Result<(), DatabaseError> {
        self.execute("UPDATE candidate SET tried = 1 WHERE id = ?1", [id]).map(drop)
    }

    /// Proposes other triggers for a candidate that nobody has decided about.
    pub fn propose_instead(&self, id: &str, proposal: &Proposal) -> Result<(), DatabaseError> {
        let sql = "UPDATE candidate SET proposal = ?2 WHERE id = ?1 AND status = 'new'";
        self.execute(sql, params![id, json(proposal)]).map(drop)
    }

    /// Adds a mark to a candidate that nobody has decided about, and proposes these triggers for it from now on. Where it
    /// has a mark of this name already, nothing changes. Returns whether the mark is new.
    pub fn mark_candidate(&self, id: &str, mark: &Doubt, proposal: &Proposal) -> Result<bool, DatabaseError> {
        let sql = "UPDATE candidate SET marks = json_insert(marks, '$[#]', json(?2)), proposal = ?3
                    WHERE id = ?1 AND status = 'new'
                      AND NOT EXISTS (SELECT 1 FROM json_each(marks) WHERE value ->> 'name' = ?4)";
        Ok(self.execute(sql, params![id, json(mark), json(proposal), mark.name])? > 0)
    }
}
