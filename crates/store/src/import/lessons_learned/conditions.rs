//! The conditions under which an imported lesson fires.
//!
//! In lessons-learned one list of patterns looks at commands and at the new text of edits, another at paths, and a lesson
//! may ask different things of different tools. A lesson here has one list of conditions, so only what fits into it is
//! carried over. A lesson that asks for more is left out with the reason: one that fires where its author did not want it
//! would be worse.

use lessons_lesson::call::{tool_name, writes_files};
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::raw::{RawLesson, RawPattern};

/// The conditions of an imported lesson.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// The tools, without those for which it could never fire.
    pub(super) tools: Vec<String>,
    /// The triggers of which any must match.
    pub(super) triggers: Vec<Trigger>,
    /// The trigger that must match too.
    pub(super) also: Vec<Trigger>,
}

/// The conditions of `raw`, or the reason why it has none here. Patterns that are left out are noted.
pub(super) fn of(raw: &RawLesson, notes: &mut Vec<String>) -> Result<Conditions, String> {
    let listed = |list: &Option<Vec<RawPattern>>| list.clone().unwrap_or_default();
    let (texts, paths) = (listed(&raw.command_regex_sources), listed(&raw.path_regex_sources));
    let (bash, others): (Vec<_>, Vec<_>) = tools(raw).into_iter().partition(|tool| tool == "Bash");
    let (edits, reads): (Vec<_>, Vec<_>) = others.iter().cloned().partition(|tool| writes_files(tool));
    if bash.is_empty() && others.is_empty() {
        return Err("it names no tool, so it fires on none".to_owned());
    }
    if raw.model_regex_sources.as_ref().is_some_and(|models| !models.is_empty()) {
        return Err("its `modelRegexSources` have no counterpart".to_owned());
    }
    let never = |tools: &[String], looks_at: &str, notes: &mut Vec<String>| {
        if !tools.is_empty() {
            notes.push(format!("it never fires on {}: its patterns look at {looks_at}", tools.join(", ")));
        }
    };
    match (texts.is_empty(), paths.is_empty()) {
        (true, true) => {
            let tools = [bash, others].concat();
            let triggers = tools.iter().map(|tool| Trigger::new(TriggerKind::Tool, tool)).collect();
            Ok(Conditions { tools, triggers, also: Vec::new() })
        }
        (true, false) => {
            never(&bash, "paths", notes);
            alone(&[(TriggerKind::PathPattern, &others)], &paths, notes)
        }
        (false, true) => {
            never(&reads, "commands and at what edits write", notes);
            let looks_at = [(TriggerKind::CommandPattern, &bash), (TriggerKind::ContentPattern, &edits)];
            alone(&looks_at, &texts, notes)
        }
        // Paths do not count for commands, and reading writes nothing.
        (false, false) if edits.is_empty() => {
            never(&reads, "commands", notes);
            alone(&[(TriggerKind::CommandPattern, &bash)], &texts, notes)
        }
        (false, false) if !bash.is_empty() => Err(format!(
            "it asks different things of Bash and of {}; add a lesson for each",
            edits.join(", ")
        )),
        (false, false) => {
            never(&reads, "what edits write", notes);
            let texts = usable(TriggerKind::ContentPattern, &texts, notes);
            let paths = usable(TriggerKind::PathPattern, &paths, notes);
            both(edits, texts, paths, notes)
        }
    }
}

/// The tools by the names that calls use, without duplicates.
fn tools(raw: &RawLesson) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for tool in raw.tool_names.iter().flatten().map(|tool| tool_name(tool.trim())) {
        if !tools.iter().any(|known| known == tool) {
            tools.push(tool.to_owned());
        }
    }
    tools
}

/// The conditions of one list of patterns, which is looked for in another part of the call for each group of tools.
fn alone(
    groups: &[(TriggerKind, &Vec<String>)],
    patterns: &[RawPattern],
    notes: &mut Vec<String>,
) -> Result<Conditions, String> {
    let mut conditions = Conditions::default();
    for (kind, tools) in groups.iter().filter(|(_, tools)| !tools.is_empty()) {
        conditions.tools.extend_from_slice(tools);
        conditions.triggers.extend(usable(*kind, patterns, notes));
    }
    if conditions.triggers.is_empty() { Err(nothing_left(notes)) } else { Ok(conditions) }
}

/// The conditions on new text **and** path. Only one pattern of a lesson can be asked for besides the others.
fn both(
    tools: Vec<String>,
    texts: Vec<Trigger>,
    paths: Vec<Trigger>,
    notes: &[String],
) -> Result<Conditions, String> {
    match (texts.len(), paths.len()) {
        (0, _) | (_, 0) => Err(nothing_left(notes)),
        (_, 1) => Ok(Conditions { tools, triggers: texts, also: paths }),
        (1, _) => Ok(Conditions { tools, triggers: paths, also: texts }),
        _ => Err("it asks for one of several paths and one of several texts at once".to_owned()),
    }
}

fn nothing_left(notes: &[String]) -> String {
    format!("nothing is left on which it would fire: {}", notes.join("; "))
}

/// The triggers of `kind` for those patterns that can be matched. The others are noted, each once.
fn usable(kind: TriggerKind, patterns: &[RawPattern], notes: &mut Vec<String>) -> Vec<Trigger> {
    let mut triggers = Vec::new();
    for raw in patterns {
        match trigger(kind, raw) {
            Ok(trigger) if triggers.contains(&trigger) => {}
            Ok(trigger) => triggers.push(trigger),
            Err(why) => {
                let note = format!("the pattern `{}` is left out: {why}", super::shown(&raw.source));
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
    }
    triggers
}

/// The trigger for a pattern, or the reason why there is none.
fn trigger(kind: TriggerKind, raw: &RawPattern) -> Result<Trigger, String> {
    let mut prefix = "";
    for flag in raw.flags.as_deref().unwrap_or_default().chars() {
        match flag {
            'i' => prefix = "(?i)",
            // These flags concern the search after a match.
            'g' | 'd' => {}
            other => return Err(format!("its flag `{}` has no counterpart", other.escape_debug())),
        }
    }
    let trigger = Trigger::new(kind, format!("{prefix}{}", raw.source));
    prepared::check(&trigger).map(|_| trigger).map_err(|error| error.to_string())
}
