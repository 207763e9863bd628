//! The command line of one call, lexed at most once.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::lexed_text::LexedText;
use lessons_text::find::find;

/// A command line, from which patterns get several views. The lexer reads it when the first view needs it and not
/// before: a long heredoc takes as much time as the rest of a call that no lesson is about.
#[derive(Debug)]
pub struct CommandLine<'a> {
    /// The text as it was given.
    pub(super) text: &'a str,
    lexed: OnceCell<LexedText<'a>>,
}

impl<'a> CommandLine<'a> {
    /// Makes a command line of any text.
    pub fn new(text: &'a str) -> Self {
        Self { text, lexed: OnceCell::new() }
    }

    /// The tokens and heredocs of the command line.
    pub(super) fn lexed(&self) -> &LexedText<'a> {
        self.lexed.get_or_init(|| LexedText::commands(self.text))
    }

    /// The command line as typed, without the bodies of its heredocs.
    ///
    /// The line that opens a heredoc stays; the body and the line that ends it go. Nothing else changes.
    pub fn without_heredocs(&self) -> Cow<'a, str> {
        let text = self.text;
        if find(text.as_bytes(), b"<<").is_none() {
            return Cow::Borrowed(text);
        }
        let lexed = self.lexed();
        let spans = lexed.heredocs.iter().map(|heredoc| heredoc.span.clone());
        let mut spans: Vec<_> = spans.filter(|span| !span.is_empty()).collect();
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        // A heredoc that is opened later, but inside a substitution, has its body earlier.
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
