//! The join: what hooks did in a session, and what followed. One episode for each lesson that came up.

use std::collections::{HashMap, HashSet};

use lessons_ledger::episodes::{Arm, CallEvent, Episode, NextChance};

use super::calls::{CallEnd, Chance, ContextCalls, JoinedCall, SessionCalls};
use super::lessons::MeasuredLesson;
use super::measure::Measure;
use super::price;

/// The calls in which a refused call is made another way, or a repeat put right.
const WITHIN: usize = 10;

/// The agent in the events of what a query over MCP showed.
const QUERY: &str = "mcp";
/// The outcome in the events of what a command showed an agent in its shell.
const SHOWN: &str = "shown";

/// What hooks did in a session.
#[derive(Debug, Default)]
pub(super) struct HookActs {
    /// By lesson and call.
    acts: HashMap<(String, String), Act>,
    /// The time of the first event about a lesson, in milliseconds since 1970.
    first: HashMap<String, u64>,
    /// The texts that hooks gave the model, by call.
    texts: HashMap<String, String>,
    /// The lessons that a query showed.
    queried: HashSet<String>,
}

/// What a hook did with a lesson at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Passed,
    Told,
    Refused,
}

impl HookActs {
    /// The acts that events tell of, with the texts that the transcripts hold.
    pub(super) fn of(events: Vec<CallEvent>, texts: HashMap<String, String>) -> Self {
        let mut acts = Self { texts, ..Self::default() };
        for event in events {
            let act = match event.outcome.as_str() {
                "told" | SHOWN => Act::Told,
                "refused" => Act::Refused,
                "passed" => Act::Passed,
                _ => continue,
            };
            let first = acts.first.entry(event.lesson.clone()).or_insert(event.time);
            *first = event.time.min(*first);
            if event.agent == QUERY || event.outcome == SHOWN {
                acts.queried.insert(event.lesson);
                continue;
            }
            let known = acts.acts.entry((event.lesson, event.call)).or_insert(act);
            *known = act.max(*known);
        }
        acts
    }

    fn act(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<Act> {
        self.acts.get(&(lesson.name.clone(), call.id.clone())).copied()
    }

    /// The bytes of a lesson in the text that the model got at a call.
    fn told_bytes(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<usize> {
        price::told_bytes(self.texts.get(call.full_id)?, &lesson.name)
    }

    /// What happened at a call, by the events or else by the transcript.
    fn what(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<Act> {
        self.act(lesson, call).or_else(|| self.told_bytes(lesson, call).map(|_| Act::Told))
    }

    /// Whether a query showed a lesson.
    fn is_queried(&self, lesson: &MeasuredLesson) -> bool {
        self.queried.contains(&lesson.name)
    }

    /// Whether a lesson was told or refused a call of the session before a time.
    pub(super) fn knows_before(&self, lesson: &str, time: u64) -> bool {
        self.first.get(lesson).is_some_and(|&first| first < time)
    }

    /// Whether any lesson that matches a call of the context, up to the call with this number, was told or refused it.
    pub(super) fn said_something(
        &self,
        context: &ContextCalls<'_>,
        number: usize,
        lessons: &[&MeasuredLesson],
    ) -> bool {
        let calls = || context.calls.iter().take(number + 1);
        lessons.iter().any(|lesson| {
            calls().any(|call| matches!(self.what(lesson, call), Some(Act::Told | Act::Refused)))
        })
    }
}

/// The episode of a lesson in a session; `None` where it did not come up.
pub(super) fn episode(
    lesson: &MeasuredLesson,
    session: &SessionCalls<'_>,
    acts: &HookActs,
) -> Option<Episode> {
    let position = lesson.position;
    let mut strands: Vec<Strand<'_>> =
        session.contexts.iter().filter_map(|context| Strand::of(lesson, context, acts)).collect();
    // The main thread comes after the sub-agents that it starts, so the order is that of time.
    strands.sort_by_key(|strand| strand.first_call().time);
    let is_said = |strand: &Strand<'_>| strand.index.as_ref().is_some_and(|index| index.act.is_some());
    let said = strands.iter().find(|strand| is_said(strand));
    let came_up = strands.iter().any(|strand| strand.index.is_some());
    let arm = match said.and_then(|strand| strand.index.as_ref()?.act) {
        Some(Act::Refused) => Arm::Refused,
        Some(Act::Told | Act::Passed) => Arm::Told,
        None if came_up => Arm::Quiet,
        None => Arm::Unprompted,
    };
    let first = said.or_else(|| strands.iter().find(|strand| strand.index.is_some())).or(strands.first())?;
    let mut episode =
        Episode { first: first.first_call().time.unwrap_or(0), model: first.model(), ..Episode::of_arm(arm) };
    episode.flags.is_queried = acts.is_queried(lesson);
    let mut cost = 0.0;
    for strand in &strands {
        match strand.first_chance {
            Chance::Right => episode.right_first += 1,
            Chance::Wrong => episode.wrong_first += 1,
        }
        let counts = arm == Arm::Quiet || is_said(strand);
        let Some(index) = strand.index.as_ref().filter(|_| counts) else { continue };
        let call = &strand.context.calls[index.number];
        episode.contexts += 1;
        episode.failed_first += u64::from(call.end == CallEnd::Failed);
        if arm == Arm::Told && episode.followed.is_none() {
            episode.followed = strand.next_chance(position, call.request);
        }
        strand.count_repeats(lesson, index.number, &mut episode);
        strand.count_refusals(lesson, acts, &mut episode);
        cost += strand.cost(lesson, acts, &mut episode);
        episode.flags.is_event_lost |= acts.act(lesson, call).is_none() && index.act.is_some();
    }
    let told: Vec<&JoinedCall<'_>> =
        session.all().filter(|call| acts.act(lesson, call) == Some(Act::Told)).collect();
    episode.flags.is_undelivered =
        !told.is_empty() && told.iter().all(|call| acts.told_bytes(lesson, call).is_none());
    episode.cost = price::rounded(cost);
    Some(episode)
}

/// What the model did about a refused call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterRefused {
    MadeAgain,
    Changed,
}

/// A lesson in one context.
struct Strand<'s> {
    context: &'s ContextCalls<'s>,
    /// The number of the first call that it had a chance at.
    first: usize,
    first_chance: Chance,
    /// The first call at which the hook acted; where it never did, the first that matches.
    index: Option<IndexCall>,
}

/// The call from which on repeats count.
struct IndexCall {
    number: usize,
    act: Option<Act>,
}

impl<'s> Strand<'s> {
    fn of(lesson: &MeasuredLesson, context: &'s ContextCalls<'s>, acts: &HookActs) -> Option<Self> {
        let chances = context
            .calls
            .iter()
            .enumerate()
            .filter_map(|(number, call)| Some((number, call.chance(lesson.position)?)));
        let (first, first_chance) = chances.clone().next()?;
        let mut matching = chances.filter(|(_, chance)| *chance == Chance::Wrong);
        let first_match = matching.clone().next().map(|(number, _)| IndexCall { number, act: None });
        let acted = matching.find_map(|(number, _)| {
            let act = acts.what(lesson, &context.calls[number]).filter(|act| *act != Act::Passed)?;
            Some(IndexCall { number, act: Some(act) })
        });
        Some(Self { context, first, first_chance, index: acted.or(first_match) })
    }

    fn first_call(&self) -> &JoinedCall<'_> {
        &self.context.calls[self.index.as_ref().map_or(self.first, |index| index.number)]
    }

    fn model(&self) -> String {
        let request = self.context.requests.requests.get(self.first_call().request);
        request.and_then(|request| request.model.clone()).unwrap_or_default()
    }

    /// The calls after a request, each with its number.
    fn later(&self, request: usize) -> impl Iterator<Item = (usize, &JoinedCall<'_>)> {
        self.context.calls.iter().enumerate().filter(move |(_, call)| call.request > request)
    }

    fn next_chance(&self, lesson: u32, request: usize) -> Option<NextChance> {
        let chance = self.later(request).find_map(|(_, call)| call.chance(lesson))?;
        Some(match chance {
            Chance::Right => NextChance::Right,
            Chance::Wrong => NextChance::Wrong,
        })
    }

    /// Counts the repeats after the index call, what they cost, and corrections from the index call on.
    fn count_repeats(&self, lesson: &MeasuredLesson, index: usize, episode: &mut Episode) {
        let call = &self.context.calls[index];
        let is_corrected = |call: &JoinedCall<'_>| call.end == CallEnd::Rejected || call.is_corrected();
        episode.corrected += u64::from(is_corrected(call));
        for (number, later) in self.later(call.request) {
            if later.chance(lesson.position) != Some(Chance::Wrong) {
                continue;
            }
            episode.corrected += u64::from(is_corrected(later));
            let counts = match lesson.measure {
                Measure::Repeat => true,
                Measure::Failure => self.context.goes_wrong_soon(number),
                Measure::First | Measure::None => false,
            };
            if !counts {
                continue;
            }
            episode.again += 1;
            if later.end == CallEnd::Failed {
                episode.failed_again += 1;
                episode.mending = episode.mending.or_else(|| self.mending(number));
            }
        }
    }

    /// The price of putting right a call that failed: up to the first call for the same purpose that worked.
    fn mending(&self, failed: usize) -> Option<(u64, u64)> {
        let wrong = &self.context.calls[failed];
        let mut later = self.context.calls.iter().skip(failed + 1).take(WITHIN);
        let right = later.find(|call| call.end == CallEnd::Fine && call.is_for_same_purpose(wrong))?;
        let tokens = price::of_requests(self.context.requests, wrong.request + 1, right.request);
        // A clock that was set back says nothing.
        let took = right.time?.saturating_sub(wrong.time?);
        Some((price::rounded(tokens), took))
    }

    /// Counts what followed after each refused call.
    fn count_refusals(&self, lesson: &MeasuredLesson, acts: &HookActs, episode: &mut Episode) {
        let refused = |call: &JoinedCall<'_>| acts.act(lesson, call) == Some(Act::Refused);
        for call in self.context.calls.iter().filter(|call| refused(call)) {
            let is_first = episode.changed + episode.overruled + episode.given_up == 0;
            let mut later = self.later(call.request).take(WITHIN).map(|(_, later)| later);
            let decided = later.find_map(|later| {
                let is_changed = || {
                    later.chance(lesson.position) == Some(Chance::Right)
                        || (!refused(later) && later.is_of_same_program(call))
                };
                if acts.act(lesson, later) == Some(Act::Passed) {
                    Some(AfterRefused::MadeAgain)
                } else {
                    is_changed().then_some(AfterRefused::Changed)
                }
            });
            match decided {
                Some(AfterRefused::MadeAgain) => episode.overruled += 1,
                Some(AfterRefused::Changed) => episode.changed += 1,
                None => episode.given_up += 1,
            }
            episode.flags.is_first_overruled |= is_first && decided == Some(AfterRefused::MadeAgain);
        }
    }

    /// The price of everything that the lesson said in the context.
    fn cost(&self, lesson: &MeasuredLesson, acts: &HookActs, episode: &mut Episode) -> f64 {
        let requests = self.context.requests;
        let mut cost = 0.0;
        for call in &self.context.calls {
            let bytes = match acts.act(lesson, call) {
                Some(Act::Refused) => {
                    // The answer that made the call was in vain.
                    cost += price::of_requests(requests, call.request, call.request);
                    price::refusal_bytes(lesson.text, lesson.mode)
                }
                _ => match acts.told_bytes(lesson, call) {
                    Some(bytes) => bytes,
                    None => continue,
                },
            };
            episode.requests += u64::try_from(requests.later_requests(call.request)).unwrap_or(u64::MAX);
            cost += price::of_text(bytes, requests, call.request);
        }
        cost
    }
}
