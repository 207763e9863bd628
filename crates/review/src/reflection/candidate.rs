//! The candidate that a lesson becomes: the words of the person beside it, and what speaks for it.

use std::collections::BTreeSet;
use std::iter;

use lessons_ledger::recording::reflection::{CHOSEN, SOURCE};
use lessons_ledger::{Doubt, Finding, Insight, Proposal, Reach, Reason, ReflectedFinding, Sighting};
use lessons_lesson::lesson::DATA_LOSS;
use lessons_scanner::digest::{Correction, Item, ItemKind, Place, is_echo};
use lessons_scanner::run::finding::{COPIED, ECHO, FAILED, WORKED, doubts_about};

use super::trial::Passed;

/// The most items that are shown beside a candidate.
const MOST_SHOWN: usize = 6;
/// The most sightings of a candidate.
const MOST_SEEN: usize = 60;

/// The candidate of a lesson that passed. `reach` is what its writer says.
pub(super) fn of(passed: &Passed<'_>, reach: Reach) -> ReflectedFinding {
    let Passed { lesson, cited, notes, refused, lost } = passed;
    let finding = Finding {
        source: SOURCE.into(),
        mistake: lesson.mistake.clone().unwrap_or_default(),
        fix: lesson.rule.clone(),
        why: lesson.rationale.clone(),
        proposal: Proposal::of(lesson),
        // The example with which it may block.
        trigger: refused.first().or(lost.first()).cloned(),
        tags: lost.first().map(|_| DATA_LOSS.to_owned()).into_iter().collect(),
        insight: Insight {
            reach,
            state: lesson.state.clone(),
            refused_again: refused.len() > 1,
            ..Insight::default()
        },
        ..Finding::default()
    };
    let mut reflected = citing(finding, cited, ", and a model read it so");
    reflected.finding.evidence.extend(notes.iter().map(|note| format!("trial: {note}")));
    reflected
}

/// The candidate of an item from which a person writes a lesson: the person's words, or the calls.
pub(super) fn of_item(item: &Item) -> ReflectedFinding {
    let first = item.text.lines().next().unwrap_or_default();
    let called = match item.kind {
        ItemKind::Error => Some(failed_call(first)),
        ItemKind::Refusal => first.split(" -- \"").next(),
        ItemKind::Prompt | ItemKind::Memory => None,
    };
    let command = called.and_then(|call| call.strip_prefix("Bash ")).filter(|command| !command.contains('…'));
    let finding = Finding {
        source: CHOSEN.into(),
        mistake: shown(item).join("; "),
        trigger: command.map(str::to_owned),
        ..Finding::default()
    };
    citing(finding, &[item], "")
}

/// A candidate with the items that show it. `so` ends the sentence about what speaks for it.
fn citing(mut finding: Finding, cited: &[&Item], so: &str) -> ReflectedFinding {
    let mut prompts = cited.iter().filter(|item| item.kind == ItemKind::Prompt).peekable();
    let is_dictated = prompts.peek().is_some() && prompts.all(|item| is_echo(item));
    let texts = [Some(&finding.fix), Some(&finding.mistake), finding.why.as_ref()];
    finding.flags = doubts_about(iter::empty(), texts.into_iter().flatten());
    finding.basis = vec![Reason { points: strength(cited).0, because: format!("{}{so}", strength(cited).1) }];
    if is_dictated {
        finding.flags.push(Doubt { name: ECHO.into(), meaning: COPIED.into() });
        finding.basis = vec![Reason::new(10, "it is in words that stood elsewhere before")];
    }
    finding.evidence = cited.iter().take(MOST_SHOWN).flat_map(|item| shown(item)).collect();
    ReflectedFinding {
        finding,
        lines: cited.iter().flat_map(|item| &item.places).map(id_of).collect(),
        seen: seen(cited),
    }
}

/// What is shown of an item: the words of the person, or the calls.
fn shown(item: &Item) -> Vec<String> {
    let mut lines = item.text.lines();
    let first = lines.next().unwrap_or_default();
    match item.kind {
        ItemKind::Prompt => vec![format!("you: {first}")],
        ItemKind::Refusal => vec![format!("you refused: {first}")],
        ItemKind::Memory => vec![format!("written to {first}")],
        ItemKind::Error => {
            let call = failed_call(first);
            let rest = lines.map(|line| match line.trim_start().split_once(' ') {
                Some((">", worked)) => format!("{WORKED}{}", without_tool(worked)),
                Some((_, said)) => format!("said: {said}"),
                None => line.trim().to_owned(),
            });
            iter::once(format!("{FAILED}{}", without_tool(call))).chain(rest).collect()
        }
    }
}

/// The call of an error, behind its counts.
fn failed_call(first: &str) -> &str {
    first.splitn(3, ' ').nth(2).unwrap_or(first)
}

/// A shell command without the name of its tool.
fn without_tool(call: &str) -> &str {
    call.strip_prefix("Bash ").unwrap_or(call)
}

/// What speaks for a lesson: the strongest of what it cites, in hundredths of certainty.
pub(super) fn strength(cited: &[&Item]) -> (u8, &'static str) {
    let any = |is: &dyn Fn(&Item) -> bool| cited.iter().any(|item| is(item));
    let prompts = cited.iter().filter(|item| item.kind == ItemKind::Prompt);
    let sessions: BTreeSet<&str> =
        prompts.flat_map(|item| &item.places).map(|place| place.session.as_str()).collect();
    if any(&|item| item.kind == ItemKind::Memory) {
        (75, "it was written down to be kept")
    } else if sessions.len() > 1 {
        (70, "you said it in more than one session")
    } else if any(&|item| item.correction == Correction::Reasoned) {
        (65, "you refused a call and said why")
    } else if any(&|item| item.correction != Correction::None) {
        (55, "you refused or stopped a call")
    } else if any(&|item| item.kind == ItemKind::Error && !item.worked.is_empty()) {
        (50, "a call failed and another form of it worked")
    } else {
        (35, "it happened")
    }
}

/// The lines at which it was seen: of a call the one with its end, so that an event counts once.
fn seen(cited: &[&Item]) -> Vec<Sighting> {
    let places = cited.iter().flat_map(|item| {
        let lines_of_an_event = if item.kind == ItemKind::Prompt { 1 } else { 2 };
        item.places.iter().step_by(lines_of_an_event)
    });
    let seen = |place: &Place| Sighting {
        uuid: id_of(place),
        file: place.file.clone(),
        line: place.line,
        session: place.session.clone(),
        project: Some(place.project.clone()).filter(|project| project.starts_with('/')),
        time: place.time,
        ..Sighting::default()
    };
    places.take(MOST_SEEN).map(seen).collect()
}

/// The id of a line, or one that is made of its place.
fn id_of(place: &Place) -> String {
    if place.uuid.is_empty() { format!("{}:{}", place.session, place.line) } else { place.uuid.clone() }
}
