//! Lessons of peers in the journal: their names and their texts.

use lessons_lesson::id::{KeyPrefix, LessonId};
use lessons_lesson::lesson::Lesson;
use lessons_share::key::PublicKey;

/// Returns a lesson as the journal stores it.
pub(crate) fn journalled(lesson: &Lesson) -> String {
    // Plain data; it cannot fail to become JSON.
    serde_json::to_string(lesson).unwrap_or_default()
}

/// Reads the name of a lesson in the journal: its author's key, and its id.
pub(crate) fn parse(name: &str) -> Option<(PublicKey, LessonId)> {
    let (author, id) = name.split_once('/')?;
    Some((author.parse().ok()?, LessonId::new(id).ok()?))
}

/// Returns the name of a lesson in the journal as people know it.
pub(crate) fn shown(name: &str) -> String {
    let known = parse(name).and_then(|(author, id)| {
        Some(format!("peer-{}/{id}", KeyPrefix::of_key(&author.to_string())?.as_str()))
    });
    known.unwrap_or_else(|| name.to_owned())
}
