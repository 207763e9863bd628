//! A pattern that is compiled when it is first needed, and then kept.

use std::fmt;
use std::sync::OnceLock;

use super::{Regex, regex_of};
use crate::trigger::TriggerKind;

/// The compiled form of a pattern, or the place for it.
///
/// It is not part of what something says: two values are always equal, and a copy starts empty.
#[derive(Default)]
pub struct Once(OnceLock<Option<Regex>>);

impl Once {
    /// The regular expression of `pattern`, compiled at the first call. `None` where it cannot be
    /// compiled. The arguments are the same at every call.
    pub fn regex(&self, kind: TriggerKind, pattern: &str) -> Option<&Regex> {
        self.0.get_or_init(|| regex_of(kind, pattern).ok()).as_ref()
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

    #[test]
    fn a_pattern_that_does_not_compile_stays_without_a_regex() {
        let once = Once::default();
        assert!(once.regex(TriggerKind::CommandPattern, "(").is_none());
        assert!(once.regex(TriggerKind::CommandPattern, "(").is_none());
    }

    #[test]
    fn it_is_compiled_once_and_is_no_part_of_what_is_compared() {
        let once = Once::default();
        let first = once.regex(TriggerKind::CommandPattern, "git").map(std::ptr::from_ref);
        assert!(
            first.is_some()
                && first == once.regex(TriggerKind::CommandPattern, "git").map(std::ptr::from_ref)
        );
        assert_eq!(once, Once::default());
    }
}
