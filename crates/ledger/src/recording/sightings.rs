//! Sightings of candidates: each makes sure that its candidate is there, and that a line counts once.

use std::collections::BTreeMap;

use lessons_store::Likeness;
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::candidates::detector::own_words;
use crate::candidates::{CandidateStatus, Doubt, Finding, Sighting, id_of, json};
use crate::database::columns::{self, signed};
use crate::database::{SqlResult, change_by, rows_of, value_of};
use crate::forget::memory::ForgottenTexts;
use crate::journal::row_changes::text_of;
use crate::journal::{Deed, Difference, SCANNER, Thing, ThingKind, rows};

/// The counts of what recording a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Recorded {
    /// Candidates that were not known.
    pub new: usize,
    /// New sightings of known ones.
    pub again: usize,
    /// Candidates that were taken back.
    pub cancelled: usize,
    /// Findings that were not taken, as they hold a text that a person had forgotten.
    pub forgotten: usize,
}

/// Names the change that a scan at `now` makes. A whole scan is one change.
pub(crate) fn found_by_scanner(now: u64) -> Deed {
    Deed::new(SCANNER, "found", now)
}

fn candidate(id: &str) -> Thing {
    Thing::new(ThingKind::Candidate, id)
}

/// A change of candidates in one transaction. It ends with journal rows of those whose status is another then.
pub(crate) struct Intake<'c> {
    pub(crate) change: &'c Connection,
    deed: &'c Deed,
    /// What a person had forgotten, which is left out.
    pub(crate) forgotten: ForgottenTexts,
    /// The status that candidates had, as the journal stores it.
    before: BTreeMap<String, Option<String>>,
    /// The counts up to now.
    pub(crate) recorded: Recorded,
}

impl<'c> Intake<'c> {
    /// Begins a part of `deed`, whose time is that of the change.
    pub(crate) fn begin(change: &'c Connection, deed: &'c Deed) -> SqlResult<Self> {
        let forgotten = ForgottenTexts::of(change)?;
        Ok(Self { change, deed, forgotten, before: BTreeMap::new(), recorded: Recorded::default() })
    }

    /// Takes in a finding and the line at which it was seen. A line counts once.
    pub(crate) fn take(&mut self, finding: &Finding, sighting: &Sighting) -> SqlResult<()> {
        if self.forgotten.knows(finding) {
            self.recorded.forgotten += 1;
            return Ok(());
        }
        let id = id_of(finding);
        let is_known = self.see(&id, finding, sighting)?;
        if self.link(&id, sighting)? {
            *if is_known { &mut self.recorded.again } else { &mut self.recorded.new } += 1;
        }
        Ok(())
    }

    /// Remembers the status of a candidate, which may be another at the end.
    pub(crate) fn watch(&mut self, id: &str) -> SqlResult<()> {
        if !self.before.contains_key(id) {
            self.before.insert(id.to_owned(), text_of(self.change, &candidate(id))?);
        }
        Ok(())
    }

    /// Creates a candidate unless it exists. Returns whether it existed.
    pub(crate) fn see(&mut self, id: &str, finding: &Finding, first: &Sighting) -> SqlResult<bool> {
        self.watch(id)?;
        let change = self.change;
        let flags: Option<String> = value_of(change, "SELECT flags FROM candidate WHERE id = ?1", [id])?;
        if let Some(flags) = flags {
            // A doubt that one sighting raises is not lifted by another.
            let mut doubts: Vec<Doubt> = serde_json::from_str(&flags).unwrap_or_default();
            let before = doubts.clone();
            doubts.extend(finding.flags.iter().filter(|flag| !before.contains(flag)).cloned());
            if doubts.len() > before.len() {
                let sql = "UPDATE candidate SET flags = ?2, trust = NULL WHERE id = ?1";
                change.execute(sql, params![id, json(&doubts)])?;
            }
            return Ok(true);
        }
        let mut finding = finding.clone();
        finding.flags.extend(near_rejected(change, &finding)?);
        let more = [
            ("id", id.into()),
            ("status", CandidateStatus::New.name().into()),
            ("first_seen", first.time.into()),
            ("last_seen", first.time.into()),
            ("touched", self.deed.now.into()),
        ];
        columns::insert(change, "INSERT INTO candidate", &finding, more)?;
        Ok(false)
    }

    /// Records a sighting. Returns `false` if this line has been seen before, in whatever file.
    pub(crate) fn link(&mut self, id: &str, sighting: &Sighting) -> SqlResult<bool> {
        self.watch(id)?;
        let sql = "SELECT session FROM sighting WHERE uuid = ?1 AND candidate = ?2";
        if let Some(first) = value_of::<String>(self.change, sql, params![sighting.uuid, id])? {
            relate(self.change, &first, &sighting.session)?;
            return Ok(false);
        }
        columns::insert(self.change, "INSERT INTO sighting", sighting, [("candidate", id.into())])?;
        // The agent recorded it again after taking it back, or it happened again after it had waited too long:
        // it waits again. A person's no stays.
        let sql = "UPDATE candidate
                      SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2), touched = ?3,
                          reason = CASE status WHEN 'archived' THEN NULL ELSE reason END,
                          status = CASE status WHEN 'cancelled' THEN 'new' WHEN 'archived' THEN 'new' ELSE status END
                    WHERE id = ?1";
        change_by(self.change, sql, params![id, signed(sighting.time), signed(self.deed.now)])?;
        Ok(true)
    }

    /// Puts a candidate away that waits. Without a reason the one that it has stays. Returns the number of changed rows.
    pub(crate) fn put_away(
        &mut self,
        id: &str,
        status: CandidateStatus,
        reason: Option<&str>,
    ) -> SqlResult<usize> {
        self.watch(id)?;
        let sql = "UPDATE candidate SET status = ?2, reason = coalesce(?3, reason) WHERE id = ?1";
        change_by(self.change, sql, params![id, status.name(), reason])
    }

    /// Records what changed, as a part of the deed.
    pub(crate) fn end(self) -> SqlResult<Recorded> {
        let mut differences = Vec::new();
        for (id, before) in self.before {
            let thing = candidate(&id);
            let after = text_of(self.change, &thing)?;
            if before != after {
                differences.push(Difference { thing, before, after });
            }
        }
        rows::note_part(self.change, self.deed, &differences)?;
        Ok(self.recorded)
    }
}

/// The name of the doubt that a person has rejected nearly the same candidate.
pub const NEAR_REJECTED: &str = "near-rejected";

/// Returns the doubt that a person has rejected nearly the same.
pub(crate) fn near_rejected(change: &Connection, finding: &Finding) -> SqlResult<Option<Doubt>> {
    let sql = "SELECT id, source, mistake, fix FROM candidate WHERE status = 'rejected'";
    let rejected: Vec<(String, String, String, String)> = rows_of(change, sql, [], |row| row.try_into())?;
    let own = finding.likeness();
    let near = rejected
        .into_iter()
        .find(|(_, source, mistake, fix)| own.is_near(&Likeness::of(&own_words(source, mistake, fix))));
    let meaning = |id| format!("says nearly what you rejected as {id}");
    Ok(near.map(|(id, ..)| Doubt { name: NEAR_REJECTED.into(), meaning: meaning(id) }))
}

/// Counts two sessions that share a line as one: one is a copy of the other.
pub(crate) fn relate(change: &Connection, first: &str, copy: &str) -> SqlResult<()> {
    let root_of = |session: &str| {
        let root = value_of::<String>(change, "SELECT root FROM kin WHERE session = ?1", [session])?;
        Ok::<_, rusqlite::Error>(root.unwrap_or_else(|| session.to_owned()))
    };
    let (root, other) = (root_of(first)?, root_of(copy)?);
    if root != other {
        change.execute("UPDATE kin SET root = ?1 WHERE root = ?2", params![root, other])?;
        change.execute("INSERT OR REPLACE INTO kin (session, root) VALUES (?1, ?2)", params![copy, root])?;
    }
    Ok(())
}
