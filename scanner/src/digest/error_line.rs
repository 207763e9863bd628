//! The line of an error that tells most, and the key that two errors of one kind share.

use crate::detect::{general, without_quotes};
use lessons_text::neutral;

use super::signs::{ABOUT_CALL, Sign, TELLING};

/// The lines of an error among which the telling one is looked for.
const WITHIN: usize = 12;
/// A line shorter than this that ends open says nothing yet.
const SAYS_NOTHING: usize = 45;
/// The longest key, in characters.
const KEY: usize = 80;

/// The line of an error that tells most. Empty where there is none.
pub(super) fn telling_line(result: &str) -> String {
    let text = neutral::visible(result).replace("<tool_use_error>", "").replace("</tool_use_error>", "");
    let says_something = |line: &&str| {
        let code = line.trim_start_matches("Error: ").strip_prefix("Exit code ");
        !line.is_empty() && !code.is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(says_something).collect();
    let Some(first) = lines.first() else { return String::new() };
    if first.starts_with("Traceback") {
        return lines.last().copied().unwrap_or_default().to_owned();
    }
    let first_with = |sign: &Sign| lines.iter().take(WITHIN).position(|line| sign.is_in(line));
    let at = first_with(&ABOUT_CALL).or_else(|| first_with(&TELLING)).unwrap_or(0);
    let rest = &lines[at..];
    let mut line = rest[0].to_owned();
    // An answer in JSON: what is said inside it tells more.
    if line.starts_with("\"error\"") || line.starts_with("{\"success\"") {
        let says = |line: &&&str| line.starts_with("\"message\"") && line.len() > 30;
        line = rest.iter().take(15).rev().find(says).map_or(line, |said| (*said).to_owned());
    }
    for more in rest.iter().skip(1).take(7) {
        if line.len() >= SAYS_NOTHING || !line.trim_end().ends_with([':', '[', '{', '(']) {
            break;
        }
        line.push(' ');
        line.push_str(more);
    }
    line
}

/// An error line without what differs from case to case: quoted texts, paths, numbers, hashes.
pub(super) fn key(line: &str) -> String {
    let lower = line.to_lowercase();
    if let Some((before, after)) = lower.split_once("command not found") {
        let name = after.trim_start_matches([':', ' ']).split_whitespace().next();
        let before = before.trim_end_matches([':', ' ']).rsplit([' ', ':']).next();
        return format!("command not found {}", name.or(before).unwrap_or_default());
    }
    let end = ["no matches found", "no such file or directory"]
        .iter()
        .find_map(|sign| lower.find(sign).map(|at| at + sign.len()))
        .unwrap_or(lower.len());
    let words: Vec<String> = without_quotes(&lower[..end]).split_whitespace().map(general).collect();
    words.join(" ").chars().take(KEY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_line_is_found() {
        assert_eq!(telling_line("Exit code 1\ncompiling\nfatal: no such ref\nmore"), "fatal: no such ref");
        assert_eq!(
            telling_line("Traceback (most recent call last):\n  File \"x\"\nKeyError: 'a'"),
            "KeyError: 'a'"
        );
        assert_eq!(
            telling_line("<tool_use_error>Error: [\n{\n\"message\": \"path is required\"</tool_use_error>"),
            "Error: [ { \"message\": \"path is required\""
        );
        assert_eq!(telling_line("Exit code 1\n"), "");
    }

    #[test]
    fn errors_of_one_kind_share_their_key() {
        assert_eq!(key("cannot open '/a/b.txt' at 12:4"), key("cannot open '/c.md' at 3:99"));
        assert_eq!(key("zsh: command not found: rtk"), key("bash: line 1: rtk: command not found"));
        assert_eq!(key("ls: /a/b: No such file or directory"), key("ls: /c: No such file or directory"));
        assert_ne!(key("unknown flag --a"), key("unknown flag --b"));
        assert_eq!(key("can't open 3f2a91c0de"), "can't open 0");
    }
}
