//! Mistakes that were found and wait for a person.

mod status;

use lessons_pattern::trigger::Trigger;
use lessons_store::likeness::Likeness;
use lessons_text::digest;
use rusqlite::Row;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use self::status::Standing;
pub(crate) use self::status::{Watched, put_standing, standing_of, stands, target_of};
use crate::database::{Database, DatabaseError};
use crate::integers::unsigned;

/// How many hex digits an id has.
const ID_DIGITS: usize = 16;
/// The shortest start of an id that stands for it.
pub const MIN_PREFIX: usize = 4;

/// What a candidate says and proposes. Text is redacted and neutral before it gets here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Finding {
    /// `tag`, or the name of the detector.
    pub source: String,
    /// What went wrong.
    pub mistake: String,
    /// What to do instead.
    pub fix: String,
    /// Why.
    pub why: Option<String>,
    /// The literal text of the tag's `trigger:`.
    pub trigger: Option<String>,
    /// The glob of the tag's `path:`.
    pub path: Option<String>,
    /// What the tag says of its worth.
    pub quality: Option<String>,
    /// The agent that the tag names.
    pub agent: Option<String>,
    /// Tools it names.
    pub tools: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// What would make it fire.
    pub proposal: Proposal,
    /// Doubts about it.
    pub flags: Vec<Doubt>,
    /// What a detector saw, a line each. Empty for a tag: that is its own evidence.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// What speaks for it.
    #[serde(default)]
    pub basis: Vec<Reason>,
}

/// Something that speaks for a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reason {
    /// How much, in hundredths of being sure.
    pub points: u8,
    /// What.
    pub because: String,
}

impl Finding {
    /// What of it is compared with other texts: mistake and fix.
    pub fn likeness(&self) -> Likeness {
        Likeness::of(&format!("{} {}", self.mistake, self.fix))
    }
}

/// Triggers worked out for a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Proposal {
    /// Any of these.
    pub triggers: Vec<Trigger>,
    /// All of these too.
    #[serde(default)]
    pub also: Vec<Trigger>,
    /// None of these.
    pub unless: Vec<Trigger>,
}

/// A flag with its meaning: see [`lessons_lesson::flags`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Doubt {
    /// The name, as `--accept` takes it.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

/// Where a candidate was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Sighting {
    /// The line's uuid: one line is one sighting, whatever files hold it.
    pub uuid: String,
    /// The transcript.
    pub file: String,
    /// The line in it, from 1.
    pub line: u64,
    /// The session.
    pub session: String,
    /// The root of the project.
    pub project: Option<String>,
    /// The sub-agent.
    pub agent_id: Option<String>,
    /// Its type.
    pub agent_type: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Milliseconds since 1970.
    pub time: u64,
}

/// A candidate with its counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The hash of its normalised text and trigger.
    pub id: String,
    /// What it says.
    #[serde(flatten)]
    pub finding: Finding,
    /// Where it stands.
    pub status: Standing,
    /// Why it was put away.
    pub reason: Option<String>,
    /// How many lines held it.
    pub seen: u64,
    /// In how many sessions that share no line.
    pub sessions: u64,
    /// In how many projects.
    pub projects: u64,
    /// Milliseconds since 1970.
    pub first_seen: u64,
    /// Milliseconds since 1970.
    pub last_seen: u64,
}

/// What speaks for a tag: somebody wrote it down.
const POINTS_OF_A_TAG: u32 = 60;

impl Candidate {
    /// How sure it is that this is a mistake worth a lesson, from 0 to 1.
    ///
    /// What speaks for it, in hundredths, to begin with (60 for a tag). Of what is missing to being sure,
    /// every further session that shares no line takes a quarter away, and every further project another
    /// quarter: `1 - (1 - points) * 0.75^(sessions - 1) * 0.75^(projects - 1)`, at most 0.99.
    pub fn confidence(&self) -> f64 {
        let points: u32 = self.finding.basis.iter().map(|reason| u32::from(reason.points)).sum();
        let points = if self.finding.basis.is_empty() { POINTS_OF_A_TAG } else { points };
        confidence(points, self.sessions, self.projects)
    }
}

/// The formula of [`Candidate::confidence`].
pub fn confidence(points: u32, sessions: u64, projects: u64) -> f64 {
    let more = |number: u64| i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
    let missing = 1.0 - f64::from(points.min(100)) / 100.0;
    (1.0 - missing * 0.75_f64.powi(more(sessions)) * 0.75_f64.powi(more(projects))).min(0.99)
}

/// The id of a candidate: the hash of its normalised text and trigger.
pub fn id_of(finding: &Finding) -> String {
    let parts = [&finding.mistake, &finding.fix, finding.trigger.as_ref().unwrap_or(&String::new())]
        .map(|text| normalised(text));
    digest::hex_of_parts(&parts.each_ref().map(std::string::String::as_bytes), ID_DIGITS)
}

/// Lower case, white space collapsed.
fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Database {
    /// Candidates that stand in one of `standings`: doubtful ones last, then the most often and the
    /// latest seen first.
    pub fn candidates(&self, standings: &[Standing]) -> Result<Vec<Candidate>, DatabaseError> {
        let sql = format!("{SELECT} ORDER BY flags != '[]', sessions DESC, last_seen DESC, id");
        let rows = self
            .connection
            .prepare(&sql)
            .and_then(|mut select| select.query_map([], candidate)?.collect::<rusqlite::Result<Vec<_>>>());
        let all = rows.map_err(|error| self.explain(error))?;
        Ok(all.into_iter().filter(|found| standings.contains(&found.status)).collect())
    }

    /// The candidates whose id starts with `prefix`, at most two: enough to see whether it is clear.
    pub fn candidates_starting(&self, prefix: &str) -> Result<Vec<Candidate>, DatabaseError> {
        if prefix.len() < MIN_PREFIX || !prefix.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Vec::new());
        }
        let sql = format!("{SELECT} WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT 2");
        self.connection
            .prepare(&sql)
            .and_then(|mut select| select.query_map([prefix], candidate)?.collect())
            .map_err(|error| self.explain(error))
    }

    /// Where a candidate was seen, the latest first.
    pub fn sightings(&self, id: &str) -> Result<Vec<Sighting>, DatabaseError> {
        self.connection
            .prepare("SELECT * FROM sighting WHERE candidate = ?1 ORDER BY time DESC, uuid")
            .and_then(|mut select| select.query_map([id], sighting)?.collect())
            .map_err(|error| self.explain(error))
    }
}

/// Everything of a candidate, its counters worked out from its sightings.
const SELECT: &str = "
SELECT candidate.*,
       (SELECT count(*) FROM sighting WHERE candidate = candidate.id) AS seen,
       (SELECT count(DISTINCT coalesce(kin.root, sighting.session))
          FROM sighting LEFT JOIN kin ON kin.session = sighting.session
         WHERE candidate = candidate.id) AS sessions,
       (SELECT count(DISTINCT project) FROM sighting WHERE candidate = candidate.id) AS projects
FROM candidate";

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        id: row.get("id")?,
        finding: Finding {
            source: row.get("source")?,
            mistake: row.get("mistake")?,
            fix: row.get("fix")?,
            why: row.get("why")?,
            trigger: row.get("trigger")?,
            path: row.get("path")?,
            quality: row.get("quality")?,
            agent: row.get("agent")?,
            tools: parsed(row, "tools")?,
            tags: parsed(row, "tags")?,
            proposal: parsed(row, "proposal")?,
            flags: parsed(row, "flags")?,
            evidence: parsed(row, "evidence")?,
            basis: parsed(row, "basis")?,
        },
        status: Standing::of(&row.get::<_, String>("status")?),
        reason: row.get("reason")?,
        seen: unsigned(row, "seen")?,
        sessions: unsigned(row, "sessions")?,
        projects: unsigned(row, "projects")?,
        first_seen: unsigned(row, "first_seen")?,
        last_seen: unsigned(row, "last_seen")?,
    })
}

pub(crate) fn sighting(row: &Row<'_>) -> rusqlite::Result<Sighting> {
    Ok(Sighting {
        uuid: row.get("uuid")?,
        file: row.get("file")?,
        line: unsigned(row, "line")?,
        session: row.get("session")?,
        project: row.get("project")?,
        agent_id: row.get("agent_id")?,
        agent_type: row.get("agent_type")?,
        model: row.get("model")?,
        time: unsigned(row, "time")?,
    })
}

/// Lists of plain data; none of them can fail to become JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}

pub(crate) fn parsed<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}
