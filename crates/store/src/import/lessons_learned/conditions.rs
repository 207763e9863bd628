//! The conditions under which an imported lesson fires.
//!
//! In lessons-learned, one list of patterns (`commandRegexSources`) looks at the command of a Bash call and at the
//! new text of an edit; another (`pathRegexSources`) looks at paths. Which of them counts depends on the call:
//!
//! | call | fires when |
//! |---|---|
//! | any, no patterns at all | the tool is named |
//! | Bash | a command pattern matches; paths do not count |
//! | an edit | a path matches **and** a command pattern matches the new text; an empty list holds |
//! | another call with a path | a path matches; never, if there are command patterns |
//!
//! and in each case one of `modelRegexSources`, if there are any, must match the same command, new
//! text or path. A lesson here has one list of conditions for all its tools, so an entry that means different
//! things for different calls becomes several lessons.

use lessons_lesson::call::{tool_name, writes_files};
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::raw::{RawLesson, RawPattern};
use crate::import::lookahead::rewrite;

/// The conditions of one imported lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conditions {
    /// The ending of the lesson's id, which keeps lessons made of the same original apart.
    pub(super) ending: &'static str,
    pub(super) tools: Vec<String>,
    pub(super) triggers: Vec<Trigger>,
    pub(super) also: Vec<Trigger>,
    pub(super) unless: Vec<Trigger>,
}

/// The conditions of `raw`, one set for each lesson to make. If the lesson could never fire, the list is empty and a note
/// says why.
pub(super) fn of(raw: &RawLesson, notes: &mut Vec<String>) -> Vec<Conditions> {
    let none = Vec::new();
    let tools = tools(raw);
    let commands = raw.command_regex_sources.as_ref().unwrap_or(&none);
    let paths = raw.path_regex_sources.as_ref().unwrap_or(&none);
    let models = raw.model_regex_sources.as_ref().unwrap_or(&none);

    if tools.is_empty() {
        notes.push("it names no tool, so it fires on none".to_owned());
        return Vec::new();
    }
    let (bash, others): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| tool == "Bash");
    let (edits, reads): (Vec<_>, Vec<_>) = others.into_iter().partition(|tool| writes_files(tool));
    let mut make = Maker { models, notes, made: Vec::new() };
    if commands.is_empty() && paths.is_empty() {
        let named = |tools: &[String]| {
            Some(Matched {
                triggers: tools.iter().map(|tool| Trigger::new(TriggerKind::Tool, tool)).collect(),
                ..Matched::default()
            })
        };
        make.group("", &bash, TriggerKind::CommandPattern, |_| named(&bash));
        make.group("-files", &edits, TriggerKind::ContentPattern, |_| named(&edits));
        make.group("-reads", &reads, TriggerKind::PathPattern, |_| named(&reads));
        return make.merged();
    }
    if commands.is_empty() {
        make.never(&bash, "a path pattern does not look at commands");
    } else {
        make.group("", &bash, TriggerKind::CommandPattern, |notes| {
            any(TriggerKind::CommandPattern, commands, notes)
        });
        make.never(&reads, "a command pattern looks at commands and at what edits put in");
    }
    make.group("-files", &edits, TriggerKind::ContentPattern, |notes| {
        match (commands.is_empty(), paths.is_empty()) {
            (true, _) => any(TriggerKind::PathPattern, paths, notes),
            (_, true) => any(TriggerKind::ContentPattern, commands, notes),
            _ => both(
                any(TriggerKind::ContentPattern, commands, notes)?,
                any(TriggerKind::PathPattern, paths, notes)?,
                notes,
            ),
        }
    });
    if commands.is_empty() {
        make.group("-reads", &reads, TriggerKind::PathPattern, |notes| {
            any(TriggerKind::PathPattern, paths, notes)
        });
    }
    make.merged()
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

/// The triggers of a set of conditions: those that must match, and those that must not.
#[derive(Default)]
struct Matched {
    triggers: Vec<Trigger>,
    also: Vec<Trigger>,
    unless: Vec<Trigger>,
}

/// The builder of sets of conditions, one for each group of tools.
struct Maker<'a> {
    models: &'a [RawPattern],
    notes: &'a mut Vec<String>,
    made: Vec<Conditions>,
}

impl Maker<'_> {
    /// Adds the conditions for `tools`. `kind` is the kind of the triggers that are made of `modelRegexSources`.
    fn group(
        &mut self,
        ending: &'static str,
        tools: &[String],
        kind: TriggerKind,
        matched: impl FnOnce(&mut Vec<String>) -> Option<Matched>,
    ) {
        if tools.is_empty() {
            return;
        }
        let Some(mut matched) = matched(self.notes) else { return };
        if !self.models.is_empty() {
            let Some(models) = any(kind, self.models, self.notes) else { return };
            let Some(model) = one_of(&models.triggers) else {
                self.notes.push(format!(
                    "for {}, its second condition cannot be said in one pattern",
                    tools.join(", ")
                ));
                return;
            };
            matched.also.push(model);
            matched.unless.extend(models.unless);
        }
        let Matched { triggers, also, unless } = matched;
        self.made.push(Conditions { ending, tools: tools.to_vec(), triggers, also, unless });
    }

    fn never(&mut self, tools: &[String], why: &str) {
        if !tools.is_empty() {
            self.notes.push(format!("it never fires on {}: {why}", tools.join(", ")));
        }
    }

    /// The sets of conditions, merged where possible: two sets without `also` are merged if they look at different parts of
    /// a call, or at the same ones in the same way.
    fn merged(self) -> Vec<Conditions> {
        let mut out: Vec<Conditions> = Vec::new();
        for made in self.made {
            match out.iter_mut().find(|known| known.also.is_empty() && made.also.is_empty()) {
                Some(known) => {
                    known.tools.extend(made.tools);
                    extend_new(&mut known.triggers, made.triggers);
                    extend_new(&mut known.unless, made.unless);
                }
                None => out.push(made),
            }
        }
        if let Some(first) = out.first_mut() {
            first.ending = "";
        }
        out
    }
}

fn extend_new(known: &mut Vec<Trigger>, more: Vec<Trigger>) {
    for trigger in more {
        if !known.contains(&trigger) {
            known.push(trigger);
        }
    }
}

/// The triggers of `kind` for `patterns`. A pattern that cannot be matched is left out with a note; `None` if none is
/// left.
fn any(kind: TriggerKind, patterns: &[RawPattern], notes: &mut Vec<String>) -> Option<Matched> {
    let mut matched = Matched::default();
    for raw in patterns {
        match translated(kind, raw) {
            Ok((trigger, unless)) => {
                if !unless.is_empty() {
                    push_once(
                        notes,
                        format!(
                            "`{}` uses look-ahead, which became `unless`: a call that also holds what it \
                         excludes stays quiet",
                            super::shown(&raw.source)
                        ),
                    );
                }
                extend_new(&mut matched.triggers, vec![trigger]);
                extend_new(&mut matched.unless, unless);
            }
            Err(why) => {
                push_once(notes, format!("the pattern `{}` is left out: {why}", super::shown(&raw.source)));
            }
        }
    }
    (!matched.triggers.is_empty()).then_some(matched)
}

fn push_once(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

/// The trigger for a pattern and its `unless` triggers, or the reason why there is none.
fn translated(kind: TriggerKind, raw: &RawPattern) -> Result<(Trigger, Vec<Trigger>), String> {
    let mut prefix = "";
    for flag in raw.flags.as_deref().unwrap_or_default().chars() {
        match flag {
            'i' => prefix = "(?i)",
            // These flags concern the search after a match.
            'g' | 'd' => {}
            other => return Err(format!("its flag `{}` has no counterpart", other.escape_debug())),
        }
    }
    let rewritten = rewrite(&raw.source);
    let trigger = |pattern: &str| {
        let trigger = Trigger::new(kind, format!("{prefix}{pattern}"));
        prepared::check(&trigger).map(|_| trigger).map_err(|error| error.to_string())
    };
    let fires = trigger(&rewritten.pattern)?;
    let unless = rewritten.unless.iter().map(|unless| trigger(unless)).collect::<Result<_, _>>()?;
    Ok((fires, unless))
}

/// The conditions for new text **and** path. One of the lists is joined into one pattern for `also`.
fn both(contents: Matched, paths: Matched, notes: &mut Vec<String>) -> Option<Matched> {
    let mut unless = contents.unless;
    unless.extend(paths.unless);
    if let Some(path) = one_of(&paths.triggers) {
        return Some(Matched { triggers: contents.triggers, also: vec![path], unless });
    }
    if let Some(content) = one_of(&contents.triggers) {
        return Some(Matched { triggers: paths.triggers, also: vec![content], unless });
    }
    notes.push("neither its paths nor its patterns for new text can be said in one pattern".to_owned());
    None
}

/// The trigger that matches where one of `triggers` does; `None` if their patterns cannot be joined.
fn one_of(triggers: &[Trigger]) -> Option<Trigger> {
    let (first, rest) = triggers.split_first()?;
    if rest.is_empty() {
        return Some(first.clone());
    }
    let prefix = if first.pattern.starts_with("(?i)") { "(?i)" } else { "" };
    let choices: Vec<String> = triggers
        .iter()
        .map(|trigger| match trigger.pattern.strip_prefix("(?i)") {
            Some(rest) => (!prefix.is_empty()).then(|| format!("(?:{rest})")),
            None => prefix.is_empty().then(|| format!("(?:{})", trigger.pattern)),
        })
        .collect::<Option<_>>()?;
    let one = Trigger::new(first.kind, format!("{prefix}{}", choices.join("|")));
    prepared::check(&one).is_ok().then_some(one)
}
