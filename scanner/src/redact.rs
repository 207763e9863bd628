//! Secrets out of a text, before the first byte of it is stored.
//!
//! What is known by its form (a token of a provider, a private key) is replaced wherever it stands.
//! What is known only by its place (`password=…`, `--token …`, `Authorization: …`) is replaced unless
//! it is plainly no secret: a variable, a placeholder, code, a word of prose. When in doubt it goes:
//! a lesson can do without the value, and a secret that is stored cannot be taken back.
//!
//! Each rule is one regular expression that is searched in linear time; rules whose hint is not in the
//! text are not even compiled. All hints are looked for at once. Meant for the fields of a lesson, a few kilobytes.

mod rules;
mod value;

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex_automata::meta::Regex;

use rules::{RULES, Rule};

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with `[REDACTED:<kind>]` for each secret.
    pub text: String,
    /// What was found, in the order of the text.
    pub kinds: Vec<&'static str>,
}

/// How often a text is gone over. A second round finds what stood in the shadow of a longer match of
/// the first; hardly any text needs a third.
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

/// How what stands in the place of a secret begins.
const MARKER: &str = "[REDACTED:";

/// What stands in the place of a secret.
fn marker(kind: &str) -> String {
    format!("{MARKER}{kind}]")
}

/// Whether a secret was replaced in a text. What is made of such a text is not what was said.
pub fn holds_marker(text: &str) -> bool {
    text.contains(MARKER)
}

/// Where the secrets are: in order, without overlaps.
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

/// The rules of which a hint is in the text, in their order.
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
    RULES.iter().enumerate().filter(move |(index, _)| are_hinted[*index])
}

/// Joins what overlaps; the rule that comes first in the table gives the kind.
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
