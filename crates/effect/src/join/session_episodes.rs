//! The join: what hooks did in a session, and what followed. One episode for each lesson that came up.

use lessons_index::matching::holds_at;
use lessons_lesson::lesson::MAIN;
use lessons_lesson::render::{refusal_frame, way_on};

use super::calls::{Context, JoinedCall, WITHIN};
use super::hook_acts::{Act, LessonHooks};
use super::lessons::Measure;
use super::price;
use crate::episodes::{Arm, Chance, Episode};

/// The episode of a lesson in a session; `None` where it did not come up.
pub(super) fn at_calls(hooks: &LessonHooks<'_>) -> Option<Episode> {
    let all = || hooks.session.contexts.iter().flat_map(|context| &context.calls);
    let mut strands: Vec<Strand<'_>> =
        hooks.session.contexts.iter().filter_map(|context| Strand::of(hooks, context)).collect();
    // The main thread comes after the sub-agents that it starts, so the order is that of time.
    strands.sort_by_key(|strand| strand.first_call().recorded.time);
    let said = strands.iter().find(|strand| strand.is_said());
    let matching = strands.iter().find(|strand| strand.index.is_some());
    let arm = match said.map(Strand::act) {
        Some(Some(Act::Refused)) => Arm::Refused,
        Some(Some(Act::Held)) => Arm::Held,
        Some(_) => Arm::Told,
        None if hooks.is_queried() || all().any(|call| hooks.is_overridden(call)) => Arm::Queried,
        None if matching.is_some() => Arm::Quiet,
        None => Arm::Unprompted,
    };
    let first = said.or(matching).or(strands.first())?;
    let mut episode = episode_from(arm, first.context, first.first_call());
    let mut cost = 0.0;
    for strand in &strands {
        if strand.start == Some(Act::Told) {
            episode.followed = episode.followed.or(Some(strand.first_chance));
        } else {
            episode.add_untold(strand.first_chance);
        }
        let counts = said.is_none() || strand.is_said();
        let Some((number, act)) = strand.index.filter(|_| counts) else { continue };
        let call = &strand.context.calls[number];
        if arm == Arm::Told && episode.followed.is_none() {
            let mut later = strand.later(call.request);
            episode.followed = later.find_map(|(_, call)| call.chance(hooks.lesson.number));
        }
        strand.count_repeats(call, &mut episode);
        strand.count_refusals(&mut episode);
        cost += strand.cost();
        episode.is_event_lost |= hooks.act(call).is_none() && act.is_some() && strand.start.is_none();
    }
    let mut told = all().filter(|call| hooks.act(call) == Some(Act::Told)).peekable();
    if told.peek().is_some() && told.all(|call| hooks.told_bytes(call).is_none()) {
        episode.followed = None;
    }
    episode.cost = price::rounded(cost);
    episode.lot = hooks.lot();
    episode.has_failed_first = first.index.is_some() && first.first_call().went_wrong();
    Some(episode)
}

/// An episode that counts from a call on.
fn episode_from(arm: Arm, context: &Context, call: &JoinedCall) -> Episode {
    let model = context.model_at(call).unwrap_or_default().to_owned();
    Episode { arm, first: call.recorded.time.unwrap_or(0), model, ..Episode::default() }
}

/// A lesson in one context.
struct Strand<'s> {
    hooks: &'s LessonHooks<'s>,
    context: &'s Context,
    /// The number of the first call that it had a chance at.
    first: usize,
    first_chance: Chance,
    /// Whether the context, that of a sub-agent, was told it before its first call, or should have been but for the lot.
    start: Option<Act>,
    /// The call from which on repeats count, and what the hook did there: the first at which it acted; where it never did, the
    /// first that matches.
    index: Option<(usize, Option<Act>)>,
}

impl<'s> Strand<'s> {
    fn of(hooks: &'s LessonHooks<'s>, context: &'s Context) -> Option<Self> {
        let number = hooks.lesson.number;
        let (first, _, first_chance) = context.chances(number).next()?;
        let mut matching = context.matching(number);
        let first_match = matching.clone().next().map(|(number, _)| (number, None));
        let acted = matching.find_map(|(number, call)| {
            let act = hooks.what(call).filter(|act| *act != Act::Passed)?;
            Some((number, Some(act)))
        });
        let start = hooks.start(context);
        Some(Self { hooks, context, first, first_chance, start, index: acted.or(first_match) })
    }

    /// What the hook did at the index call, or else at the start.
    fn act(&self) -> Option<Act> {
        self.index.and_then(|(_, act)| act).or(self.start)
    }

    /// Whether the hook told the lesson to the context, refused a call of it, or left the lesson out by lot.
    fn is_said(&self) -> bool {
        self.act().is_some()
    }

    fn first_call(&self) -> &'s JoinedCall {
        &self.context.calls[self.index.map_or(self.first, |(number, _)| number)]
    }

    /// The calls after a request, each with its number.
    fn later(&self, request: usize) -> impl Iterator<Item = (usize, &'s JoinedCall)> {
        self.context.calls.iter().enumerate().filter(move |(_, call)| call.request > request)
    }

    /// Counts the repeats after the index call, what they cost, and corrections from the index call on.
    fn count_repeats(&self, call: &JoinedCall, episode: &mut Episode) {
        episode.is_corrected |= call.is_refused_or_corrected();
        for (number, later) in self.context.matching(self.hooks.lesson.number) {
            if later.request <= call.request {
                continue;
            }
            let fails = self.context.goes_wrong_soon(number);
            episode.is_corrected |= later.is_refused_or_corrected();
            episode.has_failed_later |= fails;
            episode.again += u64::from(match self.hooks.lesson.measure {
                Measure::Repeat => true,
                Measure::Failure => fails,
                Measure::First | Measure::None => false,
            });
        }
    }

    /// Counts what followed after each refused call.
    fn count_refusals(&self, episode: &mut Episode) {
        let hooks = self.hooks;
        let refused = |call: &JoinedCall| hooks.act(call) == Some(Act::Refused);
        for call in self.context.calls.iter().filter(|call| refused(call)) {
            let is_first = episode.refused() == 0;
            let is_made_again = |later: &JoinedCall| hooks.act(later) == Some(Act::Passed);
            let is_changed = |later: &JoinedCall| {
                later.chance(hooks.lesson.number) == Some(Chance::Right)
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
    fn cost(&self) -> f64 {
        let (lesson, context) = (self.hooks.lesson, self.context);
        let mut cost = 0.0;
        if self.start == Some(Act::Told) {
            cost += price::of_text(lesson.agent_text, context, context.requests_after(0));
        }
        for call in &context.calls {
            let bytes = if self.hooks.act(call) == Some(Act::Refused) {
                // The answer that made the call was in vain.
                cost += price::of_request(context, call.request);
                refusal_frame(&way_on(lesson.terms.mode, &[])) + lesson.text
            } else if let Some(bytes) = self.hooks.told_bytes(call) {
                bytes
            } else {
                continue;
            };
            // The next request reads it first.
            let again = context.requests_after(call.request).saturating_sub(1);
            cost += price::of_text(bytes, context, again);
        }
        cost
    }
}

/// The episode of a lesson in a session, whether a call matches or not. `None` where the lesson does not hold, and where it was
/// told only later: as one that was recorded meanwhile, or at a compaction.
pub(super) fn at_start(hooks: &LessonHooks<'_>) -> Option<Episode> {
    let LessonHooks { lesson, session, .. } = *hooks;
    if !holds_at(&lesson.terms, &session.session.place()) {
        return None;
    }
    let contexts: Vec<&Context> =
        session.contexts.iter().filter(|context| lesson.is_for(context.agent())).collect();
    let mut told: Vec<&Context> = contexts.clone();
    // By the events or else by the transcript.
    told.retain(|context| hooks.start(context) == Some(Act::Told) || hooks.has_opening(context));
    let arm = if !told.is_empty() {
        Arm::Told
    } else if contexts.iter().any(|context| hooks.start(context) == Some(Act::Held)) {
        Arm::Held
    } else if hooks.is_known() {
        return None;
    } else if hooks.is_queried() {
        Arm::Queried
    } else {
        Arm::Quiet
    };
    let matching = contexts
        .iter()
        .flat_map(|&context| context.matching(lesson.number).map(move |(_, call)| (context, call)));
    // Without a call that matches, the session counts from its first call on.
    let any = contexts.iter().filter_map(|&context| Some((context, context.calls.first()?)));
    let (context, call) = matching
        .min_by_key(|(_, call)| call.recorded.time)
        .or_else(|| any.min_by_key(|(_, call)| call.recorded.time))?;
    let mut episode = episode_from(arm, context, call);
    let first_chance = |context: &&Context| context.chances(lesson.number).next().map(|(.., chance)| chance);
    for context in &contexts {
        for (_, call) in context.matching(lesson.number) {
            episode.again += 1;
            episode.is_corrected |= call.is_refused_or_corrected();
            episode.has_failed_later |= call.went_wrong();
        }
        if let Some(chance) = first_chance(context).filter(|_| told.is_empty()) {
            episode.add_untold(chance);
        }
    }
    episode.cost = told.iter().map(|context| start_cost(hooks, context)).sum();
    episode.lot = hooks.lot();
    episode.is_event_lost = !told.iter().all(|context| hooks.start(context) == Some(Act::Told));
    let mut main = told.iter().filter(|context| context.agent() == MAIN).peekable();
    if main.peek().is_none() || main.any(|context| hooks.has_opening(context)) {
        episode.followed = told.iter().find_map(first_chance);
    }
    Some(episode)
}

/// The price of what a context was told at its start, and the main thread again after compactions.
fn start_cost(hooks: &LessonHooks<'_>, context: &Context) -> u64 {
    let price = |bytes, first| price::rounded(price::of_text(bytes, context, context.requests_after(first)));
    if context.agent() == MAIN {
        hooks.openings().map(|(bytes, opening)| price(bytes, opening.request)).sum()
    } else {
        price(hooks.lesson.agent_text, 0)
    }
}
