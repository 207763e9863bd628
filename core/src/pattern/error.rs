//! Why a pattern is refused.

use super::MAX_PATTERN_CHARS;

/// Why a pattern is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The language of the pattern rejects it.
    #[error("{reason}")]
    Invalid {
        /// A sentence for the person who wrote the pattern.
        reason: String,
    },
    /// The pattern is well formed, but cannot be matched in linear time and bounded memory.
    #[error("{reason}")]
    Unsafe {
        /// A sentence for the person who wrote the pattern.
        reason: String,
    },
}

impl PatternError {
    /// The code in reports and in JSON output.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "INVALID_TRIGGER_PATTERN",
            Self::Unsafe { .. } => "UNSAFE_TRIGGER_PATTERN",
        }
    }

    /// A refusal by the language of the pattern.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into() }
    }

    /// A refusal of what cannot be matched in linear time and bounded memory.
    pub fn not_safe(reason: impl Into<String>) -> Self {
        Self::Unsafe { reason: reason.into() }
    }
}

/// Refuses what no kind of pattern may be: empty, or longer than a pattern may be.
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
