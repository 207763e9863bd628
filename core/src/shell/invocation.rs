//! The programs that a command line would run, each with its words, as text for patterns.

use std::borrow::Cow;
use std::ops::Range;
use std::slice;

use super::executable;
use super::lexed::Source;
use super::line::CommandLine;
use super::runs;
use super::segment::{self, Handed, Kind, Segment};
use super::syntax::{self, Inner, Part, Word};
use super::syntax::{Piece, Redirection};
use super::variables::Variables;

/// How many levels of text inside text are looked into.
const LEVELS: usize = 4;

impl CommandLine<'_> {
    /// The simple commands that would run, one text each, in order; what a command hands on to be run comes after it.
    /// See the [module](super) for how they are written.
    pub fn invocations(&self) -> Vec<String> {
        let source = self.source();
        let mut found = Vec::new();
        add_list(&source.list, source, 0, &Variables::none(), &mut found);
        found
    }
}

fn add_list(
    list: &[Piece<'_>],
    source: &Source<'_>,
    level: usize,
    outer: &Variables,
    found: &mut Vec<String>,
) {
    let segments = segment::segments(list);
    let mut variables = outer.at_start_of(list);
    let words: Vec<Vec<Shown<'_>>> = segments
        .iter()
        .map(|segment| {
            let words = segment.words.iter().map(|word| Shown::of(word, &variables)).collect();
            variables.step_over(segment);
            words
        })
        .collect();
    let words_of = |position: usize, _: &Segment<'_, '_>| {
        words.get(position).into_iter().flatten().map(|word| Cow::Borrowed(&*word.text)).collect()
    };
    let handed = segment::handed_on_given(source, &segments, words_of);
    // Once more, for what substitutions inherit.
    let mut variables = outer.at_start_of(list);
    for ((segment, words), handed) in segments.iter().zip(&words).zip(handed) {
        if segment.kind == Kind::Command {
            add_segment(segment, words, &handed, &variables, found);
        }
        if level < LEVELS {
            handed
                .found
                .into_iter()
                .for_each(|inner| add_inner(inner.inner, source, level + 1, &variables, found));
        }
        variables.step_over(segment);
    }
}

fn add_inner(
    inner: Inner<'_, '_>,
    source: &Source<'_>,
    level: usize,
    outer: &Variables,
    found: &mut Vec<String>,
) {
    match inner {
        Inner::Commands(list) => add_list(list, source, level, outer, found),
        Inner::Text(text) => {
            let source = Source::commands(&text);
            add_list(&source.list, &source, level, &Variables::none(), found);
        }
        Inner::Quoted(text) => {
            let source = Source::quoted(text);
            add_list(&source.list, &source, level, outer, found);
        }
    }
}

/// Adds a simple command and those that it starts: without what only starts another one.
fn add_segment(
    segment: &Segment<'_, '_>,
    words: &[Shown<'_>],
    handed: &Handed<'_, '_>,
    variables: &Variables,
    found: &mut Vec<String>,
) {
    // What `sudo` or `xargs` starts writes where they do.
    let mut redirections = segment.redirections.as_slice();
    if !starts_only_others(words, handed.prefix, handed.commands.first()) {
        found.extend(written(words, handed.prefix, std::mem::take(&mut redirections), variables));
    }
    for (position, range) in handed.commands.iter().enumerate() {
        let words = words.get(range.clone()).unwrap_or_default();
        let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        let prefix = runs::of(&texts).prefix;
        let next = handed.commands.get(position + 1).filter(|next| range.contains(&next.start));
        if !starts_only_others(words, prefix, next) {
            found.extend(written(words, prefix, std::mem::take(&mut redirections), variables));
        }
    }
}

/// Whether these words start the command in the range `started`, and do nothing else: `xargs rm`.
fn starts_only_others(words: &[Shown<'_>], prefix: usize, started: Option<&Range<usize>>) -> bool {
    started.is_some() && words.get(prefix).is_some_and(|word| runs::is_repeater(&word.text))
}

/// A command: the name of its program, its words, and behind them its redirections. Nothing for an assignment. A
/// wrapper that starts nothing is the program itself.
fn written(
    words: &[Shown<'_>],
    prefix: usize,
    redirections: &[&Redirection<'_>],
    variables: &Variables,
) -> Option<String> {
    let mut out = String::new();
    let program = words.get(prefix..).filter(|program| !program.is_empty()).unwrap_or(words);
    if let Some((first, arguments)) = program.split_first() {
        out.push_str(first.name());
        for word in arguments {
            out.push(' ');
            out.push_str(&word.shown);
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

/// A word with its variables expanded where their values are known.
struct Shown<'a> {
    /// As the program gets it.
    text: Cow<'a, str>,
    /// As patterns see it.
    shown: Cow<'a, str>,
}

impl<'a> Shown<'a> {
    fn of(word: &Word<'a>, variables: &Variables) -> Self {
        if let Some(text) = word.plain() {
            return Self { text: Cow::Borrowed(text), shown: Cow::Borrowed(text) };
        }
        let mut text = String::with_capacity(word.source.len());
        append_text(word.parts(), variables, &mut text);
        let mut shown = String::with_capacity(word.source.len());
        write_word(word, variables, &mut shown);
        Self { text: Cow::Owned(text), shown: Cow::Owned(shown) }
    }

    /// The name of the program that this word is, without its folder.
    fn name(&self) -> &str {
        let name = runs::program_name(&self.shown);
        // A slash may stand in an expansion, or in quotes.
        if name.is_empty() || name.contains([')', '}', '`', '"']) { &self.shown } else { name }
    }
}

/// Adds parts without their quoting, with the values of variables.
fn append_text(parts: &[Part<'_>], variables: &Variables, out: &mut String) {
    for part in parts {
        match part {
            Part::Double(inside) => append_text(inside, variables, out),
            part => match variables.value_of(part) {
                Some(value) => out.push_str(value),
                None => syntax::append(slice::from_ref(part), out),
            },
        }
    }
}

fn write_word(word: &Word<'_>, variables: &Variables, out: &mut String) {
    if let Some(text) = word.plain() {
        out.push_str(text);
        return;
    }
    let start = out.len();
    for part in word.parts() {
        match part {
            Part::Escape(text) => write_quoted(text, text, out),
            Part::Single(text) => write_quoted(text, text, out),
            Part::Double(inside) => write_double(inside, variables, out),
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

/// The inside of double quotes. White space in its substitutions does not keep the quotes.
fn write_double(inside: &[Part<'_>], variables: &Variables, out: &mut String) {
    let (mut text, mut all) = (String::new(), String::new());
    for part in inside {
        if matches!(part, Part::Commands { .. } | Part::Backtick { .. } | Part::Arithmetic { .. }) {
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
/// between double quotes, as it is.
fn write_quoted(text: &str, shown: &str, out: &mut String) {
    let means_more = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '`');
    let quotes = if text.contains(means_more) || text.contains("$(") { "\"" } else { "" };
    for text in [quotes, shown, quotes] {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests;
