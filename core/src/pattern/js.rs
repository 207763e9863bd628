//! JavaScript regular expressions without flags, translated for a linear-time engine.
//!
//! JavaScript's rules without the `u` flag differ from those of Rust's engines in small ways that
//! people rely on: `\d`, `\w` and `\b` are ASCII, `\s` has its own list, `.` stops at four line ends,
//! `$` is the very end, `{` and `]` may stand for themselves, `[^]` is any character. [`expression`]
//! reads such a pattern by the grammar of ECMA-262 (with annex B, as browsers do) and makes one of
//! the same meaning of the items of `regex-syntax`. It is never written in the syntax of that crate, which
//! would only have to be parsed again.
//!
//! One thing is added: a leading `(?i)`. Four things are taken away, because they cannot be matched
//! in linear time or because they would not mean what was meant: look-around, back-references,
//! `\u{…}` (which JavaScript reads as a repeated `u` without the `u` flag), and halves of characters
//! beyond U+FFFF.
//!
//! Without the `u` flag JavaScript counts UTF-16 units: `^.$` does not match a single emoji, `^..$`
//! does. The module `units` says how that is kept. One class is read as its author means it rather
//! than as JavaScript does: `[😀]` matches that character, not everything that shares a half with it.

mod atom;
mod class;
mod fold;
mod hir;
mod parse;
mod units;

use regex_syntax::hir::Hir;

use super::PatternError;
use super::error::check_length;

/// The most characters a pattern may stand for once its counted repetitions are written out.
///
/// The same as the limit on the pattern itself: who may write 1000 characters may also write
/// `a{1000}`, but not `a{1000}{1000}`.
pub const MAX_EXPANDED: u64 = crate::lesson::MAX_PATTERN_CHARS as u64;

/// Translates a JavaScript regular expression to one for [`Regex::of`](super::Regex::of).
///
/// The result holds no capture group, except that a pattern whose match may start inside a character
/// is wrapped so that group 1 is the match (see the module `units`).
pub fn expression(pattern: &str) -> Result<Hir, PatternError> {
    Expression::parse(pattern).map(|expression| expression.of_characters())
}

/// A parsed expression.
#[derive(Debug)]
pub(super) struct Expression {
    tree: Node,
    case: class::Case,
}

impl Expression {
    /// Reads a pattern. Refuses what [`expression`] refuses.
    pub(super) fn parse(pattern: &str) -> Result<Self, PatternError> {
        check_length(pattern)?;
        let (body, case) = match pattern.strip_prefix("(?i)") {
            Some(body) => (body, class::Case::Ignored),
            None => (pattern, class::Case::Kept),
        };
        if body.is_empty() {
            return Err(PatternError::invalid("the pattern is empty, which would match everything"));
        }
        let tree = parse::parse(body, case)?;
        if tree.expanded() > MAX_EXPANDED {
            return Err(PatternError::not_safe(format!(
                "the pattern stands for more than {MAX_EXPANDED} characters once its repetitions are \
                 written out; use smaller counts, or `+` and `*`"
            )));
        }
        Ok(Self { tree, case })
    }

    /// See [`expression`].
    pub(super) fn of_characters(&self) -> Hir {
        hir::hir(&self.tree, units::counting(&self.tree), self.case)
    }

    /// The same, of which each item takes a UTF-16 unit: a character beyond U+FFFF stands for both its halves.
    /// `None` where the pattern tells halves apart.
    pub(super) fn of_units(&self) -> Option<Hir> {
        let whole = !units::has_lone_halves(&self.tree);
        whole.then(|| hir::hir(&self.tree, units::Counting::Characters, self.case))
    }
}

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    /// Matches the empty text.
    Empty,
    /// One character as itself.
    Text(char),
    /// One character, or half of one, of a set.
    Class(class::Class),
    /// `^`: the very start.
    Start,
    /// `$`: the very end.
    End,
    /// `\b`.
    Boundary,
    /// `\B`.
    NotBoundary,
    /// One after the other.
    Concat(Vec<Node>),
    /// Any of these.
    Either(Vec<Node>),
    /// Again and again.
    Repeat(Box<Node>, Count),
}

/// How often a node is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    min: u32,
    /// `None`: without end.
    max: Option<u32>,
    greed: Greed,
}

/// Whether a repetition takes as much or as little as it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Greed {
    Greedy,
    Lazy,
}

impl Node {
    /// How many characters and assertions it stands for when repetitions are written out.
    fn expanded(&self) -> u64 {
        match self {
            Self::Concat(parts) | Self::Either(parts) => {
                parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.expanded()))
            }
            Self::Repeat(inner, count) => {
                let times = count.max.unwrap_or(count.min).max(1);
                inner.expanded().saturating_mul(u64::from(times))
            }
            _ => 1,
        }
    }

    /// Whether it can match the empty text.
    fn is_nullable(&self) -> bool {
        match self {
            Self::Text(_) | Self::Class(_) => false,
            Self::Concat(parts) => parts.iter().all(Self::is_nullable),
            Self::Either(parts) => parts.iter().any(Self::is_nullable),
            Self::Repeat(inner, count) => count.min == 0 || inner.is_nullable(),
            Self::Empty | Self::Start | Self::End | Self::Boundary | Self::NotBoundary => true,
        }
    }

    /// Whether `wanted` holds for it or any node in it.
    fn any(&self, wanted: &dyn Fn(&Self) -> bool) -> bool {
        wanted(self)
            || match self {
                Self::Concat(parts) | Self::Either(parts) => parts.iter().any(|part| part.any(wanted)),
                Self::Repeat(inner, _) => inner.any(wanted),
                _ => false,
            }
    }
}
