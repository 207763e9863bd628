//! A built-in pattern that is compiled when it is first needed. Most never are: compiling all of them takes longer than
//! most programs that flag a text run.

use std::ops::Range;
use std::sync::OnceLock;

use lessons_pattern::{Regex, js};

/// A built-in pattern, compiled when first used.
pub(super) struct LazyPattern {
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyPattern {
    pub(super) const fn new(pattern: &'static str) -> Self {
        Self { pattern, compiled: OnceLock::new() }
    }

    #[cfg(test)]
    pub(super) fn source(&self) -> &'static str {
        self.pattern
    }

    /// The compiled pattern. `None` cannot happen: a test compiles every pattern.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let make = || js::expression(self.pattern).ok().and_then(|expression| Regex::of(&expression).ok());
        self.compiled.get_or_init(make).as_ref()
    }

    /// The ranges of the matches that do not overlap.
    pub(super) fn find_iter<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.regex().into_iter().flat_map(move |regex| regex.find_iter(text))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.regex()?.find(text)
    }
}
