//! Paths as text. The functions look at the letters alone: they follow no links and do not ask the disk.
//!
//! Every path of a call comes as JSON, so paths are UTF-8.

use unicode_normalization::UnicodeNormalization as _;

/// The path in the one form in which paths are compared: with composed letters (NFC). macOS hands out decomposed names.
pub fn composed(path: String) -> String {
    if path.is_ascii() { path } else { path.nfc().collect() }
}

/// Whether the path starts at the root.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
}

/// The path without `.`, `..` and doubled slashes. A `..` that leads above the root stays, as `/..`; so does
/// one that leads above the start of a relative path.
pub fn lexical(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            part => kept.push(part),
        }
    }
    // Without the machinery of `format!`: the hook asks this several times a call.
    [if is_absolute(path) { "/" } else { "" }, &kept.join("/")].concat()
}

/// The path `path` as seen from `folder`. An absolute path stays as it is.
pub fn join(folder: &str, path: &str) -> String {
    if is_absolute(path) || folder.is_empty() {
        return path.to_owned();
    }
    let mut out = String::with_capacity(folder.len() + path.len() + 1);
    out.push_str(folder);
    if !folder.ends_with('/') {
        out.push('/');
    }
    out.push_str(path);
    out
}

/// The part of `path` below `folder`, if it lies there: `""` for the folder itself. Paths are compared by
/// component, so `/foo/bar` does not hold `/foo/bar-baz`.
pub fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// The folder that holds `path`. `None` for the root and for a single component.
pub fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

/// The last component of a path.
pub fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decomposed_name_is_composed() {
        for (path, expected) in [
            ("/p/e\u{301}", "/p/\u{e9}"),
            ("\u{e9}", "\u{e9}"),
            ("a", "a"),
            ("\u{1106}\u{116e}\u{11ab}", "문"),
        ] {
            assert_eq!(composed(path.into()), expected);
        }
    }

    #[test]
    fn dots_are_worked_out_on_the_text() {
        for (path, expected) in [
            ("/a/./b/../c", "/a/c"),
            ("/a//b/", "/a/b"),
            ("/..", "/.."),
            ("a/../b.ts", "b.ts"),
            ("../../x/..", "../.."),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(lexical(path), expected, "{path}");
        }
    }

    #[test]
    fn a_path_is_joined_unless_it_is_absolute() {
        assert_eq!(join("/srv", "a.ts"), "/srv/a.ts");
        assert_eq!(join("/srv/", "a.ts"), "/srv/a.ts");
        assert_eq!(join("/srv", "/x"), "/x");
        assert_eq!(join("", "a"), "a");
    }

    #[test]
    fn below_is_by_component() {
        assert_eq!(below("/p/src/a.ts", "/p"), Some("src/a.ts"));
        assert_eq!(below("/p", "/p"), Some(""));
        assert_eq!(below("/p-q/a", "/p"), None);
        assert_eq!(below("/a", "/"), Some("a"));
    }

    #[test]
    fn a_path_has_a_parent_and_a_name() {
        assert_eq!(parent("/a/b"), Some("/a"));
        assert_eq!(parent("/a"), Some("/"));
        assert_eq!(parent("/"), None);
        assert_eq!(parent("a"), None);
        assert_eq!(name("/a/b.ts"), "b.ts");
    }
}
