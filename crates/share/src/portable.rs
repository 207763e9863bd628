//! What of a text means something on one machine only: absolute paths, which also tell whose machine it is.

/// The folders of a system that are the same everywhere and hold nothing of a person.
const SYSTEM: [&str; 3] = ["dev", "proc", "sys"];

/// Returns the first absolute path in a text or pattern, as far as it is plain.
///
/// A path has two components or more: `/home/ana`, `C:\work`, also with the escapes of a pattern, `\/home\/ana`. Paths
/// in `/dev`, `/proc` and `/sys` are the same everywhere. What only looks like a path, such as `/api/users`, counts too:
/// nothing can tell them apart.
pub fn absolute_path(text: &str) -> Option<String> {
    let plain = text.replace("\\/", "/");
    unix(&plain).or_else(|| windows(text)).map(str::to_owned)
}

fn unix(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find('/').map(|at| from + at) {
        let before = text.get(..at)?;
        let path = text.get(at..)?;
        from = at + 1;
        if !(may_begin_after(before) || before.ends_with("file://")) {
            continue;
        }
        let length = path.find(|c: char| !(is_in_component(c) || c == '/')).unwrap_or(path.len());
        let path = path.get(..length)?;
        let mut components = path.split('/').filter(|component| !component.is_empty());
        let (first, second) = (components.next(), components.next());
        let is_doubled = path.starts_with("//") && !before.ends_with("file://");
        if let (Some(first), Some(_), false) = (first, second, is_doubled)
            && !SYSTEM.contains(&first)
        {
            return Some(path);
        }
    }
    None
}

/// Whether a path can begin after this text: at the start of a word, or of a part of a pattern.
fn may_begin_after(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| c.is_whitespace() || "\"'`([{=,;|^<>!&@".contains(c))
}

fn is_in_component(c: char) -> bool {
    c.is_alphanumeric() || "._-+@~%".contains(c)
}

fn windows(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    (1..bytes.len()).find_map(|at| {
        let letter = *bytes.get(at - 1)?;
        let is_drive = *bytes.get(at)? == b':' && letter.is_ascii_alphabetic();
        let is_word = at >= 2 && bytes.get(at - 2)?.is_ascii_alphanumeric();
        let is_path = matches!(bytes.get(at + 1..)?, [b'\\', ..])
            || matches!(bytes.get(at + 1..)?, [b'/', next, ..] if next.is_ascii_alphanumeric());
        if !is_drive || is_word || !is_path {
            return None;
        }
        let path = text.get(at - 1..)?;
        let length = path.find(|c: char| !(is_in_component(c) || "\\/:".contains(c))).unwrap_or(path.len());
        path.get(..length).filter(|path| path.len() > "C:\\".len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_of_one_machine_is_found_in_texts_and_patterns() {
        for (text, path) in [
            ("/home/ana/app", "/home/ana/app"),
            ("Run `/opt/acme/bin/tool`.", "/opt/acme/bin/tool"),
            (r"^\/Users\/ana\/", "/Users/ana/"),
            ("(?:^|/srv/acme)x", "/srv/acme"),
            ("--config=/srv/acme.toml/x", "/srv/acme.toml/x"),
            ("see file:///home/ana/x", "/home/ana/x"),
            ("cd C:\\Users\\ana", "C:\\Users\\ana"),
            ("open D:/work", "D:/work"),
            ("漢 /home/漢字", "/home/漢字"),
        ] {
            assert_eq!(absolute_path(text).as_deref(), Some(path), "{text}");
        }
    }

    #[test]
    fn what_every_machine_has_is_no_path_of_one() {
        for text in [
            "",
            "/",
            "a / b",
            "src/app/main.rs",
            "./src/app",
            "~/.ssh/config",
            "**/home/ana/**",
            "and/or/not",
            "https://example.com/a/b",
            "git@github.com:acme/app",
            r"(?:^|/)[^/]+\.lock$",
            "2>/dev/null",
            "/proc/self/maps",
            "s/a/b/",
            "// a comment",
            "<div>a</div>",
            "12:30:00",
            "note: /x",
            r"\bC:\b",
            "s3://bucket/key",
            "/etc",
        ] {
            assert_eq!(absolute_path(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in r"[/\\a-cC:.é ^|(]{0,40}") {
            if let Some(path) = absolute_path(&text) {
                prop_assert!(text.replace("\\/", "/").contains(&path) || text.contains(&path));
            }
        }
    }
}
