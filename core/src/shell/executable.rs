//! What a command line would run, as text for patterns.

use super::lexed::Source;
use super::line::CommandLine;
use super::segment;
use super::syntax::{Inner, Part, Word};
use super::syntax::{Piece, Redirection, Token};

/// How many levels of text inside text get a line of their own.
const LEVELS: usize = 4;

/// The control character SUBSTITUTE, which stands for what is not shown. It is ASCII, as most commands are,
/// and so is the text with it: automata are fastest there.
pub const SUBSTITUTE: char = '\u{1a}';

/// Stands for quoted text with white space.
const BLANKED: &str = "\"\u{1a}\"";

/// Stands for one quoted character that would mean something to the shell without its quotes.
const HIDDEN: char = SUBSTITUTE;

impl CommandLine<'_> {
    /// What would run, as text for patterns. See the [module](super) for the rules.
    ///
    /// The first line or lines are the command itself; what a shell, an `eval` or a substitution in it
    /// would run follows, each on a line of its own, four levels deep.
    pub fn executable(&self) -> String {
        let source = self.source();
        let mut out = String::with_capacity(self.text.len().saturating_sub(source.heredoc_bytes()));
        show(&source.list, source, 0, &mut out);
        out
    }
}

fn show(list: &[Piece<'_>], source: &Source<'_>, level: usize, out: &mut String) {
    let before = out.len();
    if !out.is_empty() {
        out.push('\n');
    }
    let start = out.len();
    write_list(list, out);
    if out.len() == start {
        out.truncate(before);
    }
    look_into(list, source, level, out);
}

fn look_into(list: &[Piece<'_>], source: &Source<'_>, level: usize, out: &mut String) {
    if level >= LEVELS {
        return;
    }
    let segments = segment::segments(list);
    for found in segment::handed_on(source, &segments).into_iter().flat_map(|handed| handed.found) {
        match found.inner {
            Inner::Commands(list) => show(list, source, level + 1, out),
            Inner::Text(text) => show_text(&text, level + 1, out),
            Inner::Quoted(text) => look_into_quoted(text, level, out),
        }
    }
}

fn show_text(text: &str, level: usize, out: &mut String) {
    let source = Source::commands(text);
    show(&source.list, &source, level, out);
}

/// Looks at the substitutions of arithmetic or of a heredoc. Arithmetic inside arithmetic is left out.
fn look_into_quoted(text: &str, level: usize, out: &mut String) {
    let source = Source::quoted(text);
    let segments = segment::segments(&source.list);
    for found in segment::handed_on(&source, &segments).into_iter().flat_map(|handed| handed.found) {
        match found.inner {
            Inner::Commands(list) => show(list, &source, level + 1, out),
            Inner::Text(text) => show_text(&text, level + 1, out),
            Inner::Quoted(_) => {}
        }
    }
}

/// Writes a list without comments, heredoc bodies and blank lines.
fn write_list(list: &[Piece<'_>], out: &mut String) {
    let start = out.len();
    for piece in list {
        let line_starts = out.len() == start || out.ends_with('\n');
        if let Token::Operator("\n") = piece.token {
            trim_end(out, start);
            if !line_starts {
                out.push('\n');
            }
            continue;
        }
        if !line_starts {
            write_gap(piece.gap, out);
        }
        match &piece.token {
            Token::Word(word) | Token::Label(word) => write_word(word, out),
            // Between the patterns of a `case`.
            Token::Keyword("|") => out.push(HIDDEN),
            Token::Operator(text) | Token::Keyword(text) => out.push_str(text),
            Token::Redirection(redirection) => write_redirection(redirection, out),
            Token::Arithmetic { source, .. } => write_arithmetic(source, out),
        }
    }
    trim_end(out, start);
}

/// Takes white space off the end of what was written since `start`.
fn trim_end(out: &mut String, start: usize) {
    let kept = out.get(start..).unwrap_or_default().trim_end_matches([' ', '\t', '\n']).len();
    out.truncate(start + kept);
}

/// Blanks as typed, without joined lines and comments.
fn write_gap(gap: &str, out: &mut String) {
    let blanks = gap.split('#').next().unwrap_or_default();
    out.extend(blanks.chars().filter(|c| matches!(c, ' ' | '\t')));
}

fn write_redirection(redirection: &Redirection<'_>, out: &mut String) {
    out.push_str(redirection.descriptor);
    out.push_str(redirection.operator);
    write_gap(redirection.gap, out);
    if let Some(target) = &redirection.target {
        write_word(target, out);
    }
}

fn write_word(word: &Word<'_>, out: &mut String) {
    if let Some(text) = word.plain() {
        // An operator can only be a word between `[[` and `]]`.
        if text.starts_with(['|', '&', '<', '>']) {
            out.push(HIDDEN);
        } else {
            out.push_str(text);
        }
        return;
    }
    let start = out.len();
    write_parts(word.parts(), out);
    if out.len() == start && word.is_quoted() {
        out.push_str("\"\"");
    }
}

/// Writes parts of a word as what would run.
pub(super) fn write_parts(parts: &[Part<'_>], out: &mut String) {
    for part in parts {
        match part {
            Part::Bare(text) | Part::Variable(text) => out.push_str(text),
            Part::Escape(text) if has_space(text) => out.push(HIDDEN),
            Part::Escape(text) => write_quoted(text, out),
            Part::Single(text) if has_space(text) => out.push_str(BLANKED),
            Part::Single(text) => write_quoted(text, out),
            Part::Double(inside) if any_space(inside) => out.push_str(BLANKED),
            Part::Double(inside) => write_double(inside, out),
            Part::Braced { parts, .. } => {
                out.push_str("${");
                write_double(parts, out);
                out.push('}');
            }
            Part::Commands { source, list } => {
                out.push_str(source.get(..2).unwrap_or_default());
                write_list(list, out);
                out.push(')');
            }
            Part::Array { list, .. } => {
                out.push('(');
                write_list(list, out);
                out.push(')');
            }
            Part::Backtick { inner, .. } => {
                out.push('`');
                write_list(&Source::commands(inner).list, out);
                out.push('`');
            }
            Part::Arithmetic { source, .. } => write_arithmetic(source, out),
        }
    }
}

/// Arithmetic as typed, unless there may be commands or quotes in it.
fn write_arithmetic(source: &str, out: &mut String) {
    let inside = source.trim_start_matches('$');
    if inside.contains(['$', '`', '\'', '"', '\\']) {
        out.push_str("$((…))");
    } else {
        out.push_str(source);
    }
}

/// The inside of double quotes or braces: its text is quoted, its expansions are not.
fn write_double(parts: &[Part<'_>], out: &mut String) {
    for part in parts {
        match part {
            Part::Bare(text) | Part::Escape(text) => write_quoted(text, out),
            other => write_parts(std::slice::from_ref(other), out),
        }
    }
}

/// Quoted text. What would join, end or redirect a command if it were not quoted is hidden, so that
/// no pattern takes `grep 'curl|sh'` for a pipe.
fn write_quoted(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let structure = match c {
            ';' | '&' | '|' | '<' | '>' | '`' => true,
            '$' => chars.peek() == Some(&'('),
            _ => false,
        };
        out.push(if structure { HIDDEN } else { c });
    }
}

fn has_space(text: &str) -> bool {
    text.contains(char::is_whitespace)
}

/// Whether the text of a double-quoted part has white space. That of a command in it does not count.
fn any_space(parts: &[Part<'_>]) -> bool {
    parts.iter().any(|part| match part {
        Part::Bare(text) | Part::Escape(text) => has_space(text),
        Part::Single(text) => has_space(text),
        Part::Double(inside) | Part::Braced { parts: inside, .. } => any_space(inside),
        Part::Variable(_)
        | Part::Commands { .. }
        | Part::Backtick { .. }
        | Part::Arithmetic { .. }
        | Part::Array { .. } => false,
    })
}
