//! Triggers and their patterns, compiled into automata that match in linear time.
//!
//! People write JavaScript regular expressions, globs and keywords. Each pattern is parsed once, into an expression of
//! `regex-syntax` ([`Hir`](regex_syntax::hir::Hir)), from which everything else is derived.
//!
//! In reading order:
//!
//! - [`trigger`]: a trigger, which is a pattern and the part of a call that it looks at.
//! - [`js`], [`glob`], [`keyword`]: the three languages, each with its parser.
//! - [`literals`]: the texts of which every match must contain some, so that an index can skip the triggers that cannot
//!   match.
//! - [`automaton`]: the compiled form, which tells whether a text matches. It is used where its bytes are.
//! - [`prepared`]: a trigger with everything that a manifest and an index need of it.
//! - [`breadth`]: whether a trigger matches nearly everything.
//! - `regex` ([`Regex`]): a general engine for the same expression. It shows where a pattern matches, and tests compare
//!   the automata with it.
//! - `error` ([`PatternError`]): the reason why a pattern is refused. An *invalid* pattern breaks the rules of its
//!   language. An *unsafe* one obeys them, but cannot be matched in linear time and bounded memory, or surely does not
//!   mean what its author wanted. The message names an alternative if there is one.
//!
//! Invariants: matching takes time linear in the text, whatever the pattern. A literal is reported only if it is certain,
//! so an index never hides a match. Length, nesting and compiled size of a pattern are limited. Nothing here reads a file,
//! a clock or the environment.

pub mod automaton;
pub mod breadth;
mod error;
pub mod glob;
pub mod js;
pub mod keyword;
pub mod literals;
pub mod prepared;
mod regex;
pub mod trigger;

pub use breadth::Breadth;
pub use prepared::{Compiled, Prepared};
pub use trigger::{Trigger, TriggerKind};

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
