//! A proposal: what a command would change, in lines for a person, before anything of it is written.

use std::fmt::Write as _;

use lessons_home::home::Home;
use lessons_ledger::journal::{Difference, Thing, ThingKind};
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Mode, Status, TriggerRole, When};
use lessons_store::graph::{Graph, Snapshot};
use lessons_text::digest;
use lessons_text::neutral::line;
use serde_json::{Map, Value};

/// The fields of a lesson that no person needs to see before a decision: they say nothing to the model, and decide
/// nothing about when the lesson is told.
const QUIET_FIELDS: [&str; 6] = ["createdAt", "evidence", "examples", "id", "topics", "updatedAt"];

/// The number of digits of a candidate's id that are shown.
const ID_DIGITS: usize = 8;

/// How much of a command a proposal tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// One change that the journal records.
    Change,
    /// Everything that the command does.
    Command,
}

/// What a command would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// How much of the command it tells.
    pub extent: Extent,
    /// The lines to show, each neutral.
    pub lines: Vec<String>,
    /// A digest of the change, down to the last byte.
    pub digest: String,
}

impl Proposal {
    /// The proposal of a change that the journal will record.
    pub fn of(changes: &[Difference]) -> Self {
        let texts = changes.iter().map(|change| serde_json::to_vec(change).unwrap_or_default());
        let texts: Vec<Vec<u8>> = texts.collect();
        let parts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let mut lines: Vec<String> = changes.iter().flat_map(lines_of).collect();
        lines.extend(candidates(changes));
        // Topics and triggers come with the lessons that name them, and are shown where nothing else changes.
        if lines.is_empty() {
            lines = changes
                .iter()
                .map(|Difference { thing, after, .. }| {
                    let verb = if after.is_some() { "Change" } else { "Remove" };
                    format!("{verb} the {} {}", thing.kind.name(), line(&thing.name))
                })
                .collect();
        }
        Self { extent: Extent::Change, lines, digest: digest::hex_of_parts(&parts, 64) }
    }

    /// The proposal of a command that does something that the journal does not record, in words.
    pub fn said(text: &str) -> Self {
        Self {
            extent: Extent::Command,
            lines: text.lines().map(line).collect(),
            digest: digest::hex(text.as_bytes(), 64),
        }
    }
}

fn lines_of(change: &Difference) -> Vec<String> {
    let Difference { thing, before, after } = change;
    match thing.kind {
        ThingKind::Lesson | ThingKind::Accepted => {
            lesson_lines(thing, parsed(thing, before.as_deref()), parsed(thing, after.as_deref()))
        }
        ThingKind::Setting | ThingKind::AcceptedSetting => {
            vec![setting_line(&thing.name, before.as_deref(), after.as_deref())]
        }
        ThingKind::Trust => {
            let verb = if after.is_some() { "Use" } else { "No longer use" };
            vec![format!("{verb} the lessons of {}", line(&thing.name))]
        }
        ThingKind::Topic | ThingKind::Trigger | ThingKind::Candidate | ThingKind::Label | ThingKind::Text => {
            Vec::new()
        }
    }
}

/// A lesson of the journal. `None` if there is none, or none that can be used.
fn parsed(thing: &Thing, text: Option<&str>) -> Option<Lesson> {
    let snapshot: Snapshot = serde_json::from_str(text?).ok()?;
    let mut graph = Graph::empty(Home::at("/".into()).lessons());
    graph.restore([(thing.name.as_str(), Some(snapshot))]);
    graph.get(&LessonId::new(&thing.name).ok()?).cloned()
}

fn lesson_lines(thing: &Thing, before: Option<Lesson>, after: Option<Lesson>) -> Vec<String> {
    let id = format!("user/{}", line(&thing.name));
    match (before, after) {
        (None, None) => vec![format!("Change {id}, which cannot be used as it is")],
        (Some(before), None) => vec![format!("Remove {id}: {}", line(&before.rule))],
        (None, Some(after)) => {
            let mut lines = vec![format!("New lesson that {}: {}", effect(after.mode), line(&after.rule))];
            lines.push(format!("  {}", occasion(&after)));
            lines.extend(texts(&after));
            lines
        }
        (Some(before), Some(after)) => {
            let verb = match (before.status, after.status) {
                (Status::Active, Status::Deprecated | Status::Superseded) => "Retire",
                (Status::Deprecated | Status::Superseded, Status::Active) => "Bring back",
                _ => "Change",
            };
            let mut lines = vec![format!("{verb} {id} ({}): {}", effect(after.mode), line(&after.rule))];
            if verb == "Bring back" {
                lines.push(format!("  {}", occasion(&after)));
                lines.extend(texts(&after));
            }
            lines.extend(changed_fields(&before, &after));
            lines
        }
    }
}

fn effect(mode: Mode) -> &'static str {
    match mode {
        Mode::Advise => "advises",
        Mode::Bump => "refuses a call once",
        Mode::Block => "refuses every call",
    }
}

/// When a lesson is told: triggers, conditions, tools and scope.
fn occasion(lesson: &Lesson) -> String {
    let mut text = match lesson.when {
        When::Tool => "on".to_owned(),
        When::Session => "at the start of every session".to_owned(),
    };
    for (role, trigger) in lesson.all_triggers() {
        let role = match role {
            TriggerRole::Any => String::new(),
            role => format!("{role} "),
        };
        // Writing to a string cannot fail.
        let _ = write!(text, " {role}{}", line(&trigger.to_string()));
    }
    if !lesson.tools.is_empty() {
        let _ = write!(text, ", tools {}", line(&lesson.tools.join(" ")));
    }
    if !lesson.scope.is_everywhere() {
        let scope = serde_json::to_string(&lesson.scope).unwrap_or_default();
        let _ = write!(text, ", only in {}", line(&scope));
    }
    text
}

/// The texts beside the rule that the model can be told.
fn texts(lesson: &Lesson) -> Vec<String> {
    let texts = [("mistake", &lesson.mistake), ("summary", &lesson.summary), ("why", &lesson.rationale)];
    let told = texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
    told.map(|(name, text)| format!("  {name}: {}", line(text))).collect()
}

/// Each field that differs, before and after.
fn changed_fields(before: &Lesson, after: &Lesson) -> Vec<String> {
    let (before, after) = (fields(before), fields(after));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differing = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let shown = differing.filter(|name| !QUIET_FIELDS.contains(&name.as_str()));
    shown.map(|name| format!("  {name}: {} -> {}", value(before.get(name)), value(after.get(name)))).collect()
}

fn fields(lesson: &Lesson) -> Map<String, Value> {
    let mut fields = match serde_json::to_value(lesson) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    // As a person types them.
    for (name, triggers) in
        [("triggers", &lesson.triggers), ("also", &lesson.also), ("unless", &lesson.unless)]
    {
        let typed: Vec<String> = triggers.iter().map(ToString::to_string).collect();
        if !typed.is_empty() {
            fields.insert(name.into(), typed.join(" ").into());
        }
    }
    fields
}

fn value(value: Option<&Value>) -> String {
    match value {
        None => "none".to_owned(),
        Some(Value::String(text)) => line(text),
        Some(other) => line(&other.to_string()),
    }
}

fn setting_line(key: &str, before: Option<&str>, after: Option<&str>) -> String {
    let lesson = key.strip_prefix("off.").map(|id| line(id.trim_matches('"')));
    match (lesson, after) {
        (Some(id), Some(until)) => match until.trim_matches('"') {
            "" => format!("Switch off {id}"),
            until => format!("Switch off {id} until {}", line(until)),
        },
        (Some(id), None) => format!("Switch on {id}"),
        (None, _) => {
            let value = |text: Option<&str>| text.map_or_else(|| "not set".to_owned(), line);
            format!("Setting {}: {} -> {}", line(key), value(before), value(after))
        }
    }
}

/// The candidates, a line for each status that they get.
fn candidates(changes: &[Difference]) -> Vec<String> {
    let mut by_status: Vec<(String, Vec<String>)> = Vec::new();
    for change in changes.iter().filter(|change| change.thing.kind == ThingKind::Candidate) {
        let status: Option<Value> = change.after.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let status = status.as_ref().and_then(|status| status["status"].as_str()).unwrap_or("gone");
        let verb = match status {
            "rejected" => "Reject",
            "new" => "Let wait again",
            _ => "Put away",
        };
        // Enough to tell it from the others; the digest holds all of it.
        let id: String = line(&change.thing.name).chars().take(ID_DIGITS).collect();
        match by_status.iter_mut().find(|(known, _)| known == verb) {
            Some((_, ids)) => ids.push(id),
            None => by_status.push((verb.to_owned(), vec![id])),
        }
    }
    by_status.into_iter().map(|(verb, ids)| format!("{verb}: candidate {}", ids.join(", "))).collect()
}
