//! The redaction of secrets in a text, before anything of it is stored.
//!
//! A secret of a known form (a token of a provider, a private key) is replaced everywhere. A value in a place for
//! secrets (`password=…`, `--token …`, `Authorization: …`) is replaced unless it is plainly no secret: a variable, a
//! placeholder, code, a word of prose. When in doubt it is replaced: a lesson does not need the value, and a stored
//! secret cannot be taken back.
//!
//! Each rule is one regular expression that is searched in linear time; rules without a hint in the text are not even
//! compiled. All hints are searched at once. Meant for the fields of a lesson, a few kilobytes.

mod rules;
mod shape;
mod value;

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex_automata::meta::Regex;

use rules::{RULES, Rule};
use value::MARKER;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with `[REDACTED:<kind>]` for each secret.
    pub text: String,
    /// The kinds of the secrets, in the order of the text.
    pub kinds: Vec<&'static str>,
}

/// The most rounds over a text. A second round finds what a longer match of the first had covered; hardly any text
/// needs a third.
const MAX_ROUNDS: usize = 8;

/// Replaces every secret in `text`.
pub fn redact(text: &str) -> Redacted {
    let mut out = Redacted { text: text.to_owned(), kinds: Vec::new() };
    for _ in 0..MAX_ROUNDS {
        let spans = secrets(&out.text);
        if spans.is_empty() {
            break;
        }
        let mut replaced = String::with_capacity(out.text.len());
        let mut at = 0;
        for (span, kind) in spans {
            replaced.push_str(&out.text[at..span.start]);
            replaced.push_str(&marker(kind));
            at = span.end;
            out.kinds.push(kind);
        }
        replaced.push_str(&out.text[at..]);
        out.text = replaced;
    }
    out
}

/// The marker in the place of a secret.
fn marker(kind: &str) -> String {
    format!("{MARKER}{kind}]")
}

/// Whether a secret was replaced in a text. A pattern made of such a text would match nothing.
pub fn holds_marker(text: &str) -> bool {
    text.contains(MARKER)
}

/// The spans of the secrets with their kinds, in order and without overlaps.
fn secrets(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut spans: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, rule) in hinted(text) {
        let Some(regex) = compiled(index) else { continue };
        for found in regex.captures_iter((rule.part)(text)) {
            // By the convention of the rules: the name first, if there is one, then the value.
            let name = found.get_group_by_name("name");
            let first = if name.is_some() { 2 } else { 1 };
            let value = (first..found.group_len()).find_map(|group| found.get_group(group));
            let Some(value) = value.or_else(|| found.get_match().map(|whole| whole.span())) else { continue };
            let shown = &text[value];
            let name = name.map_or("", |span| &text[span]);
            if !value::is_marker(shown) && (rule.is_secret)(name, shown) {
                spans.push((value.range(), index));
            }
        }
    }
    merged(spans)
}

/// The rules with a hint in the text, in their order.
fn hinted(text: &str) -> impl Iterator<Item = (usize, &'static Rule)> {
    /// Finds the hints, in any case, and the rule that each is of.
    static HINTS: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
        let hints = || {
            RULES
                .iter()
                .enumerate()
                .flat_map(|(index, rule)| rule.hints.iter().map(move |hint| (index, hint)))
        };
        let search =
            AhoCorasick::builder().ascii_case_insensitive(true).build(hints().map(|(_, hint)| hint)).ok()?;
        Some((search, hints().map(|(index, _)| index).collect()))
    });
    let mut are_hinted = vec![HINTS.is_none(); RULES.len()];
    if let Some((search, rules)) = HINTS.as_ref() {
        for found in search.find_overlapping_iter(text) {
            are_hinted[rules[found.pattern().as_usize()]] = true;
        }
    }
    RULES.iter().copied().enumerate().filter(move |(index, _)| are_hinted[*index])
}

/// Joins overlapping spans; the rule that comes first in the table gives the kind.
fn merged(mut spans: Vec<(Range<usize>, usize)>) -> Vec<(Range<usize>, &'static str)> {
    spans.sort_by_key(|(span, index)| (span.start, *index));
    let mut joined: Vec<(Range<usize>, usize)> = Vec::new();
    for (span, index) in spans {
        match joined.last_mut() {
            Some((last, kind)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                *kind = index.min(*kind);
            }
            _ => joined.push((span, index)),
        }
    }
    joined.into_iter().map(|(span, index)| (span, RULES[index].kind)).collect()
}

/// The expression of a rule, compiled once, when it is first needed. `None` cannot happen: a test
/// compiles every rule.
fn compiled(index: usize) -> Option<&'static Regex> {
    static REGEXES: LazyLock<Vec<OnceLock<Option<Regex>>>> =
        LazyLock::new(|| RULES.iter().map(|_| OnceLock::new()).collect());
    REGEXES.get(index)?.get_or_init(|| Regex::new(&RULES.get(index)?.expression()).ok()).as_ref()
}

#[cfg(test)]
#[path = "redact/tests.rs"]
mod tests;
