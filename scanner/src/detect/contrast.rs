//! **Contrast**: a call failed, and soon after one for the same purpose did not.
//!
//! The difference between the two is the fix, the common part is the trigger. That holds only while nothing else can
//! be the reason: no file was written, no other command changed anything, the user said nothing. The result of a test
//! or a compiler is no contrast, and neither is another way to look (see [`Command::inspects`] and [`Command::checks`]).
//!
//! Once is chance. A pair is proposed when the same difference mended the same call twice, in one session
//! or in two. A pair is a *strong* signal, and proposed at once, where the error itself names what was added
//! (`Try re-running with --locked`) and names little else, or a module that was found from another environment.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::command::Command;
use super::difference::{self, Difference};
use super::draft::{Cleaner, Draft, ending};
use super::failure;
use super::history::{Event, Step};
use super::{Detector, Weight};
use crate::run::finding::{FAILED, WORKED};
use crate::tag::trial::tried;
use crate::tag::trigger::{literal, operands};

/// The most events between the two calls.
const SOON: usize = 10;

/// Looks for a contrast that ends with the last event.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    if !done.is_done() {
        return None;
    }
    // Most calls follow no failure, or one that has nothing to do with them.
    let mut soon = before.iter().rev().take(SOON).map_while(Event::step);
    if !soon.any(|step| step.failure().is_some() && done.may_be_like(step)) {
        return None;
    }
    match done.command() {
        Some(command) => of_commands(before, done, command),
        None => of_tools(before, done),
    }
}

fn of_commands<'e>(before: &'e [Event], done: &'e Step, command: &Command) -> Option<Draft<'e>> {
    let mut found: Option<(&Step, &Command)> = None;
    let mut last_is_next = true;
    for (distance, event) in before.iter().rev().take(SOON).enumerate() {
        let Some(step) = event.step() else { break };
        if let Some((text, code)) = step.failure().filter(|_| done.came_after(step.ended)) {
            let other = step.command().filter(|failed| !is_verdict_only(failed, command, text, code));
            if let Some(failed) = other.filter(|failed| difference::between(failed, command).is_some()) {
                // The first of several failures is what somebody does without knowing better.
                last_is_next = distance == 0;
                found = Some((step, failed));
            }
        } else if step.is_done() && (step.writes() || step.call().command.is_some()) {
            let only_looks =
                step.command().is_some_and(|other| other.inspects() && other.about() != command.about());
            if !only_looks {
                break;
            }
        }
    }
    let (step, failed) = found?;
    let (text, code) = step.failure()?;
    let mut cleaner = Cleaner::default();
    let (failed, command) = (cleaner.command(failed)?, cleaner.command(command)?);
    // Two calls that differ in a secret alone do not differ any more.
    let difference = difference::between(&failed, &command)?;
    let is_named = failure::names(text, &difference.added);
    let mut basis = vec![Weight::new(50, "a call failed, and one that differs in little did not")];
    basis.extend(is_named.then(|| Weight::new(20, "the error names what was added")));
    // What was started in another way has found it.
    let found_module = difference.is_of_start && failure::lacks_module(text);
    basis.extend(found_module.then(|| Weight::new(20, "the error names a module that was found this way")));
    basis.extend(last_is_next.then(|| Weight::new(5, "it was the very next call")));
    Some(Draft {
        detector: Detector::Contrast,
        origin: step.origin(),
        key: format!("{}\n{}", failed.about(), difference.signature),
        is_strong: is_named || found_module,
        mistake: format!("`{}` {}", cleaner.quoted(&failed.text), ending(text, code)),
        fix: format!("Use `{}`", cleaner.quoted(&command.text)),
        proposal: tried(proposal(&failed, &command, &difference), &failed.text, &command.text),
        evidence: vec![
            format!("{FAILED}{}", cleaner.quoted(&failed.text)),
            format!("error: {}", cleaner.error(text).as_deref().unwrap_or("(nothing was said)")),
            format!("{WORKED}{}", cleaner.quoted(&command.text)),
        ],
        trigger: Some(failed.text),
        tools: vec!["Bash".into()],
        basis,
        cleaner,
    })
}

/// Whether a failure was an answer, and only the operands differ.
fn is_verdict_only(failed: &Command, done: &Command, text: &str, code: Option<u8>) -> bool {
    let is_answer = failure::is_an_answer(failed, text, code);
    is_answer
        && (text.is_empty() || difference::between(failed, done).is_some_and(|found| found.is_of_operands))
}

/// The proposal of triggers that fire on what failed and not on what worked.
pub(super) fn proposal(failed: &Command, done: &Command, difference: &Difference) -> Proposal {
    let on_command = |pattern: String| Trigger::new(TriggerKind::CommandPattern, pattern);
    let start = failed.start();
    let is_told_by_start = difference.removed.iter().any(|part| start.starts_with(part.as_str()));
    let unless: Vec<String> = difference
        .added
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| match part {
            part if part.starts_with('-') => format!(r"(?:^|\s){}", literal(part)),
            part if is_told_by_start => literal(&format!("{part} {}", done.subcommand)),
            part => literal(part),
        })
        .collect();
    let also = difference.removed.iter().filter(|_| !is_told_by_start).map(|part| {
        if part.starts_with('-') { format!(r"(?:^|\s){}", literal(part)) } else { literal(part) }
    });
    let trigger = if difference.is_of_operands && unless.is_empty() {
        literal(&operands::without_operands(&failed.text).0)
    } else {
        failed.start_pattern()
    };
    Proposal {
        triggers: vec![on_command(trigger)],
        also: also.map(on_command).collect(),
        unless: unless.into_iter().map(on_command).collect(),
    }
}

/// A contrast of two calls of one tool of another server, with other parameters. The error of such a tool is the only
/// text that says how it is to be called.
fn of_tools<'e>(before: &'e [Event], done: &'e Step) -> Option<Draft<'e>> {
    let tool = &done.call().tool;
    if !tool.starts_with("mcp__") {
        return None;
    }
    let steps = before.iter().rev().take(SOON).map_while(Event::step);
    let failed = steps.filter(|step| done.came_after(step.ended) && step.call().tool == *tool).last()?;
    let (text, code) = failed.failure()?;
    if failure::is_passing(text) {
        return None;
    }
    let class = failure::class(text, code)?;
    let mut cleaner = Cleaner::default();
    let (tool, error) = (cleaner.told(tool), cleaner.error(text)?);
    let added: Vec<&str> = done
        .call()
        .given
        .iter()
        .filter(|name| !failed.call().given.contains(name))
        .map(String::as_str)
        .collect();
    let given = cleaner.told(&added.join("`, `"));
    Some(Draft {
        detector: Detector::Contrast,
        origin: failed.origin(),
        key: format!("{tool}\n{class}"),
        is_strong: false,
        mistake: format!("{tool} fails: {error}"),
        fix: if given.is_empty() {
            format!("Mind what {tool} takes: {error}")
        } else {
            format!("Give {tool} `{given}` too: {error}")
        },
        trigger: None,
        proposal: Proposal { triggers: vec![Trigger::new(TriggerKind::Tool, &tool)], ..Proposal::default() },
        evidence: vec![
            format!("{FAILED}{tool}"),
            format!("error: {error}"),
            format!("{WORKED}{tool} with {}", cleaner.told(&done.call().given.join(", "))),
        ],
        tools: Vec::new(),
        basis: vec![Weight::new(50, "a call of a tool failed, and one with other parameters did not")],
        cleaner,
    })
}
