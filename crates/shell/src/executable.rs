//! The executable view of a command line: what would run, as text for patterns.
//!
//! The aim is that a refusal is never wrong on quoted text and rarely missed. So:
//!
//! - Comments and heredoc bodies go, joined lines are joined, blank lines and the blanks at both ends
//!   of a line go. Everything else of unquoted text stays as it is.
//! - What is not shown is replaced by [`SUBSTITUTE`], a character that commands do not hold; here it is `…`.
//! - A quoted part without white space loses its quotes: `"git" 'stash'` is `git stash`. In it, each of
//!   `; & | < >`, a backtick, and the `$` of `$(` becomes `…`, because unquoted it would look like
//!   structure: `grep 'curl|sh'` is not a pipe. So does an escaped one: `\;`.
//! - A quoted part with white space is `"…"`, and an escaped blank is `…`. No sensible pattern matches
//!   these; an argument stays an argument.
//! - An empty word is `""`, since `sed -i ''` and `sed -i` differ.
//! - `\git` is `git`. `$'a\x20b'` is decoded first. A variable stays `$name`, also out of quotes.
//! - A substitution stays where it is, its inside written by these same rules: `rm $(ls)`. White space
//!   inside it does not make the quotes around it blank: `"$(git log)"` is `$(git log)`.
//! - Then follows, each on lines of its own, what else would run: the inside of `$(…)`, `<(…)`, `>(…)`
//!   and backticks, wherever bash expands them (between double quotes, in arithmetic, in the body of a
//!   heredoc whose delimiter is not quoted); the text of `sh -c`, `eval`, `trap`, `watch`, `env -S`,
//!   `su -c`; a heredoc or here-string into a shell, also through a pipe (`cat <<EOF | sh`), and what
//!   `echo` or `printf` writes into one. Programs that only start another one (`sudo`, `env`,
//!   `timeout 5`, `xargs`, `find -exec`, `docker exec`) may stand in front of the shell.
//! - Such text is read by the same rules, four levels deep. Deeper text is not looked into.
//! - Text for another machine (`ssh host '…'`) and for other languages (`python -c '…'`) is quoted text.
//! - Text after an unclosed quote is quoted: a shell would run none of it.

use super::command_line::CommandLine;
use super::lexed_text::LexedText;
use super::nested::{self, MAX_LEVELS};
use super::syntax::{Code, LexedRedirection, LexedWord, SpacedToken, Token, WordPart};

/// The character that replaces hidden text: the ASCII control character SUBSTITUTE. Most commands are ASCII; with an
/// ASCII character their views are too, and automata are fastest there.
pub const SUBSTITUTE: char = '\u{1a}';

/// The replacement for a quoted part with white space.
const QUOTED_BLANK: &str = "\"\u{1a}\"";

impl CommandLine<'_> {
    /// The text of what would run. See the module `executable` for the rules.
    ///
    /// The first line or lines are the command itself; what a shell, an `eval` or a substitution in it
    /// would run follows, each on a line of its own, at most four levels deep.
    pub fn executable(&self) -> String {
        let lexed = self.lexed();
        let mut out = String::with_capacity(self.text.len().saturating_sub(lexed.heredoc_bytes()));
        write_commands(&lexed.list, lexed, 0, &mut out);
        out
    }
}

/// Writes a list on lines of its own, and then the code that is nested in it, up to [`MAX_LEVELS`]. `level` counts from 0.
fn write_commands(list: &[SpacedToken<'_>], lexed: &LexedText<'_>, level: usize, out: &mut String) {
    let before = out.len();
    if !out.is_empty() {
        out.push('\n');
    }
    let start = out.len();
    write_list(list, out);
    if out.len() == start {
        out.truncate(before);
    }
    if level < MAX_LEVELS {
        nested::code_here(list, lexed).for_each(|code| write_code(code, lexed, level, out));
    }
}

/// Writes a piece of nested code on lines of its own, and what is nested in it.
fn write_code(code: Code<'_, '_>, lexed: &LexedText<'_>, level: usize, out: &mut String) {
    match code {
        Code::Commands(list) => write_commands(list, lexed, level + 1, out),
        Code::Text(text) => {
            let lexed = LexedText::commands(&text);
            write_commands(&lexed.list, &lexed, level + 1, out);
        }
        Code::Expansions(text) => {
            let lexed = LexedText::quoted(text);
            // Arithmetic inside arithmetic is left out.
            let code = nested::code_here(&lexed.list, &lexed).filter(|it| !matches!(it, Code::Expansions(_)));
            code.for_each(|code| write_code(code, &lexed, level, out));
        }
    }
}

/// Writes a list without comments, heredoc bodies and blank lines.
fn write_list(list: &[SpacedToken<'_>], out: &mut String) {
    let start = out.len();
    for spaced in list {
        let line_starts = out.len() == start || out.ends_with('\n');
        if let Token::Operator("\n") = spaced.token {
            trim_end(out, start);
            if !line_starts {
                out.push('\n');
            }
            continue;
        }
        if !line_starts {
            write_blanks(spaced.blanks, out);
        }
        match &spaced.token {
            Token::Word(word) | Token::OtherWord(word) => write_word(word, out),
            // This bar separates the patterns of a `case`; it is no pipe.
            Token::ReservedWord("|") => out.push(SUBSTITUTE),
            Token::Operator(text) | Token::ReservedWord(text) => out.push_str(text),
            Token::Redirection(redirection) => write_redirection(redirection, out),
            Token::Arithmetic { source, .. } => write_arithmetic(source, out),
        }
    }
    trim_end(out, start);
}

/// Cuts the white space off the end of what was written since `start`, a byte offset.
fn trim_end(out: &mut String, start: usize) {
    let kept = out.get(start..).unwrap_or_default().trim_end_matches([' ', '\t', '\n']).len();
    out.truncate(start + kept);
}

/// Writes blanks as typed, without comments. Where lines are joined they are one blank: how far a line is indented says
/// nothing.
fn write_blanks(blanks: &str, out: &mut String) {
    let blanks = blanks.split('#').next().unwrap_or_default();
    let mut own = blanks.chars().filter(|c| matches!(c, ' ' | '\t'));
    if blanks.contains('\n') {
        out.extend(own.next().map(|_| ' '));
    } else {
        out.extend(own);
    }
}

fn write_redirection(redirection: &LexedRedirection<'_>, out: &mut String) {
    out.push_str(redirection.descriptor);
    out.push_str(redirection.operator);
    write_blanks(redirection.blanks, out);
    if let Some(target) = &redirection.target {
        write_word(target, out);
    }
}

fn write_word(word: &LexedWord<'_>, out: &mut String) {
    if let Some(text) = word.plain() {
        // Only between `[[` and `]]` can an operator be a word.
        if text.starts_with(['|', '&', '<', '>']) {
            out.push(SUBSTITUTE);
        } else {
            out.push_str(text);
        }
        return;
    }
    let start = out.len();
    write_parts(&word.parts, out);
    if out.len() == start && word.is_quoted() {
        out.push_str("\"\"");
    }
}

/// Writes parts of a word as they would run.
pub(super) fn write_parts(parts: &[WordPart<'_>], out: &mut String) {
    for part in parts {
        match part {
            WordPart::Literal(text) | WordPart::Parameter(text) => out.push_str(text),
            WordPart::Escaped(text) if has_space(text) => out.push(SUBSTITUTE),
            WordPart::Escaped(text) => write_quoted(text, out),
            WordPart::SingleQuoted(text) if has_space(text) => out.push_str(QUOTED_BLANK),
            WordPart::SingleQuoted(text) => write_quoted(text, out),
            WordPart::DoubleQuoted(inside) if any_space(inside) => out.push_str(QUOTED_BLANK),
            WordPart::DoubleQuoted(inside) => write_double(inside, out),
            WordPart::BracedParameter { parts, .. } => {
                out.push_str("${");
                write_double(parts, out);
                out.push('}');
            }
            WordPart::Substitution { source, list } => {
                write_between(source.get(..2).unwrap_or_default(), list, ')', out);
            }
            WordPart::Array { list, .. } => write_between("(", list, ')', out),
            WordPart::Backquoted { inner, .. } => {
                write_between("`", &LexedText::commands(inner).list, '`', out);
            }
            WordPart::Arithmetic { source, .. } => write_arithmetic(source, out),
        }
    }
}

/// Writes a list between what opens and what closes it.
fn write_between(open: &str, list: &[SpacedToken<'_>], close: char, out: &mut String) {
    out.push_str(open);
    write_list(list, out);
    out.push(close);
}

/// Writes arithmetic as typed, unless there may be commands or quotes in it.
fn write_arithmetic(source: &str, out: &mut String) {
    let inside = source.trim_start_matches('$');
    if inside.contains(['$', '`', '\'', '"', '\\']) {
        out.push_str("$((…))");
    } else {
        out.push_str(source);
    }
}

/// Writes the inside of double quotes or braces: its text is quoted, its expansions are not.
fn write_double(parts: &[WordPart<'_>], out: &mut String) {
    for part in parts {
        match part {
            WordPart::Literal(text) | WordPart::Escaped(text) => write_quoted(text, out),
            other => write_parts(std::slice::from_ref(other), out),
        }
    }
}

/// Writes quoted text, and hides each character that would join, end or redirect a command outside quotes, so that
/// no pattern takes `grep 'curl|sh'` for a pipe.
fn write_quoted(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let structure = match c {
            ';' | '&' | '|' | '<' | '>' | '`' => true,
            '$' => chars.peek() == Some(&'('),
            _ => false,
        };
        out.push(if structure { SUBSTITUTE } else { c });
    }
}

fn has_space(text: &str) -> bool {
    text.contains(char::is_whitespace)
}

/// Whether the text of a double-quoted part has white space. White space of commands in it does not count.
fn any_space(parts: &[WordPart<'_>]) -> bool {
    parts.iter().any(|part| match part {
        WordPart::Literal(text) | WordPart::Escaped(text) => has_space(text),
        WordPart::SingleQuoted(text) => has_space(text),
        WordPart::DoubleQuoted(inside) | WordPart::BracedParameter { parts: inside, .. } => any_space(inside),
        _ => false,
    })
}
