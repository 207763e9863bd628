//! A pattern of ours, made ready when it is first needed. Most never are: making all ready takes longer than most
//! programs that look for one.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::pattern::{Regex, js};

/// The pattern.
pub(super) struct Lazy {
    pattern: Cow<'static, str>,
    ready: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub(super) fn new(pattern: impl Into<Cow<'static, str>>) -> Self {
        Self { pattern: pattern.into(), ready: OnceLock::new() }
    }

    /// Ready to match. `None` cannot happen: a test makes them all ready.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let make = || js::expression(&self.pattern).ok().and_then(|expression| Regex::of(&expression).ok());
        self.ready.get_or_init(make).as_ref()
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.regex()?.find(text)
    }
}
