//! The proof that a lesson needs before it may block calls: a person has looked at what it would have blocked.
//!
//! Every change that a person makes to lessons is judged here, whatever its origin (`ChangeOrigin`). A lesson that
//! would newly block or bump, or do so more than before, is replayed over the sessions of this machine
//! (`LessonReplays`). If it fires at more than one call in a hundred, it may only advise (`lessons_replay::call_share`).
//! Where it would refuse a command that its own rule advises, it may only advise either (`own_advice`).
//! To block, at least [`NEEDED`] different hits (all of them, if there are fewer) must be labelled with
//! `lessons replay --label`, and at most one in twenty may be labelled wrong. With the change a person may instead give
//! a reason why the lesson should block without labels, or what its rule advises (`ForcedBlocks`). The reason stays with the lesson, and counts for that change alone.
//!
//! Three changes are not judged here: an undo, because the change was judged when it was made; forgetting a text; and
//! a git merge, whose two sides were judged before.

mod unproven;

use std::collections::BTreeSet;

use lessons_context::{Context, Error, Result, error, refused};
use lessons_ledger::Database;
use lessons_lesson::{FORCED, Lesson, LessonId, Mode, Status, When};
use lessons_pattern::Trigger;
pub use lessons_replay::proof::NEEDED;
use lessons_replay::{CallShare, Labels, ONE_IN, Proof, Replay, Trial};
use lessons_store::{Graph, Warning};

pub use self::unproven::ChangeOrigin;
use self::unproven::UnprovenLesson;
use crate::checks::own_advice;
use crate::cleaning;
use crate::trials::{self, MachineFacts};

/// The lessons for which a person gave, with the current change, a reason to refuse calls without proof.
pub type ForcedBlocks = BTreeSet<LessonId>;

/// Records in a lesson's evidence the reason why it refuses calls without proof. Fails if the reason is empty or the
/// lesson only advises.
pub fn force(lesson: &mut Lesson, reason: &str) -> Result<()> {
    let reason = cleaning::reason(reason);
    if reason.is_empty() {
        return refused("--force-block needs a reason: why should it block without proof?");
    }
    if !lesson.mode.refuses() {
        return refused(format!("--force-block is for a lesson that blocks; {} does not", lesson.id));
    }
    let entry = format!("{FORCED}{reason}");
    if !lesson.evidence.contains(&entry) {
        lesson.evidence.push(entry);
    }
    Ok(())
}

/// Restores the recorded reasons for a block as they were in `before`: a reason is added by [`force`] alone, and never
/// lost.
pub fn keep_reasons(lesson: &mut Lesson, before: &[String]) {
    let is_reason = |entry: &String| entry.starts_with(FORCED);
    lesson.evidence.retain(|entry| !is_reason(entry) || before.contains(entry));
    let lost: Vec<String> =
        before.iter().filter(|entry| is_reason(entry) && !lesson.evidence.contains(entry)).cloned().collect();
    lesson.evidence.extend(lost);
}

/// Refuses a change after which a lesson would block more than before without proof, or would block or bump at too many
/// calls or at what its own rule advises. Fails with `ReplayNeeded` if a lesson must be replayed first.
pub fn require_proof(
    context: &Context,
    origin: ChangeOrigin,
    replays: &LessonReplays,
    before: &Graph,
    after: &Graph,
    forced: &ForcedBlocks,
) -> Result<()> {
    let refusing: Vec<&Lesson> =
        after.lessons().filter(|lesson| refuses_more(before.get(&lesson.id), lesson)).collect();
    if refusing.is_empty() {
        return Ok(());
    }
    replays.require(refusing.iter().copied())?;
    let database = Database::open(&context.home)?;
    let mut unproven = Vec::new();
    for lesson in refusing {
        let old = before.get(&lesson.id);
        let is_forced = forced.contains(&lesson.id);
        let needs_labels = blocks_more(old, lesson) && !is_forced;
        let gap = match replays.get(lesson) {
            Some(Ok(replay)) if needs_labels => self::gap(lesson, &labels(&database, &lesson.id)?, replay),
            Some(Ok(replay)) => breadth_gap(replay).or_else(|| advice_gap(lesson).filter(|_| !is_forced)),
            _ if !is_forced && let Some(gap) = advice_gap(lesson) => Some(gap),
            Some(Err(why)) if needs_labels => Some(ProofGap::NoReplay(why.clone())),
            Some(Err(_)) | None => None,
        };
        unproven.extend(gap.map(|gap| UnprovenLesson::new(lesson, old, gap)));
    }
    if unproven.is_empty() { Ok(()) } else { Err(unproven::refusal(context, origin, &unproven).into()) }
}

/// A warning for each lesson that is told at calls and fires at too many of the past ones. Fails with `ReplayNeeded` if
/// a lesson must be replayed first.
pub fn breadth_warnings<'l>(
    replays: &LessonReplays,
    lessons: impl Iterator<Item = &'l Lesson> + Clone,
) -> Result<Vec<(LessonId, Warning)>> {
    let lessons = lessons.filter(|lesson| lesson.status == Status::Active && lesson.when == When::Tool);
    replays.require(lessons.clone())?;
    let warning = |lesson: &Lesson| {
        let share = replays.get(lesson)?.as_ref().ok()?.share;
        let message = format!(
            "it {share}, more than one in {ONE_IN}; narrow it: lessons replay {0}, then lessons edit {0} (TOO_BROAD)",
            lesson.id
        );
        share.is_too_broad().then(|| (lesson.id.clone(), Warning::coded("TOO_BROAD", message)))
    };
    Ok(lessons.filter_map(warning).collect())
}

/// The reason why a lesson may not block or bump yet.
#[derive(Debug)]
pub enum ProofGap {
    /// It fires at too many calls.
    TooBroad(CallShare),
    /// It fires at a command that its own rule advises.
    OwnAdvice {
        /// The command.
        command: String,
        /// The exceptions of the lesson with which it would not; empty where no words tell the two apart.
        exceptions: Vec<Trigger>,
    },
    /// The lesson cannot be replayed; the text says why.
    NoReplay(String),
    /// Too few of its hits are labelled.
    Unlabelled {
        /// The labels so far.
        proof: Proof,
        /// The number of calls that it would have blocked.
        calls: usize,
    },
    /// Too many of its labelled hits are wrong.
    TooManyWrong(Proof),
}

/// The reason why a lesson with this replay may neither block nor bump; `None` if it may bump.
fn breadth_gap(replay: &Replay) -> Option<ProofGap> {
    replay.share.is_too_broad().then_some(ProofGap::TooBroad(replay.share))
}

/// The reason why a lesson may neither block nor bump, whatever its replay shows.
fn advice_gap(lesson: &Lesson) -> Option<ProofGap> {
    let command = own_advice::fired(lesson).into_iter().next()?;
    let more = own_advice::exceptions(lesson);
    let exceptions = more.map(|more| lesson.unless.iter().cloned().chain(more).collect()).unwrap_or_default();
    Some(ProofGap::OwnAdvice { command, exceptions })
}

/// The reason why a lesson with this replay and these labels may not block yet; `None` if it may.
pub fn gap(lesson: &Lesson, labels: &Labels, replay: &Replay) -> Option<ProofGap> {
    if let Some(gap) = breadth_gap(replay).or_else(|| advice_gap(lesson)) {
        return Some(gap);
    }
    let proof = Proof::of(labels, replay);
    if proof.is_enough() {
        None
    } else if proof.missing() == 0 {
        Some(ProofGap::TooManyWrong(proof))
    } else {
        Some(ProofGap::Unlabelled { proof, calls: replay.fired.calls })
    }
}

/// The labels that a person gave to the hits of a lesson.
pub fn labels(database: &Database, lesson: &LessonId) -> Result<Labels> {
    Ok(database.labels(lesson)?.into_iter().collect())
}

/// Whether a lesson blocks or bumps after a change where it did not before.
fn refuses_more(before: Option<&Lesson>, after: &Lesson) -> bool {
    let refuses = |lesson: &Lesson| lesson.mode.refuses() && lesson.status == Status::Active;
    refuses(after) && before.is_none_or(|before| !refuses(before) || widens(before, after))
        || blocks_more(before, after)
}

/// Whether a lesson blocks after a change where it did not before.
fn blocks_more(before: Option<&Lesson>, after: &Lesson) -> bool {
    after.mode == Mode::Block
        && before.is_none_or(|before| before.mode != Mode::Block || widens(before, after))
}

/// Whether a lesson may fire after a change where it did not before.
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
        || after.conditions().are_wider_than(&before.conditions())
        || before.effective_subject() != after.effective_subject()
        || before.when != after.when
}

/// Whether the triggers, tools and scopes of two lessons are equally wide.
fn fire_alike(one: &Lesson, other: &Lesson) -> bool {
    !widens(one, other) && !widens(other, one)
}

/// Lessons that were replayed, each with its replay or the reason why there is none.
#[derive(Debug, Default)]
pub struct LessonReplays(Vec<(Lesson, Result<Replay, String>)>);

/// An error: these lessons must be replayed before the change can be judged.
#[derive(Debug, thiserror::Error)]
#[error("it has to be tried on the past first")]
struct ReplayNeeded(Vec<Lesson>);

/// Attempts a change until every lesson that it needs replayed has been. The caller must not hold the lock.
pub fn with_replays<T>(context: &Context, mut attempt: impl FnMut(&LessonReplays) -> Result<T>) -> Result<T> {
    let mut replays = LessonReplays::default();
    loop {
        match attempt(&replays).map_err(Error::downcast::<ReplayNeeded>) {
            Ok(done) => return Ok(done),
            Err(Ok(needed)) => replays.add(context, needed)?,
            Err(Err(error)) => return Err(error),
        }
    }
}

impl LessonReplays {
    /// The replay of a lesson that fires at the same calls, if there was one.
    pub fn get(&self, lesson: &Lesson) -> Option<&Result<Replay, String>> {
        let is_same = |replayed: &&(Lesson, _)| replayed.0.id == lesson.id && fire_alike(&replayed.0, lesson);
        self.0.iter().find(is_same).map(|(_, replay)| replay)
    }

    /// Fails with [`ReplayNeeded`] if one of the lessons was not replayed yet.
    pub(super) fn require<'l>(&self, lessons: impl Iterator<Item = &'l Lesson>) -> Result<()> {
        let missing: Vec<Lesson> = lessons.filter(|lesson| self.get(lesson).is_none()).cloned().collect();
        if missing.is_empty() { Ok(()) } else { Err(Error::of(ReplayNeeded(missing))) }
    }

    /// Replays lessons over the sessions of this machine.
    fn add(&mut self, context: &Context, ReplayNeeded(lessons): ReplayNeeded) -> Result<()> {
        let machine = MachineFacts::of(context);
        let trial = |lesson: &Lesson| trials::trial(context, &lesson.user_id(), lesson);
        let trials: Vec<(Result<Trial>, Lesson)> = lessons.into_iter().map(|it| (trial(&it), it)).collect();
        let history =
            trials::history_for(context, trials.iter().filter_map(|(trial, _)| trial.as_ref().ok()))?;
        for (trial, lesson) in trials {
            let replay = match trial {
                _ if history.is_empty() => {
                    Err("there are no sessions on this machine to try it on first".to_owned())
                }
                Ok(trial) => Ok(Replay::of(&trial, &history, &machine.context())),
                Err(why) => Err(error::sentence(&why)),
            };
            self.0.push((lesson, replay));
        }
        Ok(())
    }
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
        blocks_more(Some(&lesson()), &after)
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
        assert!(blocks_more(Some(&advice), &lesson()) && blocks_more(None, &lesson()));
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
        own.mode = Mode::Bump;
        force(&mut own, "reason").unwrap();
        own.mode = Mode::Advise;
        assert!(force(&mut own, "reason").is_err());
    }
}
