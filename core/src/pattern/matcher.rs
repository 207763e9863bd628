//! A pattern that is ready to match, by whatever can.

use std::ops::Range;

use super::check::automaton_of;
use super::{PatternError, Regex, regex_of};
use crate::automaton::build::Built;
use crate::trigger::TriggerKind;

/// A pattern, compiled.
///
/// The general engine is the quicker one, but it writes out every character that a class may be: what is too
/// large for it may still have an automaton, and with that an index matches it.
#[derive(Debug)]
pub enum Matcher {
    /// For the general engine.
    Regex(Box<Regex>),
    /// As an automaton.
    Automaton(Built),
}

impl Matcher {
    /// Compiles a pattern of a kind that is a regular expression or a glob.
    pub fn of(kind: TriggerKind, pattern: &str) -> Result<Self, PatternError> {
        match regex_of(kind, pattern) {
            Ok(regex) => Ok(Self::Regex(Box::new(regex))),
            Err(error) => automaton_of(kind, pattern).map(Self::Automaton).map_err(|_| error),
        }
    }

    /// Whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Regex(regex) => regex.is_match(text),
            Self::Automaton(automaton) => automaton.is_match(text),
        }
    }

    /// Where the first match is, in bytes. An automaton does not know: all of the text.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Self::Regex(regex) => regex.find(text),
            Self::Automaton(automaton) => automaton.is_match(text).then_some(0..text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::check;
    use crate::trigger::Trigger;

    #[test]
    fn a_pattern_that_is_too_large_for_the_engine_is_matched_all_the_same() {
        let (kind, pattern) = (TriggerKind::CommandPattern, r"^[^\s;]{990}$");
        assert!(regex_of(kind, pattern).is_err());
        assert!(check(&Trigger::new(kind, pattern)).is_ok());
        let matcher = Matcher::of(kind, pattern).unwrap();
        let long = "é".repeat(990);
        assert!(matcher.is_match(&long) && !matcher.is_match(&long[2..]));
        assert_eq!((matcher.find(&long), matcher.find(&long[2..])), (Some(0..1980), None));
    }

    #[test]
    fn what_is_no_pattern_stays_none() {
        assert_eq!(
            Matcher::of(TriggerKind::CommandPattern, "(").unwrap_err().code(),
            "INVALID_TRIGGER_PATTERN"
        );
    }
}
