//! The reading of words: quoting and expansions.

use std::borrow::Cow;

use super::Lexer;
use super::ansi;
use crate::syntax::{LexedWord, WordPart, assigns, name_of};
use lessons_text::find;

/// The quotes that are special in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteRule {
    Both,
    Double,
    Neither,
}

impl<'a> Lexer<'a> {
    /// Reads one word. It takes at least one character.
    pub(super) fn word(&mut self) -> LexedWord<'a> {
        let start = self.at;
        let mut bare = start;
        let mut parts = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'(' if !self.opens_array(start, parts.is_empty()) => break,
                b'<' | b'>' if self.peek_at(1) != Some(b'(') || !self.may_open() => break,
                b'(' | b'<' | b'>' | b'\'' | b'"' | b'\\' | b'$' | b'`' => {
                    self.flush(bare, &mut parts);
                    parts.extend(self.special(byte, QuoteRule::Both));
                    bare = self.at;
                }
                _ => self.at += 1,
            }
        }
        if self.at == start {
            // Only here because the depth limit has turned an opener into an ordinary character.
            self.take_char();
        }
        if bare > start {
            self.flush(bare, &mut parts);
        }
        LexedWord { source: self.since(start), parts: parts.into() }
    }

    /// Adds the literal text since `from`.
    fn flush(&self, from: usize, parts: &mut Vec<WordPart<'a>>) {
        if self.at > from {
            parts.push(WordPart::Literal(self.since(from)));
        }
    }

    /// Whether a parenthesis here opens an array: `name=(`.
    fn opens_array(&mut self, start: usize, only_bare: bool) -> bool {
        let name = self.since(start);
        only_bare && name.ends_with('=') && assigns(name) && self.may_open()
    }

    /// Reads the part that starts with a special character, in which the quotes of `quotes` are special.
    fn special(&mut self, byte: u8, quotes: QuoteRule) -> Option<WordPart<'a>> {
        match byte {
            b'(' => {
                let from = self.at;
                self.at += 1;
                self.depth += 1;
                let list = self.list(Some(b')'));
                self.depth -= 1;
                Some(WordPart::Array { source: self.since(from), list })
            }
            b'<' | b'>' => Some(self.commands()),
            b'\'' => Some(self.single()),
            b'"' => Some(self.double()),
            b'\\' => self.escape(),
            _ => Some(self.expansion(quotes)),
        }
    }

    /// Reads `\x` outside quotes; `None` for a joined line.
    fn escape(&mut self) -> Option<WordPart<'a>> {
        self.at += 1;
        match self.take_char() {
            "\n" => None,
            "" => Some(WordPart::Literal("\\")),
            other => Some(WordPart::Escaped(other)),
        }
    }

    fn single(&mut self) -> WordPart<'a> {
        self.at += 1;
        let from = self.at;
        let end = find::memchr(b'\'', self.rest().as_bytes());
        self.is_truncated |= end.is_none();
        self.at += end.unwrap_or(self.rest().len());
        let text = self.since(from);
        self.step_over_end();
        WordPart::SingleQuoted(Cow::Borrowed(text))
    }

    fn double(&mut self) -> WordPart<'a> {
        self.at += 1;
        WordPart::DoubleQuoted(self.quoted_text(Some(b'"')))
    }

    /// Reads text in which only expansions mean something, up to `stop` or the end.
    pub(crate) fn quoted_text(&mut self, stop: Option<u8>) -> Box<[WordPart<'a>]> {
        self.text_with(stop, QuoteRule::Neither)
    }

    fn text_with(&mut self, stop: Option<u8>, quotes: QuoteRule) -> Box<[WordPart<'a>]> {
        let mut parts = Vec::new();
        let mut bare = self.at;
        while let Some(byte) = self.peek().filter(|byte| Some(*byte) != stop) {
            let is_special = match byte {
                b'\\' if quotes == QuoteRule::Both => true,
                b'\\' => matches!(self.peek_at(1), Some(b'$' | b'`' | b'"' | b'\\' | b'\n')),
                b'\'' => quotes == QuoteRule::Both,
                b'"' => quotes != QuoteRule::Neither,
                b'$' | b'`' => true,
                _ => false,
            };
            if is_special {
                self.flush(bare, &mut parts);
                parts.extend(self.special(byte, quotes));
                bare = self.at;
            } else {
                self.at += 1;
            }
        }
        self.flush(bare, &mut parts);
        self.is_truncated |= stop.is_some() && self.peek().is_none();
        self.step_over_end();
        parts.into()
    }

    /// Reads the part that starts with `$` or a backquote.
    fn expansion(&mut self, quotes: QuoteRule) -> WordPart<'a> {
        let from = self.at;
        if self.peek() == Some(b'`') {
            return self.backquoted(quotes);
        }
        match self.peek_at(1) {
            Some(b'(') if self.may_open() => match self.arithmetic("$((") {
                Some((source, inner)) => WordPart::Arithmetic { source, inner },
                None => self.commands(),
            },
            Some(b'{') if self.may_open() => {
                self.at += 2;
                self.depth += 1;
                let inner = if quotes == QuoteRule::Both { QuoteRule::Both } else { QuoteRule::Double };
                let parts = self.text_with(Some(b'}'), inner);
                self.depth -= 1;
                WordPart::BracedParameter { source: self.since(from), parts }
            }
            Some(b'\'') if quotes == QuoteRule::Both => {
                self.at += 2;
                WordPart::SingleQuoted(ansi::decode(self.ansi_text()))
            }
            // In bash `$"…"` is a text to be translated.
            Some(b'"') if quotes == QuoteRule::Both => {
                self.at += 1;
                self.double()
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += 1;
                self.at += name_of(self.rest()).len();
                WordPart::Parameter(self.since(from))
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.at += 2;
                WordPart::Parameter(self.since(from))
            }
            _ => WordPart::Literal(self.take_char()),
        }
    }

    /// Reads the text of `$'…'`, and steps over the quote that ends it.
    fn ansi_text(&mut self) -> &'a str {
        let from = self.at;
        while let Some(byte) = self.peek().filter(|byte| *byte != b'\'') {
            self.at += 1;
            if byte == b'\\' {
                self.take_char();
            }
        }
        let text = self.since(from);
        self.step_over_end();
        text
    }

    /// Reads `$(…)`, `<(…)` or `>(…)`.
    fn commands(&mut self) -> WordPart<'a> {
        let from = self.at;
        self.at += 2;
        // A newline inside the substitution does not start the heredocs of the outer line.
        let outer = std::mem::take(&mut self.pending);
        self.depth += 1;
        self.substitutions += 1;
        let list = self.list(Some(b')'));
        self.substitutions -= 1;
        self.depth -= 1;
        self.pending.splice(0..0, outer);
        WordPart::Substitution { source: self.since(from), list }
    }

    /// Reads a substitution with backquotes, and takes off the backslashes that these need.
    fn backquoted(&mut self, quotes: QuoteRule) -> WordPart<'a> {
        let from = self.at;
        self.at += 1;
        let mut inner = String::new();
        let mut run = self.at;
        while let Some(byte) = self.peek().filter(|byte| *byte != b'`') {
            self.at += 1;
            if byte != b'\\' {
                continue;
            }
            let is_dropped = match self.peek() {
                Some(b'`' | b'$' | b'\\') => true,
                Some(b'"') => quotes != QuoteRule::Both,
                _ => false,
            };
            if is_dropped {
                inner.push_str(self.slice(run, self.at - 1));
                run = self.at;
            }
            self.take_char();
        }
        inner.push_str(self.since(run));
        self.step_over_end();
        WordPart::Backquoted { source: self.since(from), inner: inner.into() }
    }
}
