//! Sightings of candidates: each makes sure that its candidate is there, and that a line counts once.

use lessons_store::likeness::Likeness;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;

use crate::candidates::{CandidateStatus, Doubt, Finding, Sighting, StatusWatch, id_of, json};
use crate::columns::{self, signed};
use crate::detector::own_words;
use crate::forget::memory::ForgottenTexts;
use crate::journal::{Deed, SCANNER, rows};

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

/// The taking in of findings in one transaction. What a person had forgotten is left out.
pub(crate) struct Intake<'c> {
    change: &'c Transaction<'c>,
    now: u64,
    forgotten: ForgottenTexts,
    /// The candidates whose status may change.
    pub(crate) watched: StatusWatch,
    /// The counts up to now.
    pub(crate) recorded: Recorded,
}

impl<'c> Intake<'c> {
    /// Begins at `now`, in milliseconds since 1970.
    pub(crate) fn begin(change: &'c Transaction<'_>, now: u64) -> rusqlite::Result<Self> {
        let forgotten = ForgottenTexts::of(change)?;
        Ok(Self { change, now, forgotten, watched: StatusWatch::default(), recorded: Recorded::default() })
    }

    /// Takes in a finding and the line at which it was seen. A line counts once.
    pub(crate) fn take(&mut self, finding: &Finding, sighting: &Sighting) -> rusqlite::Result<()> {
        if self.forgotten.knows(finding) {
            self.recorded.forgotten += 1;
            return Ok(());
        }
        let id = id_of(finding);
        self.watched.look_at(self.change, &id)?;
        let is_known = see(self.change, &id, finding, sighting, self.now)?;
        if link(self.change, &id, sighting, self.now)? {
            *if is_known { &mut self.recorded.again } else { &mut self.recorded.new } += 1;
        }
        Ok(())
    }

    /// Records what changed, as a part of `deed`.
    pub(crate) fn end(self, deed: &Deed) -> rusqlite::Result<Recorded> {
        rows::note_part(self.change, deed, &self.watched.differences(self.change)?)?;
        Ok(self.recorded)
    }
}

#[derive(Serialize)]
struct NewCandidate<'f> {
    id: &'f str,
    #[serde(flatten)]
    finding: &'f Finding,
    status: CandidateStatus,
    first_seen: u64,
    last_seen: u64,
    touched: u64,
}

#[derive(Serialize)]
struct LinkedSighting<'s> {
    candidate: &'s str,
    #[serde(flatten)]
    sighting: &'s Sighting,
}

/// Creates a candidate unless it exists. Returns whether it existed.
pub(crate) fn see(
    change: &Transaction<'_>,
    id: &str,
    finding: &Finding,
    sighting: &Sighting,
    now: u64,
) -> rusqlite::Result<bool> {
    let flags: Option<String> =
        change.query_row("SELECT flags FROM candidate WHERE id = ?1", [id], |row| row.get(0)).optional()?;
    if let Some(flags) = flags {
        // A doubt that one sighting raises is not lifted by another.
        let mut doubts: Vec<Doubt> = serde_json::from_str(&flags).unwrap_or_default();
        let before = doubts.len();
        doubts
            .extend(finding.flags.iter().filter(|flag| !doubts.contains(flag)).cloned().collect::<Vec<_>>());
        if doubts.len() > before {
            change.execute(
                "UPDATE candidate SET flags = ?2, trust = NULL WHERE id = ?1",
                params![id, json(&doubts)],
            )?;
        }
        return Ok(true);
    }
    let mut finding = finding.clone();
    finding.flags.extend(near_rejected(change, &finding)?);
    let (finding, seen) = (&finding, sighting.time);
    let candidate = NewCandidate {
        id,
        finding,
        status: CandidateStatus::New,
        first_seen: seen,
        last_seen: seen,
        touched: now,
    };
    columns::insert(change, "INSERT INTO candidate", &candidate)?;
    Ok(false)
}

/// The name of the doubt that a person has rejected nearly the same candidate.
pub const NEAR_REJECTED: &str = "near-rejected";

/// Returns the doubt that a person has rejected nearly the same.
pub(crate) fn near_rejected(change: &Transaction<'_>, finding: &Finding) -> rusqlite::Result<Option<Doubt>> {
    let mut select =
        change.prepare_cached("SELECT id, source, mistake, fix FROM candidate WHERE status = 'rejected'")?;
    let mut rejected = select.query([])?;
    let own = finding.likeness();
    while let Some(row) = rejected.next()? {
        let (id, source, mistake, fix): (String, String, String, String) = row.try_into()?;
        if own.is_near(&Likeness::of(&own_words(&source, &mistake, &fix))) {
            let meaning = format!("says nearly what you rejected as {id}");
            return Ok(Some(Doubt { name: NEAR_REJECTED.into(), meaning }));
        }
    }
    Ok(None)
}

/// Records a sighting. Returns `false` if this line has been seen before, in whatever file.
pub(crate) fn link(
    change: &Transaction<'_>,
    id: &str,
    sighting: &Sighting,
    now: u64,
) -> rusqlite::Result<bool> {
    let before: Option<String> = change
        .query_row(
            "SELECT session FROM sighting WHERE uuid = ?1 AND candidate = ?2",
            params![sighting.uuid, id],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(first) = before {
        if first != sighting.session {
            relate(change, &first, &sighting.session)?;
        }
        return Ok(false);
    }
    columns::insert(change, "INSERT INTO sighting", &LinkedSighting { candidate: id, sighting })?;
    // The agent recorded it again after taking it back, or it happened again after it had waited too long:
    // it waits again. A person's no stays.
    change.execute(
        "UPDATE candidate SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2), touched = ?3,
                reason = CASE status WHEN 'archived' THEN NULL ELSE reason END,
                status = CASE status WHEN 'cancelled' THEN 'new' WHEN 'archived' THEN 'new' ELSE status END
         WHERE id = ?1",
        params![id, signed(sighting.time), signed(now)],
    )?;
    Ok(true)
}

/// Counts two sessions that share a line as one: one is a copy of the other.
pub(crate) fn relate(change: &Transaction<'_>, first: &str, copy: &str) -> rusqlite::Result<()> {
    let root_of = |session: &str| {
        change
            .query_row("SELECT root FROM kin WHERE session = ?1", [session], |row| row.get(0))
            .optional()
            .map(|root: Option<String>| root.unwrap_or_else(|| session.to_owned()))
    };
    let (root, other) = (root_of(first)?, root_of(copy)?);
    if root != other {
        change.execute("UPDATE kin SET root = ?1 WHERE root = ?2", params![root, other])?;
        change.execute("INSERT OR REPLACE INTO kin (session, root) VALUES (?1, ?2)", params![copy, root])?;
    }
    Ok(())
}
