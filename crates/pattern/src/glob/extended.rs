//! Glob extensions of shells and picomatch that are not supported: `!` in front, `!(…)`, `+(…)`, `@(…)`,
//! `*(…)`, `?(…)`, `a|b` and `{1..3}`.
//!
//! Globset takes these characters literally, so such a glob would silently match nothing. It is refused with
//! the supported way to say it; an import rewrites a glob with [`rewritten`] if there is an equivalent.

use crate::PatternError;

/// The error for a glob with an extension; `None` if it has none.
pub fn refusal(pattern: &str) -> Option<PatternError> {
    find(pattern).map(|(at, extension)| {
        let place = pattern.get(..at).unwrap_or_default().chars().count() + 1;
        PatternError::invalid(format!("at character {place}: {}", extension.remedy()))
    })
}

/// The equivalent of a glob in which every `@(a|b)` and `(a|b)` is `{a,b}`, and `?(a|b)` is `{,a,b}`. `None` if there is
/// nothing to rewrite, a group is nested, or the glob has an extension without an equivalent.
pub fn rewritten(pattern: &str) -> Option<String> {
    let mut glob = pattern.to_owned();
    while let Some((at, extension)) = find(&glob) {
        let (_, behind) = glob.get(at..)?.split_once('(')?;
        let (inside, after) = behind.split_once(')')?;
        // After `(a|b)` these characters are a repetition, after `@(a|b)` they start another glob.
        let is_repeated = glob.get(at..)?.starts_with('(') && after.starts_with(['+', '*', '?']);
        if inside.contains(['(', '[', ']', '{', '}', ',', '\\']) || is_repeated {
            return None;
        }
        let choices = inside.replace('|', ",");
        let braces = match extension {
            Extension::Choice if !inside.contains('|') => choices,
            Extension::Choice => format!("{{{choices}}}"),
            Extension::Option => format!("{{,{choices}}}"),
            _ => return None,
        };
        let end = glob.len() - behind.len() + inside.len();
        glob.replace_range(at..=end, &braces);
    }
    (glob != pattern).then_some(glob)
}

/// An extension that globset does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extension {
    /// `!` in front, `!(…)`.
    Negation,
    /// `@(…)`, `(a|b)`.
    Choice,
    /// `?(…)`.
    Option,
    /// `+(…)`, `*(…)`.
    Repetition,
    /// `|` outside of parentheses.
    Or,
    /// `{1..3}`.
    Range,
}

impl Extension {
    fn remedy(self) -> &'static str {
        match self {
            Self::Negation => {
                "a glob with `!` names what it does not match; write that, without the `!`, into `unless`"
            }
            Self::Choice => "`@(a|b)` is written `{a,b}`; write `\\(` for the character",
            Self::Option => "`?(a)` is written `{,a}`; write `\\(` for the character",
            Self::Repetition => {
                "`+(…)` and `*(…)` repeat something, which a glob cannot; write two globs or a path_pattern, or `\\(` \
                 for the character"
            }
            Self::Or => "`a|b` is written as two globs, or `{a,b}`; write `\\|` for the character",
            Self::Range => "`{1..3}` is written `{1,2,3}`; write `\\{` for the character",
        }
    }
}

/// The first extension outside of classes and escapes, with its offset in bytes.
fn find(pattern: &str) -> Option<(usize, Extension)> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while let Some((byte, rest)) = bytes.get(at..).and_then(<[u8]>::split_first) {
        let inside = |end: u8| rest.split(|byte| *byte == end).next().unwrap_or_default();
        let opens = rest.first() == Some(&b'(');
        let extension = match byte {
            b'!' if opens || at == 0 => Some(Extension::Negation),
            b'@' if opens => Some(Extension::Choice),
            b'?' if opens => Some(Extension::Option),
            b'+' | b'*' if opens => Some(Extension::Repetition),
            b'(' if inside(b')').contains(&b'|') => Some(Extension::Choice),
            b'|' => Some(Extension::Or),
            b'{' if is_range(inside(b'}')) => Some(Extension::Range),
            _ => None,
        };
        if let Some(extension) = extension {
            return Some((at, extension));
        }
        at += match byte {
            b'\\' => 2,
            b'[' => 1 + class_length(rest),
            _ => 1,
        };
    }
    None
}

/// Whether the content of braces is a range: `1..3`, `a..c` or `1..9..2`.
fn is_range(inside: &[u8]) -> bool {
    let Ok(inside) = std::str::from_utf8(inside) else { return false };
    let is_end =
        |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    inside.contains("..") && inside.split("..").all(is_end)
}

/// The number of bytes up to the `]` that ends a class; 0 if none does. The first member may be a `]`.
fn class_length(rest: &[u8]) -> usize {
    let first = usize::from(matches!(rest.first(), Some(b'!' | b'^'))) + 1;
    let end = rest.iter().skip(first).position(|byte| *byte == b']');
    end.map_or(0, |end| first + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_reads_otherwise_is_refused_with_the_way_to_say_it() {
        for (glob, place, remedy) in [
            ("!*.md", 1, "`unless`"),
            ("src/!(a|b).ts", 5, "`unless`"),
            ("é@(a|b)", 2, "`{a,b}`"),
            ("(a|b)+.ts", 1, "`{a,b}`"),
            ("x?(a).ts", 2, "`{,a}`"),
            ("+(a).ts", 1, "two globs"),
            ("*(a).ts", 1, "two globs"),
            ("*.ts|*.tsx", 5, "two globs"),
            ("v{1..3}", 2, "`{1,2,3}`"),
            ("[", 0, ""),
        ] {
            let said = refusal(glob).map(|error| error.to_string()).unwrap_or_default();
            let starts = place == 0 || said.starts_with(&format!("at character {place}: "));
            assert!(starts && said.contains(remedy) && said.is_empty() == (place == 0), "{glob}: {said}");
        }
    }

    #[test]
    fn what_globset_reads_as_it_is_meant_is_not_refused() {
        for glob in [
            "a!b",
            "[!a]b",
            "[!(]",
            "[]|]",
            "\\!a",
            "\\@\\(a\\|b\\)",
            "a(b)c",
            "app/(x)/y",
            "{a,b..c}",
            "{a}",
            "a@b",
        ] {
            assert_eq!(refusal(glob), None, "{glob}");
        }
    }

    #[test]
    fn a_choice_without_nesting_is_written_in_braces() {
        for (glob, expected) in [
            ("*.@(ts|tsx)", Some("*.{ts,tsx}")),
            ("@(a|b)/@(c)/(d|é)", Some("{a,b}/c/{d,é}")),
            ("{x,@(a|b)}", Some("{x,{a,b}}")),
            ("@(a|!(b))", None),
            ("@(a|{b,c})", None),
            ("@(a|b", None),
            ("@(a|)", Some("{a,}")),
            ("a?(b|c).ts", Some("a{,b,c}.ts")),
            ("+(a|b)", None),
            ("@(a|b)*", Some("{a,b}*")),
            ("(a|b)*", None),
            ("@(a|b)/!(c)", None),
            ("*.ts", None),
        ] {
            assert_eq!(rewritten(glob).as_deref(), expected, "{glob}");
        }
    }
}
