//! The join: what hooks did in a session, and what followed. One episode for each lesson that came up.

use lessons_index::matching::holds_at;
use lessons_lesson::ProjectLocation;
use lessons_lesson::lesson::MAIN;

use super::calls::{ContextCalls, JoinedCall, SessionCalls, WITHIN};
use super::hook_acts::{Act, HookActs};
use super::lessons::{Measure, MeasuredLesson};
use super::price;
use crate::episodes::{Arm, Chance, Episode};

/// The episode of a lesson in a session; `None` where it did not come up.
pub(super) fn at_calls(
    lesson: &MeasuredLesson,
    session: &SessionCalls<'_>,
    acts: &HookActs<'_>,
) -> Option<Episode> {
    let mut strands: Vec<Strand<'_>> =
        session.contexts.iter().filter_map(|context| Strand::of(lesson, context, acts)).collect();
    // The main thread comes after the sub-agents that it starts, so the order is that of time.
    strands.sort_by_key(|strand| strand.first_call().recorded.time);
    let said = strands.iter().find(|strand| strand.is_said());
    let came_up = strands.iter().any(|strand| strand.index.is_some());
    let is_overridden = || session.all().any(|call| acts.is_overridden(lesson, call));
    let arm = match said.map(Strand::act) {
        Some(Some(Act::Refused)) => Arm::Refused,
        Some(Some(Act::Held)) => Arm::Held,
        Some(_) => Arm::Told,
        None if acts.is_queried(lesson) || is_overridden() => Arm::Queried,
        None if came_up => Arm::Quiet,
        None => Arm::Unprompted,
    };
    let first = said.or_else(|| strands.iter().find(|strand| strand.index.is_some())).or(strands.first())?;
    let mut episode = Episode {
        first: first.first_call().recorded.time.unwrap_or(0),
        model: first.model(),
        ..Episode::of_arm(arm)
    };
    let mut cost = 0.0;
    for strand in &strands {
        if strand.start == Some(Act::Told) {
            episode.followed = episode.followed.or(Some(strand.first_chance));
        } else {
            episode.add_untold(strand.first_chance);
        }
        let counts = said.is_none() || strand.is_said();
        let Some(index) = strand.index.as_ref().filter(|_| counts) else { continue };
        let call = &strand.context.calls[index.number];
        if arm == Arm::Told && episode.followed.is_none() {
            episode.followed = strand.next_chance(lesson.number, call.request);
        }
        strand.count_repeats(lesson, index.number, &mut episode);
        strand.count_refusals(lesson, acts, &mut episode);
        cost += strand.cost(lesson, acts);
        episode.is_event_lost |=
            acts.act(lesson, call).is_none() && index.act.is_some() && strand.start.is_none();
    }
    let told: Vec<&JoinedCall<'_>> =
        session.all().filter(|call| acts.act(lesson, call) == Some(Act::Told)).collect();
    if !told.is_empty() && told.iter().all(|call| acts.told_bytes(lesson, call).is_none()) {
        episode.followed = None;
    }
    episode.cost = price::rounded(cost);
    episode.lot = acts.lot(lesson);
    let index = first.index.as_ref().and_then(|index| first.context.calls.get(index.number));
    episode.has_failed_first = index.is_some_and(JoinedCall::went_wrong);
    Some(episode)
}

/// A lesson in one context.
struct Strand<'s> {
    context: &'s ContextCalls<'s>,
    /// The number of the first call that it had a chance at.
    first: usize,
    first_chance: Chance,
    /// Whether the context, that of a sub-agent, was told it before its first call, or should have been but for the lot.
    start: Option<Act>,
    /// The first call at which the hook acted; where it never did, the first that matches.
    index: Option<IndexCall>,
}

/// The call from which on repeats count.
struct IndexCall {
    number: usize,
    act: Option<Act>,
}

impl<'s> Strand<'s> {
    fn of(lesson: &MeasuredLesson, context: &'s ContextCalls<'s>, acts: &HookActs<'_>) -> Option<Self> {
        let chances = context.chances(lesson.number);
        let (first, _, first_chance) = chances.clone().next()?;
        let mut matching = chances.filter(|(_, _, chance)| *chance == Chance::Wrong);
        let first_match = matching.clone().next().map(|(number, ..)| IndexCall { number, act: None });
        let acted = matching.find_map(|(number, call, _)| {
            let act = acts.what(lesson, call).filter(|act| *act != Act::Passed)?;
            Some(IndexCall { number, act: Some(act) })
        });
        let start = acts.start(lesson, context);
        Some(Self { context, first, first_chance, start, index: acted.or(first_match) })
    }

    /// What the hook did at the index call, or else at the start.
    fn act(&self) -> Option<Act> {
        self.index.as_ref().and_then(|index| index.act).or(self.start)
    }

    /// Whether the hook told the lesson to the context, refused a call of it, or left the lesson out by lot.
    fn is_said(&self) -> bool {
        self.act().is_some()
    }

    fn first_call(&self) -> &JoinedCall<'_> {
        &self.context.calls[self.index.as_ref().map_or(self.first, |index| index.number)]
    }

    fn model(&self) -> String {
        self.context.model_at(self.first_call())
    }

    /// The calls after a request, each with its number.
    fn later(&self, request: usize) -> impl Iterator<Item = (usize, &JoinedCall<'_>)> {
        self.context.calls.iter().enumerate().filter(move |(_, call)| call.request > request)
    }

    fn next_chance(&self, lesson: u32, request: usize) -> Option<Chance> {
        self.later(request).find_map(|(_, call)| call.chance(lesson))
    }

    /// Counts the repeats after the index call, what they cost, and corrections from the index call on.
    fn count_repeats(&self, lesson: &MeasuredLesson, index: usize, episode: &mut Episode) {
        let call = &self.context.calls[index];
        episode.is_corrected |= call.is_refused_or_corrected();
        for (number, later) in self.later(call.request) {
            if later.chance(lesson.number) != Some(Chance::Wrong) {
                continue;
            }
            episode.is_corrected |= later.is_refused_or_corrected();
            episode.has_failed_later |= self.context.goes_wrong_soon(number);
            let counts = match lesson.measure {
                Measure::Repeat => true,
                Measure::Failure => self.context.goes_wrong_soon(number),
                Measure::First | Measure::None => false,
            };
            episode.again += u64::from(counts);
        }
    }

    /// Counts what followed after each refused call.
    fn count_refusals(&self, lesson: &MeasuredLesson, acts: &HookActs<'_>, episode: &mut Episode) {
        let refused = |call: &JoinedCall<'_>| acts.act(lesson, call) == Some(Act::Refused);
        for call in self.context.calls.iter().filter(|call| refused(call)) {
            let is_first = episode.refused() == 0;
            let is_made_again = |later: &JoinedCall<'_>| acts.act(lesson, later) == Some(Act::Passed);
            let is_changed = |later: &JoinedCall<'_>| {
                later.chance(lesson.number) == Some(Chance::Right)
                    || (!refused(later) && later.is_of_same_program(call))
            };
            let mut later = self.later(call.request).take(WITHIN).map(|(_, later)| later);
            match later.find(|later| is_made_again(later) || is_changed(later)) {
                Some(later) if is_made_again(later) => {
                    episode.overruled += 1;
                    episode.is_first_overruled |= is_first;
                }
                Some(_) => episode.changed += 1,
                None => episode.given_up += 1,
            }
        }
    }

    /// The price of everything that the lesson said in the context.
    fn cost(&self, lesson: &MeasuredLesson, acts: &HookActs<'_>) -> f64 {
        let requests = self.context.requests;
        let mut cost = 0.0;
        if self.start == Some(Act::Told) {
            cost += price::of_text(lesson.agent_text, requests, requests.requests_after(0));
        }
        for call in &self.context.calls {
            let bytes = match acts.act(lesson, call) {
                Some(Act::Refused) => {
                    // The answer that made the call was in vain.
                    cost += price::of_requests(requests, call.request, call.request);
                    price::refusal_bytes(lesson.text, lesson.terms.mode)
                }
                _ => match acts.told_bytes(lesson, call) {
                    Some(bytes) => bytes,
                    None => continue,
                },
            };
            cost += price::of_text(bytes, requests, requests.later_requests(call.request));
        }
        cost
    }
}

/// The episode of a lesson in a session, whether a call matches or not. `None` where the lesson does not hold, and where it was
/// told only later: as one that was recorded meanwhile, or at a compaction.
pub(super) fn at_start(
    lesson: &MeasuredLesson,
    session: &SessionCalls<'_>,
    acts: &HookActs<'_>,
    place: &ProjectLocation<'_>,
) -> Option<Episode> {
    let contexts = || session.contexts.iter().filter(|context| lesson.is_for(context.agent()));
    if !holds_at(&lesson.terms, place) {
        return None;
    }
    let told: Vec<&ContextCalls<'_>> =
        contexts().filter(|context| acts.is_told_at_start(lesson, context)).collect();
    let is_held = told.is_empty() && contexts().any(|context| acts.start(lesson, context) == Some(Act::Held));
    if told.is_empty() && !is_held && acts.is_known(lesson) {
        return None;
    }
    let untold = match acts.is_queried(lesson) {
        _ if is_held => Arm::Held,
        true => Arm::Queried,
        false => Arm::Quiet,
    };
    let arm = if told.is_empty() { untold } else { Arm::Told };
    let matching = contexts().flat_map(|context| {
        let wrong = context.chances(lesson.number).filter(|(_, _, chance)| *chance == Chance::Wrong);
        wrong.map(move |(_, call, _)| (context, call))
    });
    // Without a call that matches, the session counts from its first call on.
    let any = contexts().filter_map(|context| Some((context, context.calls.first()?)));
    let (context, call) = matching
        .min_by_key(|(_, call)| call.recorded.time)
        .or_else(|| any.min_by_key(|(_, call)| call.recorded.time))?;
    let mut episode = Episode {
        first: call.recorded.time.unwrap_or(0),
        model: context.model_at(call),
        ..Episode::of_arm(arm)
    };
    for context in contexts() {
        count_matches(lesson, context, &mut episode);
        let first_chance = context.chances(lesson.number).next().map(|(_, _, chance)| chance);
        if let Some(chance) = first_chance.filter(|_| told.is_empty()) {
            episode.add_untold(chance);
        }
    }
    let next = told.iter().find_map(|context| context.chances(lesson.number).next());
    episode.followed = next.map(|(_, _, chance)| chance);
    for context in &told {
        add_cost(lesson, context, acts, &mut episode);
    }
    let is_known = |context: &&ContextCalls<'_>| acts.start(lesson, context) == Some(Act::Told);
    let main = || told.iter().filter(|context| context.agent() == MAIN);
    episode.lot = acts.lot(lesson);
    episode.is_event_lost = !told.iter().all(is_known);
    if main().next().is_some() && !main().any(|context| acts.has_opening(lesson, context)) {
        episode.followed = None;
    }
    Some(episode)
}

/// Counts the calls of a context that match.
fn count_matches(lesson: &MeasuredLesson, context: &ContextCalls<'_>, episode: &mut Episode) {
    for (_, call, _) in context.chances(lesson.number).filter(|(_, _, chance)| *chance == Chance::Wrong) {
        episode.again += 1;
        episode.is_corrected |= call.is_refused_or_corrected();
        episode.has_failed_later |= call.went_wrong();
    }
}

/// Adds the price of what a context was told at its start, and the main thread again after compactions.
fn add_cost(lesson: &MeasuredLesson, context: &ContextCalls<'_>, acts: &HookActs<'_>, episode: &mut Episode) {
    let requests = context.requests;
    let read: Vec<(usize, usize)> = if context.agent() == MAIN {
        acts.openings_with(lesson).map(|(bytes, opening)| (bytes, opening.request)).collect()
    } else {
        vec![(lesson.agent_text, 0)]
    };
    for (bytes, first) in read {
        episode.cost += price::rounded(price::of_text(bytes, requests, requests.requests_after(first)));
    }
}
