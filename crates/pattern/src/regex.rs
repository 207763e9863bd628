//! The general regex engine, which finds where a pattern matches.

use std::ops::Range;

use regex_automata::util::syntax;
use regex_automata::{Input, meta};
use regex_syntax::hir::Hir;

use super::{MAX_PROGRAM_BYTES, PatternError};

/// The memory for states of the lazy automaton of one pattern, in bytes. When it is full it is
/// emptied; if that happens too often the search goes on with a slower engine, still linear.
pub const CACHE_BYTES: usize = 1 << 20;

/// The deepest nesting that is parsed. Each brace of a glob becomes a group.
const NEST_LIMIT: u32 = 250;

/// A pattern compiled for the general engine, which finds where in a text it matches. An
/// [automaton](crate::automaton) only tells whether it matches, but needs no compilation.
///
/// Matching takes time linear in the text, always: no engine in it backtracks,
/// and both its program and its cache are bounded.
#[derive(Debug, Clone)]
pub struct Regex {
    regex: meta::Regex,
}

impl Regex {
    /// Compiles `regex`, a pattern in the syntax of `regex-syntax`: see [`parse`].
    pub fn new(regex: &str) -> Result<Self, PatternError> {
        Self::of(&parse(regex)?)
    }

    /// Compiles an expression.
    pub fn of(expression: &Hir) -> Result<Self, PatternError> {
        // The size of the program was checked without groups; with groups and in reverse it may be larger.
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(2 * MAX_PROGRAM_BYTES))
            .hybrid_cache_capacity(CACHE_BYTES);
        let compiled = meta::Builder::new().configure(config).build_from_hir(expression);
        compiled.map(|regex| Self { regex }).map_err(|error| match error.size_limit() {
            Some(_) => PatternError::too_large(),
            None => PatternError::damaged(error),
        })
    }

    /// Whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The range of the first match, in bytes.
    ///
    /// `\B` holds between two bytes of a character, so the engine may find an empty match there, which is not a match.
    /// The engine's own option to skip such matches misses others (`é|\B`), so the search is repeated after each of them.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_at(text, 0)
    }

    /// The ranges of the matches that do not overlap, ascending.
    pub fn find_iter<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find_at(text, from)?;
            // Behind an empty match the search goes on with the next character.
            from = found.end
                + if found.is_empty() {
                    text[found.end..].chars().next().map_or(1, char::len_utf8)
                } else {
                    0
                };
            Some(found)
        })
    }

    fn find_at(&self, text: &str, from: usize) -> Option<Range<usize>> {
        if from > text.len() {
            return None;
        }
        let mut input = Input::new(text);
        input.set_start(from);
        loop {
            let found = self.regex.search(&input)?;
            if text.is_char_boundary(found.start()) {
                return Some(found.range());
            }
            input.set_start(found.start() + 1);
        }
    }
}

/// Parses an expression in the syntax of `regex-syntax`: classes are sets of characters, but an assertion or an
/// item may look at single bytes (`(?-u:\B)`).
pub fn parse(regex: &str) -> Result<Hir, PatternError> {
    let config = syntax::Config::new().unicode(true).utf8(false).nest_limit(NEST_LIMIT);
    syntax::parse_with(regex, &config).map_err(PatternError::damaged)
}
