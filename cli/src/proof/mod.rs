//! No lesson refuses calls before somebody has looked at what it would have refused.
//!
//! Every change that a person makes of lessons comes through here, whichever way it takes ([`Way`]). A lesson that
//! would refuse every time, and did not before, or not so much, is tried on the sessions of this machine
//! ([`Tried`]): at least [`NEEDED`] different hits (all, where there are fewer) must have been looked at with
//! `lessons replay --label`, and at most one in twenty may be wrong. A person may say with the change why it should
//! refuse without that ([`Forced`]); the reason stays with the lesson, and counts for that change alone.
//!
//! What does not come through here: to undo a change, which was judged when it was made; to forget a text; and what
//! git merges, which two people have decided about already.

mod refusal;
mod trials;
mod way;

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use lessons_ledger::database::Database;
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{FORCED, Lesson, Mode};
use lessons_pattern::trigger::Trigger;
use lessons_replay::proof::{Labels, Proof};
use lessons_replay::report::Replay;
use lessons_store::graph::Graph;

pub use lessons_replay::proof::NEEDED;

use self::refusal::{Refusal, Unproved};
pub(crate) use self::trials::{Tried, Untried, proving};
pub(crate) use self::way::Way;
use crate::app::{App, Refused};
use crate::evidence;

/// The lessons of which a person says, with the change that is being made, why they should refuse without proof.
#[derive(Debug, Default)]
pub(crate) struct Forced(BTreeSet<LessonId>);

impl Forced {
    /// A reason was given for this lesson, if one was.
    pub(crate) fn note(&mut self, id: &LessonId, reason: Option<&String>) {
        self.0.extend(reason.map(|_| id.clone()));
    }
}

/// Writes down why a lesson should refuse calls without proof.
pub(crate) fn force(lesson: &mut Lesson, reason: &str) -> Result<()> {
    let reason = evidence::reason(reason);
    if reason.is_empty() {
        bail!(Refused("--force-block needs a reason: why should it refuse without proof?".into()));
    }
    if lesson.mode != Mode::Block {
        bail!(Refused(format!("--force-block is for a lesson that refuses; {} does not", lesson.id)));
    }
    let entry = format!("{FORCED}{reason}");
    if !lesson.evidence.contains(&entry) {
        lesson.evidence.push(entry);
    }
    Ok(())
}

/// Leaves, of what the evidence of a lesson says of that, what it said `before`: no more, since a reason is given
/// in one way only, and no less, since it is why the lesson refuses.
pub(crate) fn keep_reasons(lesson: &mut Lesson, before: &[String]) {
    let is_reason = |entry: &String| entry.starts_with(FORCED);
    lesson.evidence.retain(|entry| !is_reason(entry) || before.contains(entry));
    let lost: Vec<String> =
        before.iter().filter(|entry| is_reason(entry) && !lesson.evidence.contains(entry)).cloned().collect();
    lesson.evidence.extend(lost);
}

/// Refuses a change after which a lesson would refuse what it did not refuse before, without proof. Fails with
/// [`Untried`] where that cannot be told before the lesson was tried.
pub(crate) fn demand(
    app: &App,
    way: Way,
    tried: &Tried,
    before: &Graph,
    after: &Graph,
    forced: &Forced,
) -> Result<()> {
    let open: Vec<&Lesson> = after
        .lessons()
        .filter(|lesson| refuses_more(before.get(&lesson.id), lesson) && !forced.0.contains(&lesson.id))
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let untried: Vec<Lesson> =
        open.iter().filter(|lesson| tried.get(lesson).is_none()).map(|lesson| (*lesson).clone()).collect();
    if !untried.is_empty() {
        bail!(Untried { lessons: untried, way });
    }
    let database = Database::open(&app.home)?;
    let mut unproved = Vec::new();
    for lesson in open {
        let missing = match tried.get(lesson) {
            Some(Ok(replay)) => of(&labels(&database, &lesson.id)?, replay),
            Some(Err(why)) => Some(Missing::Untried(why.clone())),
            None => None,
        };
        unproved.extend(missing.map(|missing| Unproved::new(lesson, before.get(&lesson.id), missing)));
    }
    if unproved.is_empty() { Ok(()) } else { Err(Refusal { way, unproved }.coded(app).into()) }
}

/// What a lesson lacks to refuse calls.
#[derive(Debug)]
pub(crate) enum Missing {
    /// Nothing can be tried here.
    Untried(String),
    /// Hits must be looked at.
    Looks { proof: Proof, calls: usize },
    /// Too many of those that were looked at are wrong.
    Wrong(Proof),
}

/// What a lesson lacks to refuse calls, if anything, by a replay of it and what a person said of its hits.
pub(crate) fn of(labels: &Labels, replay: &Replay) -> Option<Missing> {
    let proof = Proof::of(labels, replay);
    match () {
        () if proof.is_enough() => None,
        () if proof.missing() == 0 => Some(Missing::Wrong(proof)),
        () => Some(Missing::Looks { proof, calls: replay.fired.calls }),
    }
}

/// What a person said of the calls of a lesson.
pub(crate) fn labels(database: &Database, lesson: &LessonId) -> Result<Labels> {
    Ok(database.labels(lesson)?.into_iter().collect())
}

/// Whether a lesson would refuse every time where it did not before.
fn refuses_more(before: Option<&Lesson>, after: &Lesson) -> bool {
    after.mode == Mode::Block
        && before.is_none_or(|before| before.mode != Mode::Block || widens(before, after))
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

/// Whether two lessons fire at the same calls, as far as they say.
fn fire_alike(one: &Lesson, other: &Lesson) -> bool {
    !widens(one, other) && !widens(other, one)
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::TopicId;
    use lessons_pattern::trigger::TriggerKind;

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
        assert_eq!(fire_alike(&lesson(), &after), !widens(&lesson(), &after) && !widens(&after, &lesson()));
        refuses_more(Some(&lesson()), &after)
    }

    #[test]
    fn a_lesson_that_fires_less_needs_no_new_proof() {
        assert!(!changed(|_| ()));
        assert!(!changed(|lesson| lesson.triggers.clear()));
        assert!(!changed(|lesson| lesson.unless.push(Trigger::new(TriggerKind::Keyword, "y"))));
        assert!(!changed(|lesson| lesson.also.push(Trigger::new(TriggerKind::Keyword, "y"))));
        assert!(!changed(|lesson| lesson.scope.projects.push("host/a".into())));
        assert!(!changed(|lesson| lesson.rule = "Other words.".into()));
        assert!(!changed(|lesson| lesson.mode = Mode::Bump));
    }

    #[test]
    fn a_lesson_that_may_refuse_more_does() {
        assert!(changed(|lesson| lesson.triggers.push(Trigger::new(TriggerKind::Tool, "Edit"))));
        assert!(changed(|lesson| lesson.unless.clear()));
        assert!(changed(|lesson| lesson.tools.clear()));
        assert!(changed(|lesson| lesson.tools.push("Edit".into())));
        assert!(changed(|lesson| lesson.subject = Some(lessons_lesson::lesson::Subject::Command)));
        let mut advice = lesson();
        advice.mode = Mode::Advise;
        assert!(refuses_more(Some(&advice), &lesson()) && refuses_more(None, &lesson()));
    }

    #[test]
    fn a_reason_is_written_down_once_and_stays_and_comes_in_no_other_way() {
        let mut own = lesson();
        force(&mut own, "a \u{1b}reason").unwrap();
        force(&mut own, "a reason").unwrap();
        assert_eq!(own.evidence, ["forced:block: a reason"]);
        assert!(force(&mut own, " \n").is_err());
        let before = own.evidence.clone();
        own.evidence = vec!["commit:3f2a".into(), "forced:block: smuggled".into()];
        keep_reasons(&mut own, &before);
        assert_eq!(own.evidence, ["commit:3f2a", "forced:block: a reason"]);
        keep_reasons(&mut own, &[]);
        assert_eq!(own.evidence, ["commit:3f2a"]);
        own.mode = Mode::Advise;
        assert!(force(&mut own, "reason").is_err());
    }
}
