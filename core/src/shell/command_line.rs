//! A command line that is looked at in more than one way.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::lexed_text::LexedText;
use crate::find::find;

/// A command line. It is read once, when that is first needed: a long heredoc is as dear to read as all the rest of a
/// call that no lesson is about.
#[derive(Debug)]
pub struct CommandLine<'a> {
    /// As it was given.
    pub(super) text: &'a str,
    lexed: OnceCell<LexedText<'a>>,
}

impl<'a> CommandLine<'a> {
    /// One with this text: any text at all.
    pub fn new(text: &'a str) -> Self {
        Self { text, lexed: OnceCell::new() }
    }

    /// What it is made of.
    pub(super) fn lexed(&self) -> &LexedText<'a> {
        self.lexed.get_or_init(|| LexedText::commands(self.text))
    }

    /// The command as typed, without the bodies of its heredocs.
    ///
    /// The line that opens a heredoc stays; its body and the line that ends it go. Nothing else changes.
    pub fn without_heredocs(&self) -> Cow<'a, str> {
        let text = self.text;
        if find(text.as_bytes(), b"<<").is_none() {
            return Cow::Borrowed(text);
        }
        let lexed = self.lexed();
        let mut spans: Vec<_> = lexed.heredocs.iter().map(|heredoc| heredoc.span.clone()).collect();
        spans.retain(|span| !span.is_empty());
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        // One that is opened later, but inside a substitution, has its body earlier.
        spans.sort_unstable_by_key(|span| span.start);
        let mut kept = String::with_capacity(text.len().saturating_sub(lexed.heredoc_bytes()));
        let mut from = 0;
        for span in spans {
            kept.push_str(text.get(from..span.start).unwrap_or_default());
            from = span.end;
        }
        kept.push_str(text.get(from..).unwrap_or_default());
        if from == text.len() && !text.ends_with('\n') && kept.ends_with('\n') {
            kept.pop();
        }
        Cow::Owned(kept)
    }
}
