//! The way out of a failure: a later call for the same purpose that succeeded, and how it differs.
//!
//! Nothing else may be the reason: no file was written in between. What only silences an error, or holds on one machine
//! alone, is no way out for others.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::aim::on;
use super::command::Command;
use super::difference::{self, Difference};
use super::draft::Cleaner;
use super::failed_call::Failure;
use super::failure;
use super::history::{Event, Step};
use crate::tag::trial::tried;
use crate::tag::trigger::{literal, operands};

/// Words of a command with which it gets past an error and does harm, or leaves out what it was for.
const HARMFUL: &str = "--skip --force --no-verify --abort --system --break-system-packages stash -rf --hard \
     --no-check --ignore true";
/// The starts of paths that only one machine has.
const OF_ONE_MACHINE: [&str; 5] = ["/home/", "/Users/", "/tmp/", "/private/", "C:"];

/// The longest rule, in characters: a script of its own is no way out.
const LONGEST_RULE: usize = 220;

/// What a later call shows.
pub(super) struct WayOut {
    /// The advice.
    pub(super) rule: String,
    /// The call that succeeded.
    pub(super) worked: String,
    pub(super) proposal: Proposal,
    /// Whether the error names what was added.
    pub(super) is_sure: bool,
}

/// The way out that a call shows, after these events since the failure.
pub(super) fn way_out(failure: &Failure<'_>, done: &Step, between: &[Event]) -> Option<WayOut> {
    if between.iter().filter_map(Event::step).any(|step| step.is_done() && step.writes()) {
        return None;
    }
    let Some(failed) = &failure.command else { return of_tool(failure, done) };
    let (failed_line, line) = (failure.step.call().command.as_deref()?, done.call().command.as_deref()?);
    let [failed_line, worked] = [failed_line, line].map(|line| Cleaner::default().clean(line));
    // A call that succeeded without knowing of the failure shows that something else was the reason.
    let is_same = |step: &Step| step.command().is_some_and(|command| command.about() == failed.about());
    if between.iter().filter_map(Event::step).any(|step| step.is_done() && is_same(step)) {
        return None;
    }
    let acted = between.iter().filter_map(Event::step).any(|step| {
        step.is_done()
            && step.command().is_some_and(|command| !command.inspects() && command.about() != failed.about())
    });
    let found = of_command(failure, failed, (&failed_line, &worked));
    let found = found.or_else(|| prepared(failed, &failed_line, &worked))?;
    let is_harmful = |text: &str| {
        let mut words = text.split_whitespace();
        words.any(|word| {
            HARMFUL.split(' ').any(|harm| word.starts_with(harm) && !failed.text.contains(harm))
                || OF_ONE_MACHINE.iter().any(|start| word.trim_start_matches(['"', '\'']).starts_with(start))
        })
    };
    let is_short = found.rule.chars().count() <= LONGEST_RULE;
    let is_sure = found.is_sure && !acted;
    (is_short && !is_harmful(&found.rule)).then(|| WayOut { is_sure, worked: line.to_owned(), ..found })
}

/// The same command in another form.
fn of_command(failure: &Failure<'_>, failed: &Command, (line, worked): (&str, &str)) -> Option<WayOut> {
    // With its folder and its variables, where the line is about one command.
    let whole = (Command::read(line), Command::read(worked));
    let pairs = match whole {
        (Some(failed), Some(done)) => vec![(failed, done)],
        _ => Command::all(worked).into_iter().map(|done| (failed.clone(), done)).collect(),
    };
    let (failed, done, difference) = pairs.into_iter().find_map(|(failed, done)| {
        let difference = difference::between(&failed, &done)?;
        Some((failed, done, difference))
    })?;
    // Another operand is another thing to do.
    if difference.is_of_operands && !failure::names(failure.text, &difference.added) {
        return None;
    }
    let is_sure = failure::names(failure.text, &difference.added)
        || difference.is_of_start && failure::lacks_module(failure.text);
    let named = failed.pattern_named(failure::telling_line(failure.text).unwrap_or_default());
    let proposal = tried(proposal(&failed, &done, &difference, named), &failed.text, &done.text);
    Some(WayOut { rule: format!("Use `{}`", done.text), worked: done.text, proposal, is_sure })
}

/// The same command, behind another one in the same line.
fn prepared(failed: &Command, failed_line: &str, worked: &str) -> Option<WayOut> {
    let line = Command::all(worked);
    let same = |part: &Command| part.about() == failed.about() && part.arguments == failed.arguments;
    let at = line.iter().position(same)?;
    let acts = |part: &&Command| !part.inspects() && part.about() != failed.about();
    let first = line.get(..at)?.iter().rev().find(acts)?;
    // What the failed line had run too is no preparation.
    if Command::all(failed_line).iter().any(|part| part.about() == first.about()) {
        return None;
    }
    let pattern = |command: &Command| command.start_pattern();
    let unless = vec![Trigger::new(TriggerKind::CommandPattern, pattern(first))];
    let proposal = Proposal { unless, ..on(TriggerKind::CommandPattern, &pattern(failed)) };
    Some(WayOut {
        rule: format!("Run `{}` before `{}`", first.text, failed.text),
        worked: worked.to_owned(),
        proposal: tried(proposal, &failed.text, worked),
        is_sure: false,
    })
}

/// The same tool with other parameters. Its error is the only text that says how it is to be called.
fn of_tool(failure: &Failure<'_>, done: &Step) -> Option<WayOut> {
    let (before, after) = (failure.step.call(), done.call());
    if before.tool != after.tool {
        return None;
    }
    let mut added: Vec<&str> =
        after.given.iter().filter(|name| !before.given.contains(name)).map(String::as_str).collect();
    let is_named = |name: &&str| failure.text.contains(*name);
    let is_sure = added.iter().any(is_named);
    if is_sure {
        // Of what else was given, nobody knows whether it mattered.
        added.retain(is_named);
    }
    let tool = &after.tool;
    (!added.is_empty()).then(|| WayOut {
        rule: format!(
            "Give {tool} `{}` too: {}",
            added.join("`, `"),
            failure::telling_line(failure.text).unwrap_or_default()
        ),
        worked: format!("{tool} with {}", after.given.join(", ")),
        proposal: on(TriggerKind::Tool, tool),
        is_sure,
    })
}

/// The proposal of triggers that fire on what failed and not on what worked.
fn proposal(failed: &Command, done: &Command, difference: &Difference, named: String) -> Proposal {
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
        named
    };
    Proposal {
        triggers: vec![on_command(trigger)],
        also: also.map(on_command).collect(),
        unless: unless.into_iter().map(on_command).collect(),
    }
}
