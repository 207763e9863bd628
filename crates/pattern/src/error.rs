//! The errors of reading a pattern.

use std::fmt::Display;

use super::MAX_PATTERN_CHARS;

/// The reason why a pattern is refused, each in a sentence for the person who wrote the pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The language of the pattern rejects it.
    #[error("{0}")]
    Invalid(String),
    /// The pattern is well formed, but cannot be matched in linear time and bounded memory.
    #[error("{0}")]
    Unsafe(String),
}

impl PatternError {
    /// The error code in reports and in JSON output.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID_TRIGGER_PATTERN",
            Self::Unsafe(_) => "UNSAFE_TRIGGER_PATTERN",
        }
    }

    /// An error for a pattern that its language rejects.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid(reason.into())
    }

    /// An error for a pattern that cannot be matched in linear time and bounded memory.
    pub fn not_safe(reason: impl Into<String>) -> Self {
        Self::Unsafe(reason.into())
    }

    /// An error for a pattern whose program or automaton would be too large.
    pub(crate) fn too_large() -> Self {
        Self::not_safe(
            "the pattern is too large once compiled; use smaller repetition counts or fewer alternatives",
        )
    }

    /// An error for a pattern that should have been refused before.
    pub(crate) fn damaged(error: impl Display) -> Self {
        Self::invalid(format!("the compiled pattern is damaged: {error}"))
    }
}

/// Refuses a pattern that is empty or longer than [`MAX_PATTERN_CHARS`], whatever its kind.
pub fn check_length(pattern: &str) -> Result<(), PatternError> {
    if pattern.is_empty() {
        return Err(PatternError::invalid("the pattern is empty, which would match everything"));
    }
    let chars = pattern.chars().count();
    if chars > MAX_PATTERN_CHARS {
        return Err(PatternError::not_safe(format!(
            "the pattern has {chars} characters; at most {MAX_PATTERN_CHARS} are allowed"
        )));
    }
    Ok(())
}
