//! A command line that is looked at in more than one way.

use std::cell::OnceCell;

use super::lexed::Source;

/// A command line. It is read once, when that is first needed: a long heredoc is as dear to read as all the rest of a
/// call that no lesson is about.
#[derive(Debug)]
pub struct CommandLine<'a> {
    /// As it was given.
    pub(super) text: &'a str,
    source: OnceCell<Source<'a>>,
}

impl<'a> CommandLine<'a> {
    /// One with this text: any text at all.
    pub fn new(text: &'a str) -> Self {
        Self { text, source: OnceCell::new() }
    }

    /// What it is made of.
    pub(super) fn source(&self) -> &Source<'a> {
        self.source.get_or_init(|| Source::commands(self.text))
    }
}
