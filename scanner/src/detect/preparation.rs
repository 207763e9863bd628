//! **Preparation**: a command failed, and soon after the same command did not, behind another one in the same line.
//!
//! `terraform plan` fails and `terraform init && terraform plan` does not: what came first is the way out. Nothing may
//! have been written in between, or run that acts. Once is chance, as with every contrast.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::command::Command;
use super::draft::{Cleaner, Draft, ending};
use super::failure;
use super::history::{Event, Step};
use super::{Detector, Weight};
use crate::run::finding::{FAILED, WORKED};
use crate::tag::trial::tried;

/// The most events between the two calls.
const SOON: usize = 6;

/// Looks for a preparation in the last event.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    let has_failed =
        before.iter().rev().take(SOON).map_while(Event::step).any(|step| step.failure().is_some());
    if !done.is_done() || !has_failed || done.call().command.is_none() || done.command().is_some() {
        return None;
    }
    let line = Command::all(done.call().command.as_deref()?);
    let (step, failed, prepared) = failure_of(before, done, &line)?;
    let (text, code) = step.failure()?;
    let mut cleaner = Cleaner::default();
    let (failed, prepared) = (cleaner.command(failed)?, cleaner.command(prepared)?);
    let on_command = |command: &Command| Trigger::new(TriggerKind::CommandPattern, command.start_pattern());
    let proposal = Proposal {
        triggers: vec![on_command(&failed)],
        unless: vec![on_command(&prepared)],
        ..Proposal::default()
    };
    let (first, then) = (cleaner.quoted(&prepared.text), cleaner.quoted(&failed.text));
    let worked = cleaner.quoted(done.call().command.as_deref()?);
    Some(Draft {
        detector: Detector::Contrast,
        origin: step.origin(),
        key: format!("{}\nafter {}", failed.about(), prepared.about()),
        is_strong: false,
        mistake: format!("`{then}` {}", ending(text, code)),
        fix: format!("Run `{first}` before `{then}`"),
        proposal: tried(proposal, &failed.text, done.call().command.as_deref()?),
        evidence: vec![
            format!("{FAILED}{then}"),
            format!("error: {}", cleaner.error(text).as_deref().unwrap_or("(nothing was said)")),
            format!("{WORKED}{worked}"),
        ],
        trigger: Some(failed.text),
        tools: vec!["Bash".into()],
        basis: vec![Weight::new(50, "a call failed, and behind another one it did not")],
        cleaner,
    })
}

/// The failure of a command that the line runs again, and what the line runs before it.
fn failure_of<'s, 'l>(
    before: &'s [Event],
    done: &Step,
    line: &'l [Command],
) -> Option<(&'s Step, &'s Command, &'l Command)> {
    for step in before.iter().rev().take(SOON).map_while(Event::step) {
        let Some((text, _)) = step.failure().filter(|_| done.came_after(step.ended)) else {
            let acts = step.writes() || step.command().is_none_or(|command| !command.inspects());
            if step.is_done() && acts {
                return None;
            }
            continue;
        };
        let Some(failed) = step.command().filter(|_| !failure::is_passing(text)) else { continue };
        let same = |part: &Command| part.about() == failed.about() && part.arguments == failed.arguments;
        let Some(at) = line.iter().position(same) else { continue };
        let acts = |part: &&Command| !part.inspects() && part.about() != failed.about();
        if let Some(prepared) = line.get(..at)?.iter().rev().find(acts) {
            return Some((step, failed, prepared));
        }
    }
    None
}
