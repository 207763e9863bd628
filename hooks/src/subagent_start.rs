//! The hook at the start of a sub-agent, which tells it the lessons that name its type, and how to record one.

use lessons_client::Event;
use lessons_decide::agent_opening::agent_opening;
use lessons_home::SystemClock;
use lessons_index::Corrupt;
use lessons_lesson::{Clock, Payload, PayloadEnd};

use crate::event::{self, Hook, HookContext, HookReply};

/// Runs the hook.
pub fn run() {
    event::run(&mut SubagentStart, Event::AgentStart);
}

/// The hook.
pub(crate) struct SubagentStart;

impl Hook for SubagentStart {
    /// The client starts agents of its own too, without a type, which do no work that a lesson is about.
    fn expects_answer(&self, payload: &Payload, end: PayloadEnd) -> bool {
        let has_type = payload.agent_type.as_deref().is_some_and(|agent| !agent.is_empty());
        end != PayloadEnd::Broken && payload.agent_id.is_some() && has_type
    }

    fn answer(&mut self, context: &mut HookContext<'_>) -> Result<HookReply, Corrupt> {
        // Without a home nothing is in force that could be told.
        let Some(index) = context.index else { return Ok(HookReply::default()) };
        let (agent, place, advice) = (context.call.payload.agent(), context.place(), context.advice());
        let told = agent_opening(index, agent, &place, &advice, SystemClock.now(), &mut context.claims)?;
        Ok(told.map_or_else(HookReply::default, |it| HookReply::advice(it.text, it.lessons, it.held)))
    }
}
