//! What a tool call gets, before it runs and after it has failed.
//!
//! [`answer`] is the one place where this is decided. The hook prints what it says; `replay`,
//! `explain` and `test` ask it too, with another [`Memory`].

pub use crate::advice::{Advice, Draws};
use crate::approval::{self, GuardedPaths, PlainCall, Verdict};
use crate::claims::{Bump, Claim, Insistence, Memory};
use crate::session_lessons;
use crate::unchanged;
use lessons_index::tracer::Outcome;
use lessons_index::{Corrupt, Index, Match, Tracer, Views, matching};
use lessons_lesson::compiled::Texts;
use lessons_lesson::lesson::MAIN;
use lessons_lesson::{Call, Clock, InLot, Mode, ProjectLocation, QualifiedId, Settings, Severity, render};

/// Everything that bears on the answer.
pub struct Situation<'a, 'f> {
    /// The index of the lessons in force; `None` where there is none that can be used.
    pub index: Option<&'a Index<'f>>,
    /// The call.
    pub call: &'a Call<'a>,
    /// The agent's type, `main` for the main thread.
    pub agent: &'a str,
    /// Where the call happens.
    pub place: &'a ProjectLocation<'a>,
    /// What only a person may touch.
    pub guarded: &'a GuardedPaths<'a>,
    /// What the environment asks for.
    pub advice: &'a Advice,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// What the client is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Nothing.
    Silent,
    /// Run the call, and give the model this text.
    Advise {
        /// The text.
        text: String,
        /// The lessons in it.
        lessons: Vec<QualifiedId>,
    },
    /// Refuse the call with this reason.
    Refuse {
        /// The reason, for the model.
        text: String,
        /// What the person is told, in one line. Empty where no lesson refuses.
        person: String,
        /// The lessons in it.
        lessons: Vec<QualifiedId>,
    },
    /// Put the call to the person.
    Ask {
        /// The reason, for the person.
        reason: String,
    },
    /// Plan this call of `lessons`, and put what it would change to the person.
    Question(PlainCall),
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the client is to do.
    pub decision: Decision,
    /// Bumps that let this call pass because it was refused before.
    pub passed: Vec<QualifiedId>,
    /// Lessons that the lot left out: recorded as if they were told.
    pub held: Vec<QualifiedId>,
}

/// Decides what a call gets. Claims through `memory` what it is about to say.
///
/// Where the index turns out to be corrupt, what was claimed by then is for the caller to take back.
pub fn answer(situation: &Situation<'_, '_>, memory: &mut dyn Memory) -> Result<Answer, Corrupt> {
    answer_traced(situation, memory, &mut ())
}

/// [`answer`], observed by a tracer: it hears the outcome for every lesson that was looked at.
pub fn answer_traced<T: Tracer>(
    situation: &Situation<'_, '_>,
    memory: &mut dyn Memory,
    tracer: &mut T,
) -> Result<Answer, Corrupt> {
    let only = |decision| Answer { decision, passed: Vec::new(), held: Vec::new() };
    let call = situation.call;
    let verdict = match call.error {
        // What has run cannot be put to a person.
        Some(_) => Verdict::Pass,
        None => approval::judge(call, situation.guarded),
    };
    let otherwise = match verdict {
        Verdict::Question(call) => Some(Decision::Question(call)),
        Verdict::Ask { reason } => Some(Decision::Ask { reason }),
        Verdict::Pass => None,
    };
    let Some(index) = situation.index.filter(|index| in_force(index.settings(), situation.clock)) else {
        return Ok(only(otherwise.unwrap_or(Decision::Silent)));
    };
    let views = Views::new(call, situation.place);
    let mut found = matching::matches_traced(index, &views, situation.agent, situation.clock, tracer)?;
    found.retain(|found| {
        let is_off = memory.is_off(&found.id);
        if is_off {
            tracer.outcome(&found.id, Outcome::OffForSession);
        }
        !is_off
    });
    unchanged::let_pass(call, &mut found, |found, call| {
        let views = Views::new(call, situation.place);
        let mismatch = matching::mismatch_of(index, found.lesson, &views, situation.agent, situation.clock)?;
        Ok(mismatch.is_none())
    })?;
    // The call that failed has asked before it ran.
    let late = if situation.agent == MAIN && call.error.is_none() {
        session_lessons::late(index, situation.place, situation.advice, situation.clock, memory)?
    } else {
        Vec::new()
    };
    if found.is_empty() && late.is_empty() {
        return Ok(only(otherwise.unwrap_or(Decision::Silent)));
    }
    let mut budget = Budget::new(index.settings());

    let blocks: Vec<&Match> = found.iter().filter(|found| found.mode == Mode::Block).collect();
    if !blocks.is_empty() {
        let decision = block(index, &blocks, &mut budget, tracer)?;
        tell_all(tracer, &found, Outcome::Refusal, |found| found.mode != Mode::Block);
        return Ok(only(decision));
    }
    let bumped = bump(index, &found, &views, &mut budget, memory, tracer)?;
    let passed = bumped.passed;
    let mode_advises = |found: &Match| found.mode == Mode::Advise || bumped.advising.contains(&&found.id);
    if let Some(refusal) = bumped.refusal {
        tell_all(tracer, &found, Outcome::Refusal, mode_advises);
        return Ok(Answer { decision: refusal, passed, held: Vec::new() });
    }
    // A question to the person carries no advice: it would be claimed for a call that may never run.
    if let Some(decision) = otherwise {
        tell_all(tracer, &found, Outcome::Question, mode_advises);
        return Ok(Answer { decision, passed, held: Vec::new() });
    }
    let is_silenced = |found: &Match| mode_advises(found) && !situation.advice.allows(&found.id);
    tell_all(tracer, &found, Outcome::Silenced, is_silenced);
    let advises = |found: &&Match| mode_advises(found) && situation.advice.allows(&found.id);
    let candidates =
        found.iter().filter(advises).map(|found| Advisable { lesson: found.lesson, id: &found.id });
    let late = late.iter().map(|(lesson, terms)| Advisable { lesson: *lesson, id: &terms.id });
    let mut budget = Budget::new(index.settings());
    let mut told = Told::new(&mut budget, situation.advice.leaves_out(index.settings()));
    told.add(index, candidates, &mut budget, memory, tracer)?;
    // What the session was not told at its start comes after what this call is about, and takes no more room than there.
    let at_start = index.settings().session_bytes.saturating_sub(render::ADVICE_FRAME);
    budget.bytes = budget.bytes.min(at_start);
    told.add(index, late, &mut budget, memory, tracer)?;
    let held = std::mem::take(&mut told.held);
    Ok(Answer { decision: told.finish(), passed, held })
}

/// Tells the tracer the outcome for some of the matches.
#[inline]
fn tell_all<T: Tracer>(tracer: &mut T, found: &[Match], outcome: Outcome, concerns: impl Fn(&Match) -> bool) {
    // For the hook, which has no tracer, nothing of this is left.
    if T::ENABLED {
        for found in found.iter().filter(|found| concerns(found)) {
            tracer.outcome(&found.id, outcome);
        }
    }
}

/// Whether lessons are switched on.
pub fn in_force(settings: &Settings, clock: &dyn Clock) -> bool {
    settings.enabled && settings.off_until.is_none_or(|until| clock.now() >= until)
}

/// Gives a block's refusal: every time, whatever was told before.
fn block<T: Tracer>(
    index: &Index<'_>,
    found: &[&Match],
    budget: &mut Budget,
    tracer: &mut T,
) -> Result<Decision, Corrupt> {
    let ids: Vec<String> = found.iter().take(3).map(|found| found.id.to_string()).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    // A refusal must be able to say something, so what it names is cut rather than its texts.
    let way_on = render::way_on(Mode::Block, &names);
    let mut refusal = Refusal::new(budget, &way_on);
    for found in found {
        let texts = index.texts(found.lesson)?;
        if let Some(text) = refusal.fit(&texts) {
            refusal.add(&found.id, text, &texts);
            tracer.outcome(&found.id, Outcome::Refuses);
        } else {
            tracer.outcome(&found.id, refusal.budget.no_room(&texts));
        }
    }
    Ok(refusal.finish(&way_on))
}

/// A refusal that is being put together.
struct Refusal<'b> {
    budget: &'b mut Budget,
    blocks: Vec<String>,
    lessons: Vec<QualifiedId>,
    /// The brief text of the first lesson.
    brief: String,
}

impl<'b> Refusal<'b> {
    fn new(budget: &'b mut Budget, way_on: &str) -> Self {
        budget.take(render::refusal_frame(way_on));
        Self { budget, blocks: Vec::new(), lessons: Vec::new(), brief: String::new() }
    }

    /// The form of a lesson that still fits. The first is named whatever the budget: a small one must
    /// not switch refusals off.
    fn fit(&self, texts: &Texts) -> Option<String> {
        let name = || texts.brief.split_inclusive('\n').next_back().filter(|_| self.lessons.is_empty());
        self.budget.fit(texts).or_else(name).map(str::to_owned)
    }

    fn add(&mut self, id: &QualifiedId, text: String, texts: &Texts) {
        self.budget.take(text.len());
        if self.lessons.is_empty() {
            self.brief.clone_from(&texts.brief);
        }
        self.blocks.push(text);
        self.lessons.push(id.clone());
    }

    fn finish(self, way_on: &str) -> Decision {
        Decision::Refuse {
            text: render::refusal(&self.blocks, way_on),
            person: render::stopped(&self.brief, &self.lessons),
            lessons: self.lessons,
        }
    }
}

/// What the bumps among the matches say.
struct Bumped<'m> {
    refusal: Option<Decision>,
    passed: Vec<QualifiedId>,
    /// Bumps that advise: nothing can be recorded, or they insist on no refusal.
    advising: Vec<&'m QualifiedId>,
}

fn bump<'m, T: Tracer>(
    index: &Index<'_>,
    found: &'m [Match],
    views: &Views<'_>,
    budget: &mut Budget,
    memory: &mut dyn Memory,
    tracer: &mut T,
) -> Result<Bumped<'m>, Corrupt> {
    let way_on = render::way_on(Mode::Bump, &[]);
    let mut refusal = Refusal::new(budget, &way_on);
    let mut bumped = Bumped { refusal: None, passed: Vec::new(), advising: Vec::new() };
    for found in found.iter().filter(|found| found.mode == Mode::Bump) {
        let id = &found.id;
        let texts = index.texts(found.lesson)?;
        // One that is not shown must not refuse: the model would not know why. It gets its turn when
        // the call is made again.
        let Some(text) = refusal.fit(&texts) else {
            tracer.outcome(id, refusal.budget.no_room(&texts));
            continue;
        };
        match memory.bump(id, &views.identity(found.subject), insistence(found, views)) {
            Bump::Refuses => {
                refusal.add(id, text, &texts);
                tracer.outcome(id, Outcome::Refuses);
            }
            Bump::Passes => {
                bumped.passed.push(id.clone());
                tracer.outcome(id, Outcome::Passes);
            }
            Bump::Settled => tracer.outcome(id, Outcome::Settled),
            // It is told below, like advice.
            Bump::Unrecorded | Bump::Advises => bumped.advising.push(id),
        }
    }
    if !refusal.lessons.is_empty() {
        bumped.refusal = Some(refusal.finish(&way_on));
    }
    Ok(bumped)
}

/// How far a bump insists at a call. One against much damage, or a loss of data, refuses each different call. One against
/// little damage gives way where refusals have become many, and where the command could not be read to its end.
fn insistence(found: &Match, views: &Views<'_>) -> Insistence {
    if found.severity >= Severity::High {
        Insistence::Always
    } else if views.is_read_whole() {
        Insistence::Sparing
    } else {
        Insistence::Never
    }
}

/// A lesson that could be told.
pub(crate) struct Advisable<'a> {
    /// The lesson's position in the index.
    pub(crate) lesson: u32,
    /// The lesson's id.
    pub(crate) id: &'a QualifiedId,
}

/// The advice that is being put together.
pub(crate) struct Told {
    blocks: Vec<String>,
    lessons: Vec<QualifiedId>,
    /// Whether the lot leaves reminders out.
    leaves_out: bool,
    /// What the lot left out.
    pub(crate) held: Vec<QualifiedId>,
}

impl Told {
    /// Nothing yet, in a frame that takes its room from the budget whatever follows.
    pub(crate) fn new(budget: &mut Budget, leaves_out: bool) -> Self {
        budget.take(render::ADVICE_FRAME);
        Self { blocks: Vec::new(), lessons: Vec::new(), leaves_out, held: Vec::new() }
    }

    /// Walks the order: does it fit? then claim; lost? the next, without using the budget.
    pub(crate) fn add<'a, T: Tracer>(
        &mut self,
        index: &Index<'_>,
        mut candidates: impl Iterator<Item = Advisable<'a>>,
        budget: &mut Budget,
        memory: &mut dyn Memory,
        tracer: &mut T,
    ) -> Result<(), Corrupt> {
        while budget.lessons > 0 {
            let Some(lesson) = candidates.next() else { break };
            let texts = index.texts(lesson.lesson)?;
            let Some(text) = budget.fit(&texts) else {
                tracer.outcome(lesson.id, budget.no_room(&texts));
                continue;
            };
            if memory.tell(lesson.id) == Claim::Taken {
                tracer.outcome(lesson.id, Outcome::Taken);
                continue;
            }
            // What is left out takes its room as if it were told: else more would be left out than is told elsewhere.
            budget.take(text.len());
            budget.lessons -= 1;
            if self.leaves_out && index.terms(lesson.lesson)?.in_lot == InLot::Yes {
                tracer.outcome(lesson.id, Outcome::Held);
                self.held.push(lesson.id.clone());
                continue;
            }
            let is_full = text.len() == texts.full.len();
            tracer.outcome(lesson.id, if is_full { Outcome::Told } else { Outcome::ToldBriefly });
            self.blocks.push(text.to_owned());
            self.lessons.push(lesson.id.clone());
        }
        if T::ENABLED {
            candidates.for_each(|lesson| tracer.outcome(lesson.id, Outcome::NoPlace));
        }
        Ok(())
    }

    /// The advice, or silence where nothing was told.
    pub(crate) fn finish(self) -> Decision {
        if self.lessons.is_empty() {
            return Decision::Silent;
        }
        Decision::Advise { text: render::advice(&self.blocks), lessons: self.lessons }
    }
}

/// What may still be said at this call.
pub(crate) struct Budget {
    /// How many lessons.
    pub(crate) lessons: usize,
    /// How many bytes.
    pub(crate) bytes: usize,
}

impl Budget {
    fn new(settings: &Settings) -> Self {
        Self { lessons: settings.budget_lessons, bytes: settings.budget_bytes }
    }

    /// The form of a lesson that still fits: full, else brief, else none.
    fn fit<'t>(&self, texts: &'t Texts) -> Option<&'t str> {
        [&texts.full, &texts.brief].into_iter().map(String::as_str).find(|text| text.len() <= self.bytes)
    }

    /// That neither form fits.
    fn no_room(&self, texts: &Texts) -> Outcome {
        Outcome::NoRoom { needed: texts.brief.len(), left: self.bytes }
    }

    fn take(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_in_force_unless_they_are_off_and_again_at_the_end_of_a_pause() {
        let settings = |enabled, off_until| Settings { enabled, off_until, ..Settings::default() };
        assert!(in_force(&settings(true, None), &1000));
        assert!(!in_force(&settings(false, None), &1000));
        assert!(!in_force(&settings(false, Some(1)), &1000));
        assert!(!in_force(&settings(true, Some(1001)), &1000));
        assert!(in_force(&settings(true, Some(1000)), &1000));
        assert!(in_force(&settings(true, Some(999)), &1000));
    }

    fn texts(full: usize, brief: usize) -> Texts {
        Texts { full: "f".repeat(full), brief: "b".repeat(brief) }
    }

    #[test]
    fn a_text_that_uses_up_the_budget_fits_and_one_byte_more_does_not() {
        let texts = texts(10, 4);
        for (bytes, fits) in [
            (11, Some("ffffffffff")),
            (10, Some("ffffffffff")),
            (9, Some("bbbb")),
            (4, Some("bbbb")),
            (3, None),
        ] {
            assert_eq!(Budget { lessons: 1, bytes }.fit(&texts), fits, "{bytes}");
        }
        assert_eq!(Budget { lessons: 1, bytes: 3 }.no_room(&texts), Outcome::NoRoom { needed: 4, left: 3 });
    }

    #[test]
    fn a_budget_is_used_up_and_never_overdrawn() {
        let mut budget = Budget { lessons: 1, bytes: 10 };
        budget.take(4);
        assert_eq!(budget.bytes, 6);
        budget.take(7);
        assert_eq!(budget.bytes, 0);
    }

    #[test]
    fn a_refusal_names_its_first_lesson_whatever_the_budget_and_the_others_if_they_fit() {
        let mut budget = Budget { lessons: 3, bytes: 0 };
        let mut refusal = Refusal::new(&mut budget, "way on");
        let long = Texts { full: "full".into(), brief: "brief\nname\n".into() };
        assert_eq!(refusal.fit(&long).as_deref(), Some("name\n"));
        refusal.add(&"user/a".parse().unwrap(), "name\n".into(), &long);
        assert_eq!(refusal.fit(&long), None);

        let way_on = "way on";
        let mut budget = Budget { lessons: 3, bytes: render::refusal_frame(way_on) + 15 };
        let mut refusal = Refusal::new(&mut budget, way_on);
        refusal.add(&"user/a".parse().unwrap(), "x".repeat(5), &texts(5, 5));
        assert_eq!(refusal.fit(&texts(10, 1)), Some("f".repeat(10)));
        assert_eq!(refusal.fit(&texts(11, 1)), Some("b".to_owned()));
        assert_eq!(refusal.fit(&texts(11, 11)), None);
        assert!(matches!(refusal.finish(way_on), Decision::Refuse { lessons, .. } if lessons.len() == 1));
    }
}
