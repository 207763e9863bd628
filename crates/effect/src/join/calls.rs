//! The calls of a session, in its contexts, each with the lessons that match it.

use std::collections::BTreeMap;

use lessons_decide::{Decision, events};
use lessons_index::{Corrupt, Index, Mismatch, Tracer, Views, matching};
use lessons_ledger::recording::signals::CorrectionSignal;
use lessons_lesson::{ProjectLocation, Terms};
use lessons_replay::trial::TrialContext;
use lessons_replay::{CallOutcome, RecordedCall};
use lessons_scanner::detect::purpose::{Purpose, is_an_answer};
use lessons_scanner::transcript::Usage;

use super::lessons::{MeasuredLessons, TriedIndex};
use crate::episodes::Chance;

/// The calls after a call of which a failure counts as its consequence.
const SOON: usize = 3;
/// The calls in which a refused call is made another way.
pub(super) const WITHIN: usize = 10;
/// The calls before a correction that it may be about, as the detector looks at them.
const JUST_DONE: usize = 4;

/// What one model has before it, a main thread or a sub-agent, with its calls in order.
#[derive(Debug, Default)]
pub struct Context {
    pub(super) requests: Vec<Request>,
    /// The numbers of the requests before which the context was compacted.
    pub(super) compactions: Vec<usize>,
    /// The calls, in order.
    pub calls: Vec<JoinedCall>,
}

/// A request to a model.
#[derive(Debug)]
pub(super) struct Request {
    /// The id of the message that answered it.
    pub(super) message: String,
    pub(super) model: Option<String>,
    pub(super) usage: Usage,
}

/// A call.
#[derive(Debug)]
pub struct JoinedCall {
    /// The call as the transcript holds it.
    pub recorded: RecordedCall,
    /// Its id, as events name it.
    pub(super) name: String,
    /// The request that made it. Calls of one request are made at once: none of them is later than another.
    pub(super) request: usize,
    /// Whether it failed, and the call was wrong.
    has_failed: bool,
    /// The id of the line of the transcript that holds it.
    line: Option<String>,
    /// The id of the line in which the user corrected it.
    correction: Option<String>,
    /// The lessons that it is a chance for, by their numbers.
    pub(super) chances: BTreeMap<u32, Chance>,
    /// Whether a lesson would be told or would refuse it, in a session that has just begun. Looked at only where the call
    /// went wrong.
    pub is_reached: bool,
}

impl JoinedCall {
    /// A call that was made by this request, in this line.
    pub(super) fn new(recorded: RecordedCall, request: usize, line: Option<String>) -> Self {
        Self {
            name: events::name(&recorded.id),
            request,
            has_failed: has_failed(&recorded),
            line,
            correction: None,
            chances: BTreeMap::new(),
            is_reached: false,
            recorded,
        }
    }

    /// What the call is for a lesson.
    pub(super) fn chance(&self, lesson: u32) -> Option<Chance> {
        self.chances.get(&lesson).copied()
    }

    /// Whether the user refused it, or corrected it afterwards.
    pub(super) fn is_refused_or_corrected(&self) -> bool {
        self.recorded.outcome == CallOutcome::Rejected || self.correction.is_some()
    }

    /// The ids of the lines at which somebody may have noticed it.
    pub(super) fn lines(&self) -> Vec<String> {
        self.line.iter().chain(&self.correction).cloned().collect()
    }

    /// Whether it failed, was refused by the user or corrected.
    pub fn went_wrong(&self) -> bool {
        self.has_failed || self.is_refused_or_corrected()
    }

    /// Whether both run the same program, or use the same tool.
    pub(super) fn is_of_same_program(&self, other: &Self) -> bool {
        let (one, other) = (&self.recorded.call, &other.recorded.call);
        match (&one.command, &other.command) {
            (Some(one), Some(other)) => Purpose::of(one)
                .zip(Purpose::of(other))
                .is_some_and(|(one, other)| one.is_same_program(&other)),
            (None, None) => one.tool == other.tool,
            _ => false,
        }
    }
}

impl Context {
    /// The type of the agent, `main` for the main thread.
    pub(super) fn agent(&self) -> &str {
        self.calls.first().map_or("", |call| &call.recorded.agent)
    }

    /// The calls that are a chance for a lesson, each with its number.
    pub(super) fn chances(&self, lesson: u32) -> impl Iterator<Item = (usize, &JoinedCall, Chance)> + Clone {
        let calls = self.calls.iter().enumerate();
        calls.filter_map(move |(number, call)| Some((number, call, call.chance(lesson)?)))
    }

    /// The calls that match a lesson, each with its number.
    pub(super) fn matching(&self, lesson: u32) -> impl Iterator<Item = (usize, &JoinedCall)> + Clone {
        let wrong = self.chances(lesson).filter(|(_, _, chance)| *chance == Chance::Wrong);
        wrong.map(|(number, call, _)| (number, call))
    }

    /// The model that made a call, where the transcript names it.
    pub(super) fn model_at(&self, call: &JoinedCall) -> Option<&str> {
        self.requests.get(call.request)?.model.as_deref()
    }

    /// Whether the call with this number, or one of the next three, went wrong.
    pub(super) fn goes_wrong_soon(&self, number: usize) -> bool {
        self.calls.iter().skip(number).take(SOON + 1).any(JoinedCall::went_wrong)
    }

    /// The number of requests that read again what a request was the first to read, up to a compaction or the end.
    pub(super) fn requests_after(&self, first: usize) -> usize {
        let end = self.compactions.iter().find(|&&at| at > first).copied().unwrap_or(self.requests.len());
        end.saturating_sub(first + 1)
    }

    /// Marks the call that the user corrected: the last one before the message that fits.
    pub(super) fn mark(&mut self, correction: &CorrectionSignal) {
        let is_after = |call: &&mut JoinedCall| call.recorded.time.is_none_or(|time| time >= correction.time);
        let before = self.calls.iter_mut().rev().skip_while(is_after);
        let fits = |call: &&mut JoinedCall| match (&correction.command, &call.recorded.call.command) {
            (Some(wanted), Some(command)) => wanted.trim() == command.trim(),
            (None, None) => true,
            _ => false,
        };
        if let Some(call) = before.take(JUST_DONE).find(fits) {
            call.correction = Some(correction.line.clone());
        }
    }
}

/// Finds the lessons that match each call, and whether any reaches the calls that went wrong.
pub fn match_lessons(
    contexts: &mut [Context],
    lessons: &MeasuredLessons,
    place: &ProjectLocation<'_>,
    context: &TrialContext<'_>,
) -> Result<(), Corrupt> {
    let hooked = &lessons.at_calls;
    let index = hooked.loaded.ask()?;
    let untried = lessons.untried.as_ref().map(|tried| tried.loaded.ask().map(|index| (tried, index)));
    let untried = untried.transpose()?;
    for call in contexts.iter_mut().flat_map(|context| &mut context.calls) {
        let failed = call.recorded.failed();
        let agent = &call.recorded.agent;
        let (mut chances, mut untried_chances) = (BTreeMap::new(), BTreeMap::new());
        let shown = || [Some(&call.recorded.call), failed.as_ref()].into_iter().flatten();
        for shown in shown() {
            let views = Views::new(shown, place);
            add_chances(hooked, &index, &views, agent, &mut chances)?;
            if let Some((tried, index)) = &untried {
                add_chances(tried, index, &views, agent, &mut untried_chances)?;
            }
        }
        call.is_reached = call.went_wrong()
            && chances.values().any(|chance| *chance == Chance::Wrong)
            && shown().any(|shown| {
                let decision = context.decision(&index, shown, agent, place);
                matches!(decision, Some(Decision::Advise { .. } | Decision::Refuse { .. }))
            });
        chances.append(&mut untried_chances);
        call.chances = chances;
    }
    Ok(())
}

/// Adds what a call is a chance for, by the numbers of the lessons.
fn add_chances(
    tried: &TriedIndex,
    index: &Index<'_>,
    views: &Views<'_>,
    agent: &str,
    chances: &mut BTreeMap<u32, Chance>,
) -> Result<(), Corrupt> {
    let mut kept_quiet = KeptQuiet(Vec::new());
    // A lesson that is off for a while is joined as if it were on.
    let found = matching::matches(index, views, agent, &u64::MAX, &mut kept_quiet)?;
    for lesson in kept_quiet.0.into_iter().filter_map(|position| tried.number(position)) {
        chances.entry(lesson).or_insert(Chance::Right);
    }
    let wrong = found.iter().filter_map(|found| tried.number(found.lesson));
    chances.extend(wrong.map(|lesson| (lesson, Chance::Wrong)));
    Ok(())
}

/// Whether a call failed and was wrong. A failure may be the answer: a test failed, nothing was found.
fn has_failed(recorded: &RecordedCall) -> bool {
    let answered = recorded.call.command.as_ref().zip(recorded.error.as_deref());
    recorded.outcome == CallOutcome::Failed
        && !answered.is_some_and(|(command, error)| is_an_answer(command, error))
}

/// The lessons that an `unless` kept quiet.
struct KeptQuiet(Vec<u32>);

impl Tracer for KeptQuiet {
    fn mismatch(&mut self, lesson: u32, _: &Terms, why: Mismatch) {
        if let Mismatch::Unless(_) = why {
            self.0.push(lesson);
        }
    }
}
