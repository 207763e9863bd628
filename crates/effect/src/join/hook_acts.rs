//! What hooks did in a session, by the events and by the texts that its transcript holds.

use std::collections::HashMap;

use lessons_decide::events;
use lessons_ledger::FiredEvent;
use lessons_ledger::events::fired::OVERRIDDEN;
use lessons_lesson::lesson::MAIN;
use lessons_replay::CallOutcome;

use super::calls::{Context, JoinedCall};
use super::lessons::MeasuredLesson;
use super::price;
use super::session_files::{OpeningText, ReadSession};

/// The agent in the events of what a query over MCP showed.
const QUERY: &str = "mcp";
/// The outcome in the events of what a command showed an agent in its shell.
const SHOWN: &str = "shown";

/// What events tell of the lessons of a session.
#[derive(Debug, Default)]
pub(super) struct HookActs(HashMap<String, LessonActs>);

/// What events tell of a lesson.
#[derive(Debug, Default)]
struct LessonActs {
    /// By call.
    at_calls: HashMap<String, Act>,
    /// What was told or left out by lot at the start of a context.
    starts: Vec<Start>,
    /// The series of the lot that decided about it. Empty where none did, or not all the time.
    lot: Option<String>,
    /// The time of the first event about it, in milliseconds since 1970; `None` where there is none.
    first: Option<u64>,
    /// Whether a query showed it.
    is_queried: bool,
}

/// What a hook did with a lesson at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    Passed,
    Held,
    Told,
    Refused,
}

/// The start of a context at which a lesson was told, or left out by lot.
#[derive(Debug)]
struct Start {
    act: Act,
    agent: String,
    /// The time, in milliseconds since 1970.
    time: u64,
}

impl HookActs {
    /// What the events of a session tell.
    pub(super) fn of(events: &[FiredEvent]) -> Self {
        let mut acts = Self::default();
        for event in events {
            let act = match event.outcome.as_str() {
                "told" | SHOWN => Act::Told,
                "held" => Act::Held,
                // Whether it was overridden, the transcript says.
                "refused" | OVERRIDDEN => Act::Refused,
                "passed" => Act::Passed,
                _ => continue,
            };
            for lesson in &event.lessons {
                acts.0.entry(lesson.clone()).or_default().add(act, event);
            }
        }
        acts
    }

    /// What hooks did with one lesson in a session.
    pub(super) fn with<'s>(
        &'s self,
        lesson: &'s MeasuredLesson,
        session: &'s ReadSession,
    ) -> LessonHooks<'s> {
        LessonHooks { lesson, acts: self.0.get(&lesson.present.lesson), session }
    }
}

impl LessonActs {
    /// Takes in what a hook did with the lesson.
    fn add(&mut self, act: Act, event: &FiredEvent) {
        self.first = Some(self.first.map_or(event.time, |first| first.min(event.time)));
        if event.agent == QUERY || event.outcome == SHOWN {
            self.is_queried = true;
            return;
        }
        if matches!(act, Act::Held | Act::Told) {
            let lot = self.lot.get_or_insert_with(|| event.lot.clone());
            // A session that goes on after measuring was switched on or off was drawn in part only.
            if *lot != event.lot {
                lot.clear();
            }
        }
        if event.call.is_empty() {
            let act = if act == Act::Held { Act::Held } else { Act::Told };
            self.starts.push(Start { act, agent: event.agent.clone(), time: event.time });
            return;
        }
        let known = self.at_calls.entry(event.call.clone()).or_insert(act);
        *known = act.max(*known);
    }
}

/// What hooks did with a lesson in a session.
pub(super) struct LessonHooks<'s> {
    pub(super) lesson: &'s MeasuredLesson,
    pub(super) session: &'s ReadSession,
    /// What events tell of it, if there are any.
    acts: Option<&'s LessonActs>,
}

impl<'s> LessonHooks<'s> {
    /// What a hook did at a call. A block of a call that ran all the same is none: something else in the client dropped it.
    pub(super) fn act(&self, call: &JoinedCall) -> Option<Act> {
        self.recorded(call).filter(|_| !self.is_overridden(call))
    }

    /// Whether a call ran although the lesson blocked it.
    pub(super) fn is_overridden(&self, call: &JoinedCall) -> bool {
        call.recorded.outcome == CallOutcome::Fine && self.recorded(call) == Some(Act::Refused)
    }

    fn recorded(&self, call: &JoinedCall) -> Option<Act> {
        self.acts?.at_calls.get(&call.name).copied()
    }

    /// The bytes of the lesson in the text that the model got at a call.
    pub(super) fn told_bytes(&self, call: &JoinedCall) -> Option<usize> {
        price::told_bytes(self.session.texts.get(&*call.recorded.id)?, &self.lesson.present.lesson)
    }

    /// What happened at a call, by the events or else by the transcript.
    pub(super) fn what(&self, call: &JoinedCall) -> Option<Act> {
        self.act(call).or_else(|| self.told_bytes(call).map(|_| Act::Told))
    }

    /// What events say of when a context started: the lesson was told, or else left out by lot.
    pub(super) fn start(&self, context: &Context) -> Option<Act> {
        let agent = events::name(context.agent());
        let first = context.calls.first().and_then(|call| call.recorded.time);
        let is_own = |start: &&Start| start.agent == agent && first.is_none_or(|first| start.time <= first);
        self.acts?.starts.iter().filter(is_own).map(|start| start.act).max()
    }

    /// The series of the lot that decided about it in the whole session; empty where none did.
    pub(super) fn lot(&self) -> String {
        self.acts.and_then(|acts| acts.lot.clone()).unwrap_or_default()
    }

    /// The texts for the main thread that hold the lesson: each with its bytes, and the request that read it first.
    pub(super) fn openings(&self) -> impl Iterator<Item = (usize, &'s OpeningText)> {
        let name = &self.lesson.present.lesson;
        self.session.openings.iter().filter_map(|text| Some((price::told_bytes(&text.text, name)?, text)))
    }

    /// Whether the transcript holds that it was told when a context started. Only that of the main thread can: what a
    /// sub-agent is told names no ids.
    pub(super) fn has_opening(&self, context: &Context) -> bool {
        context.agent() == MAIN && self.openings().any(|(_, opening)| opening.request == 0)
    }

    /// Whether a hook told it anywhere in the session, or the lot left it out at a start.
    pub(super) fn is_known(&self) -> bool {
        let is_told = |text| price::told_bytes(text, &self.lesson.present.lesson).is_some();
        self.acts.is_some_and(|acts| !acts.starts.is_empty() || !acts.at_calls.is_empty())
            || self.openings().next().is_some()
            || self.session.texts.values().any(|text| is_told(text))
    }

    /// Whether a query showed it.
    pub(super) fn is_queried(&self) -> bool {
        self.acts.is_some_and(|acts| acts.is_queried)
    }

    /// Whether events tell of it before a time.
    pub(super) fn is_known_before(&self, time: u64) -> bool {
        self.acts.and_then(|acts| acts.first).is_some_and(|first| first < time)
    }

    /// Whether it was told or refused a call of the context, up to the call with this number.
    pub(super) fn said_something(&self, context: &Context, number: usize) -> bool {
        let mut calls = context.calls.iter().take(number + 1);
        calls.any(|call| matches!(self.what(call), Some(Act::Told | Act::Refused)))
    }
}
