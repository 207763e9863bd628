//! The command as typed, without what it only feeds to a program.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::cursor::Source;

/// The command as typed, without the bodies of its heredocs.
///
/// The line that opens a heredoc stays; its body and the line that ends it go. Nothing else changes.
pub fn typed(command: &str) -> Cow<'_, str> {
    if memchr::memmem::find(command.as_bytes(), b"<<").is_none() {
        return Cow::Borrowed(command);
    }
    let source = Source::commands(command);
    let mut spans: Vec<_> = source.heredocs.iter().map(|heredoc| heredoc.span.clone()).collect();
    spans.retain(|span| !span.is_empty());
    if spans.is_empty() {
        return Cow::Borrowed(command);
    }
    // One that is opened later, but inside a substitution, has its body earlier.
    spans.sort_unstable_by_key(|span| span.start);
    let mut kept = String::with_capacity(command.len());
    let mut from = 0;
    for span in spans {
        kept.push_str(command.get(from..span.start).unwrap_or_default());
        from = span.end;
    }
    kept.push_str(command.get(from..).unwrap_or_default());
    if from == command.len() && !command.ends_with('\n') && kept.ends_with('\n') {
        kept.pop();
    }
    Cow::Owned(kept)
}
