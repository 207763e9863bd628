//! **Correction by the user**: a typed message that refuses or corrects the step just done.
//!
//! No single word decides that: "actually" is said about everything. The words that the message shares with the calls
//! around it decide.
//!
//! - A call was *refused with a reason*: the reason names something of the call, or something of what was
//!   done in its place, or enough to be more than "not now".
//! - A call was *stopped*, by a refusal without a reason or by an interruption, and the next message names
//!   something of what was then done in its place.
//! - A call *was done*, and after the message it is done over: the same command in another way, or the
//!   same work by another program, or the very text that was put into a file is taken out again. The
//!   message names what goes and what comes. Where the call had failed, or the same command is given
//!   another option, what comes is enough.
//! - An edit was *undone*: the next one puts back what was there, or git does.
//!
//! A question corrects nothing. Neither does a message after which work goes on elsewhere.

use std::collections::BTreeSet;

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words::identifiers;

use super::command::Command;
use super::difference;
use super::draft::{Cleaner, Draft, relative};
use super::history::{Event, Step};
use super::line_origin::LineOrigin;
use super::named_words::named;
use super::{Detector, Weight};
use crate::transcript::CallEnd;
use crate::trigger::literal;

/// The number of calls after a message that are looked at.
const SOON: usize = 5;
/// The number of named words from which a reason counts, even where the call has none of them.
const TELLING: usize = 3;
/// The number of calls before a message that it may be about.
const JUST_DONE: usize = 4;

/// A message of the user and the step that it corrects.
struct Correction<'e> {
    /// The line of the message.
    origin: &'e LineOrigin,
    /// The text of the message.
    text: &'e str,
    /// The corrected step.
    step: &'e Step,
    how: How,
    /// The words that the message and the calls have in common.
    common: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Refused,
    Stopped,
    DoneOver,
    Undone,
}

/// Looks for a correction that ends with the last event.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(last), before) = events.split_last()? else { return None };
    if let Some(text) = reason(last) {
        // The reason names something of the call itself, so the next call does not matter.
        let common = told_at_once(text, last)?;
        return Some(draft(&Correction {
            origin: last.origin(),
            text,
            step: last,
            how: How::Refused,
            common,
        }));
    }
    let at = before.iter().rposition(|event| match event {
        Event::Typed { .. } => true,
        Event::Step(step) => reason(step).is_some(),
    })?;
    if before.len() - at > SOON {
        return None;
    }
    match before.get(at)? {
        Event::Step(step) if !last.came_after(step.ended) => None,
        Event::Typed { origin, .. } if !last.came_after(origin.offset) => None,
        Event::Step(step) => {
            let waits = |text: &&str| !is_question(text) && told_at_once(text, step).is_none();
            let text = reason(step).filter(waits)?;
            instead(step.origin(), text, step, last, How::Refused).as_ref().map(draft)
        }
        Event::Typed { text, .. } if is_question(text) => None,
        Event::Typed { origin, text } => {
            let steps: Vec<&Step> =
                before[..at].iter().rev().map_while(Event::step).take(JUST_DONE).collect();
            let found = match steps.first() {
                Some(step) if reason(step).is_none() && is_stopped(step) => {
                    instead(origin, text, step, last, How::Stopped)
                }
                _ => steps.into_iter().find_map(|step| done_over(origin, text, step, last)),
            };
            found.as_ref().map(draft)
        }
    }
}

/// The reason with which the user refused a call.
fn reason(step: &Step) -> Option<&str> {
    match &step.end {
        // Plans and questions of the assistant are there to be refused.
        CallEnd::RefusedByUser(Some(reason)) if is_work(step) => Some(reason),
        _ => None,
    }
}

fn is_stopped(step: &Step) -> bool {
    matches!(step.end, CallEnd::RefusedByUser(_)) && is_work(step)
}

fn is_work(step: &Step) -> bool {
    step.call().command.is_some() || step.call().path.is_some()
}

/// The words that a reason names, if they are enough without the next call.
fn told_at_once(text: &str, step: &Step) -> Option<BTreeSet<String>> {
    let common = common(text, &words_of(step));
    let all = named(text);
    let found = if common.is_empty() && all.len() >= TELLING { all } else { common };
    (!found.is_empty() && !is_question(text)).then_some(found)
}

fn is_question(text: &str) -> bool {
    text.trim_end().ends_with('?')
}

/// The words of a call: of its command, or of the file and the new text.
fn words_of(step: &Step) -> BTreeSet<String> {
    let texts = [&step.call().command, &step.call().path, &step.call().new];
    texts.into_iter().flatten().flat_map(|text| named(text)).collect()
}

fn common(text: &str, words: &BTreeSet<String>) -> BTreeSet<String> {
    named(text).intersection(words).cloned().collect()
}

/// A correction where the next call does what the message names, and the call before did not.
fn instead<'e>(
    origin: &'e LineOrigin,
    text: &'e str,
    step: &'e Step,
    next: &Step,
    how: How,
) -> Option<Correction<'e>> {
    let only_looks = next.command().is_some_and(Command::inspects);
    let fresh: BTreeSet<String> = words_of(next).difference(&words_of(step)).cloned().collect();
    let common = common(text, &fresh);
    let counts = next.is_done() && !only_looks && !common.is_empty();
    counts.then_some(Correction { origin, text, step, how, common })
}

/// A correction where the next call repeats a step, and the message names what is removed and what is added.
fn done_over<'e>(
    origin: &'e LineOrigin,
    text: &'e str,
    step: &'e Step,
    next: &'e Step,
) -> Option<Correction<'e>> {
    if !next.is_done() {
        return None;
    }
    let found = |gone: &BTreeSet<String>, came: &BTreeSet<String>| {
        let (gone_named, came_named) = (common(text, gone), common(text, came));
        let names_both = !gone_named.is_empty() && (came.is_empty() || !came_named.is_empty());
        let names_way_out = step.failure().is_some() && !came_named.is_empty();
        (names_both || names_way_out).then(|| Correction {
            origin,
            text,
            step,
            how: How::DoneOver,
            common: gone_named.union(&came_named).cloned().collect(),
        })
    };
    if undoes(step, next) {
        let common = common(text, &words_of(step));
        return Some(Correction { origin, text, step, how: How::Undone, common });
    }
    if let (Some(before), Some(after)) = (step.command(), next.command()) {
        let is_over = if before.program == after.program {
            let difference = difference::between(before, after).filter(|found| !found.is_of_operands);
            let added = difference.as_ref().map_or_else(String::new, |found| found.added.join(" "));
            let common = common(text, &named(&added));
            if !common.is_empty() && !after.inspects() && !after.checks() {
                return Some(Correction { origin, text, step, how: How::DoneOver, common });
            }
            difference.is_some()
        } else {
            // The same work by another program.
            let words = |command: &Command| -> BTreeSet<String> {
                command.subcommand.split(' ').chain(command.operands()).map(str::to_owned).collect()
            };
            let shares = words(before).intersection(&words(after)).any(|word| !word.is_empty());
            shares && !before.inspects() && !after.inspects()
        };
        if !is_over {
            return None;
        }
        let (gone, came) = (words_of(step), words_of(next));
        return found(&(&gone - &came), &(&came - &gone));
    }
    let is_same_file =
        step.writes() && next.writes() && step.call().path.is_some() && step.call().path == next.call().path;
    if !is_same_file || !step.is_done() {
        return None;
    }
    let (put_in, old) = (named(step.call().new.as_ref()?), named(next.call().old.as_ref()?));
    let new = named(next.call().new.as_ref()?);
    let gone: BTreeSet<String> =
        put_in.intersection(&old).filter(|word| !new.contains(*word)).cloned().collect();
    found(&gone, &(&new - &old))
}

/// Whether the next call takes back what an edit did.
fn undoes(step: &Step, next: &Step) -> bool {
    let Some(path) = step.call().path.as_ref().filter(|_| step.writes() && step.is_done()) else {
        return false;
    };
    if let Some(command) = next.command() {
        let takes_back = matches!(command.subcommand.as_str(), "checkout" | "restore" | "revert");
        let mut operands = command.operands();
        return command.program == "git"
            && takes_back
            && operands.any(|file| path.ends_with(&format!("/{file}")));
    }
    let is_inverse =
        step.call().old.is_some() && step.call().old == next.call().new && step.call().new == next.call().old;
    is_inverse && next.call().path.as_ref() == Some(path)
}

fn draft<'e>(found: &Correction<'e>) -> Draft<'e> {
    let Correction { origin, text, step, how, common } = found;
    let mut cleaner = Cleaner::default();
    let folder = step.origin().info.cwd.as_deref();
    let mut clean = |text: &Option<String>| text.as_ref().map(|text| cleaner.clean(text));
    let target = Target {
        tool: clean(&Some(step.call().tool.clone())).unwrap_or_default(),
        command: clean(&step.call().command),
        file: clean(&step.call().path.as_ref().map(|path| relative(path, folder))),
        put_in: clean(&step.call().new),
    };
    let what = match (&target.command, &target.file) {
        (Some(command), _) => format!("`{}`", cleaner.quoted(command)),
        (None, Some(file)) => format!("{} of {}", target.tool, cleaner.told(file)),
        (None, None) => target.tool.clone(),
    };
    let (verb, points) = match how {
        How::Refused => ("refused", Weight::new(60, "the user refused the call and said why")),
        How::Stopped => ("stopped", Weight::new(55, "the user stopped the call and said what to do")),
        How::Undone => ("took back", Weight::new(55, "the user spoke, and the step was undone")),
        How::DoneOver => {
            ("corrected", Weight::new(55, "the user said what to do, and the step was done over"))
        }
    };
    let about = target.read().map_or_else(|| target.file.clone().unwrap_or_default(), |read| read.about());
    let mut names: Vec<&str> = common.iter().map(String::as_str).collect();
    let mut basis = vec![points];
    basis.extend((names.len() > 1).then(|| Weight::new(10, "the message names several words of the calls")));
    names.truncate(8);
    Draft {
        detector: Detector::Correction,
        origin,
        key: format!("{about}\n{}", names.join(" ")),
        is_strong: true,
        mistake: format!("The user {verb} {what}"),
        fix: cleaner.told(text),
        proposal: proposal(&target, common, *how),
        evidence: vec![format!("{verb}: {what}"), format!("the user: {}", cleaner.quoted(text))],
        trigger: target.command,
        tools: vec![target.tool],
        basis,
        cleaner,
    }
}

/// The step that was corrected, without its secrets.
struct Target {
    tool: String,
    command: Option<String>,
    file: Option<String>,
    put_in: Option<String>,
}

impl Target {
    fn read(&self) -> Option<Command> {
        self.command.as_deref().and_then(Command::read)
    }
}

/// The proposal of triggers that fire on the corrected step.
fn proposal(target: &Target, common: &BTreeSet<String>, how: How) -> Proposal {
    let mut proposal = Proposal::default();
    if let Some(command) = &target.command {
        let start = target.read().map_or_else(|| command.clone(), |read| read.start());
        proposal.triggers.push(Trigger::new(TriggerKind::CommandPattern, literal(&start)));
        return proposal;
    }
    let Some(file) = &target.file else {
        proposal.triggers.push(Trigger::new(TriggerKind::Tool, &target.tool));
        return proposal;
    };
    // Of an edit that was done over, what went is what to look out for, in files of its kind.
    let put_in = target.put_in.as_deref().unwrap_or_default();
    let gone = identifiers(put_in)
        .filter(|word| common.contains(&word.to_lowercase()))
        .max_by_key(|word| word.len());
    match gone.filter(|_| how == How::DoneOver) {
        Some(word) => {
            proposal.triggers.push(Trigger::new(TriggerKind::ContentPattern, literal(word)));
            let kind = file.rsplit_once('.').map_or_else(|| file.clone(), |(_, kind)| format!("**/*.{kind}"));
            proposal.also.push(Trigger::new(TriggerKind::FileGlob, kind));
        }
        None => proposal.triggers.push(Trigger::new(TriggerKind::FileGlob, file)),
    }
    proposal
}
