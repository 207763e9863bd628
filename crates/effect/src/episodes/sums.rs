//! Sums over episodes: what stays of them after a year.

use std::ops::AddAssign;

use rusqlite::Row;

use super::{Arm, Episode, NextChance, RevisionId};
use lessons_ledger::integers::unsigned;

/// Sums over episodes of one arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Episodes.
    pub sessions: u64,
    /// Those in which the mistake came again.
    pub came_again: u64,
    /// Those whose first matching call failed.
    pub failed_first: u64,
    /// Those in which the next chance after telling was used rightly. Undelivered texts do not count.
    pub followed: u64,
    /// Those in which it was not.
    pub not_followed: u64,
    /// Those with a refused call.
    pub refused_in: u64,
    /// Those whose first refused call was made again unchanged.
    pub overruled_in: u64,
    /// Refused calls that were made another way.
    pub changed: u64,
    /// Refused calls that were made again unchanged.
    pub overruled: u64,
    /// Refused calls after which neither happened.
    pub given_up: u64,
    /// Episodes in which the user refused or corrected a matching call.
    pub corrected: u64,
    /// Tokens, as fresh input tokens.
    pub cost: u64,
}

impl From<&Episode> for Sums {
    fn from(episode: &Episode) -> Self {
        let next = episode.followed.filter(|_| !episode.flags.is_undelivered);
        Self {
            sessions: 1,
            came_again: u64::from(episode.again > 0),
            failed_first: u64::from(episode.failed_first > 0),
            followed: u64::from(next == Some(NextChance::Right)),
            not_followed: u64::from(next == Some(NextChance::Wrong)),
            refused_in: u64::from(episode.changed + episode.overruled + episode.given_up > 0),
            overruled_in: u64::from(episode.flags.is_first_overruled),
            changed: episode.changed,
            overruled: episode.overruled,
            given_up: episode.given_up,
            corrected: u64::from(episode.corrected > 0),
            cost: episode.cost,
        }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.came_again += other.came_again;
        self.failed_first += other.failed_first;
        self.followed += other.followed;
        self.not_followed += other.not_followed;
        self.refused_in += other.refused_in;
        self.overruled_in += other.overruled_in;
        self.changed += other.changed;
        self.overruled += other.overruled;
        self.given_up += other.given_up;
        self.corrected += other.corrected;
        self.cost += other.cost;
    }
}

/// The sums of one revision, month and arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthlySums {
    /// The revision.
    pub revision: RevisionId,
    /// The arm.
    pub arm: Arm,
    /// The sums.
    pub sums: Sums,
}

impl MonthlySums {
    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let sums = Sums {
            sessions: unsigned(row, "sessions")?,
            came_again: unsigned(row, "came_again")?,
            failed_first: unsigned(row, "failed_first")?,
            followed: unsigned(row, "followed")?,
            not_followed: unsigned(row, "not_followed")?,
            refused_in: unsigned(row, "refused_in")?,
            overruled_in: unsigned(row, "overruled_in")?,
            changed: unsigned(row, "changed")?,
            overruled: unsigned(row, "overruled")?,
            given_up: unsigned(row, "given_up")?,
            corrected: unsigned(row, "corrected")?,
            cost: unsigned(row, "cost")?,
        };
        Ok(Self { revision: RevisionId(row.get("revision")?), arm: Arm::of(row)?, sums })
    }
}

/// Adds the episodes of sessions that ended before a time to the sums of their months, as [`Sums`] counts them, but those in
/// which a query alone showed the lesson.
pub(super) const SUM_UP: &str = "
INSERT INTO episode_month (revision, month, arm, sessions, came_again, failed_first, followed, not_followed, refused_in,
                           overruled_in, changed, overruled, given_up, corrected, cost)
SELECT revision, strftime('%Y-%m', first / 1000, 'unixepoch'), arm, count(*), sum(again > 0), sum(failed_first > 0),
       sum(ifnull(followed = 1, 0) AND NOT flags & 2), sum(ifnull(followed = 0, 0) AND NOT flags & 2),
       sum(changed + overruled + given_up > 0), sum(flags & 4 > 0), sum(changed), sum(overruled), sum(given_up),
       sum(corrected > 0), sum(cost)
  FROM episode
 WHERE session IN (SELECT session FROM joined_session WHERE last < ?1 AND NOT is_summed)
   AND NOT (flags & 8 AND arm IN ('quiet', 'unprompted'))
 GROUP BY 1, 2, 3
ON CONFLICT (revision, month, arm) DO UPDATE SET
    sessions = sessions + excluded.sessions, came_again = came_again + excluded.came_again,
    failed_first = failed_first + excluded.failed_first, followed = followed + excluded.followed,
    not_followed = not_followed + excluded.not_followed, refused_in = refused_in + excluded.refused_in,
    overruled_in = overruled_in + excluded.overruled_in, changed = changed + excluded.changed,
    overruled = overruled + excluded.overruled, given_up = given_up + excluded.given_up,
    corrected = corrected + excluded.corrected, cost = cost + excluded.cost";
