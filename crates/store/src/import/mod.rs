//! Lessons that another tool has recorded, as lessons of ours.
//!
//! One module per format. Each is a pure function from the bytes of a file to lessons that can be
//! stored as they are, each with notes for the person who imports: what was changed, what could not
//! be kept. What cannot become a lesson at all is named with the reason. Nothing is dropped in
//! silence, and nothing is imported that would fire where its author did not want it.

pub mod lessons_learned;
pub(crate) mod lookahead;
mod sample;

use lessons_lesson::lesson::Lesson;

/// What a file of another tool gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// Lessons without errors, in the order of the file.
    pub lessons: Vec<Imported>,
    /// What is not among them, and why.
    pub left_out: Vec<NotImported>,
}

/// A lesson from another tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The lesson. [`lessons_lesson::validate::flaws`] finds no error in it.
    pub lesson: Lesson,
    /// What is not as it was there, in sentences for the person who imports.
    pub notes: Vec<String>,
}

/// Something that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotImported {
    /// Its name there, made fit for a message.
    pub id: String,
    /// Why, and what helps, in a sentence for the person who imports.
    pub why: String,
}
