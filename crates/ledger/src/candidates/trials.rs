//! Which candidates were replayed over the past calls, and the marks that some got by it.

use rusqlite::params;

use super::{Candidate, CandidateStatus, Doubt, Proposal, json};
use crate::database::{Database, DatabaseError};

impl Database {
    /// The candidates with proposed triggers that nobody has decided about or replayed yet, in the order in which they
    /// are shown.
    pub fn untried_candidates(&self) -> Result<Vec<Candidate>, DatabaseError> {
        let untried = "SELECT id FROM candidate
                        WHERE status = 'new' AND NOT tried AND json_array_length(proposal, '$.triggers') > 0";
        let ids: Vec<String> = self.select(untried, [], |row| row.get(0))?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut candidates = self.candidates(&[CandidateStatus::New])?;
        candidates.retain(|candidate| ids.contains(&candidate.id));
        Ok(candidates)
    }

    /// Notes that a candidate was replayed.
    pub fn note_tried(&self, id: &str) -> Result<(), DatabaseError> {
        self.execute("UPDATE candidate SET tried = 1 WHERE id = ?1", [id]).map(drop)
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
