//! What a glob means, as an expression without context.

use crate::pattern::charset::{CharSet, write_literal};

use super::Times;

/// An expression over the characters of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expr {
    /// One character.
    Char(char),
    /// One character of a set.
    Set(CharSet),
    /// One part of a path: not empty, not `.` and not `..`.
    Part,
    /// One part of a path that starts with a dot.
    DotPart,
    /// Any number of characters.
    Anything,
    /// One after the other.
    Cat(Vec<Expr>),
    /// Any of these.
    Or(Vec<Expr>),
    /// Some number of times.
    Repeat(Box<Expr>, Times),
    /// `!(…)`: matches `what` where `not` does not match. It looks ahead, so it has no meaning without
    /// what follows: see [`super::language`].
    Except {
        /// What must not start here.
        not: Box<Expr>,
        /// How far `not` reaches.
        reach: Reach,
        /// What is matched instead.
        what: Box<Expr>,
    },
}

/// How far the inside of `!(…)` reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// To the end of the path.
    End,
    /// As far as it matches.
    Prefix,
}

impl Expr {
    /// Any number of characters other than `/`.
    pub(super) fn star() -> Self {
        Self::Repeat(Box::new(Self::no_slash()), Times::Any)
    }

    /// One character other than `/`.
    pub(super) fn no_slash() -> Self {
        Self::Set(Self::slash_set().missing(0, crate::pattern::charset::LAST))
    }

    /// The set of `/` alone.
    pub(super) fn slash_set() -> CharSet {
        let slash = u32::from('/');
        CharSet::of(&[(slash, slash)])
    }

    /// Whether there is a `!(…)` in it.
    pub(super) fn has_except(&self) -> bool {
        match self {
            Self::Except { .. } => true,
            Self::Cat(parts) | Self::Or(parts) => parts.iter().any(Self::has_except),
            Self::Repeat(inner, _) => inner.has_except(),
            _ => false,
        }
    }

    /// Writes it as a regular expression. What holds an [`Expr::Except`] cannot be written so.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Char(c) => write_literal(*c, out),
            Self::Set(set) => set.write(out),
            Self::Part => out.push_str(r"(?:[^/.]|\.[^/.]|\.\.[^/])[^/]*"),
            Self::DotPart => out.push_str(r"\.(?:[^/.]|\.[^/])[^/]*"),
            Self::Anything => out.push_str("(?s:.*)"),
            Self::Cat(parts) => parts.iter().for_each(|part| part.write(out)),
            Self::Or(branches) => {
                out.push_str("(?:");
                for (n, branch) in branches.iter().enumerate() {
                    if n > 0 {
                        out.push('|');
                    }
                    branch.write(out);
                }
                out.push(')');
            }
            Self::Repeat(inner, times) => {
                let alone = matches!(**inner, Self::Char(_) | Self::Set(_) | Self::Or(_));
                if !alone {
                    out.push_str("(?:");
                }
                inner.write(out);
                if !alone {
                    out.push(')');
                }
                match times {
                    Times::Optional => out.push('?'),
                    Times::Any => out.push('*'),
                    Times::Some => out.push('+'),
                    Times::Once => {}
                }
            }
            Self::Except { what, .. } => what.write(out),
        }
    }
}
