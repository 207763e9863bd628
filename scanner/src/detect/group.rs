//! **Groups of failures**: calls that failed for the same reason, by what their errors say.
//!
//! The program is no part of the key: the same error is the same mistake, whatever ran into it. A group is proposed where two
//! sessions have it, or where one call that got past it shows the way out for sure. The way out comes from a success soon
//! after ([`super::way_out`]); it may be several calls later.
//!
//! The results of tests, compilers and searches are answers and no failures, unless the call itself was wrong. Failures
//! of the network are temporary, and what shells say of their grammar is what the built-in lessons are about.

use lessons_ledger::candidates::Proposal;
use lessons_lesson::hooked::is_mcp;
use lessons_pattern::trigger::TriggerKind;

use super::aim::on;
use super::draft::{Cleaner, Draft, ending};
use super::failed_call::Failure;
use super::failure;
use super::history::Event;
use super::way_out::{WayOut, way_out};
use super::{Detector, Weight};
use crate::run::finding::{FAILED, WORKED};
use crate::tag::trial::fires;
use crate::tag::trigger::literal;

/// The most events between a failure and its way out.
const SOON: usize = 12;
/// Looks for a failure in the last event, or for the way out of an earlier one.
pub(super) fn look(events: &[Event]) -> Vec<Draft<'_>> {
    let Some((Event::Step(last), before)) = events.split_last() else { return Vec::new() };
    if let Some(failure) = Failure::of(last) {
        let counts = !failure.is_answer;
        return counts.then(|| draft(&failure, None)).flatten().into_iter().collect();
    }
    if !last.is_done() {
        return Vec::new();
    }
    let soon = before.iter().rev().take(SOON).map_while(Event::step);
    // Most calls follow no failure.
    let failed = soon.enumerate().filter(|(_, step)| step.said().is_some() && last.came_after(step.ended));
    let found = failed.filter_map(|(distance, step)| {
        let between = &before[before.len() - distance..];
        let failure = Failure::of(step).filter(|failure| last.may_be_like(failure.command.as_ref()))?;
        let way_out = way_out(&failure, last, between)?;
        draft(&failure, Some(&way_out))
    });
    found.collect()
}

fn draft<'e>(failure: &Failure<'e>, way_out: Option<&WayOut>) -> Option<Draft<'e>> {
    let Failure { step, text, code, class, .. } = failure;
    let mut cleaner = Cleaner::default();
    let error = cleaner.error(text)?;
    let command = failure.command.as_ref();
    let tool = cleaner.told(&step.call().tool);
    let start = command.map_or_else(|| tool.clone(), |command| cleaner.told(&command.start()));
    let shown = match &step.call().command {
        Some(line) => format!("`{}`", cleaner.quoted(line)),
        None => tool.clone(),
    };
    let fix = match way_out {
        Some(way_out) => cleaner.told(&way_out.rule),
        None if failure::timed_out(text) => format!(
            "Do not wait for `{start}`: it does not end by itself. Use a form that ends, or run it in the background"
        ),
        None => format!("Expect `{start}` to fail here: {error}"),
    };
    let mut evidence = vec![format!("{FAILED}{}", shown.trim_matches('`')), format!("error: {error}")];
    evidence.extend(way_out.map(|way_out| format!("{WORKED}{}", cleaner.quoted(&way_out.worked))));
    let points = match way_out {
        Some(way_out) if way_out.is_sure && (command.is_some() || is_mcp(&tool)) => {
            Weight::new(75, "the error names what the call that got past it has")
        }
        Some(_) => Weight::new(50, "a call failed, and one that differs in little did not"),
        None => Weight::new(40, "the same error over sessions"),
    };
    let proposal = match (way_out, command) {
        (Some(way_out), _) => way_out.proposal.clone(),
        // A missing program is missing whatever it is called for.
        (None, Some(command)) if failure::did_not_start(*code) => {
            on(TriggerKind::CommandPattern, &literal(&command.name))
        }
        (None, Some(command)) => on(TriggerKind::CommandPattern, &command.pattern_named(&error)),
        // A name of a skill is no part of a call that a trigger looks at.
        (None, None) if is_mcp(&tool) => on(TriggerKind::Tool, &tool),
        (None, None) => Proposal::default(),
    };
    // What keeps quiet at the very call that failed says nothing.
    let line = step.call().command.as_deref().map(|line| cleaner.clean(line));
    let texts: Vec<&String> = command.map(|command| &command.text).into_iter().chain(&line).collect();
    let is_quiet = !texts.is_empty() && texts.iter().all(|text| fires(&proposal, text) == Some(false));
    let proposal = if is_quiet { Proposal::default() } else { proposal };
    Some(Draft {
        order: 0,
        detector: Detector::Repetition,
        origin: step.origin(),
        key: class.clone(),
        is_strong: way_out.is_some(),
        mistake: format!("{shown} {}", ending(text, *code)),
        fix,
        trigger: command.map(|command| command.text.clone()),
        tools: vec![tool],
        proposal,
        evidence,
        basis: vec![points],
        cleaner,
    })
}
