//! Signals of detectors, which become candidates once enough of them agree.
//!
//! A signal is a line at which a detector saw something; its key says which signals are about the same. What
//! is proposed depends on the signals alone and not on when they came in: scans in pieces, in any number,
//! end where one scan does. A line is a signal once, whatever files hold it.

use rusqlite::{Connection, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::candidates::{Finding, Sighting, id_of, json};
use crate::database::columns::{self, signed};
use crate::database::{Database, Result, SqlResult, change_by, rows_of, value_of};
use crate::forget::memory::ForgottenTexts;
use crate::recording::sightings::{Intake, Recorded, found_by_scanner, relate};

impl Database {
    /// Counts the signals by key, of those that may be proposed.
    pub fn tallies(&self) -> Result<Vec<SignalTally>> {
        self.rows(TALLIES, [])
    }

    /// The signals of these detectors, the earliest first.
    pub fn worded_signals(&self, detectors: &[&str]) -> Result<Vec<WordedSignal>> {
        self.rows(WORDED, [json(&detectors)])
    }

    /// Gives signals other keys, each by its line and detector: they are about the same as others. What was proposed of them
    /// stays theirs.
    pub fn join_signals(&mut self, joined: &[(WordedSignal, String)]) -> Result<()> {
        let signals = "UPDATE signal SET key = ?3 WHERE uuid = ?1 AND detector = ?2";
        let proposed = "UPDATE OR IGNORE proposed SET key = ?2 WHERE key = ?1";
        self.in_transaction(|change| {
            joined.iter().try_for_each(|(signal, key)| {
                change_by(change, signals, params![signal.uuid, signal.detector, key])?;
                change_by(change, proposed, params![signal.key, key]).map(drop)
            })
        })
    }

    /// Counts the sessions whose transcripts are there, and what was proposed of their lines.
    pub fn proposal_counts(&self) -> Result<ProposalCounts> {
        Ok(self.rows(PROPOSAL_COUNTS, [])?.pop().unwrap_or_default())
    }

    /// Makes candidates of the signals with these keys, and adds to the ones that are there what was seen since. `now` is in
    /// milliseconds since 1970.
    pub fn propose(&mut self, keys: &[String], now: u64) -> Result<Recorded> {
        let deed = found_by_scanner(now);
        self.in_transaction(|change| {
            let mut intake = Intake::begin(change, &deed)?;
            for key in keys {
                intake.recorded.new += usize::from(make(&mut intake, key)?);
            }
            let outdated = outdated(change)?;
            for key in &outdated {
                withdraw(&mut intake, key)?;
                make(&mut intake, key)?;
            }
            for (key, candidate) in rows_of(change, PROPOSED, [], |row| <(String, String)>::try_from(row))? {
                refresh(change, &key, &candidate)?;
                let fresh = "key = ?1 AND uuid NOT IN (SELECT uuid FROM sighting WHERE candidate =
                             (SELECT candidate FROM proposed WHERE proposed.key = ?1))";
                let is_new = keys.contains(&key) || outdated.contains(&key);
                for sighting in sightings(change, fresh, &key)? {
                    let linked = intake.link(&candidate, &sighting)?;
                    intake.recorded.again += usize::from(linked && !is_new);
                }
            }
            intake.end()
        })
    }

    /// Deletes signals from before `time`, in milliseconds since 1970, that no candidate was made of.
    pub fn forget_signals(&mut self, time: u64) -> Result<usize> {
        let sql = "DELETE FROM signal WHERE time < ?1 AND key NOT IN (SELECT key FROM proposed)";
        self.execute(sql, [signed(time)])
    }
}

/// A key that has a candidate is done with. One signal that is not strong is not even looked at: nearly all of them are
/// alone.
const TALLIES: &str = "
SELECT signal.key, signal.detector,
       count(*) AS lines,
       count(DISTINCT coalesce(kin.root, signal.session)) AS sessions,
       coalesce(nullif(count(DISTINCT project.key), 0), count(DISTINCT signal.project)) AS projects,
       max(striking) AS is_strong,
       min(coalesce(project.key, signal.project)) AS project,
       (SELECT coalesce(sum(json_extract(value, '$.points')), 0)
          FROM signal AS first, json_each(first.finding, '$.basis')
         WHERE first.uuid = (SELECT uuid FROM signal AS one WHERE one.key = signal.key
                              ORDER BY striking DESC, time, uuid LIMIT 1)
           AND first.key = signal.key) AS points
  FROM signal
  LEFT JOIN kin ON kin.session = signal.session
  LEFT JOIN project ON project.root = signal.project
 WHERE signal.key NOT IN (SELECT key FROM proposed)
 GROUP BY signal.key
HAVING count(*) > 1 OR max(striking)
 ORDER BY signal.key";

/// What a signal says, and the calls that its lesson would be told at.
const WORDED: &str = "
SELECT uuid, detector, key,
       iif(json_valid(finding), coalesce(json_extract(finding, '$.fix'), ''), '') AS text,
       iif(json_valid(finding), coalesce(json_extract(finding, '$.proposal.triggers[0].pattern'), ''), '') AS calls,
       iif(json_valid(finding), coalesce(nullif(json_extract(finding, '$.proposal.unless'), '[]'), ''), '') AS way_out
  FROM signal
 WHERE detector IN (SELECT value FROM json_each(?1))
 ORDER BY time, uuid";

/// The transcripts of sub-agents belong to the session of their main thread.
const PROPOSAL_COUNTS: &str = "
SELECT (SELECT count(*) FROM cursor WHERE path NOT GLOB '*/subagents/*') AS sessions,
       (SELECT count(DISTINCT proposed.key)
          FROM proposed JOIN signal ON signal.key = proposed.key JOIN cursor ON cursor.path = signal.file) AS proposals";

pub(crate) fn note(change: &Transaction<'_>, notes: &[Signal]) -> SqlResult<()> {
    let memory = ForgottenTexts::of(change)?;
    let mut notes = notes.iter().filter(|signal| !memory.knows(&signal.finding));
    notes.try_for_each(|signal| insert(change, signal))
}

fn insert(change: &Transaction<'_>, signal: &Signal) -> SqlResult<()> {
    let Signal { detector, key, is_strong, finding, sighting } = signal;
    let sql = "
SELECT session, striking,
       iif(json_valid(finding), coalesce(json_array_length(finding, '$.proposal.triggers'), 0) > 0, 0),
       iif(json_valid(finding), coalesce(json_extract(finding, '$.basis[0].points'), 0), 0)
  FROM signal WHERE uuid = ?1 AND detector = ?2";
    let known = rows_of(change, sql, params![sighting.uuid, detector], |row| row.try_into())?.pop();
    let Some::<(String, bool, bool, u8)>((first, was_strong, was_aimed, points)) = known else {
        return columns::insert(change, "INSERT INTO signal", signal, []);
    };
    // What a later line shows about this one says more: the calls that it is about, or that it is surer.
    let worth =
        (!finding.proposal.triggers.is_empty(), finding.basis.first().map_or(0, |reason| reason.points));
    if *is_strong && (!was_strong || worth > (was_aimed, points)) {
        let sql = "UPDATE signal SET key = ?3, striking = 1, finding = ?4 WHERE uuid = ?1 AND detector = ?2";
        change_by(change, sql, params![sighting.uuid, detector, key, json(finding)])?;
    }
    relate(change, &first, &sighting.session)
}

/// The most signals with one key whose triggers are joined.
const MOST_JOINED: u32 = 8;

/// What is proposed, by key.
const PROPOSED: &str = "SELECT key, candidate FROM proposed ORDER BY key";

/// Deletes the candidate of a key, if nobody has decided about it.
fn withdraw(intake: &mut Intake<'_>, key: &str) -> SqlResult<()> {
    let waiting = "SELECT id FROM candidate WHERE status = 'new' AND id = (SELECT candidate FROM proposed WHERE key = ?1)";
    if let Some(id) = value_of::<String>(intake.change, waiting, [key])? {
        intake.watch(&id)?;
        intake.change.execute("DELETE FROM candidate WHERE id = ?1", [id])?;
        intake.change.execute("DELETE FROM proposed WHERE key = ?1", [key])?;
    }
    Ok(())
}

/// Makes a candidate of the signals with a key. Returns whether it is new.
fn make(intake: &mut Intake<'_>, key: &str) -> SqlResult<bool> {
    let change = intake.change;
    let Some(finding) = first_finding(change, key)? else { return Ok(false) };
    let seen = sightings(change, "key = ?1", key)?;
    let Some(first) = seen.first() else { return Ok(false) };
    let id = id_of(&finding);
    let was_known = intake.see(&id, &finding, first)?;
    change.execute("INSERT OR REPLACE INTO proposed (key, candidate) VALUES (?1, ?2)", params![key, id])?;
    Ok(!was_known)
}

/// Returns the keys whose candidate waits and says less than what their signals say now: a later scan has seen the way
/// out, say, or that all of them are about something else. What a reading has reworded, or what other signals are about too, stays.
fn outdated(change: &Connection) -> SqlResult<Vec<String>> {
    let waiting = "SELECT key, candidate FROM proposed
                    WHERE candidate IN (SELECT id FROM candidate WHERE status = 'new')
                      AND candidate NOT IN (SELECT candidate FROM reflected)
                    GROUP BY candidate HAVING count(*) = 1 ORDER BY key";
    let mut keys = Vec::new();
    for (key, candidate) in rows_of(change, waiting, [], |row| <(String, String)>::try_from(row))? {
        if first_finding(change, &key)?.is_none_or(|finding| id_of(&finding) != candidate) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// Gives a candidate the triggers that were found since.
fn refresh(change: &Connection, key: &str, candidate: &str) -> SqlResult<()> {
    let found = first_finding(change, key)?.filter(|finding| !finding.proposal.triggers.is_empty());
    let Some(finding) = found else { return Ok(()) };
    // A later line has shown which calls it is about. A trial may have taken the triggers away again.
    let sql = "UPDATE candidate SET proposal = ?2
                WHERE id = ?1 AND status = 'new' AND NOT tried
                  AND iif(json_valid(proposal), json_array_length(proposal, '$.triggers') = 0, 0)";
    change_by(change, sql, params![candidate, json(&finding.proposal)]).map(drop)
}

#[derive(Deserialize)]
struct FindingOfSignal {
    finding: Finding,
}

/// Returns the finding of the first signal with a key, of a strong one where there is one, which is what would be proposed. It is
/// told at the calls of the others too.
fn first_finding(change: &Connection, key: &str) -> SqlResult<Option<Finding>> {
    let sql = "SELECT finding FROM signal WHERE key = ?1 ORDER BY striking DESC, time, uuid LIMIT ?2";
    let found: Vec<FindingOfSignal> = rows_of(change, sql, params![key, MOST_JOINED], columns::read)?;
    let mut findings = found.into_iter().map(|found| found.finding);
    let mut first = findings.next();
    if let Some(first) = &mut first {
        findings.for_each(|other| first.proposal.join(other.proposal));
    }
    Ok(first)
}

/// Returns the sightings of signals, the earliest first.
fn sightings(change: &Connection, which: &str, key: &str) -> SqlResult<Vec<Sighting>> {
    let sql = format!("SELECT * FROM signal WHERE {which} ORDER BY time, uuid");
    rows_of(change, &sql, [key], columns::read)
}

/// A line at which a detector saw a sign of a mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// The name of the detector.
    pub detector: String,
    /// The hash that signals about the same mistake share.
    pub key: String,
    /// Whether this signal alone is enough for a proposal.
    #[serde(rename = "striking")]
    pub is_strong: bool,
    /// The finding that would be proposed, redacted.
    pub finding: Finding,
    /// The uuid of the line.
    #[serde(flatten)]
    pub sighting: Sighting,
}

/// A signal as far as it is compared with others in other words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WordedSignal {
    /// The line.
    pub uuid: String,
    /// The name of the detector.
    pub detector: String,
    /// The key that it has now.
    pub key: String,
    /// What it asks for.
    pub text: String,
    /// The first pattern of its triggers, empty where it has none.
    pub calls: String,
    /// What keeps its lesson quiet, as JSON: of a failure what the call had that got past it.
    pub way_out: String,
}

/// The counts of the signals with one key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SignalTally {
    /// The key of the signals.
    pub key: String,
    /// The name of the detector.
    pub detector: String,
    /// The number of lines.
    pub lines: u64,
    /// The number of sessions that share no line.
    pub sessions: u64,
    /// The number of projects.
    pub projects: u64,
    /// Whether one of them is strong.
    pub is_strong: bool,
    /// A project in which one was seen.
    pub project: Option<String>,
    /// The points of the first signal, in hundredths of certainty.
    pub points: u64,
}

/// The numbers that limit how much is proposed over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct ProposalCounts {
    /// The number of sessions whose transcripts are there.
    pub sessions: u64,
    /// The number of proposals made of lines in these transcripts.
    pub proposals: u64,
}

/// A message of the user that corrects a call, as a detector found it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CorrectionSignal {
    /// The id of its line.
    pub line: String,
    /// The session.
    pub session: String,
    /// The time of the message, in milliseconds since 1970.
    pub time: u64,
    /// The corrected command, without its secrets; `None` where it was no command.
    pub command: Option<String>,
}

impl Database {
    /// The signals of corrections by the user.
    pub fn corrections(&self) -> Result<Vec<CorrectionSignal>> {
        let sql = "SELECT uuid AS line, session, time, json_extract(finding, '$.trigger') AS command
                     FROM signal WHERE detector = 'correction'";
        self.rows(sql, [])
    }
}

#[cfg(test)]
mod tests;
