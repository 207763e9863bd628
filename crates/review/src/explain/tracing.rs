//! What the tracer of an answer observed, in words.

use std::collections::HashSet;
use std::fmt::Display;

use lessons_context::Context;
use lessons_decide::{Claim, Fresh, Memory, SessionClaims, SessionFiles, SessionFolder};
use lessons_index::matching::tracer::Outcome;
use lessons_index::{Match, Mismatch, Tracer};
use lessons_lesson::{DedupScope, Mode, QualifiedId, Settings, StateCheck, Terms, names_of};
use lessons_text::line;

use super::{AskedCall, InForce, Question};

/// A lesson that matched, and its outcome.
pub(super) struct TracedMatch {
    pub(super) found: Match,
    pub(super) outcome: Option<Outcome>,
}

/// The tracer of one answer.
#[derive(Default)]
pub(super) struct AnswerTracer(pub(super) Vec<TracedMatch>);

impl Tracer for AnswerTracer {
    fn matched(&mut self, found: &Match, _: usize) {
        self.0.push(TracedMatch { found: found.clone(), outcome: None });
    }

    fn outcome(&mut self, lesson: &QualifiedId, outcome: Outcome) {
        if let Some(matched) = self.0.iter_mut().find(|matched| matched.found.id == *lesson) {
            matched.outcome = Some(outcome);
        }
    }
}

/// A reason: a word for programs and a sentence for people.
pub(super) type Reason = (&'static str, String);

/// Why a lesson does not match.
pub(super) fn of_mismatch(
    question: &Question<'_>,
    force: &InForce<'_>,
    terms: &Terms,
    why: Mismatch,
) -> Reason {
    let names = |names: &[String]| line(&names.join(", "));
    let place = question.place;
    match why {
        Mismatch::AtStart => ("atStart", "it is given when a session starts, not at calls".into()),
        Mismatch::Off => {
            let until = terms.off_until.map(|until| question.context.local.time(until)).unwrap_or_default();
            ("off", format!("it is switched off until {until}; `lessons on {}` switches it on", terms.id))
        }
        Mismatch::Tool => ("tool", format!("it is only for these tools: {}", names(&terms.tools))),
        Mismatch::Agent => {
            let (wanted, agent) = (names(&terms.agents), line(&question.asked.agent));
            ("agent", format!("it is only for these agents: {wanted}; this call is by {agent}"))
        }
        Mismatch::NoTrigger => ("trigger", "none of its triggers matches".into()),
        Mismatch::NoErrorTrigger => {
            ("trigger", "the call has failed, and none of its error triggers matches".into())
        }
        Mismatch::OnlyReads => (
            "trigger",
            "the call only reads, and a lesson that names no tools is about what writes the file".into(),
        ),
        Mismatch::Also(position) => {
            ("also", format!("`{}` must match as well, and does not", force.trigger(position)))
        }
        Mismatch::Unless(position) => {
            ("unless", format!("`{}` matches too, which keeps it quiet", force.trigger(position)))
        }
        Mismatch::State(state) => {
            let state = match state {
                StateCheck::CwdEndsWithTarget => {
                    "command that begins with `cd` into the folder that the working folder already ends in \
                     (cwd-ends-with-target)"
                }
                StateCheck::PathMissing => "file or folder that is not there (path-missing)",
                StateCheck::PathExists => "file or folder that is there already (path-exists)",
            };
            ("state", format!("it is only for a {state}"))
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
    let (code, why) = match matched.outcome {
        None => ("matched", "it matches"),
        Some(Outcome::Told) if matched.found.mode == Mode::Bump => (
            "told",
            "the model is reminded, and the call runs: eight calls were blocked in this session before, the \
             command could not be read to its end, or nothing can be recorded",
        ),
        Some(Outcome::Told) => ("told", "the model is told"),
        Some(Outcome::ToldBriefly) => {
            ("toldBriefly", "the model is reminded in one line: the full text no longer fits")
        }
        Some(Outcome::Refuses) => ("refuses", "it blocks the call"),
        Some(Outcome::Passes) => ("passes", "it blocked this call before, and allows the retry"),
        Some(Outcome::Settled) => ("settled", "it blocked before in this session, and is settled"),
        Some(Outcome::OffForSession) => ("offForSession", "it is switched off for this session"),
        Some(Outcome::Held) => ("held", "left out in this session by lot, to measure what reminders change"),
        Some(Outcome::Taken) => ("claimed", "it was given before in this session, and is given once"),
        Some(Outcome::NoPlace) => {
            let most = settings.budget_lessons;
            return ("budget", format!("others come first, and budget.lessons allows {most} at a call"));
        }
        Some(Outcome::NoRoom { needed, left }) => {
            let most = settings.budget_bytes;
            let why =
                format!("it needs {needed} bytes and {left} are left of the {most} that budget.bytes allows");
            return ("budget", why);
        }
        Some(Outcome::Silenced) => {
            ("silenced", "advice is silenced by LESSONS_ENABLED, or this lesson is in LESSONS_SEEN")
        }
        Some(Outcome::Refusal) => {
            ("refusal", "another lesson blocks the call, and a blocked call gets no reminders")
        }
        Some(Outcome::Question) => {
            ("question", "only a person may allow this call, so the person is asked and nothing else is said")
        }
    };
    (code, why.to_owned())
}

/// The claim files of a session, none of which is written: new claims are only kept in memory.
struct ReadOnlyClaims {
    files: SessionFolder,
    created: HashSet<String>,
}

impl SessionFiles for ReadOnlyClaims {
    fn create(&mut self, name: &str) -> Claim {
        let is_new = !self.files.holds(name) && self.created.insert(name.to_owned());
        if is_new { Claim::Won } else { Claim::Taken }
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
