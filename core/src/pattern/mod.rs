//! From a pattern as a person wrote it to something that matches in linear time.
//!
//! People write JavaScript regular expressions ([`js`]), picomatch globs ([`glob`]), keywords
//! ([`keyword`]) and tool names. [`check`] turns a trigger of any kind into a [`Compiled`], which is
//! what a manifest holds, or says why it cannot. [`Regex`] runs what came out of it, and
//! [`literals::clauses`] names the texts of which every match must hold some, so that an index can
//! skip the lessons that cannot match.
//!
//! Two kinds of refusal: *invalid* is what the language itself rejects, *unsafe* is what it allows
//! but what cannot be matched in linear time and bounded memory, or would mean something that
//! nobody meant. Every message says what to write instead where there is something.

mod charset;
mod check;
pub mod glob;
pub mod js;
pub mod keyword;
pub mod literals;
mod once;
mod regex;

pub use check::{Compiled, MAX_TOOL_BYTES, check, regex_of, translated};
pub use once::Once;
pub use regex::{CACHE_BYTES, MAX_AUTOMATON_BYTES, Regex, syntax_config};

/// The deepest nesting of groups, braces or parentheses. Nobody writes more than ten; the limit
/// keeps every recursion over a pattern small.
pub const MAX_DEPTH: usize = 50;

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

    fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into() }
    }

    fn not_safe(reason: impl Into<String>) -> Self {
        Self::Unsafe { reason: reason.into() }
    }
}

/// Refuses what no kind of pattern may be: empty, or longer than a pattern may be.
fn check_length(pattern: &str) -> Result<(), PatternError> {
    use crate::lesson::MAX_PATTERN_CHARS;
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
