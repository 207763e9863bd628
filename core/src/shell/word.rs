//! Words, and what they are made of.

use std::borrow::Cow;

use super::ansi;
use super::cursor::{Cursor, End};
use super::list::{Piece, Token};
use crate::find;

/// A word as typed.
#[derive(Debug)]
pub(super) struct Word<'a> {
    pub(super) source: &'a str,
    /// Empty: the whole word is plain text.
    parts: Box<[Part<'a>]>,
}

#[derive(Debug)]
pub(super) enum Part<'a> {
    /// Text without any quoting. Between double quotes: text.
    Bare(&'a str),
    /// The character after a backslash.
    Escape(&'a str),
    /// `'…'` or `$'…'`, decoded.
    Single(Cow<'a, str>),
    /// `"…"`.
    Double(Box<[Part<'a>]>),
    /// `$name`, `$1`, `$?`.
    Variable(&'a str),
    /// `${…}`, with what stands between the braces.
    Braced { source: &'a str, parts: Box<[Part<'a>]> },
    /// `$(…)`, `<(…)`, `>(…)`.
    Commands { source: &'a str, list: Vec<Piece<'a>> },
    /// Backticks, with the text that would run.
    Backtick { source: &'a str, inner: Box<str> },
    /// `$((…))`, with the text inside.
    Arithmetic { source: &'a str, inner: &'a str },
    /// `(…)` after `name=`.
    Array { source: &'a str, list: Vec<Piece<'a>> },
}

/// Which quotes mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Both,
    Double,
    Neither,
}

impl<'a> Word<'a> {
    pub(super) fn bare(source: &'a str) -> Self {
        Self { source, parts: Box::default() }
    }

    /// A word that is one double-quoted text.
    pub(super) fn quoted(source: &'a str, parts: Vec<Part<'a>>) -> Self {
        Self { source, parts: Box::new([Part::Double(parts.into())]) }
    }

    /// The parts of a word that is more than plain text.
    pub(super) fn parts(&self) -> &[Part<'a>] {
        &self.parts
    }

    /// The text of a word without quotes, escapes and expansions.
    pub(super) fn plain(&self) -> Option<&'a str> {
        self.parts.is_empty().then_some(self.source)
    }

    /// The word without its quoting. Expansions stay as they were typed.
    pub(super) fn text(&self) -> Cow<'a, str> {
        if self.parts.is_empty() {
            return Cow::Borrowed(self.source);
        }
        let mut text = String::with_capacity(self.source.len());
        append(&self.parts, &mut text);
        Cow::Owned(text)
    }

    /// Whether the program gets exactly [`Word::text`]: no variable, substitution, pattern or brace.
    pub(super) fn is_static(&self) -> bool {
        match self.plain() {
            Some(text) => bare_is_static(text, true),
            None => self.parts.iter().enumerate().all(|(index, part)| match part {
                Part::Bare(text) => bare_is_static(text, index == 0),
                Part::Escape(_) | Part::Single(_) => true,
                Part::Double(inside) => inside.iter().all(|part| match part {
                    Part::Bare(text) => !text.contains(['$', '`']),
                    other => matches!(other, Part::Escape(_)),
                }),
                _ => false,
            }),
        }
    }

    /// Whether any of it is quoted or escaped.
    pub(super) fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Escape(_) | Part::Single(_) | Part::Double(_)))
    }

    /// Whether it starts with `name=` or `name+=`, or sets an element of an array.
    pub(super) fn is_assignment(&self) -> bool {
        let start = match self.parts.first() {
            None => self.source,
            Some(Part::Bare(text)) => text,
            Some(_) => return false,
        };
        assigns(start)
    }
}

/// The name of a variable that `text` begins with; empty if it begins with none.
pub(super) fn name_of(text: &str) -> &str {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return "";
    }
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    text.get(..length).unwrap_or_default()
}

/// Whether `text` is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && name_of(text) == text
}

/// Whether `text` starts with a name, an optional `[…]`, and `=` or `+=`.
pub(super) fn assigns(text: &str) -> bool {
    let name = name_of(text);
    if name.is_empty() {
        return false;
    }
    let rest = text.get(name.len()..).unwrap_or_default();
    let rest = match rest.strip_prefix('[') {
        Some(index) => index.split_once(']').map_or("", |(_, after)| after),
        None => rest,
    };
    rest.starts_with('=') || rest.starts_with("+=")
}

fn bare_is_static(text: &str, first: bool) -> bool {
    let bytes = text.as_bytes();
    let pattern = find::memchr3(b'*', b'?', b'[', bytes).is_some() && text != "[" && text != "[[";
    let brace = text.contains('{') && (text.contains(',') || text.contains(".."));
    let tilde = first && text.starts_with('~') || text.contains("=~") || text.contains(":~");
    !(pattern || brace || tilde || text.contains(['$', '`']))
}

/// Adds the text of parts without their quoting.
pub(super) fn append(parts: &[Part<'_>], text: &mut String) {
    for part in parts {
        match part {
            Part::Bare(piece) | Part::Escape(piece) | Part::Variable(piece) => text.push_str(piece),
            Part::Single(piece) => text.push_str(piece),
            Part::Double(inside) => append(inside, text),
            Part::Braced { source, .. }
            | Part::Commands { source, .. }
            | Part::Backtick { source, .. }
            | Part::Arithmetic { source, .. }
            | Part::Array { source, .. } => text.push_str(source),
        }
    }
}

impl<'a> Cursor<'a> {
    /// Reads one word. Takes at least one character.
    pub(super) fn word(&mut self) -> Word<'a> {
        let start = self.at;
        let mut bare = start;
        let mut parts = Vec::new();
        while let Some(byte) = self.peek() {
            let part = match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'(' if !self.opens_array(start, parts.is_empty()) => break,
                b'<' | b'>' if self.peek_at(1) != Some(b'(') || !self.may_open() => break,
                b'(' | b'<' | b'>' | b'\'' | b'"' | b'\\' | b'$' | b'`' => {
                    self.flush(bare, &mut parts);
                    let part = self.special(byte);
                    bare = self.at;
                    part
                }
                _ => {
                    self.at += 1;
                    None
                }
            };
            parts.extend(part);
        }
        if self.at == start {
            // Only where the depth limit has turned an opener into an ordinary character.
            self.take_char();
        }
        let source = self.since(start);
        if bare == start {
            return Word::bare(source);
        }
        self.flush(bare, &mut parts);
        Word { source, parts: parts.into() }
    }

    fn flush(&self, from: usize, parts: &mut Vec<Part<'a>>) {
        if self.at > from {
            parts.push(Part::Bare(self.since(from)));
        }
    }

    fn opens_array(&mut self, start: usize, only_bare: bool) -> bool {
        let name = self.since(start);
        only_bare && name.ends_with('=') && assigns(name) && self.may_open()
    }

    /// Reads what starts with a special character of unquoted text.
    fn special(&mut self, byte: u8) -> Option<Part<'a>> {
        match byte {
            b'(' => {
                let from = self.at;
                self.at += 1;
                self.depth += 1;
                let list = self.list(End::Paren);
                self.depth -= 1;
                Some(Part::Array { source: self.since(from), list })
            }
            b'<' | b'>' => Some(self.commands(2)),
            b'\'' => Some(self.single()),
            b'"' => Some(self.double()),
            b'\\' => self.escape(),
            _ => Some(self.expansion(Quotes::Both)),
        }
    }

    /// `\x` outside quotes; nothing for a joined line.
    fn escape(&mut self) -> Option<Part<'a>> {
        self.at += 1;
        match self.take_char() {
            "\n" => None,
            "" => Some(Part::Bare("\\")),
            other => Some(Part::Escape(other)),
        }
    }

    fn single(&mut self) -> Part<'a> {
        self.at += 1;
        let from = self.at;
        self.at += find::memchr(b'\'', self.rest().as_bytes()).unwrap_or(self.rest().len());
        let text = self.since(from);
        self.at = self.text.len().min(self.at + 1);
        Part::Single(Cow::Borrowed(text))
    }

    fn double(&mut self) -> Part<'a> {
        self.at += 1;
        Part::Double(self.quoted_text(Some(b'"')).into())
    }

    /// Reads text in which only expansions mean something, up to `stop` or the end.
    pub(super) fn quoted_text(&mut self, stop: Option<u8>) -> Vec<Part<'a>> {
        self.text_with(stop, Quotes::Neither)
    }

    fn text_with(&mut self, stop: Option<u8>, quotes: Quotes) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        let mut bare = self.at;
        while let Some(byte) = self.peek() {
            if Some(byte) == stop {
                self.flush(bare, &mut parts);
                self.at += 1;
                return parts;
            }
            let special = match byte {
                b'\\' if quotes == Quotes::Both => true,
                b'\\' => matches!(self.peek_at(1), Some(b'$' | b'`' | b'"' | b'\\' | b'\n')),
                b'\'' => quotes == Quotes::Both,
                b'"' => quotes != Quotes::Neither,
                b'$' | b'`' => true,
                _ => false,
            };
            if !special {
                self.at += 1;
                continue;
            }
            self.flush(bare, &mut parts);
            let part = match byte {
                b'$' | b'`' => Some(self.expansion(quotes)),
                _ => self.special(byte),
            };
            parts.extend(part);
            bare = self.at;
        }
        self.flush(bare, &mut parts);
        parts
    }

    /// Reads what starts with `$` or a backtick.
    fn expansion(&mut self, quotes: Quotes) -> Part<'a> {
        let from = self.at;
        if self.peek() == Some(b'`') {
            return self.backtick(quotes);
        }
        match self.peek_at(1) {
            Some(b'(') if self.may_open() => match (self.peek_at(2), from + 3) {
                (Some(b'('), inside) => match self.arithmetic_end(inside) {
                    Some(end) => {
                        self.at = self.text.len().min(end + 2);
                        Part::Arithmetic { source: self.since(from), inner: self.slice(inside, end) }
                    }
                    None => self.commands(2),
                },
                _ => self.commands(2),
            },
            Some(b'{') if self.may_open() => {
                self.at += 2;
                self.depth += 1;
                let inner = if quotes == Quotes::Both { Quotes::Both } else { Quotes::Double };
                let parts = self.text_with(Some(b'}'), inner).into();
                self.depth -= 1;
                Part::Braced { source: self.since(from), parts }
            }
            Some(b'\'') if quotes == Quotes::Both => {
                self.at += 2;
                Part::Single(ansi::decode(self.ansi_text()))
            }
            // `$"…"` is a translated text.
            Some(b'"') if quotes == Quotes::Both => {
                self.at += 1;
                self.double()
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += 1;
                while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                    self.at += 1;
                }
                Part::Variable(self.since(from))
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.at += 2;
                Part::Variable(self.since(from))
            }
            _ => Part::Bare(self.take_char()),
        }
    }

    /// The text of `$'…'`, up to and over the quote that ends it.
    fn ansi_text(&mut self) -> &'a str {
        let from = self.at;
        loop {
            match self.peek() {
                None => return self.since(from),
                Some(b'\'') => {
                    let text = self.since(from);
                    self.at += 1;
                    return text;
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.take_char();
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// `$(…)`, `<(…)`, `>(…)`: `opener` bytes, then commands up to the parenthesis.
    fn commands(&mut self, opener: usize) -> Part<'a> {
        let from = self.at;
        self.at += opener;
        // A newline in here is not the one that the heredocs of the outer line wait for.
        let outer = std::mem::take(&mut self.pending);
        self.depth += 1;
        self.substitutions += 1;
        let list = self.list(End::Paren);
        self.substitutions -= 1;
        self.depth -= 1;
        self.pending.splice(0..0, outer);
        Part::Commands { source: self.since(from), list }
    }

    fn backtick(&mut self, quotes: Quotes) -> Part<'a> {
        let from = self.at;
        self.at += 1;
        let mut inner = String::new();
        let mut run = self.at;
        loop {
            match self.peek() {
                None | Some(b'`') => break,
                Some(b'\\') => {
                    let drops = match self.peek_at(1) {
                        Some(b'`' | b'$' | b'\\') => true,
                        Some(b'"') => quotes != Quotes::Both,
                        _ => false,
                    };
                    if drops {
                        inner.push_str(self.since(run));
                        run = self.at + 1;
                    }
                    self.at += 1;
                    self.take_char();
                }
                Some(_) => self.at += 1,
            }
        }
        inner.push_str(self.since(run));
        self.at = self.text.len().min(self.at + 1);
        Part::Backtick { source: self.since(from), inner: inner.into() }
    }
}

/// What stands inside a word and would run, or holds what would run.
#[derive(Debug)]
pub(super) enum Inner<'s, 'a> {
    /// Commands that are lexed already.
    Commands(&'s [Piece<'a>]),
    /// Text that a shell reads as commands.
    Text(Cow<'s, str>),
    /// Text in which only expansions run: arithmetic, the body of a heredoc.
    Quoted(&'a str),
}

impl<'a> Word<'a> {
    /// Adds everything inside this word that would run, in order.
    pub(super) fn inner<'s>(&'s self, found: &mut Vec<Inner<'s, 'a>>) {
        inner_of(&self.parts, found);
    }
}

fn inner_of<'s, 'a>(parts: &'s [Part<'a>], found: &mut Vec<Inner<'s, 'a>>) {
    for part in parts {
        match part {
            Part::Bare(_) | Part::Escape(_) | Part::Single(_) | Part::Variable(_) => {}
            Part::Double(inside) | Part::Braced { parts: inside, .. } => inner_of(inside, found),
            Part::Commands { list, .. } => found.push(Inner::Commands(list)),
            Part::Backtick { inner, .. } => found.push(Inner::Text(Cow::Borrowed(inner))),
            Part::Arithmetic { inner, .. } => found.push(Inner::Quoted(inner)),
            Part::Array { list, .. } => {
                for piece in list {
                    if let Token::Word(word) | Token::Label(word) = &piece.token {
                        word.inner(found);
                    }
                }
            }
        }
    }
}
