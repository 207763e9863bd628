//! The details of a candidate that a reviewer needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lessons_context::{KnownProjects, known_projects};
use lessons_ledger::{Candidate, Database, Finding, Reason, Sighting, candidates::trust};
use lessons_lesson::{Lesson, Mode, When};
use lessons_pattern::Trigger;
use lessons_review::{KnownLessons, NearLesson, Nearest, Relation, promotion, typed};
use serde::Serialize;

use crate::args::Fields;
use crate::prelude::*;
use crate::ui::rows::Rows;

/// The most sightings that are shown.
const MOST_SIGHTINGS: usize = 3;
/// The longest mistake and fix, and the longest other line, in a brief, in characters. With as many lines as a brief has
/// at most, it stays below 500 tokens.
const BRIEF_TEXT: usize = 320;
const BRIEF_LINE: usize = 140;
/// The most triggers of a kind, and the most flags and marks, in a brief.
const BRIEF_ROWS: usize = 2;

/// A candidate with everything that is known about it.
#[derive(Debug, Clone, Serialize)]
pub struct CandidateDetails {
    /// The candidate.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The lessons that say nearly the same or fire on the same calls.
    pub near: Vec<NearLesson>,
    /// Why the person is asked, before it is promoted, to let it block such a call once, if they are.
    #[serde(skip)]
    pub reason_to_bump: Option<&'static str>,
    /// The person's own lessons into which it could be merged, the closest first.
    pub own: Vec<NearLesson>,
    /// Places in transcripts where it was seen.
    pub sightings: Vec<Sighting>,
    /// The root folders of the projects in which it was seen.
    pub folders: Vec<String>,
    /// The root folders of the projects for which it is proposed; none is every project.
    pub roots: Vec<String>,
    /// The agent type for which it is proposed; `None` is every agent.
    pub agent: Option<String>,
    /// The lesson that it becomes as it is proposed.
    #[serde(skip)]
    pub lesson: Lesson,
    /// Where that lesson holds, in words.
    #[serde(skip)]
    pub place: String,
}

/// What an agent may read of a flagged candidate: its text may be written to influence it.
fn withheld(Candidate { id, finding, .. }: &Candidate) -> Answer {
    let Finding { flags, source, mistake, fix, .. } = finding;
    let characters = mistake.chars().count() + fix.chars().count();
    let (names, length) = (listed(flags.iter().map(|flag| &flag.name)), counted(characters, "character"));
    let said = format!(
        "candidate {id}  flagged: {names}\n  {length}, for a person to read in a terminal: lessons review"
    );
    let note = "flagged: for a person to read in a terminal, with `lessons review`";
    let fields =
        json!({ "id": id, "flags": flags, "source": source, "characters": characters, "note": note });
    Answer::new(vec![said], fields)
}

/// A reader of candidate details: the database, and the lessons to compare with.
#[derive(Debug)]
pub struct DetailsReader {
    database: Database,
    known: KnownLessons,
}

impl DetailsReader {
    /// A reader with the lessons as they are now.
    pub fn new(app: &App) -> Result<Self> {
        Ok(Self { database: app.database()?, known: KnownLessons::of(app)? })
    }

    /// What `app`'s actor is told of a candidate: a person everything, and an agent a few lines, as every word fills its context.
    pub fn told(&self, app: &App, candidate: Candidate) -> Result<Answer> {
        if !is_shown(app, &candidate) {
            return Ok(withheld(&candidate));
        }
        let details = self.details(app, candidate)?;
        let said = if app.is_agent() { details.brief() } else { details.to_string() };
        Ok(Answer::new(vec![said], details.fields()))
    }

    /// Everything that is known about a candidate.
    pub fn details(&self, app: &App, candidate: Candidate) -> Result<CandidateDetails> {
        let mut sightings = self.database.sightings(&candidate.id)?;
        let known = self.database.projects_of(&candidate.id)?;
        let mut folders: BTreeSet<String> = known.into_iter().map(|(root, _)| root).collect();
        if folders.is_empty() {
            folders.extend(sightings.iter().filter_map(|sighting| sighting.project.clone()));
        }
        sightings.truncate(MOST_SIGHTINGS);
        let lesson = promotion::with_fields(app, &candidate, None::<&Fields>)?;
        let Nearest { related, own } = self.known.nearest(&candidate, &lesson);
        let projects = promotion::proposed_projects(app, &candidate, &lesson)?;
        Ok(CandidateDetails {
            near: related,
            own,
            reason_to_bump: promotion::reason_to_bump(&candidate, &lesson),
            sightings,
            folders: folders.into_iter().collect(),
            roots: projects.into_iter().map(|(root, _)| root).collect(),
            agent: promotion::proposed_agent(app, &candidate)?,
            place: KnownProjects::of(&app.home).holds(&lesson.scope.projects),
            lesson,
            candidate,
        })
    }
}

impl CandidateDetails {
    /// The candidate for programs.
    fn fields(&self) -> Value {
        let Finding { proposal, tools, .. } = &self.candidate.finding;
        let typed = |triggers: &[Trigger]| triggers.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut fields = json!(self);
        fields["confidence"] = self.candidate.confidence().into();
        fields["score"] = json!(score(&self.candidate));
        // In the syntax of the flags.
        fields["proposed"] = json!({
            "trigger": typed(&proposal.triggers),
            "also": typed(&proposal.also),
            "unless": typed(&proposal.unless),
            "tool": tools,
        });
        fields["proposesBump"] = self.reason_to_bump.is_some().into();
        fields["example"] = json!(self.lesson.examples.fires.first().map(typed::typed_sample));
        fields
    }

    /// The candidate in few words. `lessons show ID` has everything.
    fn brief(&self) -> String {
        let mut rows = self.rows();
        let mut number = BTreeMap::new();
        for (name, text) in &mut rows.0 {
            let (rows, characters) = match *name {
                "mistake" | "fix" => (1, BRIEF_TEXT),
                "fires on" | "and" | "unless" | "flag" | "mark" => (BRIEF_ROWS, BRIEF_LINE),
                "why" | "where" | "propose" | "example" | "evidence" | "like" => (1, BRIEF_LINE),
                _ => (0, 0),
            };
            let number: &mut usize = number.entry(*name).or_default();
            *number += 1;
            *text = if *number > rows { String::new() } else { shortened(&line(text), characters) };
        }
        rows.0.retain(|(_, text)| !text.is_empty());
        format!("candidate {}\n{rows}", self.head())
    }

    /// What speaks against it, the lesson that it becomes as it is proposed, and where it comes from.
    fn rows(&self) -> Rows {
        let parts =
            [Rows::doubts(&self.candidate), self.lesson_rows(&self.lesson, &self.place), self.origin_rows()];
        Rows(parts.into_iter().flat_map(|rows| rows.0).collect())
    }

    /// Why the person is asked what this lesson of the candidate does, before it becomes a mere reminder; `None` if they are not.
    pub fn asks_for_mode(&self, lesson: &Lesson) -> Option<&'static str> {
        self.reason_to_bump.filter(|_| lesson.mode == Mode::Advise && lesson.when == When::Tool)
    }

    /// The candidate in a line: who found it, and how often it was seen.
    pub fn head(&self) -> String {
        let projects = match self.folder_names().as_str() {
            "" => counted(self.candidate.projects, "project"),
            names => format!("in {names}"),
        };
        let Candidate { id, finding, seen, sessions, .. } = &self.candidate;
        let (source, confidence) = (line(&finding.source), self.candidate.confidence());
        let (seen, sessions) = (counted(*seen, "time"), counted(*sessions, "session"));
        format!("{id}  found by {source}, confidence {confidence:.2}, {seen} in {sessions}, {projects}")
    }

    /// The names of the folders of the projects in which it was seen.
    pub fn folder_names(&self) -> String {
        line(&listed(self.folders.iter().map(|folder| known_projects::folder_name(folder))))
    }

    /// A lesson that it would become, which holds at `place`.
    pub fn lesson_rows(&self, lesson: &Lesson, place: &str) -> Rows {
        let mut rows = Rows::default();
        rows.add_each("mistake", lesson.mistake.as_ref());
        rows.add_each("fix", Some(&lesson.rule).filter(|rule| !rule.is_empty()));
        rows.add_each("why", lesson.rationale.as_ref());
        rows.add_triggers("fires on", [&lesson.triggers, &lesson.also, &lesson.unless]);
        rows.add_list("tools", &lesson.tools);
        let does = match (lesson.mode, lesson.when) {
            (_, When::Session) => "given at the start of every session",
            (Mode::Advise, When::Tool) => "reminds the model afterwards",
            (Mode::Bump, When::Tool) => "blocks the call once",
            (Mode::Block, When::Tool) => "blocks the call every time",
        };
        rows.add("does", does);
        let bump = self.asks_for_mode(lesson);
        let proposed = |reason| format!("mode bump: {reason}, and a reminder comes after the call");
        rows.add_each("propose", bump.map(proposed));
        if bump.is_some() || (lesson.mode.refuses() && lesson.when == When::Tool) {
            let example = lesson.examples.fires.first().map(typed::typed_sample);
            let none = || "none yet: it needs a call that it must block".to_owned();
            rows.add("example", example.unwrap_or_else(none));
        }
        let agent = match lesson.scope.agents.as_slice() {
            [] => String::new(),
            agents => format!(", for {}", agents.join(", ")),
        };
        rows.add("where", format!("{place}{agent}"));
        rows
    }

    /// Where it comes from, how sure it is, and the lessons like it.
    pub fn origin_rows(&self) -> Rows {
        let mut rows = Rows::default();
        rows.add_each("evidence", &self.candidate.finding.evidence);
        rows.add("score", reasons(&score(&self.candidate)));
        rows.add_each("trust", self.candidate.trust.as_ref().map(trust::words));
        for near in &self.near {
            let relation = near.relation.map_or("", Relation::in_words);
            rows.add("like", format!("{relation} {}: {}", near.id, near.rule));
        }
        rows.add_each("seen in", self.sightings.iter().map(|seen| format!("{}:{}", seen.file, seen.line)));
        rows
    }
}

/// Whether the candidate's text may be shown to this actor.
pub(crate) fn is_shown(app: &App, candidate: &Candidate) -> bool {
    !app.is_agent() || candidate.finding.flags.is_empty()
}

/// The command that promotes a candidate, with what its flags ask for.
pub(crate) fn promoting(candidate: &Candidate) -> String {
    let flags = &candidate.finding.flags;
    let accepted: Vec<String> = flags.iter().map(|flag| format!(" --accept {}", flag.name)).collect();
    let reason = if flags.is_empty() { "" } else { " --reason TEXT" };
    format!("lessons promote {}{}{reason}", candidate.id, accepted.concat())
}

/// Reasons for a confidence in words.
pub(crate) fn reasons(score: &[Reason]) -> String {
    let reason = |reason: &Reason| format!("{:.2} {}", f64::from(reason.points) / 100.0, reason.because);
    score.iter().map(reason).collect::<Vec<_>>().join("; ")
}

/// The reasons for a candidate's confidence, in hundredths, with one more for repeated sightings.
pub(crate) fn score(candidate: &Candidate) -> Vec<Reason> {
    let mut score = candidate.finding.basis.clone();
    if score.is_empty() {
        score.push(Reason::new(60, "the agent wrote it down"));
    }
    let sum: u32 = score.iter().map(|reason| u32::from(reason.points)).sum();
    let places = [(candidate.sessions, "session"), (candidate.projects, "project")];
    let places = places.into_iter().filter(|(number, _)| *number > 1);
    let places: Vec<String> = places.map(|(number, noun)| counted(number, noun)).collect();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 100")]
    let all = (candidate.confidence() * 100.0).round() as u32;
    let more = u8::try_from(all.saturating_sub(sum)).unwrap_or_default();
    if !places.is_empty() && more > 0 {
        score.push(Reason { points: more, because: format!("it was seen in {}", places.join(" and ")) });
    }
    score
}

impl fmt::Display for CandidateDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "candidate {}\n{}", self.head(), self.rows())?;
        let (id, promoting) = (&self.candidate.id, promoting(&self.candidate));
        let bump = match self.asks_for_mode(&self.lesson) {
            Some(_) if self.lesson.examples.fires.is_empty() => {
                " --mode bump --fires CALL (or a reminder, without these)"
            }
            Some(_) => " --mode bump (or a reminder, without --mode)",
            None => "",
        };
        write!(f, "Next: {promoting}{bump}, or lessons reject {id}; then lessons review --next --after {id}")
    }
}
