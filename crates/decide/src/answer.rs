//! What a tool call gets, before it runs and after it has failed.
//!
//! [`answer`] is the one place where this is decided. The hook prints what it says; `replay`,
//! `explain` and `test` ask it too, with another [`Memory`].

pub use crate::advice::{Advice, Draws};
use crate::approval::{self, GuardedPaths, PlainCall, Verdict};
use crate::claims::{Bump, Claim, Insistence, Memory};
use crate::{session_lessons, unchanged};
use lessons_index::matching::tracer::Outcome;
use lessons_index::{Corrupt, Index, Match, Tracer, Views, matching};
use lessons_lesson::{
    Call, Clock, InLot, MAIN, Mode, ProjectLocation, QualifiedId, Settings, Severity, Texts, render,
};

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Decision {
    /// Nothing.
    #[default]
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
    let only = |decision| Answer { decision, ..Answer::default() };
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
        return Ok(only(otherwise.unwrap_or_default()));
    };
    let views = Views::new(call, situation.place);
    let mut found = matching::matches(index, &views, situation.agent, situation.clock, tracer)?;
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
        return Ok(only(otherwise.unwrap_or_default()));
    }
    let blocks: Vec<&Match> = found.iter().filter(|found| found.mode == Mode::Block).collect();
    if !blocks.is_empty() {
        let decision = block(index, &blocks, tracer)?;
        tell_all(tracer, &found, Outcome::Refusal, |found| found.mode != Mode::Block);
        return Ok(only(decision));
    }
    let Bumped { refusal, passed, advising } = bump(index, &found, &views, memory, tracer)?;
    let mode_advises = |found: &Match| found.mode == Mode::Advise || advising.contains(&&found.id);
    // A question to the person carries no advice: it would be claimed for a call that may never run.
    let without_advice = refusal.map(|refusal| (refusal, Outcome::Refusal));
    if let Some((decision, why)) = without_advice.or(otherwise.map(|asked| (asked, Outcome::Question))) {
        tell_all(tracer, &found, why, mode_advises);
        return Ok(Answer { decision, passed, held: Vec::new() });
    }
    let is_allowed = |found: &Match| situation.advice.allows(&found.id);
    tell_all(tracer, &found, Outcome::Silenced, |found| mode_advises(found) && !is_allowed(found));
    let advises = found.iter().filter(|found| mode_advises(found) && is_allowed(found));
    let mut told = Told::new(Budget::new(index.settings()), situation.advice.leaves_out(index.settings()));
    told.add(index, advises.map(|found| (found.lesson, &found.id)), memory, tracer)?;
    // What the session was not told at its start comes after what this call is about, and takes no more room than there.
    let at_start = index.settings().session_bytes.saturating_sub(render::ADVICE_FRAME);
    told.budget.bytes = told.budget.bytes.min(at_start);
    told.add(index, late.iter().map(|(lesson, terms)| (*lesson, &terms.id)), memory, tracer)?;
    let decision = told.text().map(|text| Decision::Advise { text, lessons: told.lessons });
    Ok(Answer { decision: decision.unwrap_or_default(), passed, held: told.held })
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
fn block<T: Tracer>(index: &Index<'_>, found: &[&Match], tracer: &mut T) -> Result<Decision, Corrupt> {
    let ids: Vec<String> = found.iter().take(3).map(|found| found.id.to_string()).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    // A refusal must be able to say something, so what it names is cut rather than its texts.
    let mut refusal = Refusal::new(index.settings(), render::way_on(Mode::Block, &names));
    for found in found {
        let texts = index.texts(found.lesson)?;
        if let Some(text) = refusal.fit(&found.id, &texts, tracer) {
            refusal.add(&found.id, text, &texts, tracer);
        }
    }
    Ok(refusal.finish())
}

/// A refusal that is being put together.
struct Refusal {
    budget: Budget,
    way_on: String,
    blocks: Vec<String>,
    lessons: Vec<QualifiedId>,
    /// The brief text of the first lesson.
    brief: String,
}

impl Refusal {
    fn new(settings: &Settings, way_on: String) -> Self {
        let mut budget = Budget::new(settings);
        budget.take(render::refusal_frame(&way_on));
        Self { budget, way_on, blocks: Vec::new(), lessons: Vec::new(), brief: String::new() }
    }

    /// The form of a lesson that still fits. The first is named whatever the budget: a small one must
    /// not switch refusals off.
    fn fit<T: Tracer>(&self, id: &QualifiedId, texts: &Texts, tracer: &mut T) -> Option<String> {
        let name = || texts.brief.split_inclusive('\n').next_back().filter(|_| self.lessons.is_empty());
        let fitting = self.budget.fit(texts).or_else(name).map(str::to_owned);
        if fitting.is_none() {
            tracer.outcome(id, self.budget.no_room(texts));
        }
        fitting
    }

    fn add<T: Tracer>(&mut self, id: &QualifiedId, text: String, texts: &Texts, tracer: &mut T) {
        self.budget.take(text.len());
        if self.lessons.is_empty() {
            self.brief.clone_from(&texts.brief);
        }
        self.blocks.push(text);
        self.lessons.push(id.clone());
        tracer.outcome(id, Outcome::Refuses);
    }

    fn finish(self) -> Decision {
        Decision::Refuse {
            text: render::refusal(&self.blocks, &self.way_on),
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
    memory: &mut dyn Memory,
    tracer: &mut T,
) -> Result<Bumped<'m>, Corrupt> {
    let mut refusal = Refusal::new(index.settings(), render::way_on(Mode::Bump, &[]));
    let (mut passed, mut advising) = (Vec::new(), Vec::new());
    for found in found.iter().filter(|found| found.mode == Mode::Bump) {
        let id = &found.id;
        let texts = index.texts(found.lesson)?;
        // One that is not shown must not refuse: the model would not know why. It gets its turn when
        // the call is made again.
        let Some(text) = refusal.fit(id, &texts, tracer) else { continue };
        match memory.bump(id, &views.identity(found.subject), insistence(found, views)) {
            Bump::Refuses => refusal.add(id, text, &texts, tracer),
            Bump::Passes => {
                passed.push(id.clone());
                tracer.outcome(id, Outcome::Passes);
            }
            Bump::Settled => tracer.outcome(id, Outcome::Settled),
            // It is told below, like advice.
            Bump::Unrecorded | Bump::Advises => advising.push(id),
        }
    }
    let refusal = (!refusal.lessons.is_empty()).then(|| refusal.finish());
    Ok(Bumped { refusal, passed, advising })
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

/// The advice that is being put together.
pub(crate) struct Told {
    /// What may still be said.
    budget: Budget,
    /// Whether the lot leaves reminders out.
    leaves_out: bool,
    blocks: Vec<String>,
    /// The lessons that are told.
    pub(crate) lessons: Vec<QualifiedId>,
    /// What the lot left out.
    pub(crate) held: Vec<QualifiedId>,
}

impl Told {
    /// Nothing yet, in a frame that takes its room from the budget whatever follows.
    pub(crate) fn new(mut budget: Budget, leaves_out: bool) -> Self {
        budget.take(render::ADVICE_FRAME);
        Self { budget, leaves_out, blocks: Vec::new(), lessons: Vec::new(), held: Vec::new() }
    }

    /// Walks the order of lessons that could be told, which are given by their positions and ids: does it fit? then claim; lost?
    /// the next, without using the budget.
    pub(crate) fn add<'a, T: Tracer>(
        &mut self,
        index: &Index<'_>,
        mut candidates: impl Iterator<Item = (u32, &'a QualifiedId)>,
        memory: &mut dyn Memory,
        tracer: &mut T,
    ) -> Result<(), Corrupt> {
        while self.budget.lessons > 0 {
            let Some((lesson, id)) = candidates.next() else { break };
            let texts = index.texts(lesson)?;
            let Some(text) = self.budget.fit(&texts) else {
                tracer.outcome(id, self.budget.no_room(&texts));
                continue;
            };
            if memory.tell(id) == Claim::Taken {
                tracer.outcome(id, Outcome::Taken);
                continue;
            }
            // What is left out takes its room as if it were told: else more would be left out than is told elsewhere.
            self.budget.take(text.len());
            self.budget.lessons -= 1;
            if self.leaves_out && index.terms(lesson)?.in_lot == InLot::Yes {
                tracer.outcome(id, Outcome::Held);
                self.held.push(id.clone());
                continue;
            }
            let is_full = text.len() == texts.full.len();
            tracer.outcome(id, if is_full { Outcome::Told } else { Outcome::ToldBriefly });
            self.blocks.push(text.to_owned());
            self.lessons.push(id.clone());
        }
        if T::ENABLED {
            candidates.for_each(|(_, id)| tracer.outcome(id, Outcome::NoPlace));
        }
        Ok(())
    }

    /// The advice; `None` where nothing was told.
    pub(crate) fn text(&self) -> Option<String> {
        (!self.lessons.is_empty()).then(|| render::advice(&self.blocks))
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
