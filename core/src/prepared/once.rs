//! A pattern that is compiled when it is first needed, and then kept.

use std::fmt;
use std::sync::OnceLock;

use super::automaton_of;
use crate::automaton::compile::Built;
use crate::trigger::TriggerKind;

/// The compiled form of a pattern, or the place for it.
///
/// It is not part of what something says: two values are always equal, and a copy starts empty.
#[derive(Default)]
pub struct Once(OnceLock<Option<Built>>);

impl Once {
    /// Compiled already.
    pub fn of(automaton: Built) -> Self {
        Self(OnceLock::from(Some(automaton)))
    }

    /// Whether `pattern` matches anywhere in `text`. It is compiled at the first call; one that cannot be
    /// compiled matches nothing. The pattern and its kind are the same at every call.
    pub fn is_match(&self, kind: TriggerKind, pattern: &str, text: &str) -> bool {
        let compiled = || automaton_of(kind, pattern).ok();
        self.0.get_or_init(compiled).as_ref().is_some_and(|automaton| automaton.is_match(text))
    }
}

impl Clone for Once {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Once {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Once(compiled)" } else { "Once" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::compile::compile;
    use crate::pattern::parse;

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing() {
        let once = Once::default();
        assert!(!once.is_match(TriggerKind::CommandPattern, "(", "("));
        assert!(!once.is_match(TriggerKind::CommandPattern, "(", ""));
    }

    #[test]
    fn what_was_compiled_before_gives_the_same_answers() {
        let once = Once::of(compile(&parse("b+").unwrap()).unwrap());
        for (text, expected) in [("abb", true), ("a", false), ("é", false)] {
            assert_eq!(once.is_match(TriggerKind::CommandPattern, "b+", text), expected, "{text}");
            let late = Once::default();
            assert_eq!(late.is_match(TriggerKind::CommandPattern, "b+", text), expected, "{text}");
        }
    }

    #[test]
    fn it_is_no_part_of_what_is_compared() {
        let once = Once::default();
        once.is_match(TriggerKind::CommandPattern, "git", "git");
        assert_eq!(once, Once::default());
    }
}
