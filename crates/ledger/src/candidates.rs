//! Candidates: mistakes that a scan found, and that wait for a person to review them. The journal records changes of their
//! status. Some were replayed over the past calls, and got marks by it.

pub mod detector;
pub mod trust;

use lessons_incident::Trust;
use lessons_lesson::{Lesson, StateCheck};
use lessons_pattern::Trigger;
use lessons_store::Likeness;
use lessons_text::digest;
use rusqlite::{Params, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::candidates::detector::{Detector, own_words};
use crate::database::columns;
use crate::database::{Database, Result, SqlResult};
use crate::journal::{Deed, Thing, ThingKind};

/// The number of hex digits of an id.
const ID_DIGITS: usize = 16;
/// The fewest digits of an id that a person may give in place of the whole id.
pub const MIN_PREFIX: usize = 4;

/// The content of a candidate: its texts and proposed triggers. All text is redacted and neutralised beforehand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Finding {
    /// `tag`, or the name of the detector.
    pub source: String,
    /// The mistake.
    pub mistake: String,
    /// The advice: what to do instead.
    pub fix: String,
    /// The rationale.
    pub why: Option<String>,
    /// The literal text of the tag's `trigger:`.
    pub trigger: Option<String>,
    /// The glob of the tag's `path:`.
    pub path: Option<String>,
    /// The quality that the tag claims.
    pub quality: Option<String>,
    /// The agent that the tag names.
    pub agent: Option<String>,
    /// What else the writer says of the lesson.
    #[serde(default)]
    pub insight: Insight,
    /// What speaks against its worth. It orders candidates, and no promotion has to accept it.
    #[serde(default)]
    pub marks: Vec<Doubt>,
    /// The lesson itself, where a colleague shared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<Box<SharedOrigin>>,
    /// The names of tools in the tag.
    pub tools: Vec<String>,
    /// The topics of the tag.
    pub tags: Vec<String>,
    /// The proposed triggers.
    pub proposal: Proposal,
    /// The doubts about this finding.
    pub flags: Vec<Doubt>,
    /// The lines that a detector saw. Empty for a tag, which is its own evidence.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// The reasons for this finding.
    #[serde(default)]
    pub basis: Vec<Reason>,
}

/// A lesson that a colleague shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedOrigin {
    /// The public key of the author.
    pub author: String,
    /// The event.
    pub event: String,
    /// The lesson as it was shared, for its project.
    pub lesson: Value,
}

/// What the writer of a tag says of the lesson, besides mistake and fix.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Insight {
    /// The lesson in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Longer text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why it is worth keeping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<String>,
    /// The phase of work in which it was learned, such as `plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Where it holds.
    #[serde(skip_serializing_if = "lessons_lesson::lesson::is_default")]
    pub reach: Reach,
    /// The states of a call in which it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateCheck>,
    /// Whether a person refused such a call more than once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refused_again: bool,
}

/// Where the writer of a lesson says that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Where it was seen, as far as that can be told.
    #[default]
    Seen,
    /// In every project.
    Everywhere,
}

/// A reason for a candidate, with its weight.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reason {
    /// The weight, in hundredths of certainty.
    pub points: u8,
    /// The reason in words.
    pub because: String,
}

impl Reason {
    /// A reason in fixed words.
    pub fn new(points: u8, because: &str) -> Self {
        Self { points, because: because.to_owned() }
    }
}

impl Finding {
    /// Returns the shingles of what somebody said in it, to compare them with other texts.
    pub fn likeness(&self) -> Likeness {
        Likeness::of(&own_words(&self.source, &self.mistake, &self.fix))
    }
}

/// The triggers that a scan proposes for a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Proposal {
    /// Triggers of which any must match.
    pub triggers: Vec<Trigger>,
    /// Triggers that must all match too.
    #[serde(default)]
    pub also: Vec<Trigger>,
    /// Triggers that must not match.
    pub unless: Vec<Trigger>,
}

impl Proposal {
    /// The most triggers of joined proposals.
    const MOST_JOINED: usize = 6;

    /// Adds the triggers of another proposal that is limited in the same way. One without triggers becomes the other.
    pub fn join(&mut self, other: Self) {
        if self.triggers.is_empty() {
            *self = other;
        } else if (&self.also, &self.unless) == (&other.also, &other.unless) {
            let new = other.triggers.into_iter().filter(|trigger| !self.triggers.contains(trigger));
            let room = Self::MOST_JOINED.saturating_sub(self.triggers.len());
            self.triggers.extend(new.take(room).collect::<Vec<_>>());
        }
    }

    /// The triggers of a lesson.
    pub fn of(lesson: &Lesson) -> Self {
        let Lesson { triggers, also, unless, .. } = lesson;
        Self { triggers: triggers.clone(), also: also.clone(), unless: unless.clone() }
    }
}

/// A flag with its meaning: see [`lessons_lesson::flags`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Doubt {
    /// The name of the flag, as `--accept` takes it.
    pub name: String,
    /// The meaning of the flag.
    pub meaning: String,
}

/// A line of a transcript at which a candidate was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sighting {
    /// The line's uuid: one line is one sighting, whatever files hold it.
    pub uuid: String,
    /// The transcript.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// The id of the session.
    pub session: String,
    /// The root of the project.
    pub project: Option<String>,
    /// The id of the sub-agent.
    pub agent_id: Option<String>,
    /// The type of the sub-agent.
    pub agent_type: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// Milliseconds since 1970.
    pub time: u64,
}

/// The reason given for a candidate whose discovery was undone.
const TAKEN_BACK: &str = "that it was found was taken back";

lessons_text::named! {
    /// The status of a candidate.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CandidateStatus {
        /// It waits for a person.
        New = "new",
        /// A person rejected it.
        Rejected = "rejected",
        /// The agent took it back.
        Cancelled = "cancelled",
        /// It waited too long.
        Archived = "archived",
    }
}

/// A status with its reason, as the journal stores it.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStatus {
    pub(crate) reason: Option<String>,
    pub(crate) status: CandidateStatus,
}

/// Returns a status as the journal stores it.
pub(crate) fn status_json(status: CandidateStatus, reason: Option<&str>) -> String {
    json(&StoredStatus { reason: reason.map(str::to_owned), status })
}

/// Returns the status that undoing a change restores. A candidate that did not exist is archived: what sessions hold
/// cannot be taken back, and a scan would not find it again.
pub(crate) fn target_of(before: Option<String>) -> String {
    before.unwrap_or_else(|| status_json(CandidateStatus::Archived, Some(TAKEN_BACK)))
}

/// A candidate with its counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The hash of its normalised text and trigger.
    pub id: String,
    /// The content of the candidate.
    #[serde(flatten)]
    pub finding: Finding,
    /// The trust in it; `None` where it was not judged yet.
    pub trust: Option<Trust>,
    /// The state of its review.
    pub status: CandidateStatus,
    /// The reason for its rejection, cancellation or archiving.
    pub reason: Option<String>,
    /// The number of lines at which it was seen.
    pub seen: u64,
    /// The number of sessions that share no line.
    pub sessions: u64,
    /// The number of projects.
    pub projects: u64,
    /// Milliseconds since 1970.
    pub first_seen: u64,
    /// Milliseconds since 1970.
    pub last_seen: u64,
}

/// The points of a candidate that the agent wrote down as a tag.
const POINTS_OF_A_TAG: u32 = 60;

impl Candidate {
    /// The confidence that this mistake is worth a lesson, from 0 to 1.
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

/// Returns a text in lower case with white space collapsed.
pub(crate) fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Database {
    /// Returns the candidates in one of these states: doubtful ones last, before them those with marks, otherwise what a person said first, then what was
    /// written down, then what was only seen, then what a model wrote on request, and of each the most often and the latest seen
    /// first.
    pub fn candidates(&self, standings: &[CandidateStatus]) -> Result<Vec<Candidate>> {
        let names: Vec<_> = standings.iter().map(|status| status.name()).collect();
        self.candidates_where("status IN (SELECT value FROM json_each(?1))", [json(&names)])
    }

    /// The candidates of which a condition holds, in the same order.
    pub(crate) fn candidates_where(&self, condition: &str, values: impl Params) -> Result<Vec<Candidate>> {
        let order = format!("flags != '[]', marks != '[]', {ORIGIN}, sessions DESC, last_seen DESC, id");
        self.candidates_of(&format!("{condition} ORDER BY {order}"), values)
    }

    /// The candidates of which a condition holds, in the order that is named behind it.
    pub(crate) fn candidates_of(&self, condition: &str, parameters: impl Params) -> Result<Vec<Candidate>> {
        self.select(&format!("{SELECT} WHERE {condition}"), parameters, candidate)
    }

    /// Whether there is a candidate that nobody has decided about.
    pub fn has_new_candidates(&self) -> Result<bool> {
        self.value("SELECT EXISTS (SELECT 1 FROM candidate WHERE status = 'new')", [])
    }

    /// The candidates that detectors made and nobody has decided about, in the order of their ids.
    pub fn new_proposals(&self) -> Result<Vec<Candidate>> {
        let of_detectors = "status = 'new' AND source IN (SELECT value FROM json_each(?1)) ORDER BY id";
        self.candidates_of(of_detectors, [json(&Detector::ALL.map(Detector::name))])
    }

    /// The candidates whose id starts with `prefix`, at most two: enough to see whether it is clear.
    pub fn candidates_starting(&self, prefix: &str) -> Result<Vec<Candidate>> {
        if prefix.len() < MIN_PREFIX || !prefix.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Vec::new());
        }
        self.candidates_of("id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT 2", [prefix])
    }

    /// Returns the sightings of a candidate, the latest first.
    pub fn sightings(&self, id: &str) -> Result<Vec<Sighting>> {
        self.rows("SELECT * FROM sighting WHERE candidate = ?1 ORDER BY time DESC, uuid", [id])
    }

    /// Changes the status of a candidate and records it. Returns the number of the change; `None`
    /// without such a candidate, or where it has that status already.
    pub fn set_status(
        &mut self,
        id: &str,
        standing: CandidateStatus,
        reason: Option<&str>,
        deed: &Deed,
    ) -> Result<Option<u64>> {
        let thing = Thing::new(ThingKind::Candidate, id);
        self.change_rows(&[(thing, Some(status_json(standing, reason)))], deed)
    }

    /// The candidates with proposed triggers that nobody has decided about or replayed yet, in the order in which they
    /// are shown.
    pub fn untried_candidates(&self) -> Result<Vec<Candidate>> {
        let untried = "status = 'new' AND NOT tried AND json_array_length(proposal, '$.triggers') > 0";
        self.candidates_where(untried, [])
    }

    /// Notes that a candidate was replayed.
    pub fn note_tried(&self, id: &str) -> Result<()> {
        self.execute("UPDATE candidate SET tried = 1 WHERE id = ?1", [id]).map(drop)
    }

    /// Proposes other triggers for a candidate that nobody has decided about.
    pub fn propose_instead(&self, id: &str, proposal: &Proposal) -> Result<()> {
        let sql = "UPDATE candidate SET proposal = ?2 WHERE id = ?1 AND status = 'new'";
        self.execute(sql, params![id, json(proposal)]).map(drop)
    }

    /// Adds a mark to a candidate that nobody has decided about, and proposes these triggers for it from now on. Where it
    /// has a mark of this name already, nothing changes. Returns whether the mark is new.
    pub fn mark_candidate(&self, id: &str, mark: &Doubt, proposal: &Proposal) -> Result<bool> {
        let sql = "UPDATE candidate SET marks = json_insert(marks, '$[#]', json(?2)), proposal = ?3
                    WHERE id = ?1 AND status = 'new'
                      AND NOT EXISTS (SELECT 1 FROM json_each(marks) WHERE value ->> 'name' = ?4)";
        Ok(self.execute(sql, params![id, json(mark), json(proposal), mark.name])? > 0)
    }
}

/// The rank of a candidate by its origin, named by its source; of one that a model wrote, by what it cites.
const ORIGIN: &str = "CASE WHEN source IN ('asked to be remembered', 'correction') THEN 0
                          WHEN source IN ('tag', 'memory file') THEN 1
                          WHEN source = 'reflected' THEN 2 - (json_extract(basis, '$[0].points') >= 50)
                                                           - (json_extract(basis, '$[0].points') >= 65)
                          WHEN source LIKE 'shared:%' THEN 1 ELSE 2 END";

/// The query for candidates, with counters computed from their sightings. Work trees and clones are one project, and a
/// folder that is gone and of no known project counts only where there is nothing else.
const SELECT: &str = "
SELECT candidate.*,
       (SELECT count(*) FROM sighting WHERE candidate = candidate.id) AS seen,
       (SELECT count(DISTINCT coalesce(kin.root, sighting.session))
          FROM sighting LEFT JOIN kin ON kin.session = sighting.session
         WHERE candidate = candidate.id) AS sessions,
       (SELECT coalesce(nullif(count(DISTINCT key), 0), count(DISTINCT project))
          FROM sighting LEFT JOIN project ON project.root = sighting.project
         WHERE candidate = candidate.id) AS projects
FROM candidate";

fn candidate(row: &Row<'_>) -> SqlResult<Candidate> {
    Ok(Candidate {
        id: row.get("id")?,
        finding: columns::read(row)?,
        trust: row.get::<_, Option<String>>("trust")?.and_then(|text| serde_json::from_str(&text).ok()),
        status: CandidateStatus::named(&row.get::<_, String>("status")?).unwrap_or(CandidateStatus::New),
        reason: row.get("reason")?,
        seen: row.get("seen")?,
        sessions: row.get("sessions")?,
        projects: row.get("projects")?,
        first_seen: row.get("first_seen")?,
        last_seen: row.get("last_seen")?,
    })
}

/// A value as JSON, as the database holds it.
pub fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}
