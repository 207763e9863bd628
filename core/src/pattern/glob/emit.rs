//! Writing a parsed glob as a regular expression.

use super::{Branches, Glob, Item, Times};
use crate::pattern::PatternError;
use crate::pattern::charset::write_literal;

/// One part of a path: not empty, not `.` and not `..`.
const PART: &str = r"(?:[^/.]|\.[^/.]|\.\.[^/])[^/]*";
/// One part of a path that starts with a dot.
const DOT_PART: &str = r"\.(?:[^/.]|\.[^/])[^/]*";
/// Any number of characters.
const ANYTHING: &str = "(?s:.*)";

/// Writes `glob`, without anchors.
pub(super) fn emit(glob: &Glob) -> Result<String, PatternError> {
    if glob.negated {
        return Err(PatternError::not_safe(NOT));
    }
    let mut out = String::new();
    branches(&glob.branches, Place::Path, &mut out)?;
    Ok(out)
}

const NOT: &str = "a negated glob cannot be matched in linear time; put the glob without `!` into `unless`";

/// Where a sequence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the whole path.
    Path,
    /// It is a branch of a group.
    Group,
}

fn branches(branches: &Branches, place: Place, out: &mut String) -> Result<(), PatternError> {
    for (n, branch) in branches.iter().enumerate() {
        if n > 0 {
            out.push('|');
        }
        sequence(branch, place, out)?;
    }
    Ok(())
}

fn sequence(items: &[Item], place: Place, out: &mut String) -> Result<(), PatternError> {
    let mut at = 0;
    while at < items.len() {
        at += rule(items, at, place, out)?;
    }
    Ok(())
}

/// Writes what starts at `at`, and says how many items that were.
fn rule(items: &[Item], at: usize, place: Place, out: &mut String) -> Result<usize, PatternError> {
    use Item::{Any, Char, Class, Globstar, Group, Slash, Star};
    let rest = items.get(at..).unwrap_or_default();
    let before = items.get(..at).unwrap_or_default();
    // Whether a part of the path certainly starts here.
    let starts = match before.last() {
        None => place == Place::Path,
        Some(last) => *last == Slash,
    };
    let taken = match rest {
        [Slash, Globstar] if place == Place::Path && !before.is_empty() => {
            // What ends in a star wants something below it; everything else matches by itself.
            let times = if matches!(before.last(), Some(Star | Globstar)) { "+" } else { "*" };
            out.extend(["(?:/", PART, ")", times]);
            2
        }
        [Slash, Globstar, Slash, ..] if !before.is_empty() => {
            out.extend(["/(?:", PART, "/)*"]);
            3
        }
        [Slash, Globstar, Slash, ..] if place == Place::Path => {
            out.extend(["/(?:", PART, "/)+"]);
            3
        }
        [Slash, Globstar] if place == Place::Path => {
            out.extend(["/(?:", PART, "(?:/", PART, ")*)?"]);
            2
        }
        [Globstar] if starts && before.is_empty() => {
            out.extend(["/?", PART, "(?:/", PART, ")*"]);
            1
        }
        [Globstar, Slash, ..] if starts && before.is_empty() => {
            out.extend(["/?(?:", PART, "/)*"]);
            2
        }
        [Globstar, ..] => {
            out.push_str(ANYTHING);
            1
        }
        [Star] | [Star, Slash, ..] if starts => {
            out.push_str(PART);
            1
        }
        [Char('.'), Star] | [Char('.'), Star, Slash, ..] if starts => {
            out.push_str(DOT_PART);
            2
        }
        [Star, ..] => {
            out.push_str("[^/]*");
            1
        }
        [Any, ..] => {
            out.push_str("[^/]");
            1
        }
        [Slash, ..] => {
            out.push('/');
            1
        }
        [Char(c), ..] => {
            write_literal(*c, out);
            1
        }
        [Class(set, text), ..] => {
            match text {
                None => set.write(out),
                Some(text) => {
                    out.push_str("(?:");
                    set.write(out);
                    out.push('|');
                    text.chars().for_each(|c| write_literal(c, out));
                    out.push(')');
                }
            }
            1
        }
        [Group(Times::Not, _), ..] => return Err(PatternError::not_safe(NOT)),
        [Group(times, inner), ..] => {
            out.push_str("(?:");
            branches(inner, Place::Group, out)?;
            out.push(')');
            match times {
                Times::Optional => out.push('?'),
                Times::Any => out.push('*'),
                Times::Some => out.push('+'),
                Times::Once | Times::Not => {}
            }
            1
        }
        [] => 1,
    };
    Ok(taken)
}
