//! **Corrections and wishes in words**: a prompt, or the reason for a refusal, that says outright how things are to be
//! done. See [`super::statement`] for what counts.
//!
//! The rule is the person's own sentence, and the triggers are aimed at what the sentence names.

use lessons_text::words::is_filler;

use super::aim::Aim;
use super::command::Command;
use super::draft::{Cleaner, Draft, relative};
use super::history::{Event, Step};
use super::line_origin::LineOrigin;
use super::question_rule::rule_of;
use super::sentence::{Sentence, sentences};
use super::statement::{Statement, quoted_wish, statement};
use super::statement_kind::{Occasion, StatementKind};
use super::{Detector, Weight};
use crate::transcript::CallEnd;

/// The longest prompt that is a rule as a whole, in characters.
const WHOLE: usize = 260;

/// Looks for a statement in the reason for which the last call was refused.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(step), before) = events.split_last()? else { return None };
    let CallEnd::RefusedByUser(Some(reason)) = &step.end else { return None };
    // Plans and questions of the assistant are there to be refused.
    let is_work = step.call().command.is_some() || step.call().path.is_some();
    let found = statement(sentences(reason), Occasion::Refusal).filter(|_| is_work)?;
    Some(draft(&found, reason, step.origin(), Some(step), before))
}

/// The draft of a prompt that came after these events.
pub(super) fn of_prompt<'e>(
    origin: &'e LineOrigin,
    text: &str,
    sentences: Vec<Sentence<'_>>,
    before: &'e [Event],
) -> Option<Draft<'e>> {
    match statement(sentences, Occasion::Prompt) {
        Some(found) => Some(draft(&found, text, origin, None, before)),
        None => of_quoted(origin, text, before),
    }
}

/// The draft of a text that the person need not have written. Whatever it asks for, it says little until it comes again.
pub(super) fn of_quoted<'e>(origin: &'e LineOrigin, text: &str, before: &'e [Event]) -> Option<Draft<'e>> {
    let found = quoted_wish(text)?;
    let mut draft = draft(&found, found.sentence.text, origin, None, before);
    draft.is_strong = false;
    draft.mistake = "A text that the user pasted or quoted asks for this".into();
    draft.evidence = vec![format!("pasted: {}", draft.cleaner.quoted(found.sentence.text))];
    draft.cleaner.pasted();
    Some(draft)
}

/// The draft of a statement that was made after these events.
pub(super) fn draft<'e>(
    found: &Statement<'_>,
    text: &str,
    origin: &'e LineOrigin,
    refused: Option<&'e Step>,
    before: &'e [Event],
) -> Draft<'e> {
    let mut cleaner = Cleaner::default();
    let act = refused.map(|step| act_of(step, &mut cleaner));
    let rule = rule(found, text, act.as_deref(), &mut cleaner);
    let sentence = cleaner.told(found.sentence.text);
    let steps = before.iter().rev().filter_map(Event::step).collect();
    let proposal = Aim { statement: found, sentence: &sentence, refused, steps }.proposal();
    let what = refused.map(|step| name_of(step, &mut cleaner));
    let (mistake, points) = match (&what, found.kind) {
        (Some(what), _) => (
            format!("The user refused {what}"),
            Weight::new(70, "the user refused the call and said what to do"),
        ),
        (None, StatementKind::Lasting) => (
            "The user asked for this to be kept in mind".to_owned(),
            Weight::new(80, "the user asked for it to be remembered"),
        ),
        (None, StatementKind::Question) => (
            "What was done is not what the user wants".to_owned(),
            Weight::new(55, "the user put a correction as a question"),
        ),
        (None, StatementKind::Contradiction) => {
            ("The user said that this is wrong".to_owned(), Weight::new(45, "the user contradicted"))
        }
        (None, _) => (
            "The user had to say how it is done here".to_owned(),
            Weight::new(60, "the user said what to do or not to do"),
        ),
    };
    let mut names: Vec<&str> =
        found.sentence.words.iter().map(String::as_str).filter(|word| !is_filler(word)).collect();
    names.sort_unstable();
    names.dedup();
    let mut basis = vec![points];
    basis.extend(
        (!proposal.triggers.is_empty()).then(|| Weight::new(5, "it names the calls that it is about")),
    );
    let mut evidence: Vec<String> = what.iter().map(|what| format!("refused: {what}")).collect();
    evidence.push(format!("the user: {}", cleaner.quoted(text)));
    let detector = if found.kind == StatementKind::Lasting { Detector::Asked } else { Detector::Correction };
    Draft {
        detector,
        origin,
        key: names.join(" "),
        is_strong: true,
        mistake,
        fix: rule,
        trigger: None,
        tools: Vec::new(),
        proposal,
        evidence,
        basis,
        cleaner,
    }
}

/// The rule: the prompt as a whole where it is short, else the sentence; what a question asks for, with the question.
fn rule(found: &Statement<'_>, text: &str, refused: Option<&str>, cleaner: &mut Cleaner) -> String {
    let is_short = text.chars().count() <= WHOLE && text.lines().count() <= 3;
    let whole = || Sentence::read(text).map_or(text, |sentence| sentence.core);
    let told = cleaner.told(if is_short { whole() } else { found.sentence.core });
    let asked_for = (found.kind == StatementKind::Question).then(|| rule_of(found.sentence.core)).flatten();
    if let Some(asked_for) = asked_for {
        return cleaner.told(&format!("{asked_for} (the user asked: \"{told}\")"));
    }
    // "Rebase first" says nothing without the call that came too early.
    if found.kind == StatementKind::First
        && let Some(refused) = refused
    {
        return format!("Before {refused}: {told}");
    }
    let mut chars = told.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The refused call in a word or two: the last command that does something, or the tool.
fn act_of(step: &Step, cleaner: &mut Cleaner) -> String {
    let call = step.call();
    let acting = call.command.as_deref().map(Command::all).unwrap_or_default().into_iter().rev();
    match acting.into_iter().find(|command| !command.inspects()) {
        Some(command) => format!("`{}`", cleaner.told(&command.start())),
        None if call.command.is_some() => "such a call".into(),
        None => "an edit".into(),
    }
}

/// The refused call in a few words.
fn name_of(step: &Step, cleaner: &mut Cleaner) -> String {
    let call = step.call();
    match (&call.command, &call.path) {
        (Some(command), _) => format!("`{}`", cleaner.quoted(command)),
        (None, Some(path)) => {
            let file = relative(path, step.origin().info.cwd.as_deref());
            format!("{} of {}", call.tool, cleaner.told(&file))
        }
        (None, None) => cleaner.told(&call.tool),
    }
}
