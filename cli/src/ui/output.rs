//! The two forms of an answer.

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}
