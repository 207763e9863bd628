//! The way out of a failure: a later call for the same purpose that succeeded, and how it differs.
//!
//! Nothing else may be the reason: no file was written in between. What only silences an error, or holds on one machine
//! alone, is no way out for others.

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::aim::on;
use super::command::Command;
use super::difference::{self, Difference, is_remote};
use super::draft::Cleaner;
use super::failed_call::Failure;
use super::failure;
use super::history::{Event, Step};
use crate::tag::trial::tried;
use crate::tag::trigger::literal;
use crate::tag::trigger::operands::{is_option, without_operands};

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
    let found = found.or_else(|| prepared(failed, &failed_line, &worked));
    let found = found.or_else(|| of_step(failure, failed, &worked, between))?;
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
        (Some(whole), Some(done)) if !is_remote(&whole) || is_remote(failed) => vec![(whole, done)],
        _ => Command::all(worked).into_iter().map(|done| (failed.clone(), done)).collect(),
    };
    let differing = |(failed, done): (Command, Command)| {
        let difference = difference::between(&failed, &done)?;
        Some((failed, done, difference))
    };
    let (failed, done, mut difference) = pairs
        .into_iter()
        .find_map(differing)
        .or_else(|| differing(first_other(line, worked)?).filter(|(.., found)| found.only_adds()))?;
    // Another operand is another thing to do.
    if difference.is_of_operands && !failure::names(failure.text, &difference.added) {
        difference = of_value(&failed, &done, &difference, failure.text)?;
    }
    let is_sure = failure::names(failure.text, &difference.added)
        || difference.is_of_start && failure::lacks_module(failure.text);
    let named = match &failure.wrapper {
        Some(wrapper) => literal(wrapper),
        None if failure::concerns_program(failure.text, failure.code) => failed.program_pattern(),
        None => failed.pattern_named(failure::telling_line(failure.text).unwrap_or_default()),
    };
    let proposal = tried(proposal(&failed, &done, &difference, named), &failed.text, &done.text);
    Some(WayOut { rule: format!("Use `{}`", done.text), worked: done.text, proposal, is_sure })
}

/// The first commands that differ in two lines which are the same before them.
fn first_other(line: &str, worked: &str) -> Option<(Command, Command)> {
    Command::all(line).into_iter().zip(Command::all(worked)).find(|(one, other)| one.text != other.text)
}

/// The difference as one of an option's value, where the error names the value that failed.
fn of_value(failed: &Command, done: &Command, difference: &Difference, text: &str) -> Option<Difference> {
    let ([added], [removed]) = (&difference.added[..], &difference.removed[..]) else { return None };
    let option = |command: &Command, value: &String| {
        let at = command.arguments.iter().position(|word| word == value)?;
        command.arguments.get(at.checked_sub(1)?).filter(|word| is_option(word)).cloned()
    };
    let name = option(failed, removed).filter(|name| option(done, added).as_ref() == Some(name))?;
    let of = |value: &String| vec![format!("{name} {value}")];
    has_word(text, removed).then(|| Difference {
        added: of(added),
        removed: of(removed),
        ..Difference::default()
    })
}

/// Whether a command is the one that failed, once more.
fn is_again(part: &Command, failed: &Command) -> bool {
    part.about() == failed.about() && part.arguments == failed.arguments
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.')).any(|own| own == word)
}

/// The same command again, after a step of which the error speaks: `playwright install`.
fn of_step(failure: &Failure<'_>, failed: &Command, worked: &str, between: &[Event]) -> Option<WayOut> {
    Command::all(worked).iter().find(|part| is_again(part, failed))?;
    let is_named = |step: &&Command| {
        let own = step.subcommand.split(' ');
        !step.inspects()
            && own.clone().all(|word| has_word(failure.text, word) && !has_word(&failed.text, word))
    };
    let steps = between.iter().filter_map(Event::step).filter(|step| step.is_done());
    let step = steps.filter_map(Step::command).filter(|step| !step.subcommand.is_empty()).find(is_named)?;
    let unless = vec![Trigger::new(TriggerKind::CommandPattern, step.start_pattern())];
    Some(WayOut {
        rule: format!("Run `{}` before `{}`", step.text, failed.text),
        worked: worked.to_owned(),
        proposal: Proposal { unless, ..on(TriggerKind::CommandPattern, &failed.start_pattern()) },
        is_sure: false,
    })
}

/// The same command, behind another one in the same line.
fn prepared(failed: &Command, failed_line: &str, worked: &str) -> Option<WayOut> {
    let line = Command::all(worked);
    let at = line.iter().position(|part| is_again(part, failed))?;
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
        literal(&without_operands(&failed.text).0)
    } else {
        named
    };
    Proposal {
        triggers: vec![on_command(trigger)],
        also: also.map(on_command).collect(),
        unless: unless.into_iter().map(on_command).collect(),
    }
}
