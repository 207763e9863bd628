//! No lesson refuses calls before somebody has looked at what it would have refused.
//!
//! Every change of the store comes through here. A lesson that would refuse every time, and did not before, or
//! not so much, is tried on the sessions of this machine: at least [`NEEDED`] different hits (all, where there
//! are fewer) must have been looked at with `lessons replay --label`, and at most one in twenty may be wrong.
//! A person may say why it should refuse without that; the reason stays with the lesson.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use lessons_core::id::{Layer, LessonId, QualifiedId};
use lessons_core::lesson::{Lesson, Mode};
use lessons_core::neutral::{line, shortened};
use lessons_core::payload::Contents;
use lessons_core::trigger::Trigger;
use lessons_core::wording::counted;
use lessons_replay::history::History;
use lessons_replay::proof::Proof;
use lessons_replay::report::Replay;
use lessons_replay::trial::Trial;
use lessons_store::graph::Graph;

use crate::app::{App, Coded, Refused};
use crate::past::{self, Machine};
use crate::said;

pub use lessons_replay::proof::NEEDED;

/// How a lesson says that it refuses without proof, before the reason.
const FORCED: &str = "forced:block: ";
/// The most of a reason that is kept, in characters: it is one entry of the evidence.
const MOST_REASON: usize = 150;
/// The most lessons that a refusal names.
const MOST_NAMED: usize = 5;

/// The lessons that refused every time before a change.
#[derive(Debug)]
pub(crate) struct Before(BTreeMap<LessonId, Lesson>);

impl Before {
    /// Those of `graph`.
    pub(crate) fn of(graph: &Graph) -> Self {
        let blocks = graph.lessons().filter(|lesson| lesson.mode == Mode::Block);
        Self(blocks.map(|lesson| (lesson.id.clone(), lesson.clone())).collect())
    }

    /// Refuses a change after which a lesson would refuse what it did not refuse before, without proof.
    pub(crate) fn demand(&self, app: &App, after: &Graph) -> Result<()> {
        let open: Vec<&Lesson> = after
            .lessons()
            .filter(|lesson| lesson.mode == Mode::Block)
            .filter(|lesson| self.0.get(&lesson.id).is_none_or(|before| widens(before, lesson)))
            .filter(|lesson| !self.is_forced_now(lesson))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let history = past::history(app, Contents::Keep, &())?;
        let machine = Machine::of(app);
        let mut why: Vec<String> = Vec::new();
        for lesson in open {
            let is_new = !self.0.contains_key(&lesson.id);
            why.extend(
                missing(app, lesson, &history, &machine).map(|missing| missing.sentence(lesson, is_new)),
            );
        }
        if why.is_empty() {
            return Ok(());
        }
        let more = why.len().saturating_sub(MOST_NAMED);
        why.truncate(MOST_NAMED);
        if more > 0 {
            why.push(format!("and {more} more"));
        }
        bail!(Coded::refused("UNPROVEN_BLOCK", why.join("\n")))
    }

    /// Whether a person has said, with this change, why it should refuse all the same.
    fn is_forced_now(&self, lesson: &Lesson) -> bool {
        let before = self.0.get(&lesson.id).map(|before| before.evidence.as_slice()).unwrap_or_default();
        lesson.evidence.iter().any(|entry| entry.starts_with(FORCED) && !before.contains(entry))
    }
}

/// Writes down why a lesson should refuse calls without proof.
pub(crate) fn force(lesson: &mut Lesson, reason: &str) -> Result<()> {
    let reason = shortened(&line(reason), MOST_REASON);
    if reason.trim().is_empty() {
        bail!(Refused("--force-block needs a reason: why should it refuse without proof?".into()));
    }
    if lesson.mode != Mode::Block {
        bail!(Refused(format!("--force-block is for a lesson that refuses; {} does not", lesson.id)));
    }
    lesson.evidence.push(format!("{FORCED}{reason}"));
    Ok(())
}

/// Takes away what a file says of that: it is no reason here, but for what was there `before`.
pub(crate) fn unforce(lesson: &mut Lesson, before: &[String]) {
    lesson.evidence.retain(|entry| !entry.starts_with(FORCED) || before.contains(entry));
}

/// Whether a lesson may fire where it did not before.
fn widens(before: &Lesson, after: &Lesson) -> bool {
    let more = |before: &[Trigger], after: &[Trigger]| after.iter().any(|trigger| !before.contains(trigger));
    // An empty list means everything.
    let opens = |before: &[String], after: &[String]| {
        !before.is_empty() && (after.is_empty() || after.iter().any(|word| !before.contains(word)))
    };
    more(&before.triggers, &after.triggers)
        || more(&after.also, &before.also)
        || more(&after.unless, &before.unless)
        || opens(&before.tools, &after.tools)
        || opens(&before.scope.projects, &after.scope.projects)
        || opens(&before.scope.agents, &after.scope.agents)
        || before.effective_subject() != after.effective_subject()
        || before.when != after.when
}

/// What a lesson lacks.
pub(crate) enum Missing {
    /// Nothing can be tried here.
    Untried(String),
    /// Hits must be looked at.
    Looks { proof: Proof, calls: usize },
    /// Too many of those that were looked at are wrong.
    Wrong(Proof),
}

/// What a lesson lacks to refuse calls, if anything.
fn missing(app: &App, lesson: &Lesson, history: &History, machine: &Machine) -> Option<Missing> {
    if history.is_empty() {
        return Some(Missing::Untried("there are no sessions on this machine to try it on first".into()));
    }
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    let trial: Trial = match past::trial(app, &id, lesson) {
        Ok(trial) => trial,
        Err(why) => return Some(Missing::Untried(said::sentence(&why))),
    };
    let replay = Replay::of(&trial, history, &machine.around());
    of(lesson, &replay)
}

/// What a lesson lacks, by a replay of it.
pub(crate) fn of(lesson: &Lesson, replay: &Replay) -> Option<Missing> {
    let proof = Proof::of(&lesson.examples, replay);
    match () {
        () if proof.is_enough() => None,
        () if proof.missing() == 0 => Some(Missing::Wrong(proof)),
        () => Some(Missing::Looks { proof, calls: replay.fired.calls }),
    }
}

impl Missing {
    /// What is missing and what to type.
    fn sentence(&self, lesson: &Lesson, is_new: bool) -> String {
        let id = &lesson.id;
        let force = "--force-block \"REASON\"";
        // Whether this very command would save it otherwise.
        let first = if is_new { "  save it as advice first: --mode advise\n" } else { "" };
        match self {
            Self::Untried(why) => {
                format!("{id} would refuse calls: {why}. If it should all the same, say why: {force}")
            }
            Self::Looks { proof, calls } => format!(
                "{id} would have refused {} of the past ({} in all), and nobody has said yet whether that is right: \
                 {} of {} looked at.\n{first}  lessons replay {id} --label\n  lessons edit {id} --mode block\nor say \
                 why it should refuse without that: {force}",
                counted(proof.hits, "different call"),
                calls,
                proof.labelled(),
                proof.needed(),
            ),
            Self::Wrong(proof) => format!(
                "{id} would be wrong too often: of {} that you have looked at, {} should not be refused, and one in \
                 twenty may be. Narrow it first, for example\n  lessons edit {id} --unless 'cmd=PATTERN'\nor say why \
                 it should refuse all the same: {force}",
                counted(proof.labelled(), "different call"),
                proof.wrong,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use lessons_core::id::TopicId;
    use lessons_core::trigger::TriggerKind;

    use super::*;

    fn lesson() -> Lesson {
        let topic = TopicId::new("git").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Rule.", topic, "2026-01-01");
        lesson.mode = Mode::Block;
        lesson.triggers = vec![Trigger::new(TriggerKind::Tool, "Bash")];
        lesson.unless = vec![Trigger::new(TriggerKind::Keyword, "x")];
        lesson.tools = vec!["Bash".into()];
        lesson
    }

    fn changed(change: impl FnOnce(&mut Lesson)) -> bool {
        let mut after = lesson();
        change(&mut after);
        widens(&lesson(), &after)
    }

    #[test]
    fn a_lesson_that_fires_less_needs_no_new_proof() {
        assert!(!changed(|_| ()));
        assert!(!changed(|lesson| lesson.triggers.clear()));
        assert!(!changed(|lesson| lesson.unless.push(Trigger::new(TriggerKind::Keyword, "y"))));
        assert!(!changed(|lesson| lesson.also.push(Trigger::new(TriggerKind::Keyword, "y"))));
        assert!(!changed(|lesson| lesson.scope.projects.push("host/a".into())));
        assert!(!changed(|lesson| lesson.rule = "Other words.".into()));
    }

    #[test]
    fn a_lesson_that_may_fire_more_does() {
        assert!(changed(|lesson| lesson.triggers.push(Trigger::new(TriggerKind::Tool, "Edit"))));
        assert!(changed(|lesson| lesson.unless.clear()));
        assert!(changed(|lesson| lesson.tools.clear()));
        assert!(changed(|lesson| lesson.tools.push("Edit".into())));
        assert!(changed(|lesson| lesson.subject = Some(lessons_core::lesson::Subject::Command)));
    }

    #[test]
    fn a_reason_is_written_down_and_somebody_elses_is_none() {
        let mut own = lesson();
        force(&mut own, "a \u{1b}reason").unwrap();
        assert_eq!(own.evidence, ["forced:block: a reason"]);
        assert!(force(&mut own, " \n").is_err());
        let mut graph = Graph::empty("lessons.json");
        let before = Before::of(&graph);
        graph.put(&lesson()).unwrap();
        assert!(before.is_forced_now(&own) && !before.is_forced_now(&lesson()));
        let mut old = Graph::empty("lessons.json");
        old.put(&own).unwrap();
        assert!(!Before::of(&old).is_forced_now(&own), "only a new reason counts");
        unforce(&mut own, &["forced:block: a reason".into()]);
        assert_ne!(own, lesson());
        unforce(&mut own, &[]);
        assert_eq!(own, lesson());
        own.mode = Mode::Advise;
        assert!(force(&mut own, "reason").is_err());
    }
}
