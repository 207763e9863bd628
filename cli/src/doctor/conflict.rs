//! Lessons that refuse what others advise, and what a project's own instructions say to do.

use std::collections::BTreeSet;

use lessons_core::files;
use lessons_core::id::{Layer, QualifiedId};
use lessons_core::lesson::{Lesson, SampleCall, When};
use lessons_core::manifest::Settings;
use lessons_core::neutral::{line, shortened};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_replay::trial::Trial;

use super::spans;
use super::{Finding, Machine};
use crate::places;

/// Where a project tells the agent what to do, from its root.
const INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
/// The largest such file that is looked at, in bytes.
const LIMIT: u64 = 1 << 20;
/// The longest command in a message, in characters.
const SHOWN: usize = 80;

/// A lesson that refuses, made ready.
struct Refusing<'m> {
    id: &'m QualifiedId,
    trial: Trial,
}

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let refusing: Vec<Refusing<'_>> = machine
        .in_force()
        .filter(|(_, lesson)| lesson.mode.refuses() && lesson.when == When::Tool)
        .filter_map(|(id, lesson)| {
            // What cannot be made ready is told where it is compiled.
            let alone = single::alone(id, lesson, None, Settings::default(), &Patterns::default()).ok()?;
            Some(Refusing { id, trial: Trial::new(alone).ok()? })
        })
        .collect();
    let mut found = between_lessons(machine, &refusing);
    found.extend(with_instructions(&refusing));
    found
}

/// Of two lessons of which at least one is not ours: we try those that we ship against each other.
fn between_lessons(machine: &Machine<'_>, refusing: &[Refusing<'_>]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (id, lesson) in machine.in_force() {
        for refuser in refusing.iter().filter(|it| it.id != id) {
            if id.layer == Layer::Seed && refuser.id.layer == Layer::Seed {
                continue;
            }
            if let Some(call) = lesson.examples.quiet.iter().find(|call| refuser.trial.fires_on(call)) {
                let message = format!(
                    "{} refuses `{}`, which {id} holds to be right (its `quiet` examples)",
                    refuser.id,
                    told(call)
                );
                found.push(Finding::warning(
                    "CONTRADICTION",
                    message,
                    format!("lessons show {}", refuser.id),
                ));
            } else if let Some(call) = advised(lesson).into_iter().find(|call| refuser.trial.fires_on(call)) {
                let message = format!("{} refuses `{}`, which {id} advises", refuser.id, told(&call));
                found.push(Finding::warning(
                    "CONTRADICTION",
                    message,
                    format!("lessons show {}", refuser.id),
                ));
            }
        }
    }
    found
}

/// The commands that a rule says to run.
fn advised(lesson: &Lesson) -> Vec<SampleCall> {
    spans::commands(&lesson.rule).into_iter().map(|spelled| bash(spelled.command)).collect()
}

fn bash(command: String) -> SampleCall {
    SampleCall { tool: "Bash".into(), command: Some(command), file: None, content: None }
}

fn told(call: &SampleCall) -> String {
    let text = call.command.clone().or_else(|| call.file.clone()).unwrap_or_else(|| call.to_string());
    shortened(&line(&text), SHOWN)
}

/// Commands in the instructions of the project here that a lesson would refuse.
fn with_instructions(refusing: &[Refusing<'_>]) -> Vec<Finding> {
    let Some(root) = places::here() else { return Vec::new() };
    let mut found = Vec::new();
    for name in INSTRUCTIONS {
        let bytes = files::read_foreign(&root.join(name), LIMIT).ok().flatten();
        let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
        let mut told_of = BTreeSet::new();
        for spelled in spans::commands(&text) {
            let call = bash(spelled.command);
            let refuser = refusing.iter().find(|it| it.trial.fires_on(&call));
            if let Some(refuser) = refuser.filter(|it| told_of.insert(it.id)) {
                let message = format!(
                    "{name}, line {}, names `{}`, which {} refuses",
                    spelled.line,
                    told(&call),
                    refuser.id
                );
                found.push(Finding::warning(
                    "INSTRUCTION_REFUSED",
                    message,
                    format!("lessons show {0}, then lessons off {0}", refuser.id),
                ));
            }
        }
    }
    found
}
