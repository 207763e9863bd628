//! The lexer's state and its steps over single characters.

mod ansi;
mod heredoc;
mod list;
mod word;

use super::syntax::Heredoc;

/// The most levels of substitutions inside each other. Nobody writes 32 levels; beyond them an opener is read as an
/// ordinary character, so that no input can exhaust the stack.
const MAX_DEPTH: usize = 32;

/// The most `((` of one text that may turn out not to be arithmetic. Each costs a look ahead over the rest of the text,
/// and with this limit the lexer stays linear; after it every `((` is two parentheses.
const MAX_MISREAD: usize = 32;

/// A lexer: a text, a position in it, and what must be remembered between two tokens. The position is a byte offset,
/// always at an ASCII byte, behind a whole character, or at the end, so slices are always whole characters.
#[derive(Debug, Default)]
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// The number of open substitutions, braces and arrays.
    pub(super) depth: usize,
    /// Whether an opener was read as an ordinary character because of [`MAX_DEPTH`], or a quote is not closed.
    pub(super) is_truncated: bool,
    /// The number of open `$(…)` and `<(…)`.
    pub(super) substitutions: usize,
    pub(super) heredocs: Vec<Heredoc<'a>>,
    /// The indices of the heredocs whose bodies start after the next newline.
    pub(super) pending: Vec<usize>,
    misread: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
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

    /// The text that has been read since `from`, a byte offset.
    pub(super) fn since(&self, from: usize) -> &'a str {
        self.slice(from, self.at)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over the first of `tokens` that the rest of the text begins with. A longer token must come before its prefixes.
    pub(super) fn take_first(&mut self, tokens: &[&str]) -> Option<&'a str> {
        let token = tokens.iter().find(|token| self.rest().starts_with(**token))?;
        let from = self.at;
        self.at += token.len();
        Some(self.since(from))
    }

    /// Steps over one character, whatever it is; over none at the end.
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

    /// Whether another level may be opened. A refusal marks the text as truncated.
    pub(super) fn may_open(&mut self) -> bool {
        self.is_truncated |= self.depth >= MAX_DEPTH;
        self.depth < MAX_DEPTH
    }

    /// Steps over the character that ends a quote or a substitution; over none at the end of the text.
    pub(super) fn step_over_end(&mut self) {
        self.at = self.text.len().min(self.at + 1);
    }

    /// Reads arithmetic that starts here with `opener`. Returns all of it and the text inside: up to `))`, or to the end of the
    /// text if nothing closes it. `None` for other text, where the two parentheses open sub-shells, and once [`MAX_MISREAD`]
    /// of them have.
    pub(super) fn arithmetic(&mut self, opener: &str) -> Option<(&'a str, &'a str)> {
        if self.misread >= MAX_MISREAD || !self.rest().starts_with(opener) {
            return None;
        }
        let (from, inside) = (self.at, self.at + opener.len());
        let bytes = self.text.as_bytes();
        let (mut open, mut end) = (0usize, bytes.len());
        for (at, byte) in bytes.iter().enumerate().skip(inside) {
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if bytes.get(at + 1) == Some(&b')') => {
                    end = at;
                    break;
                }
                b')' => {
                    self.misread += 1;
                    return None;
                }
                _ => {}
            }
        }
        self.at = bytes.len().min(end + 2);
        Some((self.since(from), self.slice(inside, end)))
    }
}
