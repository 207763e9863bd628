//! Which calls are the same call, and what of a call may be kept.

use std::borrow::Cow;

use lessons_core::call::Call;
use lessons_core::lesson::SampleCall;
use lessons_core::neutral;
use lessons_core::path;
use lessons_core::project::Roots;
use lessons_core::shell;
use lessons_scanner::redact::redact;

/// The longest command, path or content that is kept, in characters.
pub const MOST_KEPT: usize = 2000;

/// The most of what is put into a file that is searched for secrets, in bytes: more than [`MOST_KEPT`] of it are
/// never kept, and a replay meets contents by the thousand.
const MOST_CONTENT: usize = 64 << 10;
/// What runs of digits become.
const NUMBER: char = '0';
/// A word of so many hexadecimal digits is a hash, and as good as any other.
const HASH_DIGITS: usize = 7;

/// A call as it may be kept: its secrets are out, and its path starts at the project's root, as in the examples
/// of a lesson. Of several paths or contents the first counts.
pub fn sample(call: &Call<'_>, roots: Option<&Roots>) -> SampleCall {
    let file = call.absolute_paths().into_iter().next().map(|file| {
        let below = roots.and_then(|roots| path::below(&file, &roots.root)).filter(|rest| !rest.is_empty());
        clean(below.unwrap_or(&file))
    });
    SampleCall {
        tool: call.tool.as_ref().to_owned(),
        command: call.command.as_deref().map(clean),
        file,
        content: call.contents.first().map(|content| clean_content(content)),
    }
}

/// A text without its secrets, and without what hides in it.
fn clean(text: &str) -> String {
    redact(&without_hidden(text)).text
}

/// The same of what a call puts into a file, of which the beginning is looked at.
pub(crate) fn clean_content(content: &str) -> String {
    clean(&content[..content.floor_char_boundary(MOST_CONTENT)])
}

/// A text without characters that hide, reorder or control.
fn without_hidden(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| neutral::is_hidden(c) && !matches!(c, '\n' | '\t');
    if text.contains(is_bad) { Cow::Owned(text.replace(is_bad, "")) } else { Cow::Borrowed(text) }
}

/// What two calls have in common that are the same but for numbers, hashes, quoted texts, heredocs and blanks.
/// What an edit puts into a file does not count, the file does.
pub fn key(sample: &SampleCall) -> String {
    key_of(&sample.tool, sample.command.as_deref(), sample.file.as_deref())
}

/// The same of a call as it was made. Calls with one key here have one key when they are kept.
pub(crate) fn raw_key(call: &Call<'_>, roots: Option<&Roots>) -> String {
    let file = call.absolute_paths().into_iter().next().map(|file| {
        let below = roots.and_then(|roots| path::below(&file, &roots.root)).filter(|rest| !rest.is_empty());
        below.map_or_else(|| file.clone(), str::to_owned)
    });
    key_of(&call.tool, call.command.as_deref(), file.as_deref())
}

fn key_of(tool: &str, command: Option<&str>, file: Option<&str>) -> String {
    let command = command.map(|command| normal(&without_quoted(&shell::typed(command)))).unwrap_or_default();
    let file = file.map(normal).unwrap_or_default();
    [tool, &command, &file].join("\0")
}

/// A command with every quoted text empty. An escaped quote opens nothing.
fn without_quoted(command: &str) -> Cow<'_, str> {
    if !command.contains(['\'', '"']) {
        return Cow::Borrowed(command);
    }
    let mut out = String::with_capacity(command.len());
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        out.push(c);
        match c {
            '\\' => out.extend(chars.next()),
            '\'' | '"' => {
                skip_quoted(&mut chars, c);
                out.push(c);
            }
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// Goes to the end of a quoted text.
fn skip_quoted(chars: &mut std::str::Chars<'_>, quote: char) {
    while let Some(c) = chars.next() {
        if c == quote {
            return;
        }
        if c == '\\' && quote == '"' {
            chars.next();
        }
    }
}

/// A text with one blank for every run of blanks, and one digit for every number and every hash.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let is_part = first.is_ascii_alphanumeric();
            let end = rest.find(|c: char| c.is_ascii_alphanumeric() != is_part).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            if is_part {
                push_normal(&mut out, part);
            } else {
                out.push_str(part);
            }
            rest = after;
        }
    }
    out
}

fn push_normal(out: &mut String, part: &str) {
    let is_hex = part.len() >= HASH_DIGITS
        && part.bytes().all(|b| b.is_ascii_hexdigit())
        && part.bytes().any(|b| b.is_ascii_digit());
    if is_hex {
        out.push(NUMBER);
        return;
    }
    let mut in_number = false;
    for c in part.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !in_number {
            out.push(NUMBER);
        }
        in_number = c.is_ascii_digit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash(command: &str) -> SampleCall {
        SampleCall { tool: "Bash".into(), command: Some(command.into()), file: None, content: None }
    }

    #[test]
    fn calls_that_differ_in_numbers_hashes_quoted_texts_and_blanks_are_one() {
        let same = |a: &str, b: &str| assert_eq!(key(&bash(a)), key(&bash(b)), "{a} | {b}");
        same("git stash  push -m 'one'", "git stash push -m 'two \"x\"'");
        same("git show 3f2a91b", "git show 77aa0123456789");
        same("kill 4711", "kill 12");
        same("sleep 1\n", "sleep 30");
        same("cat <<EOF\none\nEOF", "cat <<EOF\ntwo\nEOF");
        same(r#"echo "a \" b""#, r#"echo "c""#);
        let other = |a: &str, b: &str| assert_ne!(key(&bash(a)), key(&bash(b)), "{a} | {b}");
        other("git stash", "git stash pop");
        other("git add defaced", "git add effaced");
        other("echo 'a'", "echo \"a\"");
        other("rm -rf build", "rm -rf dist");
    }

    #[test]
    fn an_edit_is_known_by_its_file() {
        let edit = |file: &str, content: &str| {
            key(&SampleCall {
                tool: "Edit".into(),
                command: None,
                file: Some(file.into()),
                content: Some(content.into()),
            })
        };
        assert_eq!(edit("src/a.ts", "x"), edit("src/a.ts", "y"));
        assert_ne!(edit("src/a.ts", "x"), edit("src/b.ts", "x"));
        assert_eq!(edit("migrations/0001_a.sql", ""), edit("migrations/0002_a.sql", ""));
    }

    #[test]
    fn what_is_kept_has_no_secret_and_a_path_from_the_root() {
        let call = Call {
            tool: "Write".into(),
            paths: vec!["src/../src/a.ts".into(), "/else".into()],
            contents: vec![format!("password = \"{}\"", "hunter2-9f3kQz81").into()],
            cwd: Some("/home/me/app".into()),
            ..Call::default()
        };
        let roots = Roots { root: "/home/me/app".into(), main: None };
        let kept = sample(&call, Some(&roots));
        assert_eq!(kept.file.as_deref(), Some("src/a.ts"));
        assert!(!kept.content.unwrap().contains("hunter2"));
        assert_eq!(sample(&call, None).file.as_deref(), Some("/home/me/app/src/a.ts"));
    }

    #[test]
    fn a_text_that_nothing_closes_ends_where_it_ends() {
        for text in ["echo 'a", "echo \"a\\", "\\", "'", ""] {
            key(&bash(text));
        }
    }
}
