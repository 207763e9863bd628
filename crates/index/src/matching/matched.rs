//! The outcome of matching one lesson against one call: a match, or the first reason why there is none.

use lessons_lesson::{Mode, QualifiedId, Quality, Severity, StateCheck, Subject, Terms};

/// A lesson that matches a call: the part of its [`Terms`] that the answer depends on from here on. Thousands of lessons
/// may match one call, and a hook holds them all, so a match is small.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The lesson's position in the index.
    pub lesson: u32,
    /// The number of lessons that have the lesson's most specific matching trigger.
    pub document_frequency: u32,
    /// The lesson's id with its layer.
    pub id: QualifiedId,
    /// What the hook does.
    pub mode: Mode,
    /// The view of the command that the lesson's patterns look at.
    pub subject: Subject,
    /// The lesson's rank, 1 to 10.
    pub priority: u8,
    /// The worth of the lesson.
    pub quality: Quality,
    /// The damage that the mistake does.
    pub severity: Severity,
    /// When the lesson was recorded, RFC 3339.
    pub created_at: String,
}

impl Match {
    /// The match of the lesson with these terms.
    pub fn new(lesson: u32, document_frequency: u32, terms: Terms) -> Self {
        let Terms { id, mode, subject, priority, quality, severity, created_at, .. } = terms;
        Self { lesson, document_frequency, id, mode, subject, priority, quality, severity, created_at }
    }
}

/// The first condition that keeps a lesson from matching a call. Triggers are positions in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// The lesson is told when a session starts, not at calls.
    AtStart,
    /// The lesson is switched off for a while.
    Off,
    /// The lesson is for other tools.
    Tool,
    /// The lesson is for other agents.
    Agent,
    /// None of the lesson's triggers matches.
    NoTrigger,
    /// The call does not write the file by which the lesson would fire.
    OnlyReads,
    /// This trigger must match as well, and does not.
    Also(u32),
    /// The call has failed, and no trigger of the lesson that matches looks at the error.
    NoErrorTrigger,
    /// This trigger matches, and vetoes the lesson.
    Unless(u32),
    /// The call is not made in this state.
    State(StateCheck),
    /// The call is made on another operating system.
    Os,
    /// The commands run in another shell.
    Shell,
    /// The call is in another project.
    Scope,
}
