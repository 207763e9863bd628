//! The hook at the start of a sub-agent, which tells it the lessons that name its type, and how to record one.

use lessons_client::claude::Answer;
use lessons_client::{Event, Verdict};
use lessons_decide::agent_opening::agent_opening;
use lessons_decide::{Outcome, SessionClaims, SessionFolder};
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

    fn answer(
        &mut self,
        context: &HookContext<'_>,
        claims: &mut SessionClaims<SessionFolder>,
    ) -> Result<HookReply, Corrupt> {
        // Without a home nothing is in force that could be told.
        let Some(index) = context.index else { return Ok(HookReply::default()) };
        let place = context.call.environment.place(context.call.payload);
        let advice = context.advice();
        let agent = context.call.payload.agent();
        let Some(opening) = agent_opening(index, agent, &place, &advice, SystemClock.now(), claims)? else {
            return Ok(HookReply::default());
        };
        let events = [(Outcome::Told, opening.lessons), (Outcome::Held, opening.held)];
        Ok(HookReply {
            answer: if opening.text.is_empty() {
                Answer::Silent
            } else {
                Answer::told(Verdict::Advice(opening.text))
            },
            events: events.into_iter().filter(|(_, lessons)| !lessons.is_empty()).collect(),
        })
    }
}
