//! Why a lesson may not leave this machine.

use std::collections::BTreeSet;

use lessons_context::context::Context;
use lessons_context::error::{Coded, Result};
use lessons_incident_check::check::IncidentChecker;
use lessons_lesson::flags;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Lesson, Status};
use lessons_lesson::validate::{self, Level};
use lessons_share::portable;
use lessons_share::shared_lesson::SharedLesson;
use lessons_text::neutral::line;
use lessons_text::redact;

use crate::destination::Destination;

/// The tags whose values are patterns: they name what a lesson warns of, and say nothing themselves.
const PATTERNS: [&str; 3] = ["trigger", "also", "unless"];

/// Fails unless the lesson may be shared, with every reason.
pub fn check(
    context: &Context,
    id: &QualifiedId,
    lesson: &Lesson,
    shared: &SharedLesson,
    to: &Destination,
) -> Result<()> {
    let mut reasons = of_kind(id, lesson);
    reasons.extend(of_scope(lesson, to));
    let flaws = validate::flaws(shared.lesson()).into_iter().filter(|flaw| flaw.level == Level::Error);
    reasons.extend(flaws.map(|flaw| ("INVALID_LESSON", flaw.to_string())));
    reasons.extend(of_texts(shared));
    if let Some(checker) = IncidentChecker::of(context) {
        let like = checker.about(lesson);
        reasons.extend(like.iter().map(|found| ("INCIDENT", format!("it is like {}", found.words()))));
    }
    let Some((code, _)) = reasons.first() else { return Ok(()) };
    let words: Vec<&str> = reasons.iter().map(|(_, reason)| reason.as_str()).collect();
    Err(Coded::refused(code, format!("{id} is not shared: {}. Nothing was written", words.join("; "))).into())
}

fn of_kind(id: &QualifiedId, lesson: &Lesson) -> Vec<(&'static str, String)> {
    let mut reasons = Vec::new();
    if id.layer != Layer::User {
        reasons.push((
            "NOT_YOURS",
            "it is not your own, and only your own lessons are signed with your key".into(),
        ));
    }
    if lesson.status != Status::Active {
        reasons.push(("NOT_ACTIVE", "it is retired".into()));
    }
    reasons
}

fn of_scope(lesson: &Lesson, to: &Destination) -> Vec<(&'static str, String)> {
    let projects = &lesson.scope.projects;
    if projects.iter().any(|key| key.starts_with("root-")) {
        return vec![("LOCAL_SCOPE", "it is for a folder of this machine, which others do not have".into())];
    }
    if projects.is_empty() || projects.contains(&to.key) {
        return Vec::new();
    }
    let names: Vec<String> = projects.iter().map(|key| line(key)).collect();
    vec![("OTHER_SCOPE", format!("it is only for {}; name the folder with --project", names.join(", ")))]
}

/// What its texts say that must not leave.
fn of_texts(shared: &SharedLesson) -> Vec<(&'static str, String)> {
    let texts = shared.texts();
    let mut reasons = Vec::new();
    for (name, text) in &texts {
        let kinds: BTreeSet<&str> = redact::redact(text).kinds.into_iter().collect();
        if !kinds.is_empty() {
            let kinds: Vec<&str> = kinds.into_iter().collect();
            reasons.push(("SECRET", format!("`{name}` holds a secret ({})", kinds.join(", "))));
        }
        if let Some(path) = portable::absolute_path(text) {
            let what =
                format!("`{name}` holds an absolute path, {}; write it from the project on", line(&path));
            reasons.push(("ABSOLUTE_PATH", what));
        }
    }
    let said = texts.iter().filter(|(name, _)| !PATTERNS.contains(name));
    let raised: BTreeSet<&str> =
        said.flat_map(|(_, text)| flags::flags(text)).map(|flag| flag.name).collect();
    reasons.extend(raised.into_iter().map(|flag| ("FLAGGED", format!("it is flagged, {flag}"))));
    reasons
}
