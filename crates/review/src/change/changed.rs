//! A lesson that was changed: what a verb answers.

use std::fmt;

use lessons_context::known_projects::EVERYWHERE;
use lessons_context::{Context, Error, Exit, KnownProjects, Result, error, proposal};
use lessons_decide::claims;
use lessons_lesson::{Lesson, Scope, Status};
use lessons_publish::building::Outcome;
use lessons_store::telemetry::{Capture, CaptureOutcome};
use lessons_store::{NewParts, Pruned, Row, StoreLocation, Warning, telemetry};
use lessons_text::counted;
use serde::Serialize;

use crate::change::naming::full_id;
use crate::change::{Saved, SavedLesson, in_project};

/// A lesson that was changed, as the answer of a verb.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The word for the change: `added`, `changed` …
    pub done: &'static str,
    /// The lesson's id with its layer.
    pub id: String,
    /// Whether the hooks act on the lesson now.
    in_force: bool,
    /// When it is told, in words; `None` for a lesson that was put away.
    #[serde(skip)]
    occasion: Option<String>,
    /// Warnings. People read them on standard error.
    pub warnings: Vec<Warning>,
    /// Unused triggers and topics that were removed along with the change, if the user wants that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tidied: Option<Pruned>,
    /// The parts of the lesson that no lesson had before, for counting.
    #[serde(skip)]
    pub new_parts: NewParts,
    /// Where the lesson holds, in words.
    #[serde(skip)]
    holds: String,
    /// Whether the lesson should be in force.
    #[serde(skip)]
    wanted: bool,
}

impl Changed {
    /// The answer for a saved lesson. Where the build that followed failed, the reason becomes the first warning.
    pub fn of(
        context: &Context,
        saved: SavedLesson,
        built: Result<&Outcome, &Error>,
        tidied: Option<Pruned>,
    ) -> Self {
        let SavedLesson { done, lesson, mut warnings, new_parts } = saved;
        let id = full_id(context, &lesson.id);
        let wanted = lesson.status == Status::Active;
        let mut in_force = wanted && built.is_ok();
        match built {
            Err(why) => warnings.insert(0, error::sentence(why).into()),
            Ok(Outcome { report, .. }) => {
                let about = report.left_out.iter().chain(&report.warnings);
                for noted in about.filter(|noted| wanted && noted.id.to_string() == id) {
                    let text = noted.reason.to_string();
                    if !warnings.iter().any(|warning| warning.message == text) {
                        warnings.push(text.into());
                    }
                }
                in_force &= !report.left_out.iter().any(|noted| noted.id.to_string() == id);
                for warning in &mut warnings {
                    warning.message = in_project::worded(context, &warning.message);
                }
                let standing = in_project::standing(context, wanted.then_some(&lesson));
                if let Some((is_approved, more)) = standing {
                    in_force &= is_approved;
                    warnings.extend(more);
                }
            }
        }
        let known = KnownProjects::of(&context.home);
        let holds = match context.store {
            StoreLocation::User => known.holds(&lesson.scope.projects),
            StoreLocation::Project(_) => "only in this project".to_owned(),
        };
        // The line above says where it holds.
        let scope = Scope { projects: Vec::new(), ..lesson.scope.clone() };
        let occasion = wanted.then(|| proposal::occasion(&Lesson { scope, ..lesson }, &known));
        Self { done, id, in_force, occasion, warnings, tidied, new_parts, holds, wanted }
    }

    /// The change in one line.
    pub fn line(&self) -> String {
        let Self { id, done, holds, .. } = self;
        let in_force = format!("; it is in force from the next call on, {holds}");
        format!("{id} {done}{}", if self.in_force { &in_force } else { "" })
    }

    /// The exit status: findings if the lesson should be in force and is not.
    pub fn exit(&self) -> Exit {
        if self.wanted && !self.in_force { Exit::Findings } else { Exit::Done }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        if let Some(occasion) = &self.occasion {
            write!(f, "\n  {occasion}")?;
        }
        if let Some(tidied) = &self.tidied {
            let layer = self.id.split_once('/').map_or("user", |(layer, _)| layer);
            write!(f, "\n{}", pruned_in_words(layer, tidied))?;
        }
        let is_new = matches!(self.done, "added" | "promoted") && self.id.starts_with("user/");
        if is_new && self.in_force && self.holds != EVERYWHERE {
            let id = self.id.trim_start_matches("user/");
            write!(f, "\nFor every project: lessons edit {id} --scope-project ''")?;
        }
        write!(f, "\nNext: lessons show {}", self.id)
    }
}

/// The answer of a verb about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The result in one word for programs: `rejected`, `off`, `unchanged`.
    pub done: &'static str,
    /// The id of the lesson, candidate or change.
    pub id: String,
    /// The result in a sentence.
    pub message: String,
    /// The command that usually follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Message {
    /// An answer without a following command.
    pub fn new(done: &'static str, id: impl Into<String>, message: impl Into<String>) -> Self {
        Self { done, id: id.into(), message: message.into(), next: None }
    }

    /// The same answer with the command that usually follows.
    #[must_use]
    pub fn then(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.next {
            Some(next) => write!(f, "\nNext: {next}"),
            None => Ok(()),
        }
    }
}

/// What a pruning took out, a line for each lesson of `layer` or kind of item.
pub fn pruned_in_words(layer: &str, pruned: &Pruned) -> String {
    let dead = pruned.removed_dead_globs.iter().map(|lesson| ("without a file", lesson));
    let trimmed = pruned.trimmed_lessons.iter().map(|lesson| ("too many", lesson));
    let cut = dead
        .chain(trimmed)
        .map(|(what, it)| format!("{layer}/{}: {} {what}", it.id, counted(it.removed_count, "trigger")));
    let mut lines: Vec<String> = cut.collect();
    for (what, ids) in [("trigger", &pruned.removed_trigger_ids), ("topic", &pruned.removed_topic_ids)] {
        if !ids.is_empty() {
            lines.push(format!("{} that nothing uses: {}", counted(ids.len(), what), ids.join(", ")));
        }
    }
    lines.join("\n")
}

/// Counts a recorded lesson.
pub fn count_captured(context: &Context, saved: &Saved) {
    let Saved::Lesson(changed) = saved else { return };
    let outcome = match changed.done {
        "added" => CaptureOutcome::Added,
        "promoted" => CaptureOutcome::Promoted,
        "unchanged" => CaptureOutcome::Unchanged,
        _ => CaptureOutcome::Updated,
    };
    count(context, outcome, &changed.warnings, changed.new_parts.clone());
}

/// Counts a lesson that was not recorded, if it was refused. A failure such as a full disk is not a refusal.
pub fn count_refused(context: &Context, exit: Exit) {
    if exit == Exit::Refused {
        count(context, CaptureOutcome::Refused, &[], NewParts::default());
    }
}

fn count(context: &Context, outcome: CaptureOutcome, warnings: &[Warning], new: NewParts) {
    if !context.settings().is_ok_and(|(config, _)| config.telemetry) {
        return;
    }
    let session = context.session().map(claims::session_hash);
    let codes = warnings.iter().filter_map(|warning| warning.code).map(str::to_owned).collect();
    let capture = Capture { t: context.now_ms(), outcome, warnings: warnings.len(), session, codes, new };
    let _ = telemetry::record(&context.home, &Row::Capture(capture));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_followed_by_the_next_command() {
        let said = Message::new("rejected", "3f2a", "candidate 3f2a is rejected").then("lessons candidates");
        assert_eq!(said.to_string(), "candidate 3f2a is rejected\nNext: lessons candidates");
    }
}
