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
    // globset compiles its expressions with `.` matching line ends; written out that is the flag `s`.
    glob.regex().strip_prefix("(?-u)").map(|body| format!("(?s-u){body}"))
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
