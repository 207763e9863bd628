//! **Correction by the user**: a typed message that refuses or corrects the step just done.
//!
//! No single word decides that: "actually" is said about everything. The words that the message shares with the calls
//! around it decide.
//!
//! - A call *was done*, and after the message it is done over: the same command in another way, or the
//!   same work by another program, or the very text that was put into a file is taken out again. The
//!   message names what goes and what comes. Where the call had failed, or the same command is given
//!   another option, what comes is enough.
//! - An edit was *undone*: the next one puts back what was there, or git does.
//!
//! A question corrects nothing here, and neither does a message after which work goes on elsewhere. What a person says
//! outright is found in [`super::spoken`], whatever is done then.

use std::collections::BTreeSet;

use lessons_ledger::candidates::Proposal;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words::identifiers;

use super::command::Command;
use super::contrast;
use super::difference;
use super::draft::{Cleaner, Draft, relative};
use super::history::{Event, Step};
use super::line_origin::LineOrigin;
use super::named_words::named;
use super::sentence::{Sentence, sentences};
use super::statement::statement;
use super::statement_kind::{Occasion, is_hedged};
use super::{Detector, Weight};
use crate::tag::trial::tried;
use crate::tag::trigger::literal;

/// The number of calls after a message that are looked at.
const SOON: usize = 5;
/// The fewest and the most words of a message that tells what to do over.
const FEWEST_WORDS: usize = 2;
const MOST_WORDS: usize = 40;
/// The most lines of such a message: more are pasted.
const MOST_LINES: usize = 3;
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
    /// The step that was done in its place.
    next: &'e Step,
    how: How,
    /// The words that the message and the calls have in common.
    common: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    DoneOver,
    Undone,
}

/// Looks for a correction that ends with the last event.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(last), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| matches!(event, Event::Typed(_)))?;
    if before.len() - at > SOON {
        return None;
    }
    let Event::Typed(prompt) = before.get(at)? else { return None };
    let (origin, text) = (&prompt.origin, &prompt.text);
    if !last.came_after(origin.offset) || !*prompt.may_correct.get_or_init(|| may_correct(text)) {
        return None;
    }
    let steps = before[..at].iter().rev().map_while(Event::step).take(JUST_DONE);
    steps.into_iter().find_map(|step| done_over(origin, text, step, last)).as_ref().map(draft)
}

/// Whether a prompt tells what to do, and does not ask, doubt or report. What was said outright is a rule already.
fn may_correct(text: &str) -> bool {
    if text.lines().count() > MOST_LINES {
        return false;
    }
    let sentences = sentences(text);
    let words: usize = sentences.iter().map(|sentence| sentence.words.len()).sum();
    let is_told = |sentence: &Sentence<'_>| !sentence.is_question && !is_hedged(sentence);
    (FEWEST_WORDS..=MOST_WORDS).contains(&words)
        && sentences.iter().all(is_told)
        && statement(sentences, Occasion::Prompt).is_none()
}

/// The words of a call: of its command, or of the file and the new text.
fn words_of(step: &Step) -> BTreeSet<String> {
    let texts = [&step.call().command, &step.call().path, &step.call().new];
    texts.into_iter().flatten().flat_map(|text| named(text)).collect()
}

fn common(text: &str, words: &BTreeSet<String>) -> BTreeSet<String> {
    named(text).intersection(words).cloned().collect()
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
            next,
            how: How::DoneOver,
            common: gone_named.union(&came_named).cloned().collect(),
        })
    };
    if undoes(step, next) {
        let common = common(text, &words_of(step));
        return Some(Correction { origin, text, step, next, how: How::Undone, common });
    }
    if let (Some(before), Some(after)) = (step.command(), next.command()) {
        let is_over = if before.program == after.program {
            let difference = difference::between(before, after).filter(|found| !found.is_of_operands);
            let added = difference.as_ref().map_or_else(String::new, |found| found.added.join(" "));
            let common = common(text, &named(&added));
            if !common.is_empty() && !after.inspects() && !after.checks() {
                return Some(Correction { origin, text, step, next, how: How::DoneOver, common });
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
    let Correction { origin, text, step, next, how, common } = found;
    let mut cleaner = Cleaner::default();
    let folder = step.origin().info.cwd.as_deref();
    let mut clean = |text: &Option<String>| text.as_ref().map(|text| cleaner.clean(text));
    let target = Target {
        tool: clean(&Some(step.call().tool.clone())).unwrap_or_default(),
        command: clean(&step.call().command),
        done: clean(&next.call().command),
        file: clean(&step.call().path.as_ref().map(|path| relative(path, folder))),
        put_in: clean(&step.call().new),
    };
    let what = match (&target.command, &target.file) {
        (Some(command), _) => format!("`{}`", cleaner.quoted(command)),
        (None, Some(file)) => format!("{} of {}", target.tool, cleaner.told(file)),
        (None, None) => target.tool.clone(),
    };
    let (verb, points) = match how {
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
    /// The command that was run in its place.
    done: Option<String>,
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
    if target.command.is_some() {
        let Some(failed) = target.read() else { return proposal };
        let done = target.done.as_deref().and_then(Command::read);
        // What was done over keeps quiet on the way in which it was.
        if let Some((done, difference)) = done.and_then(|done| {
            let difference = difference::between(&failed, &done)?;
            Some((done, difference))
        }) {
            return tried(contrast::proposal(&failed, &done, &difference), &failed.text, &done.text);
        }
        proposal.triggers.push(Trigger::new(TriggerKind::CommandPattern, failed.start_pattern()));
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
