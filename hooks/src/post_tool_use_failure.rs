//! The hook after a tool call that failed, which tells the model a lesson beside the error, or warns of an error text that
//! gives orders.
//!
//! The client raises it for a command that exits with an error, a failed read or fetch, and an error of an MCP tool. What
//! it reports elsewhere is not heard here: an edit or a tool input that the client itself refuses, a call that ran out
//! of time, and an error behind `|| true` or a pipe.

use lessons_client::Event;
use lessons_decide::inspection::inspect;
use lessons_decide::{Decision, GuardedPaths, Measure};
use lessons_incident::response;
use lessons_index::Corrupt;
use lessons_lesson::{Payload, PayloadEnd};

use crate::environment::HookEnvironment;
use crate::event::{self, Hook, HookContext, HookReply};
use crate::incidents::{self, Origin, ToolInput};

/// Runs the hook.
pub fn run() {
    event::run(&mut PostToolUseFailure, Event::Failed);
}

/// The warnings about an error text that gives orders. It has no other form to come back in, so it passes.
fn warnings(context: &mut HookContext<'_>) -> Option<String> {
    let error = context.call.payload.error.as_deref()?;
    let error = error.get(..error.floor_char_boundary(response::HEAD))?;
    if HookEnvironment::advice().silenced {
        return None;
    }
    let index = incidents::index(context.home.as_ref().ok()?)?;
    let origin = Origin::of(context.call.payload, &ToolInput::default(), &context.place(), index.settings)?;
    let mut found = inspect(&index, error, origin.owner);
    for suspicion in &mut found {
        suspicion.measure = Measure::Warn;
    }
    incidents::warnings(&context.call.payload.call.tool, &origin, &found, &mut context.claims)
}

/// The hook.
pub(crate) struct PostToolUseFailure;

impl Hook for PostToolUseFailure {
    fn expects_answer(&self, payload: &Payload, end: PayloadEnd) -> bool {
        end != PayloadEnd::Broken && !payload.call.tool.is_empty() && payload.error.is_some()
    }

    fn answer(&mut self, context: &mut HookContext<'_>) -> Result<HookReply, Corrupt> {
        let Some(call) = context.call.payload.failed_call() else { return Ok(HookReply::default()) };
        // A call that has run is not put to a person.
        let guarded = GuardedPaths { home: "", user_home: None };
        let answer = context.decide(&call, &guarded, &HookEnvironment::advice())?;
        let (text, lessons) = match answer.decision {
            Decision::Advise { text, lessons } => (Some(text), lessons),
            _ => (None, Vec::new()),
        };
        let texts: Vec<String> = text.into_iter().chain(warnings(context)).collect();
        Ok(HookReply::advice(texts.join("\n"), lessons, answer.held))
    }
}
