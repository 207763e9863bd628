//! Heredocs: which text after a line is not a command but what a command reads.

use alloc::string::String;
use core::ops::Range;

use memchr::memchr;

use super::cursor::Cursor;
use super::word::Word;

/// One `<<WORD` and its body.
#[derive(Debug)]
pub(super) struct Heredoc<'a> {
    delimiter: String,
    /// Whether the delimiter was quoted: then nothing in the body is expanded.
    pub(super) literal: bool,
    /// `<<-`: tabs in front of a line do not count.
    tabs: bool,
    /// The lines, without the one that ends them.
    pub(super) body: &'a str,
    /// Body and last line, as a range of the text.
    pub(super) span: Range<usize>,
}

impl<'a> Cursor<'a> {
    /// Remembers that a body follows after this line. Returns the index of the heredoc.
    pub(super) fn open_heredoc(&mut self, operator: &str, delimiter: &Word<'a>) -> usize {
        let index = self.heredocs.len();
        self.heredocs.push(Heredoc {
            delimiter: delimiter.text().into_owned(),
            literal: delimiter.is_quoted(),
            tabs: operator == "<<-",
            body: "",
            span: 0..0,
        });
        self.pending.push(index);
        index
    }

    /// Reads the bodies that were announced on the line that has just ended.
    pub(super) fn read_bodies(&mut self) {
        for index in core::mem::take(&mut self.pending) {
            let Some(heredoc) = self.heredocs.get_mut(index) else { continue };
            let start = self.at;
            let end = body_end(self.text, start, heredoc, self.substitutions > 0);
            heredoc.body = self.text.get(start..end.body).unwrap_or_default();
            heredoc.span = start..end.after;
            self.at = end.after;
        }
    }
}

struct BodyEnd {
    body: usize,
    after: usize,
}

/// Where the body that starts at `start` ends. Without its last line it takes the rest of the text,
/// as it does in a shell.
fn body_end(text: &str, start: usize, heredoc: &Heredoc<'_>, in_substitution: bool) -> BodyEnd {
    let mut at = start;
    // A line that ends in a backslash is joined with the next one, which then cannot be the last.
    let mut joined = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = memchr(b'\n', rest.as_bytes());
        let bare = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        let line = end.map_or(rest.len(), |end| end + 1);
        let shown = if heredoc.tabs { bare.trim_start_matches('\t') } else { bare };
        if !joined {
            if shown == heredoc.delimiter {
                return BodyEnd { body: at, after: at + line };
            }
            // bash takes `EOF)` as the end of a heredoc inside `$(…)`.
            if in_substitution
                && shown.strip_prefix(heredoc.delimiter.as_str()).is_some_and(|rest| rest.contains(')'))
            {
                let tabs = bare.len() - shown.len();
                return BodyEnd { body: at, after: at + tabs + heredoc.delimiter.len() };
            }
        }
        joined = !heredoc.literal && bare.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        at += line;
    }
    BodyEnd { body: at, after: at }
}
