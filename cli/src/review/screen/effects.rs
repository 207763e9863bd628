//! Side effects that the state asks for, and their results.

use lessons_lesson::lesson::Lesson;

use crate::review::Decision;
use crate::ui::rows::Rows;

/// A side effect of a key. A number is the position of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Carry a decision out.
    Decide(usize, Decision),
    /// Undo the decision about a candidate.
    TakeBack(usize),
    /// Try a lesson on the past sessions, and find the warnings of the decision that would save it, if one is given.
    Try(usize, Box<Lesson>, Option<Decision>),
    /// Let the person edit the lesson in their editor.
    Edit(usize),
    /// Find the strongest items that nobody has read.
    FindUnread,
    /// Make the unread item with this id a candidate, of which the person writes a lesson.
    Write(String),
    /// Suspend the program (`SIGTSTP`) until the shell resumes it.
    Suspend,
    /// Repaint the whole screen.
    Redraw,
    /// Leave the screen.
    Quit,
}

/// The result of an effect. An error says why, for the person.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EffectResult {
    /// A decision was saved; the text is one line for the person.
    Decided(usize, Result<String, String>),
    /// A decision was undone.
    TakenBack(usize, Result<(), String>),
    /// Unread items were found: their ids, each with its text.
    Unread(Result<Vec<(String, String)>, String>),
    /// A lesson was tried.
    Tried(usize, Box<Lesson>, Rows),
}
