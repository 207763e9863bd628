//! What speaks against a shared lesson, and what it becomes: a lesson for its project, or a candidate.

use std::iter;

use jiff::Timestamp;
use lessons_context::lesson_difference::text_of;
use lessons_incident::{Origin, Trust};
use lessons_incident_check::check::IncidentChecker;
use lessons_ledger::candidates::SharedOrigin;
use lessons_ledger::candidates::trust::{INCIDENT, LOW_TRUST};
use lessons_ledger::{Doubt, Finding, Insight, Proposal, Sighting, candidates::trust};
use lessons_lesson::{Lesson, validate};
use lessons_review::cleaning;
use lessons_scanner::run::finding::{HAD_SECRET, doubts_about};
use lessons_share::{SharedLesson, Verified};
use lessons_store::PeerName;
use lessons_store::decisions::received::confined;

/// The least trust with which a lesson is switched on automatically.
const LEAST_TRUST: f64 = 0.5;
/// The name of the doubt that only a hash of the project is known.
const UNKNOWN_PROJECT: &str = "unknown-project";
/// The name of the doubt that a trigger matches nearly everything.
const TOO_BROAD: &str = "too-broad";
/// The codes of the flaws that say so.
const TOO_BROAD_CODES: [&str; 2] = ["BROAD_GLOB_TRIGGER", "BROAD_PATTERN_TRIGGER"];

/// A verified lesson of somebody whose key is trusted, with what speaks against it.
pub(super) struct Judged<'e> {
    /// The lesson, without secrets and hidden characters.
    pub(super) lesson: Lesson,
    /// What speaks against it. One that raises a doubt is never switched on automatically.
    pub(super) doubts: Vec<Doubt>,
    event: &'e Verified,
}

impl<'e> Judged<'e> {
    /// Judges a lesson. `project` is the key of its project, where that is known. Fails where it cannot even be shown: a
    /// pattern holds a secret.
    pub(super) fn of(
        event: &'e Verified,
        shared: &SharedLesson,
        project: Option<&str>,
        incidents: Option<&IncidentChecker<'_>>,
    ) -> Result<Self, String> {
        let mut lesson = shared.lesson().clone();
        let mut doubts = doubts_of_texts(&lesson);
        let trust = Trust::of(Origin::TrustedKey, &text_of(&lesson));
        let is_cleaned = !cleaning::clean(&mut lesson).map_err(|refused| refused.to_string())?.is_empty();
        lesson.scope.projects = project.map(str::to_owned).into_iter().collect();
        lesson.author = Some(event.author().to_string());
        lesson.evidence = vec![format!("event:{}", event.id())];
        lesson.created_at = date(event.said().created_at);
        let alike = incidents.and_then(|incidents| incidents.about(&lesson).into_iter().next());
        let unknown_project = "is for a project that is not known here, so it would hold everywhere";
        let too_broad = "has a trigger that matches nearly everything";
        let low_trust = || format!("has a trust of {}", trust::words(&trust));
        let raised = [
            (HAD_SECRET.0, is_cleaned.then(|| HAD_SECRET.1.to_owned())),
            (LOW_TRUST, (trust.score() < LEAST_TRUST).then(low_trust)),
            (INCIDENT, alike.map(|alike| format!("is like {}", alike.words()))),
            (UNKNOWN_PROJECT, project.is_none().then(|| unknown_project.to_owned())),
            (TOO_BROAD, is_too_broad(&lesson).then(|| too_broad.to_owned())),
        ];
        for (name, meaning) in raised {
            let meaning = meaning.filter(|_| !doubts.iter().any(|doubt| doubt.name == name));
            doubts.extend(meaning.map(|meaning| Doubt { name: name.to_owned(), meaning }));
        }
        Ok(Self { lesson, doubts, event })
    }

    /// The lesson as it may be in force. `None` where a doubt or an unknown project stands against that.
    pub(super) fn in_force(&self) -> Option<Lesson> {
        if self.doubts.is_empty() { confined(&self.lesson) } else { None }
    }

    /// The lesson as a candidate.
    pub(super) fn candidate(&self, name: &PeerName) -> (Finding, Sighting) {
        let lesson = &self.lesson;
        let agent = lesson.scope.agents.first().cloned();
        let (event, author) = (self.event.id().to_string(), self.event.author().to_string());
        let value = serde_json::to_value(lesson).ok();
        let origin = value.map(|lesson| SharedOrigin { author, event: event.clone(), lesson });
        let finding = Finding {
            source: source_of(name),
            mistake: lesson.mistake.clone().unwrap_or_else(|| lesson.one_line()),
            fix: lesson.rule.clone(),
            why: lesson.rationale.clone(),
            quality: Some(lesson.quality.name().to_owned()),
            agent: agent.clone(),
            insight: Insight {
                title: lesson.summary.clone(),
                detail: None,
                worth: lesson.metacognition.clone(),
                phase: lesson.phase.clone(),
                ..Insight::default()
            },
            tools: lesson.tools.clone(),
            proposal: Proposal::of(lesson),
            flags: self.doubts.clone(),
            shared: origin.map(Box::new),
            ..Finding::default()
        };
        let sighting = Sighting {
            uuid: event,
            session: source_of(name),
            agent_type: agent,
            time: self.event.said().created_at.saturating_mul(1000),
            ..Sighting::default()
        };
        (finding, sighting)
    }
}

/// The source of the candidates that a peer shares.
pub(super) fn source_of(name: &PeerName) -> String {
    format!("shared:{name}")
}

/// The doubts that any text of a lesson raises, also one that no model reads.
fn doubts_of_texts(lesson: &Lesson) -> Vec<Doubt> {
    let triggers: Vec<String> = lesson.triggers.iter().map(|trigger| trigger.pattern.clone()).collect();
    let texts = [text_of(lesson)].into_iter().chain(lesson.phase.clone()).chain(triggers);
    let words = lesson.tools.iter().chain(&lesson.scope.agents).cloned();
    let texts: Vec<String> = texts.chain(words).collect();
    doubts_about(iter::empty(), texts.iter())
}

fn is_too_broad(lesson: &Lesson) -> bool {
    validate::flaws(lesson).iter().any(|flaw| TOO_BROAD_CODES.contains(&flaw.code))
}

/// A date in the form that lessons hold.
fn date(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.unwrap_or(Timestamp::UNIX_EPOCH).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
