//! What the tracer of an answer observed, in words.

use std::collections::HashSet;
use std::fmt::Display;

use lessons_context::{Context, LocalTime};
use lessons_decide::{Claim, Fresh, Memory, SessionClaims, SessionFiles, SessionFolder};
use lessons_index::tracer::Outcome;
use lessons_index::{Match, Mismatch, Tracer};
use lessons_lesson::conditions::names_of;
use lessons_lesson::{DedupScope, Mode, ProjectLocation, QualifiedId, Settings, StateCheck, Terms};
use lessons_text::neutral::line;

use super::AskedCall;

/// A lesson that matched, and its outcome.
pub(super) struct TracedMatch {
    pub(super) found: Match,
    pub(super) outcome: Option<Outcome>,
}

/// The tracer of one answer.
#[derive(Default)]
pub(super) struct AnswerTracer {
    /// The lessons that matched, in the order of rank.
    pub(super) matched: Vec<TracedMatch>,
}

impl Tracer for AnswerTracer {
    fn matched(&mut self, found: &Match, _: usize) {
        self.matched.push(TracedMatch { found: found.clone(), outcome: None });
    }

    fn outcome(&mut self, lesson: &QualifiedId, outcome: Outcome) {
        if let Some(matched) = self.matched.iter_mut().find(|matched| matched.found.id == *lesson) {
            matched.outcome = Some(outcome);
        }
    }
}

/// A reason: a word for programs and a sentence for people.
pub(super) type Reason = (&'static str, String);

/// Why a lesson does not match. `trigger` names a trigger by its position.
pub(super) fn of_mismatch(
    terms: &Terms,
    why: Mismatch,
    trigger: &dyn Fn(u32) -> String,
    agent: &str,
    place: &ProjectLocation<'_>,
    local: &LocalTime,
) -> Reason {
    let names = |names: &[String]| line(&names.join(", "));
    match why {
        Mismatch::AtStart => ("atStart", "it is given when a session starts, not at calls".into()),
        Mismatch::Off => {
            let until = terms.off_until.map(|until| local.time(until)).unwrap_or_default();
            ("off", format!("it is switched off until {until}; `lessons on {}` switches it on", terms.id))
        }
        Mismatch::Tool => ("tool", format!("it is only for these tools: {}", names(&terms.tools))),
        Mismatch::Agent => {
            let agent = line(agent);
            (
                "agent",
                format!("it is only for these agents: {}; this call is by {agent}", names(&terms.agents)),
            )
        }
        Mismatch::NoTrigger => ("trigger", "none of its triggers matches".into()),
        Mismatch::NoErrorTrigger => {
            ("trigger", "the call has failed, and none of its error triggers matches".into())
        }
        Mismatch::OnlyReads => {
            ("trigger", "the call only reads, and a lesson that names no tools is about what writes the file".into())
        }
        Mismatch::Also(position) => {
            ("also", format!("`{}` must match as well, and does not", trigger(position)))
        }
        Mismatch::Unless(position) => {
            ("unless", format!("`{}` matches too, which keeps it quiet", trigger(position)))
        }
        Mismatch::State(StateCheck::CwdEndsWithTarget) => (
            "state",
            "it is only for a command that begins with `cd` into the folder that the working folder already ends in \
             (cwd-ends-with-target)"
                .into(),
        ),
        Mismatch::State(StateCheck::PathMissing) => {
            ("state", "it is only for a file or folder that is not there (path-missing)".into())
        }
        Mismatch::State(StateCheck::PathExists) => {
            ("state", "it is only for a file or folder that is there already (path-exists)".into())
        }
        Mismatch::Os => {
            let wanted = names_of(&terms.conditions.os).join(", ");
            ("os", format!("it is only for {wanted}; the system of the call is {}", named(place.os())))
        }
        Mismatch::Shell => {
            let wanted = names_of(&terms.conditions.shell).join(", ");
            ("shell", format!("it is only for {wanted}; the shell here is {}", named(place.shell())))
        }
        Mismatch::Scope => {
            let here = place.roots().map_or("no project", |roots| roots.root.as_str());
            let roots = terms.roots.as_deref().unwrap_or_default();
            ("scope", format!("it is only for projects at {}; this call is in {}", names(roots), line(here)))
        }
    }
}

fn named(word: Option<impl Display>) -> String {
    word.map_or_else(|| "another".to_owned(), |word| word.to_string())
}

/// The outcome for a lesson that matches.
pub(super) fn of_match(matched: &TracedMatch, settings: &Settings) -> Reason {
    let Some(outcome) = matched.outcome else { return ("matched", "it matches".into()) };
    match outcome {
        Outcome::Told if matched.found.mode == Mode::Bump => (
            "told",
            "the model is reminded, and the call runs: eight calls were blocked in this session before, the command could \
             not be read to its end, or nothing can be recorded"
                .into(),
        ),
        Outcome::Told => ("told", "the model is told".into()),
        Outcome::ToldBriefly => {
            ("toldBriefly", "the model is reminded in one line: the full text no longer fits".into())
        }
        Outcome::Refuses => ("refuses", "it blocks the call".into()),
        Outcome::Passes => {
            ("passes", "it blocked this call before, and allows the retry".into())
        }
        Outcome::Settled => ("settled", "it blocked before in this session, and is settled".into()),
        Outcome::OffForSession => ("offForSession", "it is switched off for this session".into()),
        Outcome::Held => ("held", "left out in this session by lot, to measure what reminders change".into()),
        Outcome::Taken => ("claimed", "it was given before in this session, and is given once".into()),
        Outcome::NoPlace => (
            "budget",
            format!("others come first, and budget.lessons allows {} at a call", settings.budget_lessons),
        ),
        Outcome::NoRoom { needed, left } => (
            "budget",
            format!(
                "it needs {needed} bytes and {left} are left of the {} that budget.bytes allows",
                settings.budget_bytes
            ),
        ),
        Outcome::Silenced => {
            ("silenced", "advice is silenced by LESSONS_ENABLED, or this lesson is in LESSONS_SEEN".into())
        }
        Outcome::Refusal => {
            ("refusal", "another lesson blocks the call, and a blocked call gets no reminders".into())
        }
        Outcome::Question => (
            "question",
            "only a person may allow this call, so the person is asked and nothing else is said".into(),
        ),
    }
}

/// The claim files of a session, none of which is written: new claims are only kept in memory.
struct ReadOnlyClaims {
    files: SessionFolder,
    created: HashSet<String>,
}

impl SessionFiles for ReadOnlyClaims {
    fn create(&mut self, name: &str) -> Claim {
        if self.holds(name) {
            return Claim::Taken;
        }
        self.created.insert(name.to_owned());
        Claim::Won
    }

    fn holds(&self, name: &str) -> bool {
        self.created.contains(name) || self.files.holds(name)
    }

    fn remove(&mut self, name: &str) {
        self.created.remove(name);
    }
}

/// The claims that count for a call.
pub(super) fn memory(context: &Context, asked: &AskedCall, scope: DedupScope) -> Box<dyn Memory> {
    match SessionFolder::of(&context.home, asked.session.as_deref()) {
        Some(files) => {
            let claims = ReadOnlyClaims { files, created: HashSet::new() };
            Box::new(SessionClaims::new(Some(claims), asked.agent_id.as_deref(), scope))
        }
        None => Box::new(Fresh),
    }
}
