//! What hooks did in a session, by the events and by the texts that its transcript holds.

use std::collections::HashMap;

use lessons_decide::events;
use lessons_ledger::FiredEvent;
use lessons_ledger::fired::OVERRIDDEN;
use lessons_lesson::lesson::MAIN;
use lessons_replay::CallOutcome;

use super::calls::{ContextCalls, JoinedCall};
use super::lessons::MeasuredLesson;
use super::price;
use super::session_files::{OpeningText, Thread};

/// The agent in the events of what a query over MCP showed.
const QUERY: &str = "mcp";
/// The outcome in the events of what a command showed an agent in its shell.
const SHOWN: &str = "shown";

/// What hooks did in a session.
#[derive(Debug)]
pub(super) struct HookActs<'t> {
    /// What events tell of each lesson.
    lessons: HashMap<String, LessonActs>,
    /// The transcripts, which hold the texts that hooks gave the model. That of the main thread is the last.
    threads: &'t [Thread],
}

/// What events tell of a lesson.
#[derive(Debug, Default)]
struct LessonActs {
    /// By call.
    at_calls: HashMap<String, Act>,
    /// What was told or left out by lot at the start of a context.
    starts: Vec<Start>,
    /// The series of the lot that decided about it. Empty where none did, or not all the time.
    lot: Option<String>,
    /// The time of the first event about it, in milliseconds since 1970.
    first: u64,
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

impl<'t> HookActs<'t> {
    /// The acts that events tell of, with the texts that the transcripts hold.
    pub(super) fn of(events: Vec<FiredEvent>, threads: &'t [Thread]) -> Self {
        let mut acts = Self { lessons: HashMap::new(), threads };
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
                acts.lesson(lesson, act, &event);
            }
        }
        acts
    }

    /// Takes in what a hook did with one of the lessons of an event.
    fn lesson(&mut self, lesson: &str, act: Act, event: &FiredEvent) {
        let new = || LessonActs { first: event.time, ..LessonActs::default() };
        let acts = self.lessons.entry(lesson.to_owned()).or_insert_with(new);
        acts.first = event.time.min(acts.first);
        if event.agent == QUERY || event.outcome == SHOWN {
            acts.is_queried = true;
            return;
        }
        if matches!(act, Act::Held | Act::Told) {
            let lot = acts.lot.get_or_insert_with(|| event.lot.clone());
            // A session that goes on after measuring was switched on or off was drawn in part only.
            if *lot != event.lot {
                lot.clear();
            }
        }
        if event.call.is_empty() {
            let act = if act == Act::Held { Act::Held } else { Act::Told };
            acts.starts.push(Start { act, agent: event.agent.clone(), time: event.time });
            return;
        }
        let known = acts.at_calls.entry(event.call.clone()).or_insert(act);
        *known = act.max(*known);
    }

    fn of_lesson(&self, lesson: &MeasuredLesson) -> Option<&LessonActs> {
        self.lessons.get(&lesson.name)
    }

    /// What a hook did at a call. A block of a call that ran all the same is none: something else in the client dropped it.
    pub(super) fn act(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<Act> {
        self.recorded(lesson, call).filter(|_| !self.is_overridden(lesson, call))
    }

    /// Whether a call ran although a lesson blocked it.
    pub(super) fn is_overridden(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> bool {
        call.recorded.outcome == CallOutcome::Fine && self.recorded(lesson, call) == Some(Act::Refused)
    }

    fn recorded(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<Act> {
        self.of_lesson(lesson)?.at_calls.get(&call.id).copied()
    }

    /// The bytes of a lesson in the text that the model got at a call.
    pub(super) fn told_bytes(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<usize> {
        let text = self.threads.iter().find_map(|thread| thread.texts.get(&*call.recorded.id))?;
        price::told_bytes(text, &lesson.name)
    }

    /// What happened at a call, by the events or else by the transcript.
    pub(super) fn what(&self, lesson: &MeasuredLesson, call: &JoinedCall<'_>) -> Option<Act> {
        self.act(lesson, call).or_else(|| self.told_bytes(lesson, call).map(|_| Act::Told))
    }

    /// What events say of a lesson when a context started: it was told, or else left out by lot.
    pub(super) fn start(&self, lesson: &MeasuredLesson, context: &ContextCalls<'_>) -> Option<Act> {
        let agent = events::name(context.agent());
        let first = context.calls.first().and_then(|call| call.recorded.time);
        let is_own = |start: &&Start| start.agent == agent && first.is_none_or(|first| start.time <= first);
        self.of_lesson(lesson)?.starts.iter().filter(is_own).map(|start| start.act).max()
    }

    /// The series of the lot that decided about a lesson in the whole session; empty where none did.
    pub(super) fn lot(&self, lesson: &MeasuredLesson) -> String {
        self.of_lesson(lesson).and_then(|acts| acts.lot.clone()).unwrap_or_default()
    }

    /// The texts for the main thread that hold a lesson: each with its bytes, and the request that read it first.
    pub(super) fn openings_with(
        &self,
        lesson: &MeasuredLesson,
    ) -> impl Iterator<Item = (usize, &OpeningText)> {
        let name = lesson.name.clone();
        let openings = self.threads.last().map_or(&[][..], |main| &main.openings);
        openings.iter().filter_map(move |text| Some((price::told_bytes(&text.text, &name)?, text)))
    }

    /// Whether the transcript holds that a lesson was told when a context started. Only that of the main thread can: what a
    /// sub-agent is told names no ids.
    pub(super) fn has_opening(&self, lesson: &MeasuredLesson, context: &ContextCalls<'_>) -> bool {
        context.agent() == MAIN && self.openings_with(lesson).any(|(_, opening)| opening.request == 0)
    }

    /// Whether a lesson was told when a context started, by the events or else by the transcript.
    pub(super) fn is_told_at_start(&self, lesson: &MeasuredLesson, context: &ContextCalls<'_>) -> bool {
        self.start(lesson, context) == Some(Act::Told) || self.has_opening(lesson, context)
    }

    /// Whether a hook told a lesson anywhere in the session, or the lot left it out at a start.
    pub(super) fn is_known(&self, lesson: &MeasuredLesson) -> bool {
        self.of_lesson(lesson).is_some_and(|acts| !acts.starts.is_empty() || !acts.at_calls.is_empty())
            || self.openings_with(lesson).next().is_some()
            || self
                .threads
                .iter()
                .flat_map(|thread| thread.texts.values())
                .any(|text| price::told_bytes(text, &lesson.name).is_some())
    }

    /// Whether a query showed a lesson.
    pub(super) fn is_queried(&self, lesson: &MeasuredLesson) -> bool {
        self.of_lesson(lesson).is_some_and(|acts| acts.is_queried)
    }

    /// Whether a lesson was told or refused a call of the session before a time.
    pub(super) fn knows_before(&self, lesson: &str, time: u64) -> bool {
        self.lessons.get(lesson).is_some_and(|acts| acts.first < time)
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
