//! The approvals of changes that an agent asked for: by a person or, as a transcript shows afterwards, by a hook.
//!
//! The client may let a `PermissionRequest` hook answer a question in place of the person. A command cannot see that, so
//! the journal first names the person, and a scan corrects it. A transcript can claim anything: it can point only at a
//! question that was asked in its own session, between a call and its result.

use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;

use lessons_decide::claims;
use rusqlite::params;

use super::Change;
use crate::database::{Database, DatabaseError};
use crate::integers::signed;

/// The start of the actor of a change that a person approved. The words of the session follow.
const BY_PERSON: &str = "you, when the agent asked in session ";
/// The start of the actor of a change that a hook approved.
const BY_HOOK: &str = "a hook of Claude Code, not you, in session ";
/// The number of hex digits of a session's hash that name it.
const DIGITS: usize = 8;

/// The actor of a change that a person approved in a session of the client.
pub fn approved_by_person(session: &str) -> String {
    format!("{BY_PERSON}{}", short(session))
}

/// The actor of a change that a hook approved in a session of the client.
pub fn approved_by_hook(session: &str) -> String {
    format!("{BY_HOOK}{}", short(session))
}

fn short(session: &str) -> String {
    claims::session_hash(session).chars().take(DIGITS).collect()
}

/// The sessions in which changes were approved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApprovedSessions(HashSet<String>);

impl ApprovedSessions {
    /// Whether a change was approved in a session.
    pub fn contains(&self, session: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&short(session))
    }
}

/// The calls of a session that a hook approved, according to the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookApprovals {
    /// The client's session id.
    pub session: String,
    /// For each call the time from the call to its result, in milliseconds since 1970.
    pub calls: Vec<RangeInclusive<u64>>,
}

impl Database {
    /// Returns the sessions in which a change was approved, by whomever.
    pub fn approved_sessions(&self) -> Result<ApprovedSessions, DatabaseError> {
        let parameters = params![BY_PERSON, BY_HOOK, DIGITS];
        self.connection
            .prepare_cached(
                "SELECT DISTINCT substr(actor, -?3) FROM journal
                 WHERE substr(actor, 1, length(?1)) = ?1 OR substr(actor, 1, length(?2)) = ?2",
            )
            .and_then(|mut select| select.query_map(parameters, |row| row.get(0))?.collect())
            .map(ApprovedSessions)
            .map_err(|error| self.explain(error))
    }

    /// Names a hook as the actor of the changes that were asked about in these calls. A call asks one question, the
    /// last one before its result. Noting a call again changes nothing.
    pub fn note_hook_approvals(&mut self, approvals: &HookApprovals) -> Result<(), DatabaseError> {
        let person = approved_by_person(&approvals.session);
        let hook = approved_by_hook(&approvals.session);
        let change = self.writing()?;
        let note = || -> rusqlite::Result<()> {
            // The rows that name a hook count too: otherwise a call that is noted again would point at another one.
            let asked: Vec<i64> = change
                .prepare_cached("SELECT DISTINCT time FROM journal WHERE actor IN (?1, ?2) ORDER BY time")?
                .query_map([&person, &hook], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let last_asked = |call: &RangeInclusive<u64>| {
                let end = asked.partition_point(|time| *time <= signed(*call.end()));
                asked[..end].last().copied().filter(|time| *time >= signed(*call.start()))
            };
            for time in approvals.calls.iter().filter_map(last_asked).collect::<BTreeSet<_>>() {
                change.execute(
                    "UPDATE journal SET actor = ?2 WHERE actor = ?1 AND time = ?3",
                    params![person, hook, time],
                )?;
            }
            Ok(())
        };
        let noted = note().and_then(|()| {
            lessons_store::crash::point();
            change.commit()
        });
        lessons_store::crash::point();
        noted.map_err(|error| self.explain(error))
    }

    /// Returns the changes that a hook approved at or after `since`, in milliseconds since 1970, and that are not undone:
    /// the newest first, at most `limit`.
    pub fn changes_approved_by_hook(&self, since: u64, limit: usize) -> Result<Vec<Change>, DatabaseError> {
        let numbers: Vec<i64> = self
            .connection
            .prepare_cached(
                "SELECT DISTINCT change FROM journal
                 WHERE state = 'done' AND time >= ?1 AND substr(actor, 1, length(?2)) = ?2 ORDER BY change DESC",
            )
            .and_then(|mut select| {
                select.query_map(params![signed(since), BY_HOOK], |row| row.get(0))?.collect()
            })
            .map_err(|error| self.explain(error))?;
        let mut standing = Vec::new();
        for number in numbers {
            standing.extend(
                self.whole_change(number.cast_unsigned())?.filter(|change| change.undone_by.is_none()),
            );
            if standing.len() >= limit {
                break;
            }
        }
        Ok(standing)
    }
}

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::super::rows;
    use super::super::{Deed, Difference, Thing, ThingKind};
    use super::*;

    const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";

    /// A journal with a change by each of these actors at these times.
    fn journal(changes: &[(&str, u64)]) -> (tempfile::TempDir, Database) {
        let dir = tempfile::tempdir().unwrap();
        let mut database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        for (actor, time) in changes {
            let difference = Difference {
                thing: Thing::new(ThingKind::Label, format!("at {time}")),
                before: None,
                after: Some("{}".into()),
            };
            let change = database.writing().unwrap();
            rows::note(&change, &Deed::new(*actor, "labelled", *time), None, &[difference]).unwrap();
            change.commit().unwrap();
        }
        (dir, database)
    }

    fn note(database: &mut Database, session: &str, calls: &[RangeInclusive<u64>]) {
        let approvals = HookApprovals { session: session.into(), calls: calls.to_vec() };
        database.note_hook_approvals(&approvals).unwrap();
    }

    /// The times of the changes that a hook approved.
    fn by_hook(database: &Database) -> Vec<u64> {
        database.changes_approved_by_hook(0, 100).unwrap().iter().map(|change| change.time).collect()
    }

    #[test]
    fn the_journal_names_the_hook_that_approved_a_change_and_keeps_it() {
        let person = approved_by_person(SESSION);
        let (_dir, mut database) = journal(&[(&person, 10), (&person, 20), (&person, 30)]);
        for _ in 0..2 {
            note(&mut database, SESSION, &[19..=25]);
            assert_eq!(by_hook(&database), [20]);
        }
        let actors: Vec<_> = database.changes(None, 9).unwrap().into_iter().map(|it| it.actor).collect();
        assert_eq!(actors, [person.clone(), approved_by_hook(SESSION), person]);
    }

    #[test]
    fn a_call_asked_one_question_the_last_one_before_its_result() {
        let person = approved_by_person(SESSION);
        let (_dir, mut database) = journal(&[(&person, 10), (&person, 20), (&person, 30)]);
        // Noted again, the call does not point at the question before.
        for _ in 0..2 {
            note(&mut database, SESSION, &[5..=25]);
            assert_eq!(by_hook(&database), [20]);
        }
    }

    #[test]
    fn a_transcript_accuses_nobody_of_what_was_not_asked_in_its_session_at_that_time() {
        let person = approved_by_person(SESSION);
        let (_dir, mut database) =
            journal(&[(&person, 10), ("you, in a terminal", 20), (super::super::SCANNER, 30)]);
        note(&mut database, SESSION, &[0..=9, 11..=u64::MAX, 20..=20, 30..=30]);
        // Backwards: no time at all.
        #[allow(clippy::reversed_empty_ranges, reason = "a transcript can claim it")]
        note(&mut database, SESSION, &[11..=9]);
        note(&mut database, "another session", &[0..=u64::MAX >> 1]);
        assert!(by_hook(&database).is_empty());
    }

    #[test]
    fn only_the_sessions_with_an_approved_change_are_known() {
        let (_dir, mut database) = journal(&[(&approved_by_person(SESSION), 10), ("you, in a terminal", 20)]);
        for _ in 0..2 {
            let sessions = database.approved_sessions().unwrap();
            assert!(sessions.contains(SESSION) && !sessions.contains("another session"));
            note(&mut database, SESSION, &[10..=10]);
        }
        assert!(!journal(&[]).1.approved_sessions().unwrap().contains(SESSION));
    }

    #[test]
    fn what_was_undone_or_is_long_ago_is_not_listed() {
        let person = approved_by_person(SESSION);
        let (_dir, mut database) = journal(&[(&person, 10), (&person, 20), (&person, 30)]);
        note(&mut database, SESSION, &[10..=10, 20..=20, 30..=30]);
        let change = database.writing().unwrap();
        let deed = Deed::new("you", "undo", 40);
        let difference = Difference {
            thing: Thing::new(ThingKind::Label, "at 20"),
            before: Some("{}".into()),
            after: None,
        };
        rows::note(&change, &deed, Some(2), &[difference]).unwrap();
        change.commit().unwrap();
        assert_eq!(by_hook(&database), [30, 10]);
        assert_eq!(database.changes_approved_by_hook(11, 100).unwrap().len(), 1);
        assert_eq!(database.changes_approved_by_hook(0, 1).unwrap()[0].time, 30);
    }
}
