//! Where a candidate stands, and every change of that, written down in the journal.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::json;
use crate::database::{Database, DatabaseError};
use crate::integers::signed;
use crate::journal::{Deed, Difference, Kind, Thing, rows};

/// Why a candidate is put away that is taken back as if nobody had found it.
const TAKEN_BACK: &str = "that it was found was taken back";

/// Where a candidate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It waits.
    New,
    /// A person put it away.
    Rejected,
    /// The agent took it back.
    Cancelled,
    /// It waited too long.
    Archived,
}

impl Standing {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::New, Self::Rejected, Self::Cancelled, Self::Archived];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
            Self::Archived => "archived",
        }
    }

    pub(super) fn of(name: &str) -> Self {
        match name {
            "rejected" => Self::Rejected,
            "cancelled" => Self::Cancelled,
            "archived" => Self::Archived,
            _ => Self::New,
        }
    }
}

/// Where a candidate stands and why, as the journal has it.
#[derive(Serialize, Deserialize)]
struct Stands {
    reason: Option<String>,
    status: Standing,
}

/// Where a candidate stands, as the journal has it; `None` where there is none.
pub(crate) fn standing_of(change: &rusqlite::Connection, id: &str) -> rusqlite::Result<Option<String>> {
    let found = change
        .prepare_cached("SELECT status, reason FROM candidate WHERE id = ?1")?
        .query_row([id], |row| {
            Ok(Stands { status: Standing::of(&row.get::<_, String>(0)?), reason: row.get(1)? })
        })
        .optional()?;
    Ok(found.map(|stands| json(&stands)))
}

/// Where a candidate stands, as the journal has it.
pub(crate) fn stands(status: Standing, reason: Option<&str>) -> String {
    json(&Stands { reason: reason.map(str::to_owned), status })
}

/// Where a candidate is put that stood there before. One that was not there is put away: what sessions hold
/// cannot be taken back, and a scan would not find it again.
pub(crate) fn target_of(before: Option<String>) -> String {
    before.unwrap_or_else(|| stands(Standing::Archived, Some(TAKEN_BACK)))
}

/// Puts a candidate where the journal says.
pub(crate) fn put_standing(
    change: &Transaction<'_>,
    id: &str,
    to: Option<&str>,
    now: u64,
) -> rusqlite::Result<()> {
    let Some(stands) = to.and_then(|text| serde_json::from_str::<Stands>(text).ok()) else { return Ok(()) };
    change
        .execute(
            "UPDATE candidate SET status = ?2, reason = ?3, touched = ?4 WHERE id = ?1",
            params![id, stands.status.name(), stands.reason, signed(now)],
        )
        .map(drop)
}

/// Candidates that are about to be changed, as they stood before.
#[derive(Default)]
pub(crate) struct Watched {
    before: BTreeMap<String, Option<String>>,
}

impl Watched {
    /// Keeps how a candidate stands now, unless that is known.
    pub(crate) fn look_at(&mut self, change: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
        if !self.before.contains_key(id) {
            self.before.insert(id.to_owned(), standing_of(change, id)?);
        }
        Ok(())
    }

    /// Those that stand elsewhere now.
    pub(crate) fn differences(self, change: &Transaction<'_>) -> rusqlite::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for (id, before) in self.before {
            let after = standing_of(change, &id)?;
            if before != after {
                differences.push(Difference { thing: Thing::new(Kind::Candidate, id), before, after });
            }
        }
        Ok(differences)
    }
}

impl Database {
    /// Changes where a candidate stands, and writes that down. Returns the number of the change; `None`
    /// where there is no such candidate, or it stands there already.
    pub fn set_standing(
        &mut self,
        id: &str,
        standing: Standing,
        reason: Option<&str>,
        deed: &Deed,
    ) -> Result<Option<u64>, DatabaseError> {
        let thing = Thing::new(Kind::Candidate, id);
        self.put_inside(&[(thing, Some(stands(standing, reason)))], None, deed)
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
        self.changing_standings(deed, |change, watched| {
            let mut untouched: Vec<String> = change
                .prepare("SELECT id FROM candidate WHERE status = 'new' AND touched < ?1 ORDER BY id")?
                .query_map([signed(before)], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            untouched.retain(|id| !kept.contains(id));
            let sql = "UPDATE candidate SET status = 'archived', reason = ?2 WHERE id = ?1";
            for id in &untouched {
                watched.look_at(change, id)?;
                change.execute(sql, params![id, reason])?;
            }
            Ok(untouched)
        })
        .map(|(ids, _)| ids)
    }

    /// Changes where candidates stand, and writes it down, in one transaction.
    fn changing_standings<T>(
        &mut self,
        deed: &Deed,
        work: impl FnOnce(&Transaction<'_>, &mut Watched) -> rusqlite::Result<T>,
    ) -> Result<(T, Option<u64>), DatabaseError> {
        let change = self.writing()?;
        let run = || {
            let mut watched = Watched::default();
            let value = work(&change, &mut watched)?;
            let differences = watched.differences(&change)?;
            if differences.is_empty() {
                return Ok((value, None));
            }
            Ok((value, Some(rows::note(&change, deed, None, &differences)?)))
        };
        let done = run().and_then(|done| {
            lessons_store::crash::point();
            change.commit().map(|()| done)
        });
        lessons_store::crash::point();
        done.map_err(|error| self.explain(error))
    }
}
