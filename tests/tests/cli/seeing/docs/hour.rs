//! The first hour of a newcomer, screen by screen, in a small and in a large terminal.
//!
//! `cargo test -p lessons-tests --test cli hour -- --nocapture` prints every screen.

#![allow(clippy::print_stdout, reason = "it is there to be read")]

use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;
use serde_json::json;

use super::scene::{self, COMMAND, LESSON};

/// A file of lessons as people keep it.
const KEPT: &str = "# Lessons\n\n## 2026-10-02: migrations\n**Mistake:** two heads broke the deploy\n\
                    **Rule:** Run `alembic heads` before `alembic revision`.\n";

/// What is typed, in its order, with something that the screen says.
const HOUR: [(&[&str], &str); 25] = [
    (&[], "scan"),
    (&["scan"], "1 new candidate"),
    (&["candidates"], "make seed"),
    (&["review"], "candidate 1 of 1"),
    (&["list", "--mine"], LESSON),
    (&["show", "make-seed"], "DB=local"),
    (&["explain", "make", "seed"], LESSON),
    (&["replay", "make-seed"], "fires at 2 of"),
    (&["log", "--fired"], "make-seed"),
    (&["status"], "Today: "),
    (&["search", "staging"], LESSON),
    (&["query", "--cmd", COMMAND], "DB=local"),
    (&["off", "make-seed", "--for", "2h"], "is off until"),
    (&["on", "make-seed"], "is on"),
    (&["edit", "make-seed", "--priority", "7"], "changed"),
    (&["undo"], "make-seed"),
    (&["log"], "make-seed"),
    (&["import", "lessons.md"], "1 new candidate"),
    (&["stats"], "1 lesson of yours"),
    (&["effect"], "no sessions to look at yet"),
    (&["doctor"], "0 errors"),
    (&["peers"], "no key yet"),
    (&["incidents"], "No incidents"),
    (&["retire", "make-seed"], "retired"),
    (&["help", "all"], "Decide"),
];

/// Runs a command in a terminal, answers what it asks, and returns all that it said.
fn screen(env: &TestEnv, words: &[&str], expected: &str, (columns, rows): (u16, u16)) -> String {
    // High enough for what scrolls away on the real one.
    let height = if words == ["review"] { rows } else { 200 };
    let mut said = String::new();
    let mut terminal = Terminal::start(env.command("lessons").args(words), columns, height);
    terminal.sees(expected);
    if words == ["review"] {
        said = terminal.look(vt100::Screen::contents);
        terminal.types("p");
        terminal.sees("2 remind only");
        terminal.types("2");
        terminal.sees("Everything is decided");
        terminal.types("q");
    }
    assert_ne!(terminal.ends().exit_code(), 2, "{words:?}: {terminal:?}");
    said += terminal.look(vt100::Screen::contents).trim_end();
    said
}

#[test]
fn an_hour_of_a_newcomer_in_a_small_and_a_large_terminal() {
    // Printed at the end, so that what fails is not lost among what went well.
    let mut screens = Vec::new();
    for size in [(60, 20), (120, 40)] {
        let env = scene::on(TestEnv::new()).with_variable("TZ", "EST5EDT,M3.2.0,M11.1.0");
        std::fs::write(env.project().join("lessons.md"), KEPT).expect("a file");
        for (words, expected) in HOUR {
            let said = screen(&env, words, expected, size);
            screens.push(format!("\n{} x {}  $ lessons {}\n{said}", size.0, size.1, words.join(" ")));
            assert!(
                !said.contains(" UTC") && !said.contains("00Z"),
                "{words:?}: the person's own time: {said}"
            );
            if words == ["replay", "make-seed"] {
                env.hook(&json!({
                    "session_id": "s", "hook_event_name": "PostToolUse", "cwd": env.project(),
                    "tool_name": "Bash", "tool_input": { "command": COMMAND }, "tool_use_id": "toolu_1",
                }));
            }
        }
    }
    println!("{}", screens.join("\n"));
}
