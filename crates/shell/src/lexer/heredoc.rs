//! The reading of heredocs: the lines after a command line that are not commands but the input of one.

use std::ops::Range;

use super::Lexer;
use crate::syntax::{Heredoc, LexedWord};
use lessons_text::find::{find_iter, memchr, memchr2};

impl<'a> Lexer<'a> {
    /// Notes that a body follows after this line. Returns the index of the heredoc.
    pub(super) fn open_heredoc(&mut self, operator: &str, delimiter: &LexedWord<'a>) -> usize {
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

    /// Reads the bodies of the heredocs that were opened on the line that has just ended.
    pub(super) fn read_bodies(&mut self) {
        for index in std::mem::take(&mut self.pending) {
            let Some(heredoc) = self.heredocs.get_mut(index) else { continue };
            let start = self.at;
            let rest = self.text.get(start..).unwrap_or_default();
            let last_line = heredoc.last_line(rest.as_bytes(), self.substitutions > 0);
            heredoc.body = rest.get(..last_line.start).unwrap_or_default();
            self.at = start + last_line.end;
            heredoc.span = start..self.at;
        }
    }
}

impl Heredoc<'_> {
    /// The range in `bytes`, which begin with the body, of the line that ends it. A body without a delimiter takes all of them,
    /// as it does in a shell.
    fn last_line(&self, bytes: &[u8], in_substitution: bool) -> Range<usize> {
        // A line holds no line feed, so a delimiter with one never ends a body.
        let is_a_line = memchr(b'\n', self.delimiter.as_bytes()).is_none();
        let mut delimiters = find_iter(bytes, self.delimiter.as_bytes()).take_while(|_| is_a_line);
        let line = delimiters.find_map(|at| self.line_of(bytes, at, in_substitution));
        line.unwrap_or(bytes.len()..bytes.len())
    }

    /// The line of the delimiter that stands at byte `at`, if this ends the body.
    fn line_of(&self, bytes: &[u8], at: usize, in_substitution: bool) -> Option<Range<usize>> {
        let (before, from) = bytes.split_at_checked(at)?;
        // `<<-` strips all tabs of a line, so this tab belongs to no delimiter.
        if self.tabs && from.first() == Some(&b'\t') {
            return None;
        }
        let tabs = before.iter().rev().take_while(|byte| self.tabs && **byte == b'\t').count();
        let body = at - tabs;
        // A line that ends in a backslash is joined with the next one, so the next one cannot be the delimiter.
        let joined = |lines: &[u8]| lines.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
        match before.get(..body)? {
            [] => {}
            [lines @ .., b'\n'] if self.literal || !joined(lines) => {}
            _ => return None,
        }
        let rest = from.get(self.delimiter.len()..)?;
        let after = at + self.delimiter.len();
        match memchr2(b'\n', b')', rest).map(|at| (at, rest.get(at))) {
            Some((0, Some(b'\n'))) => Some(body..after + 1),
            None if rest.is_empty() => Some(body..after),
            // bash takes `EOF)` as the end of a heredoc inside `$(…)`.
            Some((_, Some(b')'))) if in_substitution => Some(body..after),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The line that ends a body, found line by line: the reference for the search.
    fn last_by_lines(heredoc: &Heredoc<'_>, text: &str, in_substitution: bool) -> Range<usize> {
        let (mut body, mut joined) = (0, false);
        for line in text.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let shown = if heredoc.tabs { bare.trim_start_matches('\t') } else { bare };
            if !joined && shown == heredoc.delimiter {
                return body..body + line.len();
            }
            let rest = shown.strip_prefix(&heredoc.delimiter);
            if !joined && in_substitution && rest.is_some_and(|rest| rest.contains(')')) {
                let tabs = bare.len() - shown.len();
                return body..body + tabs + heredoc.delimiter.len();
            }
            joined =
                !heredoc.literal && bare.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            body += line.len();
        }
        body..body
    }

    proptest! {
        #[test]
        fn a_body_ends_where_it_does_line_by_line(
            text in "(EOF|E|\\)|\t| |\\\\|x|\n|\n|\nEOF){0,12}",
            delimiter in "(EOF|E|EE|\\)|\t|\n|\\\\){0,2}",
            literal: bool,
            tabs: bool,
            in_substitution: bool,
        ) {
            let heredoc = Heredoc { delimiter, literal, tabs, body: "", span: 0..0 };
            prop_assert_eq!(
                heredoc.last_line(text.as_bytes(), in_substitution),
                last_by_lines(&heredoc, &text, in_substitution)
            );
        }
    }
}
