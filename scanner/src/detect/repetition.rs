//! **Repeated failure**: the same error at the same call, over sessions, and no way out found.
//!
//! A failure is *solved* where a call for the same purpose succeeds soon after, in whatever form; only unsolved
//! failures count. The results of tests, compilers and searches are answers and no failures, unless the program did
//! not start or did not end. Failures of the network are temporary.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::command::Command;
use super::draft::{Cleaner, Draft, ending};
use super::failure;
use super::history::{Event, Step};
use super::{Detector, Weight};
use crate::run::finding::FAILED;
use crate::tag::trigger::literal;

/// Looks for a failure in the last event.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let Event::Step(step) = events.last()? else { return None };
    let (text, code) = step.failure()?;
    let command = step.command();
    let counts = match command {
        Some(command) => !failure::is_an_answer(command, text, code),
        None => step.call().tool.starts_with("mcp__") || names_unknown(step, text),
    };
    if !counts || failure::is_passing(text) {
        return None;
    }
    let class = failure::class(text, code)?;
    match command {
        Some(command) => of_command(step, command, &class, text, code),
        None => Some(of_tool(step, &class, text)),
    }
}

/// Whether a call names a skill or an agent that is not there.
fn names_unknown(step: &Step, text: &str) -> bool {
    let is_by_name = matches!(step.call().tool.as_str(), "Skill" | "SlashCommand" | "Agent" | "Task");
    is_by_name
        && ["Unknown skill", "Unknown agent", "Agent type '", "Unknown slash command"]
            .iter()
            .any(|start| text.contains(start))
}

/// The ids of the lines whose failures the last event solves.
pub(super) fn solved(events: &[Event]) -> Vec<String> {
    let Some((Event::Step(done), before)) = events.split_last() else { return Vec::new() };
    if !done.is_done() {
        return Vec::new();
    }
    let failed = before.iter().filter_map(Event::step).filter(|step| step.failure().is_some());
    let failed = failed.filter(|step| done.may_be_like(step));
    let is_solved = |step: &&Step| match (step.command(), done.command()) {
        (Some(failed), Some(done)) => is_same(failed, done),
        (None, None) => {
            let tool = &step.call().tool;
            tool.starts_with("mcp__") && *tool == done.call().tool
        }
        _ => false,
    };
    failed.filter(is_solved).map(|step| step.origin().info.uuid.clone()).collect()
}

pub(super) fn is_same(failed: &Command, done: &Command) -> bool {
    let (one, other) = (&failed.subcommand, &done.subcommand);
    failed.program == done.program && (one.starts_with(other.as_str()) || other.starts_with(one.as_str()))
}

fn of_command<'e>(
    step: &'e Step,
    command: &Command,
    class: &str,
    text: &str,
    code: Option<u8>,
) -> Option<Draft<'e>> {
    let mut cleaner = Cleaner::default();
    let command = cleaner.command(command)?;
    let start = cleaner.told(&command.start());
    let fix = if failure::timed_out(text) {
        format!(
            "Do not wait for `{start}`: it does not end by itself. Use a form that ends, or run it in the background"
        )
    } else {
        format!("Expect `{start}` to fail here: {}", cleaner.error(text)?)
    };
    Some(Draft {
        detector: Detector::Repetition,
        origin: step.origin(),
        key: format!("{}\n{class}", command.about()),
        is_strong: false,
        mistake: format!("`{start}` {}, the same way in several sessions", ending(text, code)),
        fix,
        // Equal for all signals of one key, whichever comes first.
        trigger: Some(start.clone()),
        tools: vec!["Bash".into()],
        proposal: Proposal {
            triggers: vec![Trigger::new(TriggerKind::CommandPattern, literal(&start))],
            ..Proposal::default()
        },
        evidence: vec![
            format!("{FAILED}{}", cleaner.quoted(&command.text)),
            format!("error: {}", cleaner.error(text).unwrap_or_default()),
        ],
        basis: vec![Weight::new(40, "the same error at the same call, and no call that got past it")],
        cleaner,
    })
}

fn of_tool<'e>(step: &'e Step, class: &str, text: &str) -> Draft<'e> {
    let mut cleaner = Cleaner::default();
    let tool = cleaner.told(&step.call().tool);
    let is_by_name = names_unknown(step, text);
    Draft {
        detector: Detector::Repetition,
        origin: step.origin(),
        key: format!("{tool}\n{class}"),
        is_strong: false,
        mistake: format!("{tool} fails the same way in several sessions"),
        fix: if is_by_name {
            format!("There is none of that name here: {}", cleaner.error(text).unwrap_or_default())
        } else {
            format!("Expect {tool} to fail here: {}", cleaner.error(text).unwrap_or_default())
        },
        trigger: None,
        proposal: Proposal {
            // A name is no part of a call that a trigger looks at.
            triggers: if is_by_name { Vec::new() } else { vec![Trigger::new(TriggerKind::Tool, &tool)] },
            ..Proposal::default()
        },
        evidence: vec![
            format!("{FAILED}{tool}"),
            format!("error: {}", cleaner.error(text).unwrap_or_default()),
        ],
        tools: vec![tool],
        basis: vec![Weight::new(40, "the same error at the same call, and no call that got past it")],
        cleaner,
    }
}
