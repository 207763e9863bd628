//! The hook after a tool call that failed, which tells the model a lesson beside the error.
//!
//! The client raises it for a command that exits with an error, a failed read or fetch, and an error of an MCP tool. What
//! it reports elsewhere is not heard here: an edit or a tool input that the client itself refuses, a call that ran out
//! of time, and an error behind `|| true` or a pipe.

use lessons_decide::answer::{Decision, Situation, answer};
use lessons_decide::approval::GuardedPaths;
use lessons_decide::claims::{SessionClaims, SessionFolder};
use lessons_decide::events::Outcome;
use lessons_decide::reply;
use lessons_home::clock::SystemClock;
use lessons_index::Corrupt;
use lessons_lesson::payload::{Payload, PayloadEnd};

use crate::environment::HookEnvironment;
use crate::event::{self, Hook, HookContext, HookReply};

/// Runs the hook.
pub fn run() {
    event::run(&mut PostToolUseFailure);
}

struct PostToolUseFailure;

impl Hook for PostToolUseFailure {
    fn expects_answer(&self, payload: &Payload, end: PayloadEnd) -> bool {
        end != PayloadEnd::Broken && !payload.call.tool.is_empty() && payload.error.is_some()
    }

    fn answer(
        &mut self,
        context: &HookContext<'_>,
        claims: &mut SessionClaims<SessionFolder>,
    ) -> Result<HookReply, Corrupt> {
        let Some(call) = context.payload.failed_call() else { return Ok(HookReply::default()) };
        let situation = Situation {
            index: context.index,
            call: &call,
            agent: context.payload.agent(),
            place: &context.environment.place(context.payload),
            // A call that has run is not put to a person.
            guarded: &GuardedPaths { home: "", user_home: None },
            advice: &HookEnvironment::advice(),
            clock: &SystemClock,
        };
        let decision = answer(&situation, claims)?.decision;
        let object = reply::after_failure(&decision);
        let Decision::Advise { lessons, .. } = decision else { return Ok(HookReply::default()) };
        Ok(HookReply { object, events: vec![(Outcome::Told, lessons)] })
    }
}
