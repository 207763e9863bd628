//! From a pattern as a person wrote it to something that matches in linear time.
//!
//! People write JavaScript regular expressions ([`js`]), picomatch globs ([`glob`]), keywords
//! ([`keyword`]) and tool names. [`check`] turns a trigger of any kind into a [`Compiled`], which is
//! what a manifest holds, or says why it cannot. [`Regex`] runs what came out of it, and
//! [`literals::clauses`] names the texts of which every match must hold some, so that an index can
//! skip the lessons that cannot match.
//!
//! Two kinds of refusal: *invalid* is what the language itself rejects, *unsafe* is what it allows
//! but what cannot be matched in linear time and bounded memory, or would mean something that
//! nobody meant. Every message says what to write instead where there is something.

#[cfg(feature = "std")]
mod charset;
#[cfg(feature = "std")]
mod check;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
pub mod glob;
#[cfg(feature = "std")]
pub mod js;
pub mod keyword;
#[cfg(feature = "std")]
pub mod literals;
#[cfg(feature = "std")]
mod matcher;
#[cfg(feature = "std")]
mod once;
#[cfg(feature = "std")]
mod regex;

#[cfg(feature = "std")]
pub use check::{Compiled, MAX_TOOL_BYTES, Prepared, check, expression_of, prepare, regex_of};
#[cfg(feature = "std")]
pub use error::PatternError;
#[cfg(feature = "std")]
pub use matcher::Matcher;
#[cfg(feature = "std")]
pub use once::Once;
#[cfg(feature = "std")]
pub use regex::{CACHE_BYTES, MAX_AUTOMATON_BYTES, Regex, parse};

/// The deepest nesting of groups, braces or parentheses. Nobody writes more than ten; the limit
/// keeps every recursion over a pattern small.
pub const MAX_DEPTH: usize = 50;
