//! Reflection: the candidates that a model proposed after it had read what happened in sessions.
//!
//! What it proposes waits for a person like any candidate. Where rules found something at the same lines that says nearly
//! the same, both are one candidate, in the model's words. The sessions in which a model read are kept: a tag in one of
//! them would be the same lesson under another name.

use std::collections::HashSet;

use lessons_text::words::significant;
use rusqlite::{Connection, params};

use crate::candidates::detector::Detector;
use crate::candidates::{Finding, Sighting, id_of, json};
use crate::database::columns::signed;
use crate::database::{Database, Result, SqlResult, change_by, rows_of, value_of};
use crate::journal::Deed;
use crate::recording::sightings::{Intake, near_rejected};

/// The source of a candidate that a model proposed.
pub const SOURCE: &str = "reflected";
/// The source of a candidate that a person writes a lesson from.
pub const CHOSEN: &str = "you";
/// How many words two candidates at one line share that are about the same.
const SHARED_WORDS: usize = 3;

/// A candidate that a model proposes, with the lines that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectedFinding {
    /// The content of the candidate.
    pub finding: Finding,
    /// The ids of the lines.
    pub lines: Vec<String>,
    /// Those of them that count as sightings: an event counts once.
    pub seen: Vec<Sighting>,
}

/// The answer to a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingAnswer<'a> {
    /// The number of the reading.
    pub reading: i64,
    /// The marks of its items, which count as read.
    pub marks: &'a [String],
    /// Who read, as people know it.
    pub reader: &'a str,
    /// The same as the journal says it of the candidates.
    pub by: &'a str,
    /// What its lessons propose.
    pub findings: &'a [ReflectedFinding],
}

/// The outcome of recording a reflected finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reflected {
    /// It became the candidate with this id.
    Recorded(String),
    /// It is the candidate with this id, which rules had found, and which has its words now.
    Merged(String),
    /// The candidate with this id says the same already.
    Known(String),
    /// A person rejected nearly the same; the text says as what.
    Rejected(String),
    /// It holds a text that a person had forgotten.
    Forgotten,
}

impl Reflected {
    /// The candidate that it became; `None` where it comes back.
    pub fn candidate(&self) -> Option<&str> {
        match self {
            Self::Recorded(id) | Self::Merged(id) => Some(id),
            Self::Known(_) | Self::Rejected(_) | Self::Forgotten => None,
        }
    }
}

/// The sessions in which a model was asked for lessons.
pub type ReflectingSessions = HashSet<String>;

impl Database {
    /// Takes the answer to a reading in, as one change: what its lessons propose becomes candidates, its items count as read,
    /// and its text is not kept. Returns what became of each finding, in their order; `None` where the reading was answered
    /// meanwhile, and nothing is done. `now` is in milliseconds since 1970.
    pub fn take_answer(&mut self, answer: &ReadingAnswer<'_>, now: u64) -> Result<Option<Vec<Reflected>>> {
        let ReadingAnswer { reading, marks, reader, by, findings } = answer;
        self.in_transaction(|change| {
            let close =
                "UPDATE reading SET answered = ?2, reader = ?3, content = '' WHERE id = ?1 AND answered = 0";
            if change.execute(close, params![reading, signed(now.max(1)), reader])? == 0 {
                return Ok(None);
            }
            let read = "INSERT OR IGNORE INTO was_read (mark) VALUES (?1)";
            marks.iter().try_for_each(|mark| change_by(change, read, [mark]).map(drop))?;
            let deed = Deed::new(*by, "proposed", now);
            let became = findings.iter().map(|finding| record(change, finding, &deed));
            let became: Vec<Reflected> = became.collect::<Result<_, _>>()?;
            let waiting = became.iter().filter(|it| it.candidate().is_some()).count();
            let count = "UPDATE reading SET candidates = ?2 WHERE id = ?1";
            change.execute(count, params![reading, signed(waiting as u64)])?;
            Ok(Some(became))
        })
    }

    /// Records what a person writes a lesson from, as a candidate that waits for their words. Returns its id; `None` where it
    /// holds a text that they had forgotten. `now` is in milliseconds since 1970.
    pub fn record_chosen(&mut self, chosen: &ReflectedFinding, now: u64) -> Result<Option<String>> {
        let deed = Deed::new("you", "proposed", now);
        self.in_transaction(|change| {
            let intake = Intake::begin(change, &deed)?;
            if intake.forgotten.knows(&chosen.finding) {
                return Ok(None);
            }
            let id = id_of(&chosen.finding);
            put(intake, &id, chosen, now)?;
            Ok(Some(id))
        })
    }

    /// Remembers that a model was asked for lessons in a session.
    pub fn note_reflecting_session(&mut self, session: &str) -> Result<()> {
        self.execute("INSERT OR IGNORE INTO reflecting_session (session) VALUES (?1)", [session]).map(drop)
    }

    /// Returns the sessions in which a model was asked for lessons.
    pub fn reading_sessions(&self) -> Result<ReflectingSessions> {
        let sessions = self.select("SELECT session FROM reflecting_session", [], |row| row.get(0))?;
        Ok(sessions.into_iter().collect())
    }
}

fn record(change: &Connection, reflected: &ReflectedFinding, deed: &Deed) -> SqlResult<Reflected> {
    let ReflectedFinding { finding, lines, .. } = reflected;
    let intake = Intake::begin(change, deed)?;
    if intake.forgotten.knows(finding) {
        return Ok(Reflected::Forgotten);
    }
    let own = id_of(finding);
    if value_of::<bool>(change, "SELECT 1 FROM candidate WHERE id = ?1", [&own])?.is_some() {
        return Ok(Reflected::Known(own));
    }
    if let Some(doubt) = near_rejected(change, finding)? {
        return Ok(Reflected::Rejected(doubt.meaning));
    }
    let found_by_rules = found_by_rules(change, finding, lines)?;
    put(intake, found_by_rules.as_ref().unwrap_or(&own), reflected, deed.now)?;
    Ok(found_by_rules.map_or(Reflected::Recorded(own), Reflected::Merged))
}

/// Stores a candidate and where it was seen. One that rules had found under an id of its own gets the words of the finding.
fn put(mut intake: Intake<'_>, id: &str, reflected: &ReflectedFinding, now: u64) -> SqlResult<()> {
    let ReflectedFinding { finding, seen, .. } = reflected;
    let change = intake.change;
    for sighting in seen {
        intake.see(id, finding, sighting)?;
        intake.link(id, sighting)?;
    }
    if id != id_of(finding) {
        change.execute(REWORD, params![id, json(finding)])?;
    }
    // It was tried on the past already, by sessions and not by calls.
    change.execute("UPDATE candidate SET tried = 1 WHERE id = ?1", [id])?;
    let noted = "INSERT OR IGNORE INTO reflected (candidate, time) VALUES (?1, ?2)";
    change.execute(noted, params![id, signed(now)])?;
    intake.end().map(drop)
}

/// The waiting candidate of a detector that was seen at one of these lines, which may hold several, and is about the same.
fn found_by_rules(change: &Connection, finding: &Finding, lines: &[String]) -> SqlResult<Option<String>> {
    let words =
        |text: &str| -> HashSet<String> { significant(text).map(|word| word.to_lowercase()).collect() };
    let own = words(&format!("{} {}", finding.mistake, finding.fix));
    let sql =
        "SELECT id, source, mistake, fix FROM candidate JOIN sighting ON sighting.candidate = candidate.id
                WHERE (sighting.uuid = ?1 OR sighting.uuid > ?1 || '#' AND sighting.uuid < ?1 || '$')
                  AND status = 'new' ORDER BY id";
    // Several things may have been found at one line.
    let mut nearest = None;
    for line in lines {
        let found: Vec<(String, String, String, String)> =
            rows_of(change, sql, [line], |row| row.try_into())?;
        for (id, source, mistake, fix) in found {
            let shared = own.intersection(&words(&format!("{mistake} {fix}"))).count();
            let is_nearer = nearest.as_ref().is_none_or(|(most, _)| shared > *most);
            if Detector::named(&source).is_some() && shared >= SHARED_WORDS && is_nearer {
                nearest = Some((shared, id));
            }
        }
    }
    Ok(nearest.map(|(_, id)| id))
}

/// Gives a candidate the words, the trigger and the reasons of a finding. What speaks against it stays.
const REWORD: &str = "
UPDATE candidate
   SET source = it ->> 'source', mistake = it ->> 'mistake', fix = it ->> 'fix', why = it ->> 'why',
       trigger = it ->> 'trigger', insight = it -> 'insight', proposal = it -> 'proposal',
       evidence = it -> 'evidence', basis = it -> 'basis', trust = NULL
  FROM (SELECT ?2 AS it) WHERE id = ?1";

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::*;
    use crate::candidates::CandidateStatus;

    const NOW: u64 = 1_000_000;

    fn database() -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&Home::at(folder.path().to_owned())).unwrap();
        (folder, database)
    }

    fn reflected(fix: &str, uuids: &[&str]) -> ReflectedFinding {
        let seen = |uuid: &&str| Sighting {
            uuid: (*uuid).into(),
            session: format!("s-{uuid}"),
            project: Some("/p".into()),
            time: NOW,
            ..Sighting::default()
        };
        ReflectedFinding {
            finding: Finding {
                source: SOURCE.into(),
                mistake: "the release is made by hand".into(),
                fix: fix.into(),
                ..Finding::default()
            },
            lines: uuids.iter().map(|uuid| (*uuid).to_owned()).collect(),
            seen: uuids.iter().map(seen).collect(),
        }
    }

    /// What became of these findings, which answer a reading of their own.
    fn taken(database: &mut Database, findings: &[ReflectedFinding]) -> Vec<Reflected> {
        database.begin_reading("p", 7, "text", NOW).unwrap();
        let reading = database.open_reading("p").unwrap().unwrap().id;
        let marks = [format!("mark {reading}")];
        let answer = ReadingAnswer { reading, marks: &marks, reader: "a model", by: "a model", findings };
        let became = database.take_answer(&answer, NOW).unwrap().unwrap();
        assert_eq!(database.take_answer(&answer, NOW).unwrap(), None, "it was answered");
        assert_eq!(database.open_reading("p").unwrap(), None);
        assert!(database.read_marks().unwrap().contains(&marks[0]));
        became
    }

    #[test]
    fn what_is_recorded_waits_for_a_person() {
        let (_folder, mut database) = database();
        let finding = reflected("use acme release from HEAD", &["u1", "u2"]);
        let became = taken(&mut database, &[finding.clone(), finding]);
        let waiting = database.candidates(&[CandidateStatus::New]).unwrap();
        let id = waiting[0].id.clone();
        assert_eq!(became, [Reflected::Recorded(id.clone()), Reflected::Known(id)]);
        assert_eq!((waiting[0].seen, waiting[0].sessions), (2, 2));
        assert_eq!(database.untried_candidates().unwrap(), [], "it was tried before it was recorded");
        assert_eq!(database.readings_since(0).unwrap()[0].candidates, 1);
    }

    #[test]
    fn an_answer_is_taken_in_as_a_whole_or_not_at_all() {
        let (_folder, mut database) = database();
        database.begin_reading("p", 7, "text", NOW).unwrap();
        let reading = database.open_reading("p").unwrap().unwrap().id;
        // The second one cannot be stored.
        database
            .execute(
                "CREATE TEMP TRIGGER full BEFORE INSERT ON candidate WHEN new.fix = 'second' \
                 BEGIN SELECT RAISE(ABORT, 'no room'); END",
                [],
            )
            .unwrap();
        let findings = [reflected("use acme release from HEAD", &["u1"]), reflected("second", &["u2"])];
        let marks = ["mark".to_owned()];
        let answer =
            ReadingAnswer { reading, marks: &marks, reader: "a model", by: "a model", findings: &findings };
        assert!(database.take_answer(&answer, NOW).is_err());
        assert_eq!(database.candidates(&CandidateStatus::ALL).unwrap(), []);
        assert_eq!(database.read_marks().unwrap(), [""; 0]);
        assert!(database.open_reading("p").unwrap().is_some(), "it waits for its answer");
    }

    #[test]
    fn what_rules_found_at_the_same_line_is_one_candidate_in_the_words_of_the_model() {
        let (_folder, mut database) = database();
        let mut by_rule = reflected("you said: acme release is made from HEAD", &["u1"]);
        by_rule.finding.source = Detector::Asked.name().into();
        let mut other = reflected("answer in German", &["u1"]);
        other.finding.mistake = "English".into();
        let better = reflected("use acme release from HEAD", &["u1", "u2"]);
        let became = taken(&mut database, &[by_rule, other, better]);
        let [Reflected::Recorded(first), Reflected::Recorded(_), Reflected::Merged(merged)] =
            became.as_slice()
        else {
            panic!("the second is about something else: {became:?}")
        };
        assert_eq!(first, merged);
        let waiting = database.candidates(&[CandidateStatus::New]).unwrap();
        let merged = waiting.iter().find(|candidate| candidate.id == *first).unwrap();
        assert_eq!((merged.finding.fix.as_str(), merged.seen), ("use acme release from HEAD", 2));
        assert_eq!(waiting.len(), 2);
    }

    #[test]
    fn of_several_things_that_rules_found_at_one_line_the_nearest_is_joined() {
        let (_folder, mut database) = database();
        let by_rule = |fix: &str, uuid: &str| {
            let mut by_rule = reflected(fix, &[uuid]);
            by_rule.finding.source = Detector::Written.name().into();
            by_rule
        };
        let mut better = reflected("use acme release from HEAD of main", &["u1"]);
        better.finding.mistake = "built an acme release from a branch".into();
        let found =
            [by_rule("acme release needs a branch", "u1"), by_rule("acme release from HEAD", "u1#1"), better];
        let became = taken(&mut database, &found);
        let [_, Reflected::Recorded(second), Reflected::Merged(merged)] = became.as_slice() else {
            panic!("{became:?}")
        };
        assert_eq!(second, merged);
    }

    #[test]
    fn what_a_person_writes_a_lesson_from_waits_for_their_words_under_an_id_of_its_own() {
        let (_folder, mut database) = database();
        let mut chosen = reflected("", &["u1"]);
        chosen.finding.source = CHOSEN.into();
        let id = database.record_chosen(&chosen, NOW).unwrap().unwrap();
        assert_eq!(id, id_of(&chosen.finding));
        assert_eq!(database.record_chosen(&chosen, NOW).unwrap(), Some(id), "chosen twice");
        let waiting = database.candidates(&[CandidateStatus::New]).unwrap();
        assert_eq!((waiting.len(), waiting[0].seen, waiting[0].finding.source.as_str()), (1, 1, "you"));
        database.remember_forgotten("made by hand", [1; 32], &Deed::new("you", "forget", 5)).unwrap();
        assert_eq!(database.record_chosen(&chosen, NOW).unwrap(), None);
    }

    #[test]
    fn sessions_in_which_a_model_read_are_known() {
        let (_folder, mut database) = database();
        database.note_reflecting_session("s1").unwrap();
        database.note_reflecting_session("s1").unwrap();
        let sessions = database.reading_sessions().unwrap();
        assert!(sessions.contains("s1") && !sessions.contains("s2"));
    }
}
