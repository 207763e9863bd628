//! Patterns: the parsing of what a person wrote into an expression that can be matched in linear time.
//!
//! People write JavaScript regular expressions ([`js`]) and globs ([`glob`]). Each language is parsed once, into an
//! expression of `regex-syntax` ([`Hir`](regex_syntax::hir::Hir)). Everything else asks that expression:
//! [`automaton`](crate::automaton) makes of it what matches, and [`literals::clauses`] names the texts of which every
//! match must hold some, so that an index can skip the lessons that cannot match. [`Regex`] runs it with a general
//! engine, to show where it matches, and for tests to compare with.
//!
//! Two kinds of refusal: *invalid* is what the language itself rejects, *unsafe* is what it allows
//! but what cannot be matched in linear time and bounded memory, or would mean something that
//! nobody meant. Every message says what to write instead where there is something.

pub mod automaton;
mod error;
pub mod glob;
pub mod js;
pub mod keyword;
pub mod literals;
pub mod prepared;
mod regex;
pub mod trigger;

pub use error::{PatternError, check_length};
pub use regex::{CACHE_BYTES, Regex, parse};

/// The longest pattern, in characters.
pub const MAX_PATTERN_CHARS: usize = 1000;

/// The deepest nesting of groups. Nobody writes more than ten; the limit keeps every recursion over a pattern small.
pub const MAX_DEPTH: usize = 50;

/// The largest program of one pattern, in bytes: what its expression is compiled to, before it becomes an automaton.
///
/// A search takes time in the length of the text times, at worst, the size of the program, so the limit bounds the
/// worst case. Patterns that people write take 1 to 30 KiB; `^.{500}$` takes 200 KiB, and `[^a]{1000}`, the most that
/// the limit on repetitions allows, 300. Only hundreds of copies of large classes like `\S` go beyond.
pub const MAX_PROGRAM_BYTES: usize = 1 << 20;
