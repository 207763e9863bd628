//! The syntax of a command line as the lexer reads it: tokens, words with their quoting, redirections and heredocs.
//!
//! These types import nothing of the lexer, which builds them, and nothing of the views, which read them.

use std::borrow::Cow;
use std::ops::Range;

use lessons_text::find;

/// A token and the blanks in front of it.
#[derive(Debug)]
pub(super) struct SpacedToken<'a> {
    /// The blanks, joined lines and comment, as typed.
    pub(super) blanks: &'a str,
    /// The token.
    pub(super) token: Token<'a>,
}

/// A token of a list of commands.
#[derive(Debug)]
pub(super) enum Token<'a> {
    /// A word of a command.
    Word(LexedWord<'a>),
    /// A word that belongs to no simple command: the pattern of a `case`, the name of a function, quoted text.
    OtherWord(LexedWord<'a>),
    /// An operator that separates commands: `;`, `&&`, `|`, parentheses, a newline.
    Operator(&'a str),
    /// A reserved word, or punctuation of a compound command: `if`, `esac`, the `)` of a `case` pattern.
    ReservedWord(&'a str),
    /// A redirection: `>file`, `2>&1`, `<<EOF`.
    Redirection(Box<LexedRedirection<'a>>),
    /// An arithmetic command, `((…))`, with the text inside.
    Arithmetic { source: &'a str, inner: &'a str },
}

/// A redirection of input or output, as typed.
#[derive(Debug)]
pub(super) struct LexedRedirection<'a> {
    /// The number of the file descriptor; empty if there is none.
    pub(super) descriptor: &'a str,
    /// The operator: `<`, `>>`, `<<-`, `&>`.
    pub(super) operator: &'a str,
    /// The blanks before the target.
    pub(super) blanks: &'a str,
    /// The word after the operator: a file, a descriptor, a delimiter, or the text of a here-string.
    pub(super) target: Option<LexedWord<'a>>,
    /// The index of the heredoc that the redirection opens.
    pub(super) heredoc: Option<usize>,
}

/// A word as typed, with its quoting.
#[derive(Debug)]
pub(super) struct LexedWord<'a> {
    pub(super) source: &'a str,
    /// The parts of the word; none if the whole word is plain text, which most are.
    pub(super) parts: Box<[WordPart<'a>]>,
}

/// A part of a word.
#[derive(Debug)]
pub(super) enum WordPart<'a> {
    /// Text without quoting; inside double quotes, text without expansions.
    Literal(&'a str),
    /// The character after a backslash.
    Escaped(&'a str),
    /// The text of `'…'`, or the decoded text of `$'…'`.
    SingleQuoted(Cow<'a, str>),
    /// The inside of `"…"`.
    DoubleQuoted(Box<[WordPart<'a>]>),
    /// A parameter expansion without braces: `$name`, `$1`, `$?`.
    Parameter(&'a str),
    /// A parameter expansion with braces, `${…}`, and the parts between these.
    BracedParameter { source: &'a str, parts: Box<[WordPart<'a>]> },
    /// A command or process substitution, `$(…)`, `<(…)` or `>(…)`, and its tokens.
    Substitution { source: &'a str, list: Vec<SpacedToken<'a>> },
    /// A command substitution with backquotes, and the text that would run.
    Backquoted { source: &'a str, inner: Box<str> },
    /// An arithmetic expansion, `$((…))`, with the text inside.
    Arithmetic { source: &'a str, inner: &'a str },
    /// The elements of an array, `(…)` after `name=`.
    Array { source: &'a str, list: Vec<SpacedToken<'a>> },
}

/// A heredoc: `<<WORD` and its body.
#[derive(Debug)]
pub(super) struct Heredoc<'a> {
    pub(super) delimiter: String,
    /// Whether the delimiter was quoted: then nothing in the body is expanded.
    pub(super) literal: bool,
    /// Whether the operator is `<<-`: then tabs in front of a line do not count.
    pub(super) tabs: bool,
    /// The lines, without the one that ends them.
    pub(super) body: &'a str,
    /// The byte range of the body and the delimiter's line in the text.
    pub(super) span: Range<usize>,
}

/// Code that a word or a redirection holds.
#[derive(Debug)]
pub(super) enum Code<'s, 'a> {
    /// Commands that are lexed already: those of a substitution.
    Commands(&'s [SpacedToken<'a>]),
    /// Text that a shell would read as commands.
    Text(Cow<'s, str>),
    /// Text in which only expansions would run: arithmetic, the body of a heredoc.
    Expansions(&'a str),
}

impl<'a> LexedWord<'a> {
    /// The text of a plain word: one without quotes, escapes and expansions.
    pub(super) fn plain(&self) -> Option<&'a str> {
        self.parts.is_empty().then_some(self.source)
    }

    /// The text of the word without its quoting. Expansions stay as they were typed.
    pub(super) fn text(&self) -> Cow<'a, str> {
        if self.parts.is_empty() {
            return Cow::Borrowed(self.source);
        }
        let mut text = String::with_capacity(self.source.len());
        append_unquoted(&self.parts, &|_| None, &mut text);
        Cow::Owned(text)
    }

    /// Whether the program gets exactly [`LexedWord::text`]: no variable, substitution, pattern or brace expansion.
    pub(super) fn is_static(&self) -> bool {
        match self.plain() {
            Some(text) => literal_is_static(text, true),
            None => self.parts.iter().enumerate().all(|(index, part)| match part {
                WordPart::Literal(text) => literal_is_static(text, index == 0),
                WordPart::Escaped(_) | WordPart::SingleQuoted(_) => true,
                WordPart::DoubleQuoted(inside) => inside.iter().all(|part| match part {
                    WordPart::Literal(text) => !text.contains(['$', '`']),
                    other => matches!(other, WordPart::Escaped(_)),
                }),
                _ => false,
            }),
        }
    }

    /// Whether any part of the word is quoted or escaped.
    pub(super) fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| {
            matches!(part, WordPart::Escaped(_) | WordPart::SingleQuoted(_) | WordPart::DoubleQuoted(_))
        })
    }

    /// Whether the word is an assignment: it starts with `name=` or `name+=`, or sets an element of an array.
    pub(super) fn is_assignment(&self) -> bool {
        let start = match self.parts.first() {
            None => self.source,
            Some(WordPart::Literal(text)) => text,
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

/// Whether unquoted text means itself: it holds no pattern, brace expansion, tilde or dollar sign. `first` says whether
/// a word begins with it.
fn literal_is_static(text: &str, first: bool) -> bool {
    let bytes = text.as_bytes();
    let pattern = find::memchr3(b'*', b'?', b'[', bytes).is_some() && text != "[" && text != "[[";
    let brace = text.contains('{') && (text.contains(',') || text.contains(".."));
    let tilde = first && text.starts_with('~') || text.contains("=~") || text.contains(":~");
    !(pattern || brace || tilde || text.contains(['$', '`']))
}

/// Adds the text of parts to `out`, without their quoting; instead of a part that has a value its value.
pub(super) fn append_unquoted<'v>(
    parts: &[WordPart<'_>],
    value_of: &impl Fn(&WordPart<'_>) -> Option<&'v str>,
    out: &mut String,
) {
    for part in parts {
        match part {
            WordPart::DoubleQuoted(inside) => append_unquoted(inside, value_of, out),
            WordPart::Literal(text) | WordPart::Escaped(text) => out.push_str(text),
            WordPart::SingleQuoted(text) => out.push_str(text),
            WordPart::Parameter(source)
            | WordPart::BracedParameter { source, .. }
            | WordPart::Substitution { source, .. }
            | WordPart::Backquoted { source, .. }
            | WordPart::Arithmetic { source, .. }
            | WordPart::Array { source, .. } => out.push_str(value_of(part).unwrap_or(source)),
        }
    }
}

/// Hands over all code inside the parts of a word, in order.
pub(super) fn each_code<'s, 'a>(parts: &'s [WordPart<'a>], found: &mut impl FnMut(Code<'s, 'a>)) {
    for part in parts {
        match part {
            WordPart::Literal(_)
            | WordPart::Escaped(_)
            | WordPart::SingleQuoted(_)
            | WordPart::Parameter(_) => {}
            WordPart::DoubleQuoted(inside) | WordPart::BracedParameter { parts: inside, .. } => {
                each_code(inside, found);
            }
            WordPart::Substitution { list, .. } => found(Code::Commands(list)),
            WordPart::Backquoted { inner, .. } => found(Code::Text(Cow::Borrowed(inner))),
            WordPart::Arithmetic { inner, .. } => found(Code::Expansions(inner)),
            WordPart::Array { list, .. } => {
                for spaced in list {
                    if let Token::Word(word) | Token::OtherWord(word) = &spaced.token {
                        each_code(&word.parts, found);
                    }
                }
            }
        }
    }
}
