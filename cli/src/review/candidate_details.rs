//! The details of a candidate that a reviewer needs.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::Result;
use lessons_context::context::Actor;
use lessons_context::known_projects::{self, folder};
use lessons_ledger::candidate_trust;
use lessons_ledger::candidates::{Candidate, Doubt, Reason, Sighting};
use lessons_ledger::database::Database;
use lessons_pattern::trigger::Trigger;
use lessons_text::neutral::{self, line};
use lessons_text::wording::counted;
use serde::Serialize;

use super::nearest::{KnownLessons, NearLesson, Nearest, Relation};
use super::promotion::{self, LOSES_DATA};
use crate::app::App;
use crate::fields;
use crate::verbs::candidates;

/// The most sightings that are shown.
const MOST_SIGHTINGS: usize = 3;
/// The longest mistake and fix, and the longest other line, in a brief, in characters. With as many lines as a brief has
/// at most, it stays below 500 tokens.
const BRIEF_TEXT: usize = 320;
const BRIEF_LINE: usize = 140;
/// The most triggers of a kind in a brief.
const BRIEF_TRIGGERS: usize = 2;

/// A candidate as it is shown to a reviewer.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum CandidateDetails {
    /// All details.
    Full(Box<FullDetails>),
    /// Details without the text, for an agent: a flagged text may be written to influence it.
    Withheld(WithheldDetails),
}

/// A candidate with everything that is known about it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FullDetails {
    /// The candidate.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The confidence that it is worth a lesson, from 0 to 1.
    pub confidence: f64,
    /// The reasons for that confidence.
    pub score: Vec<Reason>,
    /// The triggers that it proposes, in the syntax of the flags.
    pub proposed: ProposedFields,
    /// The lessons that say nearly the same or fire on the same calls.
    pub near: Vec<NearLesson>,
    /// Whether the person is asked, before it is promoted, to let it block such a call once.
    pub proposes_bump: bool,
    /// The person's own lessons into which it could be merged, the closest first.
    pub own: Vec<NearLesson>,
    /// Places in transcripts where it was seen.
    pub sightings: Vec<Sighting>,
    /// The root folders of the projects in which it was seen.
    pub folders: Vec<String>,
    /// The root folders of the projects for which it is proposed; none is every project.
    pub roots: Vec<String>,
    /// A call on which it fires, from the evidence, in the syntax of `--fires`: what it needs to block.
    pub example: Option<String>,
    /// The agent type for which it is proposed; `None` is every agent.
    pub agent: Option<String>,
}

/// Triggers in the syntax of the flags `--trigger`, `--also`, `--unless` and `--tool`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ProposedFields {
    /// Triggers of which one must match.
    pub trigger: Vec<String>,
    /// Conditions that must all match too.
    pub also: Vec<String>,
    /// Exceptions of which none may match.
    pub unless: Vec<String>,
    /// Tools to which the lesson is limited.
    pub tool: Vec<String>,
}

/// The details of a flagged candidate that an agent may read.
#[derive(Debug, Clone, Serialize)]
pub struct WithheldDetails {
    id: String,
    flags: Vec<Doubt>,
    source: String,
    characters: usize,
    note: &'static str,
}

/// A candidate in few words, for an agent, whose context every word fills. `lessons show ID` has everything.
#[derive(Debug)]
pub struct Brief<'d>(pub &'d CandidateDetails);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = match self.0 {
            CandidateDetails::Full(details) => details,
            withheld @ CandidateDetails::Withheld(_) => return withheld.fmt(f),
        };
        let found = &details.candidate.finding;
        let seen = counted(details.candidate.seen, "time");
        let sessions = counted(details.candidate.sessions, "session");
        writeln!(
            f,
            "candidate {}  found by {}, confidence {:.2}, seen {seen} in {sessions}",
            details.candidate.id, found.source, details.confidence
        )?;
        let mut row = |name: &str, text: &str, most: usize| {
            writeln!(f, "  {name:8} {}", neutral::shortened(&line(text), most))
        };
        row("mistake", &found.mistake, BRIEF_TEXT)?;
        row("fix", &found.fix, BRIEF_TEXT)?;
        if let Some(why) = &found.why {
            row("why", why, BRIEF_LINE)?;
        }
        for seen in found.evidence.iter().take(1) {
            row("evidence", seen, BRIEF_LINE)?;
        }
        for flag in &found.flags {
            row("flag", &format!("{}: it {}", flag.name, flag.meaning), BRIEF_LINE)?;
        }
        if !found.marks.is_empty() {
            let marks: Vec<&str> = found.marks.iter().map(|mark| mark.name.as_str()).collect();
            row("marks", &marks.join(", "), BRIEF_LINE)?;
        }
        let proposed = &details.proposed;
        let lists = [("fires on", &proposed.trigger), ("and", &proposed.also), ("unless", &proposed.unless)];
        for (name, triggers) in lists {
            for trigger in triggers.iter().take(BRIEF_TRIGGERS) {
                row(name, trigger, BRIEF_LINE)?;
            }
        }
        let place = known_projects::only_in(details.roots.iter().map(|root| folder(root)))
            .unwrap_or_else(|| "in every project".to_owned());
        let agent = details.agent.as_ref().map(|agent| format!(", for {agent}")).unwrap_or_default();
        row("where", &format!("{place}{agent}; seen in {}", details.folders.join(", ")), BRIEF_LINE)?;
        if details.proposes_bump {
            row(
                "propose",
                &format!("mode bump: {LOSES_DATA}, and a reminder comes after the call"),
                BRIEF_LINE,
            )?;
            row("example", details.example.as_deref().unwrap_or("none; give one with --fires"), BRIEF_LINE)?;
        }
        for (relation, near) in details.near.iter().filter_map(|near| Some((near.relation?, near))).take(1) {
            row("like", &format!("{} {}: {}", relation.in_words(), near.id, near.rule), BRIEF_LINE)?;
        }
        Ok(())
    }
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
        Ok(Self { database: Database::open(&app.home)?, known: KnownLessons::of(app)? })
    }

    /// The details of a candidate that `app`'s actor may read.
    pub fn details(&self, app: &App, candidate: Candidate) -> Result<CandidateDetails> {
        if matches!(app.actor, Actor::Agent { .. }) && !candidates::is_shown(app, &candidate) {
            let found = candidate.finding;
            return Ok(CandidateDetails::Withheld(WithheldDetails {
                id: candidate.id,
                characters: found.mistake.chars().count() + found.fix.chars().count(),
                flags: found.flags,
                source: found.source,
                note: "flagged: for a person to read in a terminal, with `lessons review`",
            }));
        }
        let mut sightings = self.database.sightings(&candidate.id)?;
        let known = self.database.projects_of(&candidate.id)?;
        let mut folders: BTreeSet<String> = known.into_iter().map(|(root, _)| root).collect();
        if folders.is_empty() {
            folders.extend(sightings.iter().filter_map(|sighting| sighting.project.clone()));
        }
        sightings.truncate(MOST_SIGHTINGS);
        let typed = |triggers: &[Trigger]| triggers.iter().map(ToString::to_string).collect();
        let proposal = &candidate.finding.proposal;
        let lesson = promotion::proposed(app, &candidate)?;
        let Nearest { related, own } = self.known.nearest(&candidate, &lesson);
        Ok(CandidateDetails::Full(Box::new(FullDetails {
            confidence: candidate.confidence(),
            score: score(&candidate),
            proposed: ProposedFields {
                trigger: typed(&proposal.triggers),
                also: typed(&proposal.also),
                unless: typed(&proposal.unless),
                tool: candidate.finding.tools.clone(),
            },
            near: related,
            own,
            proposes_bump: promotion::proposes_bump(&lesson),
            sightings,
            folders: folders.into_iter().collect(),
            roots: promotion::proposed_projects(app, &candidate, &lesson)?
                .into_iter()
                .map(|(root, _)| root)
                .collect(),
            example: promotion::example(&lesson, &candidate).map(|sample| fields::typed_sample(&sample)),
            agent: promotion::proposed_agent(app, &candidate)?,
            candidate,
        })))
    }
}

/// The reasons for a candidate's confidence, in hundredths, with one more for repeated sightings.
fn score(candidate: &Candidate) -> Vec<Reason> {
    let mut score = candidate.finding.basis.clone();
    if score.is_empty() {
        score.push(Reason { points: 60, because: "the agent wrote it down".into() });
    }
    let sum: u32 = score.iter().map(|reason| u32::from(reason.points)).sum();
    let places = [(candidate.sessions, "session"), (candidate.projects, "project")];
    let places: Vec<String> = places
        .into_iter()
        .filter(|(number, _)| *number > 1)
        .map(|(number, noun)| counted(number, noun))
        .collect();
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
        match self {
            Self::Full(details) => details.fmt(f),
            Self::Withheld(held) => {
                let flags: Vec<&str> = held.flags.iter().map(|flag| flag.name.as_str()).collect();
                let length = counted(held.characters, "character");
                write!(
                    f,
                    "candidate {}  flagged: {}\n  {length}, for a person to read in a terminal: lessons review",
                    held.id,
                    flags.join(", ")
                )
            }
        }
    }
}

impl fmt::Display for FullDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.candidate.finding;
        writeln!(f, "candidate {}  found by {}", self.candidate.id, found.source)?;
        let mut row = |name: &str, text: &str| writeln!(f, "  {name:9} {}", line(text));
        row("mistake", &found.mistake)?;
        row("fix", &found.fix)?;
        if let Some(why) = &found.why {
            row("why", why)?;
        }
        for seen in &found.evidence {
            row("evidence", seen)?;
        }
        let score: Vec<String> = self
            .score
            .iter()
            .map(|reason| format!("{:.2} {}", f64::from(reason.points) / 100.0, reason.because))
            .collect();
        row("sure", &format!("{:.2}: {}", self.confidence, score.join("; ")))?;
        if let Some(trust) = &self.candidate.trust {
            row("trust", &candidate_trust::words(trust))?;
        }
        for flag in &found.flags {
            row("flag", &format!("{}: it {}", flag.name, flag.meaning))?;
        }
        let lists = [
            ("fires on", &self.proposed.trigger),
            ("and", &self.proposed.also),
            ("unless", &self.proposed.unless),
        ];
        for (name, triggers) in lists {
            for trigger in triggers {
                row(name, trigger)?;
            }
        }
        for seen in &self.sightings {
            row("seen", &format!("{}:{}", seen.file, seen.line))?;
        }
        if self.proposes_bump {
            let id = &self.candidate.id;
            row("propose", &format!("lessons promote {id} --mode bump: {LOSES_DATA}"))?;
            row("example", self.example.as_deref().unwrap_or("none yet; give one with --fires 'COMMAND'"))?;
        }
        for near in &self.near {
            let relation = near.relation.map_or("", Relation::in_words);
            row("like", &format!("{relation} {}: {}", near.id, near.rule))?;
        }
        let id = &self.candidate.id;
        write!(
            f,
            "Next: lessons promote {id}, or lessons reject {id}; then lessons review --next --after {id}"
        )
    }
}
