//! Globs, as picomatch 4 reads them with `dot: true`.
//!
//! [`to_regex`] writes an anchored regular expression for one path. It takes one of two routes:
//! `plain` asks the `globset` crate, for the globs on which globset and picomatch agree; everything
//! else is read (`parse`), freed of context (`lower`) and written (`expr`) here, with a detour for globs
//! with a `!` in them (`language`).
//!
//! The path is *normal*: parts joined by single slashes, with or without one in front, none in the
//! end, and without `.` and `..`. A lone `.`, the root itself, is not matched by `*`, `**` or `x/**`.
//!
//! Where picomatch has an accident rather than a meaning, we keep the meaning:
//!
//! - `[!a]` and `[]a]` are classes as in a shell, and a broken class is an error instead of a glob that
//!   never matches;
//! - `{10..12}` counts, `{1..9..2}` counts by two;
//! - `@(c++|h)` holds plus signs;
//! - `**` that shares its part of the path with something else is a single star, whatever stands next to
//!   it (but `**.ts` is any such file, as in picomatch);
//! - `*/b` and `*/**` want something in front of the slash;
//! - `?` is a whole character also beyond U+FFFF.

mod automaton;
mod bracket;
mod expr;
mod language;
mod lower;
mod parse;
mod plain;
mod range;

use super::charset::{CharSet, write_literal};
use language::Sign;

use super::error::check_length;
use super::{PatternError, Regex};

/// The most alternatives that the braces of a glob may stand for.
pub const MAX_ALTERNATIVES: u64 = 256;

/// Translates a glob to a regular expression for [`Regex`] that matches one whole path.
pub fn to_regex(pattern: &str) -> Result<String, PatternError> {
    check_length(pattern)?;
    if let Some(regex) = plain::to_regex(pattern) {
        return Ok(regex);
    }
    let glob = parse::parse(pattern)?;
    let expr = lower::lower(&glob.branches);
    let body = if glob.sign == Sign::Negative || expr.has_except() {
        language::automaton(&expr, glob.sign)?.to_regex()?
    } else {
        let mut body = String::new();
        expr.write(&mut body);
        body
    };
    let regex = format!(r"\A(?:{body})\z");
    // A file that is named like the glob is meant too: `app/[id]/page.tsx`. Stars match themselves.
    let stands_for_itself = !pattern.contains(['[', ']', '(', ')', '{', '}', '!', '"', '|', '\\']);
    if stands_for_itself || Regex::new(&regex)?.is_match(pattern) {
        return Ok(regex);
    }
    let mut own = String::new();
    for c in pattern.chars() {
        write_literal(c, &mut own);
    }
    Ok(format!(r"\A(?:{body}|{own})\z"))
}

/// Whether a glob names what it does not match: `!*.md`.
///
/// Every path but a few matches such a glob, also a few's own absolute path. So it is tried on the path
/// that the person meant; see [`crate::matching::Views::own_paths`].
pub fn is_negative(pattern: &str) -> bool {
    parse::bangs(pattern.chars()) % 2 == 1
}

/// One or more sequences, any of which may match.
type Branches = Vec<Vec<Item>>;

/// A parsed glob.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Glob {
    /// Negative if an odd number of `!` stands in front.
    sign: Sign,
    branches: Branches,
}

/// One item of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    /// A character other than `/`.
    Char(char),
    /// `/`.
    Slash,
    /// `?`: one character other than `/`.
    Any,
    /// `*`: any number of characters other than `/`.
    Star,
    /// `**` as a whole part of the path.
    Globstar,
    /// `[…]`, with its text if that may be meant literally too.
    Class(CharSet, Option<String>),
    /// Braces, parentheses, and what they are preceded or followed by.
    Group(Times, Branches),
    /// `!(…)`.
    Except(Branches),
}

/// How often a group matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    /// `{…}`, `(…)`, `@(…)`.
    Once,
    /// `?(…)`, `(…)?`.
    Optional,
    /// `*(…)`.
    Any,
    /// `+(…)`, `(…)+`.
    Some,
}

fn too_complex() -> PatternError {
    PatternError::not_safe(
        "what this glob leaves out with `!` is too intricate to be matched in linear time; put what must not match \
         into `unless`",
    )
}
