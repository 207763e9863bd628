//! The syntax of a command line as the lexer reads it: tokens, words with their quoting, redirections and heredocs.
//!
//! These are data without a reader: the lexer builds them, and everything else in this folder reads them.

use std::borrow::Cow;
use std::ops::Range;

use crate::find;

/// A token and the blanks in front of it.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    /// Blanks, joined lines, and a comment, as typed.
    pub(super) gap: &'a str,
    /// What follows them.
    pub(super) token: Token<'a>,
}

#[derive(Debug)]
pub(super) enum Token<'a> {
    /// A word of a command.
    Word(Word<'a>),
    /// A word that is none: the pattern of a `case`, the name of a function, quoted text.
    Label(Word<'a>),
    /// What separates commands: `;`, `&&`, `|`, parentheses, a newline.
    Operator(&'a str),
    /// A reserved word where a command may start, and what belongs to it.
    Keyword(&'a str),
    /// `>file`, `2>&1`, `<<EOF`.
    Redirection(Box<Redirection<'a>>),
    /// `((…))` as a command, with the text inside.
    Arithmetic { source: &'a str, inner: &'a str },
}

/// Where a command reads from or writes to.
#[derive(Debug)]
pub(super) struct Redirection<'a> {
    /// The number in front, if any.
    pub(super) descriptor: &'a str,
    /// `<`, `>>`, `<<-`, `&>`.
    pub(super) operator: &'a str,
    /// Blanks before the target.
    pub(super) gap: &'a str,
    /// The file, descriptor, delimiter or text.
    pub(super) target: Option<Word<'a>>,
    /// The index of the heredoc that it opens.
    pub(super) heredoc: Option<usize>,
}

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

/// One `<<WORD` and its body.
#[derive(Debug)]
pub(super) struct Heredoc<'a> {
    pub(super) delimiter: String,
    /// Whether the delimiter was quoted: then nothing in the body is expanded.
    pub(super) literal: bool,
    /// `<<-`: tabs in front of a line do not count.
    pub(super) tabs: bool,
    /// The lines, without the one that ends them.
    pub(super) body: &'a str,
    /// Body and last line, as a range of the text.
    pub(super) span: Range<usize>,
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
    pub(super) fn bare(source: &'a str) -> Self {
        Self { source, parts: Box::default() }
    }

    /// A word of these parts.
    pub(super) fn new(source: &'a str, parts: Vec<Part<'a>>) -> Self {
        Self { source, parts: parts.into() }
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

    /// Adds everything inside this word that would run, in order.
    pub(super) fn inner<'s>(&'s self, found: &mut Vec<Inner<'s, 'a>>) {
        inner_of(&self.parts, found);
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
