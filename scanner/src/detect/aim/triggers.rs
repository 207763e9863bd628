//! Proposals with one trigger.

use lessons_ledger::Proposal;
use lessons_pattern::{Trigger, TriggerKind};

use crate::tag::trigger::literal;

/// A pattern for an option of any command.
pub(crate) fn option(name: &str) -> String {
    format!(r"(?:^|\s){}", literal(name))
}

pub(crate) fn command_trigger(pattern: String) -> Trigger {
    Trigger::new(TriggerKind::CommandPattern, pattern)
}

/// The proposal with one trigger.
pub(crate) fn with_trigger(trigger: Trigger) -> Proposal {
    Proposal { triggers: vec![trigger], ..Proposal::default() }
}

/// The proposal with one trigger on commands.
pub(crate) fn on_command(pattern: String) -> Proposal {
    with_trigger(command_trigger(pattern))
}
