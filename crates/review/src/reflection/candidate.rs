//! The candidate that a lesson becomes: the words of the person beside it, and what speaks for it.

use lessons_ledger::candidates::{Doubt, Finding, Insight, Proposal, Reach, Reason, Sighting};
use lessons_ledger::reflection::{ReflectedFinding, SOURCE};
use lessons_lesson::flags;
use lessons_lesson::lesson::Lesson;
use lessons_scanner::digest::{Correction, Item, ItemKind, Place, is_echo};
use lessons_scanner::run::finding::{COPIED, ECHO, FAILED, WORKED};

use super::trial::Passed;

/// The most items that are shown beside a candidate.
const MOST_SHOWN: usize = 6;
/// The most sightings of a candidate.
const MOST_SEEN: usize = 60;

/// The candidate of a lesson that passed. `everywhere` is what its writer says.
pub(super) fn of(passed: &Passed<'_>, reach: Reach) -> ReflectedFinding {
    let Passed { lesson, cited, notes } = passed;
    let evidence = cited.iter().take(MOST_SHOWN).flat_map(|item| shown(item));
    let mut prompts = cited.iter().filter(|item| item.kind == ItemKind::Prompt).peekable();
    let is_dictated = prompts.peek().is_some() && prompts.all(|item| is_echo(item));
    let mut flags = doubts(lesson);
    if is_dictated {
        flags.push(Doubt { name: ECHO.into(), meaning: COPIED.into() });
    }
    ReflectedFinding {
        finding: Finding {
            source: SOURCE.into(),
            mistake: lesson.mistake.clone().unwrap_or_default(),
            fix: lesson.rule.clone(),
            why: lesson.rationale.clone(),
            proposal: Proposal {
                triggers: lesson.triggers.clone(),
                also: lesson.also.clone(),
                unless: lesson.unless.clone(),
            },
            insight: Insight { reach, state: lesson.state.clone(), ..Insight::default() },
            flags,
            evidence: evidence.chain(notes.iter().map(|note| format!("trial: {note}"))).collect(),
            basis: vec![if is_dictated { dictated() } else { reason(cited) }],
            ..Finding::default()
        },
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
            let call = first.splitn(3, ' ').nth(2).unwrap_or(first);
            let rest = lines.map(|line| match line.trim_start().split_once(' ') {
                Some((">", worked)) => format!("{WORKED}{}", without_tool(worked)),
                Some((_, said)) => format!("said: {said}"),
                None => line.trim().to_owned(),
            });
            std::iter::once(format!("{FAILED}{}", without_tool(call))).chain(rest).collect()
        }
    }
}

/// A shell command without the name of its tool.
fn without_tool(call: &str) -> &str {
    call.strip_prefix("Bash ").unwrap_or(call)
}

/// What speaks for a lesson that others than the person had dictated.
fn dictated() -> Reason {
    Reason { points: 10, because: "a model read it in words that stood elsewhere before".into() }
}

/// What speaks for a lesson: the strongest of what it cites.
fn reason(cited: &[&Item]) -> Reason {
    let any = |is: &dyn Fn(&Item) -> bool| cited.iter().any(|item| is(item));
    let prompts = || cited.iter().filter(|item| item.kind == ItemKind::Prompt);
    let sessions: std::collections::BTreeSet<&str> =
        prompts().flat_map(|item| &item.places).map(|place| place.session.as_str()).collect();
    let is_written = any(&|item| item.kind == ItemKind::Memory);
    let is_reasoned = any(&|item| item.correction == Correction::Reasoned);
    let is_corrected = any(&|item| item.correction != Correction::None);
    let is_solved = any(&|item| item.kind == ItemKind::Error && !item.worked.is_empty());
    let (points, because) = if is_written {
        (75, "it was written down to be kept, and a model read it so")
    } else if sessions.len() > 1 {
        (70, "a model read it in what you said in more than one session")
    } else if is_reasoned {
        (65, "you refused a call and said why, and a model read it so")
    } else if is_corrected {
        (55, "you refused or stopped a call, and a model read it so")
    } else if is_solved {
        (50, "a call failed and another form of it worked, and a model read it so")
    } else {
        (35, "a model read it in what happened")
    };
    Reason { points, because: because.into() }
}

fn doubts(lesson: &Lesson) -> Vec<Doubt> {
    let texts = [Some(&lesson.rule), lesson.mistake.as_ref(), lesson.rationale.as_ref()];
    let mut doubts: Vec<Doubt> = Vec::new();
    for flag in texts.into_iter().flatten().flat_map(|text| flags::flags(text)) {
        let doubt = Doubt { name: flag.name.into(), meaning: flag.meaning.into() };
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    doubts
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
