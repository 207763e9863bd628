//! The invocations of a command line: each program that would run, with its words, as text for patterns.
//!
//! One text for each simple command that would run, so that a pattern begins with the program's name:
//!
//! - Assignments, reserved words and operators are no part of it, nor is what only starts the program: `sudo -u bob`,
//!   `env A=1`, `timeout 5`, `xargs -n 1`. The program's name stands without its folder.
//! - Words are joined by one blank, and their quotes are gone. Only quoted text with white space, or with one of
//!   `; & | < >`, a backtick or `$(`, keeps quotes, always double ones: `git commit -m "git stash"`. An empty word is `""`.
//! - Redirections stand behind the words: `sort f > g`. Those of a compound command are a text of their own.
//! - A substitution stands in its word as `executable` writes it, and its commands are texts of their own.
//! - A variable stands as it was typed, unless an earlier `x=word` tells its value: an assignment that is a statement
//!   of its own, literal, not empty, without white space, in the same shell, and outside of pipelines, loops and conditions.
//! - What a shell, an `eval` or a substitution would run is read in the same way, four levels deep.

use std::borrow::Cow;
use std::ops::Range;
use std::slice;

use super::command_line::CommandLine;
use super::executable;
use super::lexed_command::{self, CommandKind, LexedCommand};
use super::lexed_text::LexedText;
use super::nested::{self, MAX_LEVELS, NestedCommands};
use super::syntax::{self, Code, LexedRedirection, LexedWord, SpacedToken, WordPart};
use super::variables::KnownVariables;
use super::wrapper;

impl CommandLine<'_> {
    /// The simple commands that would run, one text each, in order. The commands that a command would run in turn follow
    /// it. See the module `invocation` for how they are written.
    pub fn invocations(&self) -> Vec<String> {
        let lexed = self.lexed();
        let mut found = Vec::new();
        add_list(&lexed.list, lexed, 0, &KnownVariables::none(), &mut found);
        found
    }
}

/// Adds the commands of a list and of the code that is nested in it. `level` counts from 0; `outer` are the variables
/// that are known where the list stands.
fn add_list(
    list: &[SpacedToken<'_>],
    lexed: &LexedText<'_>,
    level: usize,
    outer: &KnownVariables,
    found: &mut Vec<String>,
) {
    let commands = lexed_command::simple_commands(list);
    let mut variables = outer.at_start_of(list);
    let words: Vec<Vec<ExpandedWord<'_>>> = commands
        .iter()
        .map(|command| {
            let words = command.words.iter().map(|word| ExpandedWord::of(word, &variables)).collect();
            variables.step_over(command);
            words
        })
        .collect();
    let words_of = |position: usize, _: &LexedCommand<'_, '_>| {
        words.get(position).into_iter().flatten().map(|word| Cow::Borrowed(&*word.text)).collect()
    };
    let nested = nested::nested_commands_with(lexed, &commands, words_of);
    // A second walk, because a substitution inherits the variables that are known where it stands.
    let mut variables = outer.at_start_of(list);
    for ((command, words), nested) in commands.iter().zip(&words).zip(nested) {
        if command.kind == CommandKind::Simple {
            add_command(command, words, &nested, &variables, found);
        }
        if level < MAX_LEVELS {
            for nested in nested.code {
                add_code(nested.code, lexed, level + 1, &variables, found);
            }
        }
        variables.step_over(command);
    }
}

/// Adds the commands of nested code. Text for a shell begins without variables, since it runs in a shell of its own.
fn add_code(
    code: Code<'_, '_>,
    lexed: &LexedText<'_>,
    level: usize,
    outer: &KnownVariables,
    found: &mut Vec<String>,
) {
    match code {
        Code::Commands(list) => add_list(list, lexed, level, outer, found),
        Code::Text(text) => {
            let lexed = LexedText::commands(&text);
            add_list(&lexed.list, &lexed, level, &KnownVariables::none(), found);
        }
        Code::Expansions(text) => {
            let lexed = LexedText::quoted(text);
            add_list(&lexed.list, &lexed, level, outer, found);
        }
    }
}

/// Adds a simple command and the commands that it starts. A wrapper that does nothing else is left out.
fn add_command(
    command: &LexedCommand<'_, '_>,
    words: &[ExpandedWord<'_>],
    nested: &NestedCommands<'_, '_>,
    variables: &KnownVariables,
    found: &mut Vec<String>,
) {
    // The program that `sudo` or `xargs` starts inherits their redirections.
    let mut redirections = command.redirections.as_slice();
    if !starts_only_others(words, nested.prefix, nested.started.first()) {
        found.extend(written(words, nested.prefix, std::mem::take(&mut redirections), variables));
    }
    for (position, range) in nested.started.iter().enumerate() {
        let words = words.get(range.clone()).unwrap_or_default();
        let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        let prefix = wrapper::started_by(&texts).prefix;
        let next = nested.started.get(position + 1).filter(|next| range.contains(&next.start));
        if !starts_only_others(words, prefix, next) {
            found.extend(written(words, prefix, std::mem::take(&mut redirections), variables));
        }
    }
}

/// Whether `words` only start the command in the range `started`: `xargs rm`.
fn starts_only_others(words: &[ExpandedWord<'_>], prefix: usize, started: Option<&Range<usize>>) -> bool {
    started.is_some() && words.get(prefix).is_some_and(|word| wrapper::repeats_a_command(&word.text))
}

/// The text of a command: the name of its program, its words, then its redirections. `None` for an assignment. A
/// wrapper that starts nothing is itself the program.
fn written(
    words: &[ExpandedWord<'_>],
    prefix: usize,
    redirections: &[&LexedRedirection<'_>],
    variables: &KnownVariables,
) -> Option<String> {
    let mut out = String::new();
    let program = words.get(prefix..).filter(|program| !program.is_empty()).unwrap_or(words);
    if let Some((first, arguments)) = program.split_first() {
        out.push_str(first.name());
        for word in arguments {
            out.push(' ');
            out.push_str(&word.pattern_text);
        }
    }
    for redirection in redirections {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(redirection.descriptor);
        out.push_str(redirection.operator);
        let Some(target) = &redirection.target else { continue };
        if !redirection.operator.ends_with('&') && redirection.heredoc.is_none() {
            out.push(' ');
        }
        write_word(target, variables, &mut out);
    }
    (!out.is_empty()).then_some(out)
}

/// A word in which the variables with known values are expanded.
struct ExpandedWord<'a> {
    /// The text that the program gets.
    text: Cow<'a, str>,
    /// The text that patterns get.
    pattern_text: Cow<'a, str>,
}

impl<'a> ExpandedWord<'a> {
    fn of(word: &LexedWord<'a>, variables: &KnownVariables) -> Self {
        if let Some(text) = word.plain() {
            return Self { text: Cow::Borrowed(text), pattern_text: Cow::Borrowed(text) };
        }
        let mut text = String::with_capacity(word.source.len());
        append_text(word.parts(), variables, &mut text);
        let mut shown = String::with_capacity(word.source.len());
        write_word(word, variables, &mut shown);
        Self { text: Cow::Owned(text), pattern_text: Cow::Owned(shown) }
    }

    /// The name of the program that the word names, without its folder.
    fn name(&self) -> &str {
        let name = wrapper::program_name(&self.pattern_text);
        // The slash may belong to an expansion or to quoted text; then the word is not cut.
        if name.is_empty() || name.contains([')', '}', '`', '"']) { &self.pattern_text } else { name }
    }
}

/// Adds parts without their quoting, and the values of known variables.
fn append_text(parts: &[WordPart<'_>], variables: &KnownVariables, out: &mut String) {
    for part in parts {
        match part {
            WordPart::DoubleQuoted(inside) => append_text(inside, variables, out),
            part => match variables.value_of(part) {
                Some(value) => out.push_str(value),
                None => syntax::append_unquoted(slice::from_ref(part), out),
            },
        }
    }
}

fn write_word(word: &LexedWord<'_>, variables: &KnownVariables, out: &mut String) {
    if let Some(text) = word.plain() {
        out.push_str(text);
        return;
    }
    let start = out.len();
    for part in word.parts() {
        match part {
            WordPart::Escaped(text) => write_quoted(text, text, out),
            WordPart::SingleQuoted(text) => write_quoted(text, text, out),
            WordPart::DoubleQuoted(inside) => write_double(inside, variables, out),
            part => match variables.value_of(part) {
                Some(value) => write_quoted(value, value, out),
                None => executable::write_parts(slice::from_ref(part), out),
            },
        }
    }
    if out.len() == start && word.is_quoted() {
        out.push_str("\"\"");
    }
}

/// Writes the inside of double quotes. Only white space outside its substitutions keeps the quotes.
fn write_double(inside: &[WordPart<'_>], variables: &KnownVariables, out: &mut String) {
    let (mut text, mut all) = (String::new(), String::new());
    for part in inside {
        if matches!(
            part,
            WordPart::Substitution { .. } | WordPart::Backquoted { .. } | WordPart::Arithmetic { .. }
        ) {
            executable::write_parts(slice::from_ref(part), &mut all);
        } else {
            let start = all.len();
            append_text(slice::from_ref(part), variables, &mut all);
            text.push_str(all.get(start..).unwrap_or_default());
        }
    }
    write_quoted(&text, &all, out);
}

/// Writes `shown`, which holds the quoted `text`: without quotes where the text says the same without them, else
/// between double quotes.
fn write_quoted(text: &str, shown: &str, out: &mut String) {
    let means_more = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '`');
    let quotes = if text.contains(means_more) || text.contains("$(") { "\"" } else { "" };
    for text in [quotes, shown, quotes] {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests;
