//! The text of a lesson that is compared with incidents.

use lessons_lesson::lesson::Lesson;

/// The texts of a lesson that a person or a model reads.
pub fn text_of(lesson: &Lesson) -> String {
    let optional =
        [&lesson.mistake, &lesson.summary, &lesson.rationale, &lesson.detail, &lesson.metacognition];
    let texts = std::iter::once(&lesson.rule).chain(optional.into_iter().flatten());
    texts.map(String::as_str).collect::<Vec<_>>().join("\n")
}
