//! A position in a command line, with what the lexer must remember between two tokens.

use super::syntax::Heredoc;

/// How deep substitutions may stand inside each other. Nobody writes 32 levels; beyond them an opener
/// is read as an ordinary character, so that no input can exhaust the stack.
const MAX_DEPTH: usize = 32;

/// How many `((` of one text may turn out not to be arithmetic before we stop asking. Each one costs a
/// look ahead over the rest, so this keeps the whole linear.
const MAX_MISREAD: usize = 32;

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListEnd {
    /// The end of the text.
    Text,
    /// The parenthesis that closes it.
    Paren,
}

/// Where the lexer stands. Every stop is at an ASCII byte or at the end, so slices are always whole
/// characters.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Open substitutions, braces and arrays.
    pub(super) depth: usize,
    /// Whether an opener was not read as one because of [`MAX_DEPTH`].
    pub(super) is_truncated: bool,
    /// Open `$(…)` and `<(…)`.
    pub(super) substitutions: usize,
    pub(super) heredocs: Vec<Heredoc<'a>>,
    /// Heredocs whose bodies start after the next newline, as indices.
    pub(super) pending: Vec<usize>,
    misread: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            is_truncated: false,
            substitutions: 0,
            heredocs: Vec::new(),
            pending: Vec::new(),
            misread: 0,
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// What has been read since `from`.
    pub(super) fn since(&self, from: usize) -> &'a str {
        self.slice(from, self.at)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over the first of `tokens` that stands here. List longer ones first.
    pub(super) fn take_first(&mut self, tokens: &[&str]) -> Option<&'a str> {
        let token = tokens.iter().find(|token| self.rest().starts_with(**token))?;
        let from = self.at;
        self.at += token.len();
        Some(self.since(from))
    }

    /// Steps over one character, whatever it is.
    pub(super) fn take_char(&mut self) -> &'a str {
        let from = self.at;
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        self.since(from)
    }

    /// Steps over blanks and joined lines (`\` and a newline).
    pub(super) fn blanks(&mut self) -> &'a str {
        let from = self.at;
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                _ => return self.since(from),
            }
        }
    }

    /// Whether another level may be opened here. Remembers a refusal.
    pub(super) fn may_open(&mut self) -> bool {
        self.is_truncated |= self.depth >= MAX_DEPTH;
        self.depth < MAX_DEPTH
    }

    /// Where the `))` stands that closes an arithmetic expression whose text starts at `from`, or the
    /// end of the text if it is not closed. `None` when this is a parenthesis inside a parenthesis.
    pub(super) fn arithmetic_end(&mut self, from: usize) -> Option<usize> {
        if self.misread >= MAX_MISREAD {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut open = 0usize;
        for (at, byte) in bytes.iter().enumerate().skip(from) {
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if bytes.get(at + 1) == Some(&b')') => return Some(at),
                b')' => {
                    self.misread += 1;
                    return None;
                }
                _ => {}
            }
        }
        Some(bytes.len())
    }
}
