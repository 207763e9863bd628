//! The text of a lesson that is compared with incidents.

use lessons_lesson::lesson::Lesson;

/// The texts of a lesson that a person or a model reads.
pub fn text_of(lesson: &Lesson) -> String {
    lesson.texts().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}
