//! The globs on which globset and picomatch agree.
//!
//! These are the globs of ASCII characters in which every part between slashes is one of
//!
//! - `**`, if it is neither the last part (globset wants something below, picomatch also matches the
//!   folder itself) nor next to another one nor directly below the root;
//! - plain characters and single `*`, with at least one plain character that is no dot (picomatch
//!   never lets a lone `*` be empty, `.` or `..`).
//!
//! No braces, classes, parentheses, escapes, `?` (a byte to globset) or leading `!`; no `./` in front.
//! Most globs that people write are of this kind. They agree on normal paths: see [`super`].

use globset::GlobBuilder;

/// The regular expression that globset gives for `pattern`, if picomatch means the same by it.
pub(super) fn to_regex(pattern: &str) -> Option<String> {
    if !is_common(pattern) {
        return None;
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build().ok()?;
    // globset compiles its expressions with `.` matching line ends; written out that is the flag `s`. It means
    // bytes where we mean characters, which is the same to these globs: nothing in them counts.
    glob.regex().strip_prefix("(?-u)").map(|body| format!("(?s){body}"))
}

/// Whether `pattern` is of the kind described above.
pub(super) fn is_common(pattern: &str) -> bool {
    let parts: Vec<&str> = pattern.strip_prefix('/').unwrap_or(pattern).split('/').collect();
    let rooted = pattern.starts_with('/');
    let globstar = |at: usize| parts.get(at) == Some(&"**");
    parts.iter().enumerate().all(|(at, part)| {
        if globstar(at) {
            at + 1 < parts.len() && !globstar(at + 1) && !(rooted && at == 0)
        } else {
            is_common_part(part)
        }
    }) && !pattern.starts_with('!')
}

fn is_common_part(part: &str) -> bool {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '+' | ',' | '=' | '~' | '%' | ' ')
    };
    !part.contains("**")
        && part.chars().all(|c| c == '*' || plain(c))
        && part.chars().any(|c| c != '.' && plain(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{lower, parse};
    use super::*;
    use crate::pattern::Regex;

    #[test]
    fn the_common_glob_goes_to_globset_and_the_rest_does_not() {
        for common in ["**/*.ts", "src/**/*.test.ts", "package.json", "/abs/*.rs", "a/b*c/d", "*a", ".env*"] {
            assert!(to_regex(common).is_some(), "{common}");
        }
        for other in [
            "*", "**", "src/**", "a/*", "*.*", ".*", "a?b", "a**b", "!a", "{a,b}", "[a]", "a\\*", "./a",
            "/**/a", "**/**/a", "a//b", "a/", "@(a)", "é", "a/./b",
        ] {
            assert!(to_regex(other).is_none(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn both_routes_agree_on_every_common_glob(
            parts in prop::collection::vec(prop_oneof![Just("**".to_owned()), "[ab.*]{1,4}", "[ab+]{1,2}"], 1..5),
            root in prop_oneof![Just(""), Just("/")],
            paths in prop::collection::vec("/?(a|b|ab|\\.a|b\\.|a\\.b|é|\n|\\+)(/(a|b|ab|\\.a|b\\.|aa|a\\.b|\\+)){0,4}", 10),
        ) {
            let pattern = format!("{root}{}", parts.join("/"));
            let Some(globset) = to_regex(&pattern) else { return Ok(()) };
            let mut own = String::new();
            let glob = parse::parse(&pattern).map_err(|error| TestCaseError::fail(error.to_string()))?;
            lower::lower(&glob.branches).write(&mut own);
            let compiled = |regex: &str| Regex::new(regex).map_err(|error| TestCaseError::fail(error.to_string()));
            let (globset, own) = (compiled(&globset)?, compiled(&format!(r"\A(?:{own})\z"))?);
            for path in paths {
                prop_assert_eq!(globset.is_match(&path), own.is_match(&path), "{} on {:?}", &pattern, path);
            }
        }
    }
}
