//! What the README and docs/ show of the program: the review screen, a blocked call, the verbs.
//!
//! `cargo xtask docs` writes them; without it these tests compare.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use lessons_tests::env::TestEnv;
use lessons_tests::svg;
use lessons_tests::terminal::Terminal;
use serde_json::{Value, json};

use super::scene::{self, COMMAND, LESSON};

/// The variable with which `cargo xtask docs` has the files written.
const WRITE: &str = "LESSONS_WRITE_DOCS";
/// The columns of the picture of a blocked call, and of the space before what a call said.
const COLUMNS: u16 = 96;
const INDENT: usize = 5;

/// A file of the workspace.
pub(super) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

pub(super) fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Compares a file with what the program shows, or writes it.
#[track_caller]
fn is_current(name: &str, now: &str) {
    if std::env::var_os(WRITE).is_some() {
        fs::write(path(name), now).expect("the file");
    }
    assert!(read(name) == now, "{name} is out of date; run `cargo xtask docs`");
}

#[test]
fn the_picture_is_the_review_screen() {
    // What it is like among the built-in lessons changes with these.
    let env = scene::on(TestEnv::new().without_seeds());
    env.must(&["scan"]);
    let mut terminal = Terminal::start(env.command("lessons").arg("review"), 92, 17);
    terminal.sees("DB=local");
    terminal.sees("1 (50 %) failed");
    let picture = terminal.look(|screen| svg::picture(screen, "lessons review: one candidate, and the keys"));
    terminal.types("q");
    terminal.ends();
    is_current("docs/review.svg", &picture);
}

/// What the hook answers to a call of a new session.
fn refusal(env: &TestEnv, session: &str, command: &str) -> Option<String> {
    let call = json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    });
    let answer: Value = serde_json::from_slice(&env.hook(&call).stdout).ok()?;
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().map(str::to_owned)
}

#[test]
fn the_exchange_is_what_the_hook_answers() {
    let env = scene::on(TestEnv::new());
    env.must(&["scan"]);
    let candidate = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("a candidate").to_owned();
    let lesson = env.lessons_json(&["promote", &candidate, "--mode", "bump"])["id"].clone();
    assert!(lesson.as_str().is_some_and(|id| id.starts_with(LESSON)), "{lesson}");
    let blocked = refusal(&env, "next week", COMMAND).expect("the call is blocked");
    assert_eq!(refusal(&env, "next week", "make seed DB=local"), None);
    assert_eq!(refusal(&env, "next week", COMMAND), None, "the same call again is allowed");
    let said = wrapped(&format!("Blocked by a hook:\n{blocked}"), usize::from(COLUMNS) - INDENT);
    let said = said.join(&format!("\r\n{:INDENT$}", ""));
    let drawn = format!(
        "\x1b[31m●\x1b[0m \x1b[1mBash\x1b[0m({COMMAND})\r\n  ⎿  {said}\r\n\r\n\
         \x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(make seed DB=local)\r\n  ⎿  Done"
    );
    let rows = drawn.matches('\n').count() + 1;
    let mut screen = vt100::Parser::new(u16::try_from(rows).expect("rows"), COLUMNS, 0);
    screen.process(drawn.as_bytes());
    is_current(
        "docs/blocked.svg",
        &svg::picture(screen.screen(), "A call that a lesson blocks, and the corrected one"),
    );
}

/// The lines of a text, broken between words.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_inclusive(' ') {
            if line.chars().count() + word.trim_end().chars().count() > columns {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[test]
fn the_list_of_verbs_is_the_help() {
    let env = TestEnv::new();
    let pages = env.lessons_json(&["man"]);
    let pages = pages.as_object().expect("pages by their file name").keys();
    let verbs: Vec<&str> =
        pages.filter_map(|page| page.strip_prefix("lessons-")?.strip_suffix(".1")).collect();
    let all = env.must(&["help", "all"]);
    let mut text = format!(
        "# Every verb\n\n<!-- written by cargo xtask docs -->\n\nThe same texts as `lessons help all` and `lessons help VERB`. \
         Every verb has `--json`, for programs.\n\n```text\n{}\n```\n",
        all.trim_end()
    );
    for verb in &verbs {
        // `schedule-install` is the page of `schedule install`.
        let of = verbs.iter().find_map(|verb_of| verb.strip_prefix(verb_of)?.strip_prefix('-'));
        let words = match of {
            Some(action) => vec![verb.trim_end_matches(action).trim_end_matches('-'), action, "--help"],
            None => vec![*verb, "--help"],
        };
        let help = env.must(&words);
        let _ = write!(
            text,
            "\n## {}\n\n```text\n{}\n```\n",
            words[..words.len() - 1].join(" "),
            help.trim_end()
        );
    }
    is_current("docs/verbs.md", &text);
}
