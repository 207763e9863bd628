//! The import of lessons that another tool has recorded.
//!
//! One module per format. Each is a pure function from the bytes of a file to lessons that can be
//! stored as they are, each with notes for the person who imports: what was changed, and what could not
//! be kept. An entry that cannot become a lesson is named with the reason. Nothing is dropped
//! silently, and no imported lesson fires where its author did not want it.

pub mod lessons_learned;
mod sample;

use lessons_lesson::Lesson;

/// The result of reading a file of another tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// Lessons without errors, in the order of the file.
    pub lessons: Vec<Imported>,
    /// The lessons that cannot be imported, with the reasons.
    pub left_out: Vec<NotImported>,
}

/// A lesson from another tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The lesson. [`lessons_lesson::validate::flaws`] finds no error in it.
    pub lesson: Lesson,
    /// The changes from the original, in sentences for the person who imports.
    pub notes: Vec<String>,
}

/// An entry that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotImported {
    /// The name in the file, made fit for a message.
    pub id: String,
    /// The reason and the remedy, in a sentence for the person who imports.
    pub why: String,
}
