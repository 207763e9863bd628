//! The grouping of calls that count as the same call, and the parts of a call that may be kept.

use std::borrow::Cow;

use lessons_lesson::{Call, ProjectRoots, SampleCall};
use lessons_shell::programs::has_role;
use lessons_shell::{
    self as shell, ParentCommand, PipelinePosition, ProgramRole, Redirection, Script, SimpleCommand, Word,
};
use lessons_text::{digest, neutral, path, redact};

/// The longest command, path or content that is kept, in characters.
pub const MOST_KEPT: usize = 2000;

/// The most of what is put into a file that is searched for secrets, in bytes: more than [`MOST_KEPT`] of it are
/// never kept, and a replay meets contents by the thousand.
const MOST_CONTENT: usize = 64 << 10;
/// How many digits of a hash are the key of a call.
const KEY_DIGITS: usize = 32;
/// The separators between the words of a compared command, and between its commands. A kept command does not hold
/// them.
const PART: &str = "\u{1}";
const COMMAND: &str = "\u{2}";

/// Options whose value is a text for people, in every program.
const TEXT_OPTIONS: [&str; 4] = ["--message", "--title", "--body", "--notes"];
/// What programs that record versions do with a message.
const WITH_MESSAGE: [&str; 10] =
    ["commit", "ci", "tag", "merge", "stash", "notes", "describe", "desc", "new", "squash"];
/// Options of theirs whose value is the next word.
const WITH_VALUE: [&str; 5] = ["-C", "-c", "-R", "--git-dir", "--work-tree"];

/// The character that replaces runs of digits.
const NUMBER: char = '0';
/// The number of hexadecimal digits from which a word counts as a hash.
const HASH_DIGITS: usize = 7;

/// A call as it may be kept: without secrets, and with a path from the project's root, as in the examples
/// of a lesson. Of several paths or contents the first counts.
pub fn sample(call: &Call<'_>, roots: Option<&ProjectRoots>) -> SampleCall {
    SampleCall {
        tool: call.tool.as_ref().to_owned(),
        command: call.command.as_deref().map(clean),
        file: file_of(call, roots),
        content: call.contents.first().map(|content| clean_content(content.text())),
        error: call.error.as_deref().map(clean_content),
        cwd: None,
    }
}

/// The working folder of a call inside its project, as in the examples of a lesson; `None` for the root and elsewhere.
pub(crate) fn sample_folder(call: &Call<'_>, roots: Option<&ProjectRoots>) -> Option<String> {
    let cwd = path::lexical(call.cwd.as_deref()?);
    let below = path::below(&cwd, &roots?.root).filter(|rest| !rest.is_empty())?;
    Some(path::join(Call::SAMPLE_ROOT, &clean(below)))
}

/// The first file of a call, from the project's root.
fn file_of(call: &Call<'_>, roots: Option<&ProjectRoots>) -> Option<String> {
    let file = call.absolute_paths().into_iter().next()?;
    let below = roots.and_then(|roots| path::below(&file, &roots.root)).filter(|rest| !rest.is_empty());
    Some(clean(below.unwrap_or(&file)))
}

/// A text without secrets and hidden characters.
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
    if text.contains(is_bad) { Cow::Owned(neutral::visible(text)) } else { Cow::Borrowed(text) }
}

/// The key of a call, equal for calls that count as the same call. It is a hash of the tool, the file without its numbers, and of a
/// command everything but numbers, hashes, blanks, comments, and texts that are only meant for people (see
/// [`what_runs`]). What an edit puts into a file does not count, the file does. What a person says of one such call
/// is said of all of them, so nothing is left out that would change what the call does.
pub fn key(sample: &SampleCall) -> String {
    key_of(&sample.tool, sample.command.as_deref(), sample.file.as_deref())
}

/// The key of a call as it was made, equal to the key of its sample.
pub(crate) fn key_of_call(call: &Call<'_>, roots: Option<&ProjectRoots>) -> String {
    let command = call.command.as_deref().map(clean);
    key_of(&call.tool, command.as_deref(), file_of(call, roots).as_deref())
}

fn key_of(tool: &str, command: Option<&str>, file: Option<&str>) -> String {
    let command = command.map(what_runs).unwrap_or_default();
    let file = file.map(normal).unwrap_or_default();
    digest::hex_of_parts(&[tool.as_bytes(), command.as_bytes(), file.as_bytes()], KEY_DIGITS)
}

/// A command as it is compared: what joins its simple commands, then each of them, every word normal. Left out
/// are the message of a commit, the text of a `--title` or `--body`, a sentence that `echo` only prints, and a
/// heredoc that is only written down.
fn what_runs(command: &str) -> String {
    let script = shell::script(command);
    let mut out = shell::operators(command).join(PART);
    for (number, simple) in script.commands.iter().enumerate().filter(|(_, simple)| simple.parent.is_none()) {
        // What stands in another command is compared with the word that it stands in.
        let next = script.commands.iter().skip(number + 1).find(|next| next.parent.is_none());
        let goes_on = next.is_some_and(|next| next.pipeline_position == PipelinePosition::Later);
        out.push_str(COMMAND);
        for word in &simple.assignments {
            push(&mut out, word.text());
        }
        for (at, word) in simple.words.iter().enumerate() {
            match text_for_people(&script, number, at, goes_on) {
                Some(kept) => push(&mut out, kept),
                None => push(&mut out, word.text()),
            }
        }
        let is_written_down = !goes_on && only_writes(simple);
        for redirection in &simple.redirections {
            push(&mut out, &redirection.descriptor);
            out.push_str(&redirection.operator);
            match (&redirection.body, &redirection.target) {
                // The word that ends it says nothing.
                (Some(body), _) if is_written_down && body.fixed().is_some() => {}
                (Some(body), _) => push(&mut out, body.text()),
                (None, Some(target)) => push(&mut out, target.text()),
                (None, None) => {}
            }
        }
    }
    out
}

fn push(out: &mut String, text: &str) {
    out.push_str(PART);
    out.push_str(&normal(text));
}

/// The replacement for a word that holds text for people; `None` for a word that is compared unchanged.
fn text_for_people(script: &Script, command: usize, at: usize, goes_on: bool) -> Option<&str> {
    let simple = script.commands.get(command)?;
    let word = simple.words.get(at)?;
    let program = shell::program_name(simple.program_word()?.text());
    let is_for_people = || {
        word.fixed().is_some() || {
            let parent = ParentCommand { command, word: Some(at) };
            let mut inner = script.commands.iter().filter(|inner| inner.parent == Some(parent)).peekable();
            inner.peek().is_some() && inner.all(only_says)
        }
    };
    if let Some((option, _)) = word.text().split_once('=')
        && TEXT_OPTIONS.contains(&option)
    {
        return is_for_people().then_some(option);
    }
    let before = at.checked_sub(1).and_then(|before| simple.words.get(before)).map(Word::text)?;
    let is_message = TEXT_OPTIONS.contains(&before) || is_message_option(before) && commits(program, simple);
    let is_printed = has_role(program, ProgramRole::Prints)
        && at > simple.prefix
        && !goes_on
        && word.fixed().is_some_and(|text| text.contains(char::is_whitespace));
    (is_printed || is_message && is_for_people()).then_some("")
}

/// `-m`, or several letters that end in it.
fn is_message_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        letters.ends_with('m') && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
    })
}

/// Whether a message goes with what a command does. Elsewhere `-m` means something else.
fn commits(program: &str, simple: &SimpleCommand) -> bool {
    let mut words = simple.program().iter().skip(1).map(Word::text);
    let mut does = words.next();
    while let Some(option) = does.filter(|word| word.starts_with('-')) {
        if WITH_VALUE.contains(&option) {
            words.next();
        }
        does = words.next();
    }
    has_role(program, ProgramRole::VersionControl) && does.is_some_and(|does| WITH_MESSAGE.contains(&does))
}

/// Whether a command does nothing with what it reads but write it down, or keep it as a message.
fn only_writes(simple: &SimpleCommand) -> bool {
    simple
        .program_word()
        .map(|word| shell::program_name(word.text()))
        .is_some_and(|program| has_role(program, ProgramRole::CopiesInput) || commits(program, simple))
}

/// Whether a command does nothing but say what stands in its heredoc.
fn only_says(simple: &SimpleCommand) -> bool {
    let is_cat = simple.program_word().is_some_and(|word| shell::program_name(word.text()) == "cat");
    let is_fixed = |it: &Redirection| it.body.as_ref().is_some_and(|body| body.fixed().is_some());
    is_cat && simple.redirections.iter().all(is_fixed)
}

/// A text with one blank for every run of blanks, and one digit for every number and every hash.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        for piece in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let part = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            push_normal(&mut out, part);
            out.push_str(&piece[part.len()..]);
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
        SampleCall::bash(command)
    }

    #[test]
    fn calls_that_differ_in_numbers_hashes_blanks_and_texts_for_people_are_one() {
        let same = |a: &str, b: &str| assert_eq!(key(&bash(a)), key(&bash(b)), "{a} | {b}");
        same("git stash  push -m 'one'", "git stash push -m 'two \"x\"'");
        same("git -C a commit -qam \"it's done\" && b", "git -C a commit -qam other && b");
        same(
            "git commit -m \"$(cat <<'EOF'\none\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'\ntwo\n\nlines\nEOF\n)\"",
        );
        same("gh pr create --title 'a b' --body=x", "gh pr create --title c --body='d e'");
        same("git show 3f2a91b", "git show 77aa0123456789");
        same("kill 4711", "kill 12");
        same("sleep 1\n", "sleep 30");
        same("cat > f <<EOF\none\nEOF", "cat > f <<'END'\ntwo\nEND");
        same(r#"echo "a \" b" > f"#, "echo 'c d' > f");
        same("echo 'a'", "echo \"a\"");
        same("git stash # don't ask", "git stash");
        same("psql -c 'select 1'", "psql -c \"select  22\"");
    }

    #[test]
    fn what_makes_a_call_do_something_else_makes_it_another_call() {
        let other = |a: &str, b: &str| assert_ne!(key(&bash(a)), key(&bash(b)), "{a} | {b}");
        other("git stash", "git stash pop");
        other("git add defaced", "git add effaced");
        other("rm -rf build", "rm -rf dist");
        other("psql -c 'select a'", "psql -c 'drop table a'");
        other("bash -c 'ls a'", "bash -c 'rm -rf a'");
        other("python - <<EOF\nprint(a)\nEOF", "python - <<EOF\nos.remove(a)\nEOF");
        other("cat <<EOF | sh\nls\nEOF", "cat <<EOF | sh\nrm -rf a\nEOF");
        other("echo 'ls a' | sh", "echo 'rm a' | sh");
        other("sh <<< 'ls a'", "sh <<< 'rm a'");
        other("git stash # don't\nrm a", "git stash # don't\nls a");
        other("git commit -m \"$(cat a)\" -m \"$(rm b)\"", "git commit -m \"$(cat a)\" -m \"$(rm c)\"");
        other("cat > f <<E\n$(ls a)\nE", "cat > f <<E\n$(rm a)\nE");
        other("git apply <<E\n+a\nE", "git apply <<E\n+b\nE");
        other("git commit -m \"$(git push)\"", "git commit -m \"$(git pull)\"");
        other("git branch -m old new", "git branch -m older new");
        other("python -m pytest", "python -m build");
        other("a && b", "a || b");
        other("a; b", "a | b");
        other("a > f", "a < f");
        other("A=x b", "A=y b");
        other("a 'b c'", "a b c");
        other("((x = y))", "((x = z))");
    }

    #[test]
    fn a_call_has_the_key_of_what_is_kept_of_it() {
        let token = ["gh", "p_0123456789abcdefghijklmnopqrstuvwxyz"].concat();
        for command in ["x --token 12".to_owned(), format!("x --token {token}"), "a\u{200b}b".into()] {
            let call = Call {
                tool: "Bash".into(),
                command: Some(command.into()),
                paths: vec!["/home/me/app/a.ts".into()],
                ..Call::default()
            };
            let roots = ProjectRoots { root: "/home/me/app".into(), main: None };
            assert_eq!(key_of_call(&call, Some(&roots)), key(&sample(&call, Some(&roots))));
        }
    }

    #[test]
    fn an_edit_is_known_by_its_file() {
        let edit = |file: &str, content: &str| {
            key(&SampleCall {
                tool: "Edit".into(),
                file: Some(file.into()),
                content: Some(content.into()),
                ..SampleCall::default()
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
        let roots = ProjectRoots { root: "/home/me/app".into(), main: None };
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
