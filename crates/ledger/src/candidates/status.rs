//! The status of a candidate, and the changes of it, which the journal records; and which candidates were replayed over the
//! past calls, with the marks that some got by it.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Candidate, Doubt, Proposal, json};
use crate::database::{Database, Result};
use crate::journal::{Deed, Thing, ThingKind};

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
pub(crate) struct StoredStatus {
    pub(crate) reason: Option<String>,
    pub(crate) status: CandidateStatus,
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

impl Database {
    /// Changes the status of a candidate and records it. Returns the number of the change; `None`
    /// without such a candidate, or where it has that status already.
    pub fn set_status(
        &mut self,
        id: &str,
        standing: CandidateStatus,
        reason: Option<&str>,
        deed: &Deed,
    ) -> Result<Option<u64>> {
        let thing = Thing::new(ThingKind::Candidate, id);
        self.change_rows(&[(thing, Some(status_json(standing, reason)))], deed)
    }

    /// The candidates with proposed triggers that nobody has decided about or replayed yet, in the order in which they
    /// are shown.
    pub fn untried_candidates(&self) -> Result<Vec<Candidate>> {
        let untried = "status = 'new' AND NOT tried AND json_array_length(proposal, '$.triggers') > 0";
        self.candidates_where(untried, [])
    }

    /// Notes that a candidate was replayed.
    pub fn note_tried(&self, id: &str) -> Result<()> {
        self.execute("UPDATE candidate SET tried = 1 WHERE id = ?1", [id]).map(drop)
    }

    /// Proposes other triggers for a candidate that nobody has decided about.
    pub fn propose_instead(&self, id: &str, proposal: &Proposal) -> Result<()> {
        let sql = "UPDATE candidate SET proposal = ?2 WHERE id = ?1 AND status = 'new'";
        self.execute(sql, params![id, json(proposal)]).map(drop)
    }

    /// Adds a mark to a candidate that nobody has decided about, and proposes these triggers for it from now on. Where it
    /// has a mark of this name already, nothing changes. Returns whether the mark is new.
    pub fn mark_candidate(&self, id: &str, mark: &Doubt, proposal: &Proposal) -> Result<bool> {
        let sql = "UPDATE candidate SET marks = json_insert(marks, '$[#]', json(?2)), proposal = ?3
                    WHERE id = ?1 AND status = 'new'
                      AND NOT EXISTS (SELECT 1 FROM json_each(marks) WHERE value ->> 'name' = ?4)";
        Ok(self.execute(sql, params![id, json(mark), json(proposal), mark.name])? > 0)
    }
}
