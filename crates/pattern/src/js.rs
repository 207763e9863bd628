//! JavaScript regular expressions without flags, read into the expressions of `regex-syntax`.
//!
//! JavaScript's rules without the `u` flag differ from those of Rust's engines in small ways that
//! people rely on: `\d`, `\w` and `\b` are ASCII, `\s` has its own list, `.` stops at four line ends,
//! `$` is the very end, `{` and `]` may stand for themselves, `[^]` is any character. [`expression`]
//! reads such a pattern by the grammar of ECMA-262 (with annex B, as browsers do) and builds the
//! expression directly: written in the syntax of `regex-syntax` it would have to be parsed again.
//!
//! An item matches one Unicode character, where JavaScript counts UTF-16 units: `^.$` matches an emoji.
//! A leading `(?i)` is added to the language. Four things are taken away, because they cannot be matched
//! in linear time or because they would not mean what was meant: look-around, back-references,
//! `\u{…}` (which JavaScript reads as a repeated `u` without the `u` flag), and halves of characters
//! beyond U+FFFF.

mod class;
mod escape;
mod parse;

use regex_syntax::hir::{Hir, HirKind};

use super::error::check_length;
use super::{MAX_PATTERN_CHARS, PatternError};

/// The most characters a pattern may stand for once its counted repetitions are written out.
///
/// The same as the limit on the pattern itself: who may write 1000 characters may also write
/// `a{1000}`, but not `a{1000}{1000}`.
pub const MAX_EXPANDED: u64 = MAX_PATTERN_CHARS as u64;

/// Parses a JavaScript regular expression. The result contains no capture group.
pub fn expression(pattern: &str) -> Result<Hir, PatternError> {
    check_length(pattern)?;
    let (body, case) = match pattern.strip_prefix("(?i)") {
        Some(body) => (body, class::Case::Ignored),
        None => (pattern, class::Case::Kept),
    };
    if body.is_empty() {
        return Err(PatternError::invalid("the pattern is empty, which would match everything"));
    }
    let expression = parse::parse(body, case)?;
    if expanded(&expression) > MAX_EXPANDED {
        return Err(PatternError::not_safe(format!(
            "the pattern stands for more than {MAX_EXPANDED} characters once its repetitions are \
             written out; use smaller counts, or `+` and `*`"
        )));
    }
    Ok(expression)
}

/// How many characters and assertions an expression stands for when its repetitions are written out.
fn expanded(expression: &Hir) -> u64 {
    match expression.kind() {
        HirKind::Empty => 0,
        HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => {
            String::from_utf8_lossy(&literal.0).chars().fold(0, |count, _| count + 1)
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            expanded(&repetition.sub).saturating_mul(u64::from(times))
        }
        HirKind::Capture(capture) => expanded(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(0, |sum: u64, part| sum.saturating_add(expanded(part)))
        }
    }
}
