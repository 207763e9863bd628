//! Reflection: the signals that no candidate explains, and the candidates that a model proposed for them.
//!
//! A model proposes only when a person asks it to, and what it proposes waits for a person like any candidate. The
//! sessions in which that happened are kept: a tag in one of them would be the same lesson under another name.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use crate::candidates::{Finding, Sighting, StatusWatch, id_of, parsed, sighting};
use crate::database::{Database, DatabaseError};
use crate::forget::memory::ForgottenTexts;
use crate::integers::{signed, unsigned};
use crate::journal::{Deed, rows};
use crate::sightings;

/// The source of a candidate that a model proposed.
pub const SOURCE: &str = "reflected";
/// The actor in the journal.
const ACTOR: &str = "a model, asked to reflect";

/// Signals of one key that no candidate explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnexplainedSignals {
    /// The key that they share.
    pub key: String,
    /// The name of the detector.
    pub detector: String,
    /// The number of lines.
    pub lines: u64,
    /// The number of sessions that share no line.
    pub sessions: u64,
    /// The finding of the first of them. All text is redacted and neutralised.
    pub finding: Finding,
}

/// A candidate that a model proposes, with the keys of the signals that it explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectedFinding {
    /// The content of the candidate.
    pub finding: Finding,
    /// The keys of the signals.
    pub explains: Vec<String>,
}

/// The outcome of recording a reflected finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reflected {
    /// It became the candidate with this id.
    Recorded(String),
    /// The candidate with this id says the same already.
    Known(String),
    /// It holds a text that a person had forgotten.
    Forgotten,
}

/// The sessions in which a model was asked for lessons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReflectingSessions(HashSet<String>);

impl ReflectingSessions {
    /// Whether a model was asked for lessons in a session.
    pub fn contains(&self, session: &str) -> bool {
        self.0.contains(session)
    }
}

/// Signals count as explained once one of their lines is a sighting of a candidate, whatever became of it.
const UNEXPLAINED: &str = "
SELECT clue.key, clue.detector, count(*) AS lines,
       count(DISTINCT coalesce(kin.root, clue.session)) AS sessions
  FROM clue
  LEFT JOIN kin ON kin.session = clue.session
 WHERE NOT solved AND (?1 IS NULL OR project = ?1)
   AND key NOT IN (SELECT key FROM proposed)
   AND NOT EXISTS (SELECT 1 FROM clue AS one JOIN sighting ON sighting.uuid = one.uuid WHERE one.key = clue.key)
 GROUP BY clue.key
 ORDER BY sessions DESC, max(striking) DESC, lines DESC, max(clue.time) DESC, clue.key
 LIMIT ?2";

impl Database {
    /// Returns the signals of a project that no candidate explains, the strongest first: those of the most sessions, then
    /// of the most lines. `None` is every project.
    pub fn unexplained_signals(
        &self,
        project: Option<&str>,
        limit: usize,
    ) -> Result<Vec<UnexplainedSignals>, DatabaseError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = || -> rusqlite::Result<Vec<UnexplainedSignals>> {
            let memory = ForgottenTexts::of(&self.connection)?;
            let mut select = self.connection.prepare(UNEXPLAINED)?;
            let mut found = Vec::new();
            for group in select.query_map(params![project, limit], group)? {
                let (key, detector, lines, sessions) = group?;
                let finding: Option<Finding> = self
                    .connection
                    .prepare_cached(
                        "SELECT finding FROM clue WHERE key = ?1 AND NOT solved ORDER BY time, uuid LIMIT 1",
                    )?
                    .query_row([&key], |row| parsed(row, "finding"))
                    .optional()?;
                if let Some(finding) = finding.filter(|finding| !memory.knows(finding)) {
                    found.push(UnexplainedSignals { key, detector, lines, sessions, finding });
                }
            }
            Ok(found)
        };
        read().map_err(|error| self.explain(error))
    }

    /// Returns how many candidates models have proposed since `time`, in milliseconds since 1970.
    pub fn reflected_since(&self, time: u64) -> Result<usize, DatabaseError> {
        self.connection
            .query_row("SELECT count(*) FROM reflected WHERE time >= ?1", [signed(time)], |row| row.get(0))
            .map(|count: i64| usize::try_from(count).unwrap_or(0))
            .map_err(|error| self.explain(error))
    }

    /// Records a candidate that a model proposes, seen at the lines of the signals that it explains. `now` is in
    /// milliseconds since 1970.
    pub fn record_reflected(
        &mut self,
        reflected: &ReflectedFinding,
        now: u64,
    ) -> Result<Reflected, DatabaseError> {
        let change = self.writing()?;
        let recorded = record(&change, reflected, now).and_then(|recorded| {
            lessons_store::crash::point();
            change.commit().map(|()| recorded)
        });
        lessons_store::crash::point();
        recorded.map_err(|error| self.explain(error))
    }

    /// Remembers that a model was asked for lessons in a session.
    pub fn note_reflecting_session(&mut self, session: &str) -> Result<(), DatabaseError> {
        lessons_store::crash::point();
        let noted = self
            .connection
            .execute("INSERT OR IGNORE INTO reflecting_session (session) VALUES (?1)", [session]);
        lessons_store::crash::point();
        noted.map(drop).map_err(|error| self.explain(error))
    }

    /// Returns the sessions in which a model was asked for lessons.
    pub fn reading_sessions(&self) -> Result<ReflectingSessions, DatabaseError> {
        self.connection
            .prepare("SELECT session FROM reflecting_session")
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .map(ReflectingSessions)
            .map_err(|error| self.explain(error))
    }
}

/// The key, the detector, and the numbers of lines and sessions.
fn group(row: &Row<'_>) -> rusqlite::Result<(String, String, u64, u64)> {
    Ok((row.get("key")?, row.get("detector")?, unsigned(row, "lines")?, unsigned(row, "sessions")?))
}

fn record(change: &Transaction<'_>, reflected: &ReflectedFinding, now: u64) -> rusqlite::Result<Reflected> {
    let ReflectedFinding { finding, explains } = reflected;
    if ForgottenTexts::of(change)?.knows(finding) {
        return Ok(Reflected::Forgotten);
    }
    let id = id_of(finding);
    let is_known: bool =
        change.query_row("SELECT EXISTS (SELECT 1 FROM candidate WHERE id = ?1)", [&id], |row| row.get(0))?;
    if is_known {
        return Ok(Reflected::Known(id));
    }
    let mut watched = StatusWatch::default();
    watched.look_at(change, &id)?;
    for key in explains {
        let seen: Vec<Sighting> = change
            .prepare_cached("SELECT * FROM clue WHERE key = ?1 AND NOT solved ORDER BY time, uuid")?
            .query_map([key], sighting)?
            .collect::<rusqlite::Result<_>>()?;
        for sighting in &seen {
            sightings::see(change, &id, finding, sighting, now)?;
            sightings::link(change, &id, sighting, now)?;
        }
    }
    change.execute("INSERT INTO reflected (candidate, time) VALUES (?1, ?2)", params![id, signed(now)])?;
    rows::note_part(change, &Deed::new(ACTOR, "proposed", now), &watched.differences(change)?)?;
    Ok(Reflected::Recorded(id))
}

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::*;
    use crate::candidates::CandidateStatus;
    use crate::signals::{Note, Signal};

    const NOW: u64 = 1_000_000;

    fn database() -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&Home::at(folder.path().to_owned())).unwrap();
        (folder, database)
    }

    fn finding(fix: &str) -> Finding {
        Finding {
            source: "contrast".into(),
            mistake: "it failed".into(),
            fix: fix.into(),
            ..Finding::default()
        }
    }

    /// A signal of a session in a project.
    fn signal(key: &str, uuid: &str, session: &str, project: &str) -> Note {
        Note::Signal(Box::new(Signal {
            detector: "contrast".into(),
            key: key.into(),
            is_strong: false,
            finding: finding(key),
            sighting: Sighting {
                uuid: uuid.into(),
                session: session.into(),
                project: Some(project.into()),
                time: NOW,
                ..Sighting::default()
            },
        }))
    }

    fn keys(database: &Database, project: Option<&str>) -> Vec<String> {
        let found = database.unexplained_signals(project, 10).unwrap();
        found.into_iter().map(|signals| signals.key).collect()
    }

    #[test]
    fn signals_of_the_most_sessions_come_first_and_other_projects_only_on_request() {
        let (_folder, mut database) = database();
        let notes = [
            signal("rare", "u1", "s1", "/p"),
            signal("often", "u2", "s1", "/p"),
            signal("often", "u3", "s2", "/p"),
            signal("elsewhere", "u4", "s3", "/q"),
        ];
        database.note(&notes).unwrap();
        assert_eq!(keys(&database, Some("/p")), ["often", "rare"]);
        assert_eq!(keys(&database, None).len(), 3);
    }

    #[test]
    fn what_is_recorded_explains_its_signals_waits_for_a_person_and_counts_for_the_day() {
        let (_folder, mut database) = database();
        database.note(&[signal("a", "u1", "s1", "/p"), signal("a", "u2", "s2", "/p")]).unwrap();
        let reflected = ReflectedFinding {
            finding: Finding { source: SOURCE.into(), ..finding("use b") },
            explains: vec!["a".into()],
        };
        let recorded = database.record_reflected(&reflected, NOW).unwrap();
        let waiting = database.candidates(&[CandidateStatus::New]).unwrap();
        assert_eq!(recorded, Reflected::Recorded(waiting[0].id.clone()));
        assert_eq!((waiting[0].seen, waiting[0].sessions), (2, 2));
        assert_eq!(keys(&database, None), [""; 0]);
        assert_eq!(database.reflected_since(NOW).unwrap(), 1);
        assert_eq!(database.reflected_since(NOW + 1).unwrap(), 0);
        let again = database.record_reflected(&reflected, NOW).unwrap();
        assert_eq!(again, Reflected::Known(waiting[0].id.clone()));
        // A scan later proposes what it finds, and leaves this one alone.
        database.propose(&[], &["a".into()], NOW).unwrap();
        assert_eq!(database.candidates(&[CandidateStatus::New]).unwrap().len(), 1);
    }

    #[test]
    fn sessions_in_which_a_model_was_asked_are_known() {
        let (_folder, mut database) = database();
        database.note_reflecting_session("s1").unwrap();
        database.note_reflecting_session("s1").unwrap();
        let sessions = database.reading_sessions().unwrap();
        assert!(sessions.contains("s1") && !sessions.contains("s2"));
    }
}
