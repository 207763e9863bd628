//! Lessons that block what another lesson advises, or what a project's own instructions ask for, and lessons of peers that say
//! the opposite of one's own.

use std::collections::{BTreeSet, HashMap};

use lessons_home::files;
use lessons_incident_check::contradiction;
use lessons_lesson::{Layer, QualifiedId, SampleCall, Terms, When};
use lessons_replay::Trial;
use lessons_review::trials::{self};
use lessons_review::{MeasuredLesson, project_names};
use lessons_text::{counted, line, shortened};

use crate::finding::FindingSeverity::{Note, Warning};
use crate::finding::{CheckResult, Examined, Findings};

/// The files with a project's instructions for the agent, relative to its root.
const INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
/// The largest file of instructions that is read, in bytes.
const LIMIT: u64 = 1 << 20;
/// The longest command in a message, in characters.
const SHOWN: usize = 80;
/// The most trials of a blocking lesson on a call, in all checks together. They take about a second.
const MAX_TRIALS: usize = 200_000;

/// Takes trials from those that are left if they are enough, and returns whether they are.
fn take(left: &mut usize, wanted: usize) -> bool {
    let rest = left.checked_sub(wanted);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// A lesson that blocks, ready to be tried.
type RefusingLesson<'m> = (&'m QualifiedId, Trial);

#[expect(clippy::unnecessary_wraps, reason = "every check may fail")]
pub(crate) fn check(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let refusing: Vec<RefusingLesson<'_>> = examined
        .in_force()
        .filter(|(_, lesson)| lesson.mode.refuses() && lesson.when == When::Tool)
        // A lesson that cannot be compiled is reported by the check of published files.
        .filter_map(|(id, lesson)| Some((id, contradiction::trial(id, lesson)?)))
        .collect();
    // The project's instructions come first: they are short.
    let mut budget = MAX_TRIALS;
    with_instructions(&refusing, &mut budget, found);
    between_lessons(examined, &refusing, &mut budget, found);
    with_peers(examined, found);
    Ok(())
}

/// Lessons of peers that say the opposite of one of another layer.
fn with_peers(examined: &Examined<'_>, found: &mut Findings) {
    let is_peers = |id: &QualifiedId| matches!(id.layer, Layer::Peer(_));
    let (theirs, others): (Vec<_>, Vec<_>) = examined.in_force().partition(|(id, _)| is_peers(id));
    for (theirs, lesson) in theirs {
        for (own, other) in &others {
            if contradiction::say_the_opposite(&lesson.rule, &other.rule) {
                let message = format!("{theirs}, which is told after it, says the opposite of {own}");
                found.add(Warning, "CONTRADICTION", message, format!("lessons off {theirs}"));
            }
        }
    }
}

/// Adds a note about subjects that were left out because the budget was spent, if there are any.
fn left_out(number: usize, what: &str, refusing: &[RefusingLesson<'_>], found: &mut Findings) {
    if number > 0 {
        let (left, blocking) = (counted(number, what), counted(refusing.len(), "lesson"));
        let message = format!("{left} not compared with the {blocking} that block: it would take too long");
        found.add(Note, "CONTRADICTIONS_LEFT_OUT", message, "lessons list");
    }
}

/// Conflicts between two lessons. Built-in lessons are checked against each other by the project's own tests.
fn between_lessons(
    examined: &Examined<'_>,
    refusing: &[RefusingLesson<'_>],
    budget: &mut usize,
    found: &mut Findings,
) {
    let mut untried = 0;
    for (id, lesson) in examined.in_force() {
        let are_ours = |other: &QualifiedId| id.layer == Layer::Seed && other.layer == Layer::Seed;
        let others: Vec<_> = refusing.iter().filter(|(other, _)| *other != id && !are_ours(other)).collect();
        let advised = contradiction::advised(lesson);
        if !take(budget, (lesson.examples.quiet.len() + advised.len()) * others.len()) {
            untried += 1;
            continue;
        }
        let right = lesson.examples.quiet.iter().map(|call| (call, "says is right (its `quiet` examples)"));
        let right = right.chain(advised.iter().map(|call| (call, "advises")));
        for (refuser, trial) in others {
            if let Some((call, why)) = right.clone().find(|(call, _)| trial.fires_on(call)) {
                let message = format!("{refuser} blocks `{}`, which {id} {why}", told(call));
                found.add(Warning, "CONTRADICTION", message, format!("lessons show {refuser}"));
            }
        }
    }
    left_out(untried, "lesson", refusing, found);
}

fn told(call: &SampleCall) -> String {
    let text = call.command.clone().or_else(|| call.file.clone()).unwrap_or_else(|| call.to_string());
    shortened(&line(&text), SHOWN)
}

/// Commands in the project's instructions that a lesson would block.
fn with_instructions(refusing: &[RefusingLesson<'_>], budget: &mut usize, found: &mut Findings) {
    let Some(root) = project_names::here() else { return };
    let mut untried = 0;
    for name in INSTRUCTIONS {
        let bytes = files::read_foreign(&root.join(name), LIMIT).ok().flatten();
        let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
        let mut told_of = BTreeSet::new();
        for span in contradiction::commands(&text) {
            if !take(budget, refusing.len()) {
                untried += 1;
                continue;
            }
            let call = SampleCall::bash(span.command);
            let refuser = refusing.iter().find(|(_, trial)| trial.fires_on(&call));
            if let Some((id, _)) = refuser.filter(|(id, _)| told_of.insert(*id)) {
                let line = span.line;
                let message = format!("{name}, line {line}, names `{}`, which {id} blocks", told(&call));
                let remedy = format!("lessons show {id}, then lessons off {id}");
                found.add(Warning, "INSTRUCTION_REFUSED", message, remedy);
            }
        }
    }
    left_out(untried, "instructed command", refusing, found);
}

pub(crate) fn too_broad(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let Some(index) = &examined.index else { return Ok(()) };
    let terms: HashMap<QualifiedId, Terms> =
        index.lessons()?.into_iter().map(|(_, terms)| (terms.id.clone(), terms)).collect();
    let in_force = examined.in_force().filter(|(_, lesson)| lesson.when == When::Tool);
    let lessons = in_force.map(|(id, lesson)| {
        let roots = terms.get(id).and_then(|terms| terms.roots.clone());
        MeasuredLesson { id: id.clone(), lesson, roots }
    });
    let patterns = index.patterns().unwrap_or_default();
    let measured = trials::measure(examined.context, &lessons.collect::<Vec<_>>(), &patterns)?;
    for (id, share) in measured.too_broad() {
        let end = if id.layer == Layer::User { format!("edit {}", id.id) } else { format!("off {id}") };
        let remedy = format!("lessons replay {id}, then lessons {end}");
        found.add(Warning, "TOO_BROAD", format!("{id} {share}"), remedy);
    }
    if measured.untried > 0 {
        let left = counted(measured.untried, "lesson");
        let message = format!("{left} not tried on your sessions: that would take too long");
        found.add(Note, "NOT_ALL_TRIED", message, "lessons replay ID");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_take_too_many_tries_is_left_out_and_the_rest_is_not() {
        let mut left = 10;
        assert_eq!([6, 5, 4, 1, 0].map(|wanted| take(&mut left, wanted)), [true, false, true, false, true]);
        let mut found = Findings::default();
        left_out(0, "lesson", &[], &mut found);
        left_out(2, "lesson", &[], &mut found);
        let told: Vec<&str> = found.0.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(told, ["2 lessons not compared with the 0 lessons that block: it would take too long"]);
    }
}
