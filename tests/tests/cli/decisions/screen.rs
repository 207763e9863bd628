//! The screen of `lessons review` in a terminal, with every key.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lessons_tests::controlling_terminal::in_terminal;
use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{Winsize, openpty};
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::seeing::reading::{tag, with_candidates};

const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";
const HOME: &str = "\x1b[H";
const PAGE_UP: &str = "\x1b[5~";
const PAGE_DOWN: &str = "\x1b[6~";
const CTRL_C: &str = "\x03";
const CTRL_L: &str = "\x0c";
const CTRL_Z: &str = "\x1a";
const BACKSPACE: &str = "\x7f";

/// What each of many candidates is about; no two say nearly the same.
const ABOUT: [&str; 10] =
    ["anchor", "basket", "candle", "dragon", "engine", "feather", "garden", "hammer", "island", "jacket"];

/// A machine with so many candidates, and sessions in which what they are about was run.
fn with(number: usize) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let lines: Vec<Value> = (0..number)
        .map(|at| {
            let word = ABOUT[at % ABOUT.len()];
            let verb = format!("{word}{at}");
            let text = format!(
                "#lesson\ntool: Bash\ntrigger: frob {verb}\nmistake: {verb} {word} broke the {word} of {verb}\n\
                 fix: {verb} wants {word} --{verb} before {verb}\ntags: tool:frob\n#/lesson"
            );
            tag(u32::try_from(at).expect("few") + 1, &text)
        })
        .collect();
    env.write_transcript("app/session.jsonl", &lines);
    env.must(&["scan"]);
    env
}

/// The same machine with an editor that runs this script on its file.
pub(crate) fn with_editor(env: TestEnv, script: &str) -> TestEnv {
    let editor = env.home().join("editor");
    fs::write(&editor, format!("#!/bin/sh\n{script}\n")).expect("an editor");
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).expect("a program");
    let name = editor.display().to_string();
    env.with_variable("EDITOR", name)
}

pub(crate) fn review(env: &TestEnv) -> Terminal {
    review_in(env, 80, 24)
}

fn review_in(env: &TestEnv, columns: u16, rows: u16) -> Terminal {
    let mut command = env.command("lessons");
    command.arg("review");
    Terminal::start(&command, columns, rows)
}

pub(crate) fn own(env: &TestEnv) -> Vec<Value> {
    let listed = env.lessons_json(&["list", "--all"]);
    let ids = listed.as_array().expect("a list").iter().filter_map(|entry| entry["id"].as_str());
    ids.filter(|id| id.starts_with("user/"))
        .map(|id| env.lessons_json(&["show", id])["lesson"].clone())
        .collect()
}

fn waiting(env: &TestEnv) -> usize {
    env.lessons_json(&["candidates"]).as_array().expect("a list").len()
}

#[test]
fn fifty_candidates_are_decided_with_at_most_three_keys_each() {
    let env = with(50);
    let mut terminal = review(&env);
    terminal.sees("candidate 1 of 50");
    let mut keys = 0;
    for at in 0..50 {
        let typed = ["p", "r1", "r3", "r\r"][at % 4];
        terminal.types(typed);
        keys += typed.len();
        if at < 49 {
            terminal.sees(&format!("candidate {} of 50", at + 2));
        }
    }
    assert!(keys <= 150);
    terminal.sees("Everything is decided");
    terminal.types("q");
    assert!(terminal.ends().success());
    terminal.is_put_back();
    terminal.sees("13 promoted, 0 merged, 37 rejected; 0 candidates still waiting");
    assert_eq!((own(&env).len(), waiting(&env)), (13, 0));
}

#[test]
fn every_key_does_what_the_screen_says() {
    let env = with_editor(
        with(6),
        r"sed -i 's/^fires on:.*/fires on: cmd=nothing-like-it\nfires on: kw=frob candle/' $1",
    );
    env.must(&["add", "--rule", "Frob with care.", "--trigger", "kw=frob anchor", "--tag", "tool:frob"]);
    let mut terminal = review_in(&env, 80, 12);
    terminal.sees("candidate 1 of 6");
    for key in ["p promote", "e edit", "m merge", "r reject", "s skip", "u undo", "? help", "q quit"] {
        terminal.sees(key);
    }
    // To and fro, and up and down.
    for (key, seen) in [
        ("n", "candidate 2 of 6"),
        ("b", "candidate 1 of 6"),
        (RIGHT, "candidate 2 of 6"),
        (LEFT, "candidate 1 of 6"),
        ("?", "undo the latest decision"),
        ("x", "mistake"),
        ("h", "undo the latest decision"),
        (ESCAPE, "mistake"),
        (" ", "seen in"),
        (HOME, "3 lines below"),
        (PAGE_DOWN, "seen in"),
        (PAGE_UP, "3 lines below"),
        ("j", "2 lines below"),
        ("k", "3 lines below"),
        (DOWN, "2 lines below"),
        (UP, "3 lines below"),
        (CTRL_L, "candidate 1 of 6"),
    ] {
        terminal.types(key);
        terminal.sees(seen);
    }
    // What is not chosen changes nothing.
    for (key, seen) in [
        ("r", "Reject it, because"),
        (ESCAPE, "p promote"),
        ("m", "Merge into which lesson?"),
        (ESCAPE, "p promote"),
    ] {
        terminal.types(key);
        terminal.sees(seen);
    }
    // Promote, and take it back.
    terminal.types("p");
    terminal.sees("it is in force");
    assert_eq!(own(&env).len(), 2);
    terminal.types("u");
    terminal.sees("waits again");
    assert_eq!((own(&env).len(), waiting(&env)), (1, 6));
    // Merge, and take it back, and merge again.
    terminal.types("m1");
    terminal.sees("user/frob-frob-with-care merged");
    terminal.types("u");
    terminal.sees("waits again");
    assert_eq!(own(&env)[0]["triggers"].as_array().map(Vec::len), Some(1));
    terminal.types("m1");
    terminal.sees("user/frob-frob-with-care merged");
    // Reject in one's own words, and take it back.
    terminal.types("r6");
    terminal.sees("Enter done");
    terminal.types(&format!("too narroe{BACKSPACE}w{ENTER}"));
    terminal.sees("is rejected");
    terminal.types("u");
    terminal.sees("waits again");
    terminal.types("r2");
    terminal.sees("is rejected");
    // Edit, and see what it would be before it is saved.
    terminal.sees("candidate 3 of 6");
    terminal.types("e");
    terminal.sees("edited, not saved yet");
    terminal.types("jjjj");
    terminal.sees("kw=frob candle");
    terminal.types("p");
    terminal.sees("it is in force");
    // Skip, and come back to it at the end.
    terminal.types("s");
    terminal.sees("candidate 5 of 6");
    terminal.types("ps");
    terminal.sees("That was the last one. 2 candidates skipped.");
    terminal.types(ENTER);
    terminal.sees("candidate 4 of 6");
    terminal.types(CTRL_C);
    assert!(terminal.ends().success());
    terminal.is_put_back();
    let lessons = own(&env);
    assert_eq!(lessons.len(), 3);
    let edited = lessons.iter().find(|lesson| lesson["triggers"].to_string().contains("nothing-like-it"));
    let triggers = edited.expect("the lesson that was edited")["triggers"].to_string();
    assert!(triggers.contains("frob candle"), "{triggers}");
    assert_eq!(waiting(&env), 2);
}

#[test]
fn what_an_edit_would_do_is_shown_as_soon_as_the_editor_closes() {
    let env =
        with_editor(with(1), r"sed -i 's/^fires on:.*/fires on: cmd=^frob\\b/; s/^rule:.*/rule: x/' $1");
    let call = |number: u32, command: &str| {
        let input = serde_json::json!({ "command": command });
        let content = serde_json::json!([{"type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": input}]);
        let mut line = tag(100 + number, "");
        line["message"]["content"] = content;
        line
    };
    env.write_transcript(
        "app/calls.jsonl",
        &[call(1, "frob anchor0 now"), call(2, "frob sail"), call(3, "ls")],
    );
    let mut terminal = review_in(&env, 100, 30);
    terminal.sees("would have fired at 1 of 3 calls, in 1 session");
    terminal.sees("frob anchor0 now");
    terminal.types("e");
    terminal.sees("edited, not saved yet");
    terminal.sees("would have fired at 2 of 3 calls");
    terminal.sees("warning ");
    terminal.types("u");
    terminal.sees("would have fired at 1 of 3 calls");
    terminal.types("q");
    terminal.ends();
    terminal.is_put_back();
    assert_eq!((own(&env).len(), waiting(&env)), (0, 1), "nothing was saved");
}

#[test]
fn what_would_be_refused_is_said_before_it_is_promoted() {
    let env = with_editor(with(1), "sed -i 's/^rule:.*/rule: Frob with care./' $1");
    env.must(&["add", "--rule", "Frob with care.", "--trigger", "kw=frob anchor", "--tag", "tool:frob"]);
    let mut terminal = review(&env);
    terminal.sees("candidate 1 of 1");
    terminal.types("e");
    terminal.sees("p would be refused: this is a duplicate");
    terminal.types("q");
    terminal.ends();
}

#[test]
fn a_form_with_a_mistake_comes_back_and_changes_nothing() {
    let env = with_editor(with(1), "sed -i 's/^mode:.*/mode: shout/' $1");
    let mut terminal = review(&env);
    terminal.sees("candidate 1 of 1");
    terminal.types("e");
    terminal.sees("mode: must be one of advise, bump, block");
    terminal.types("q");
    terminal.ends();
    terminal.is_put_back();
}

#[test]
fn a_flagged_candidate_is_promoted_with_a_reason() {
    let (env, [_, flagged]) = with_candidates();
    let mut terminal = review(&env);
    terminal.sees("candidate 1 of 2");
    terminal.types("n");
    terminal.sees("overrides-instructions");
    terminal.types("p");
    terminal.sees("It may become a lesson anyway");
    terminal.types("4");
    terminal.sees("Enter done");
    terminal.types(&format!("quoted from a page{ENTER}"));
    terminal.sees("it is in force");
    terminal.types("q");
    assert!(terminal.ends().success());
    let evidence = own(&env)[0]["evidence"].to_string();
    assert!(evidence.contains(&flagged) && evidence.contains("quoted from a page"), "{evidence}");
}

#[test]
fn what_cannot_be_done_is_said_and_waits() {
    let env = with(2);
    let fix = env.lessons_json(&["candidates"])[0]["fix"].as_str().expect("a fix").to_owned();
    env.must(&["add", "--rule", &fix, "--trigger", "kw=frob"]);
    let mut terminal = review(&env);
    terminal.sees("candidate 1 of 2");
    terminal.types("p");
    terminal.sees("this is a duplicate");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 1);
    terminal.sees("2 candidates still waiting");
    assert_eq!(waiting(&env), 2);
}

#[test]
fn it_begins_where_the_person_left() {
    let env = with(3);
    let mut terminal = review(&env);
    terminal.sees("candidate 1 of 3");
    terminal.types("s");
    terminal.sees("candidate 2 of 3");
    terminal.types("q");
    terminal.ends();
    let mut again = review(&env);
    again.sees("candidate 2 of 3");
    again.types("ppp");
    again.sees("Everything is decided");
    again.types("q");
    again.ends();
    let mut done = review(&env);
    done.sees("nothing waits for you");
    assert!(done.ends().success());
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was_and_saves_what_was_decided() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
        let env = with(2);
        let mut terminal = review(&env);
        terminal.sees("candidate 1 of 2");
        terminal.types("p");
        terminal.sees("candidate 2 of 2");
        terminal.signal(signal);
        let status = terminal.ends();
        assert!(status.signal().is_some(), "it ends by the signal: {status:?}");
        terminal.is_put_back();
        assert_eq!((own(&env).len(), waiting(&env)), (1, 1), "{signal}");
    }
}

#[test]
fn where_the_terminal_goes_away_the_screen_ends_and_keeps_its_place() {
    let env = with(3);
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    let pty = openpty(Some(&size), None).expect("a terminal");
    for end in [&pty.master, &pty.slave] {
        fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).expect("an end that no program inherits");
    }
    let here = || Stdio::from(pty.slave.try_clone().expect("the terminal again"));
    let lessons = env.command("lessons");
    let mut command = Command::new(lessons.get_program());
    command.env_clear().envs(lessons.get_envs().filter_map(|(name, value)| Some((name, value?))));
    in_terminal(command.current_dir(env.project()), pty.slave.try_clone().expect("the terminal again"));
    command.arg("review").env("TERM", "xterm-256color").stdin(here()).stdout(here()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a program");
    drop((command, pty.slave));
    let mut terminal = File::from(pty.master);
    let mut seen = vt100::Parser::new(24, 80, 0);
    see(&mut terminal, &mut seen, "candidate 1 of 3");
    terminal.write_all(b"s").expect("a keyboard");
    see(&mut terminal, &mut seen, "candidate 2 of 3");
    drop(terminal);

    let until = Instant::now() + Duration::from_mins(1);
    let status = loop {
        if let Some(status) = child.try_wait().expect("a program") {
            break status;
        }
        if Instant::now() > until {
            child.kill().expect("it still runs");
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert!(!status.success(), "{status}");
    review(&env).sees("candidate 2 of 3");
}

/// Reads until a text is seen.
fn see(terminal: &mut File, seen: &mut vt100::Parser, text: &str) {
    let mut piece = [0; 4096];
    while !seen.screen().contents().contains(text) {
        let read = terminal.read(&mut piece).expect("what it draws");
        seen.process(&piece[..read]);
    }
}

#[test]
fn a_panic_speaks_on_a_terminal_that_was_put_back() {
    for (key, said) in [("x", "something went wrong"), ("t", "something went wrong beside the screen")] {
        let env = TestEnv::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_panicking-screen"));
        command.current_dir(env.project());
        let mut terminal = Terminal::start(&command, 100, 24);
        terminal.waits_until("the screen is there", vt100::Screen::alternate_screen);
        terminal.types(&format!("{key}\n"));
        assert!(!terminal.ends().success());
        terminal.is_put_back();
        terminal.sees(said);
    }
}

#[test]
fn it_stops_and_goes_on_in_a_shell() {
    let env = with_editor(with(2), "kill -TSTP 0; sed -i 's/^rule:.*/rule: Frob with care./' $1");
    let mut command = Command::new("/bin/bash");
    command.args(["--norc", "--noprofile", "-i"]).current_dir(env.project());
    let lessons = env.command("lessons");
    command.env("LESSONS", lessons.get_program()).env("PS1", "ready> ").env("PATH", "/usr/bin:/bin");
    for (name, value) in lessons.get_envs().filter(|(name, _)| *name != "PATH") {
        command.env(name, value.unwrap_or_default());
    }
    let mut terminal = Terminal::start(&command, 80, 24);
    terminal.sees("ready>");
    terminal.types("\"$LESSONS\" review\n");
    terminal.sees("candidate 1 of 2");
    for _ in 0..2 {
        terminal.types(CTRL_Z);
        terminal.waits_until("the shell is back", |screen| {
            !screen.alternate_screen() && screen.contents().contains("Stopped")
        });
        terminal.types("stty -a | grep -c ' icanon'; echo then\n");
        terminal.sees("then");
        terminal.types("clear; fg\n");
        terminal.waits_until("the screen is back", |screen| {
            screen.alternate_screen() && screen.contents().contains("candidate 1 of 2")
        });
    }
    // An editor that is stopped stops the review with it.
    terminal.types("e");
    terminal.waits_until("the shell is back", |screen| {
        !screen.alternate_screen() && screen.contents().contains("Stopped")
    });
    terminal.types("clear; fg\n");
    terminal.sees("edited, not saved yet");
    terminal.types("p");
    terminal.sees("candidate 2 of 2");
    terminal.types("q");
    terminal.waits_until("the shell is ready", |screen| {
        let contents = screen.contents();
        contents.contains("1 promoted") && contents.trim_end().ends_with("ready>")
    });
    terminal.types("exit\n");
    terminal.ends();
}

#[test]
fn another_size_is_drawn_anew() {
    let env = with(1);
    let mut terminal = review(&env);
    terminal.sees("q quit");
    for (columns, rows) in [(40, 16), (20, 5), (120, 40), (80, 24)] {
        terminal.resize(columns, rows);
        terminal.sees(if columns == 20 { "Too small" } else { "candidate 1 of 1" });
        if columns > 20 {
            terminal.sees("quit");
        }
    }
    terminal.types("q");
    terminal.ends();
    terminal.is_put_back();
}

#[test]
fn without_colour_no_colour_is_written() {
    let coloured = |env: &TestEnv| {
        let mut terminal = review(env);
        terminal.sees("no session on this machine has a call");
        terminal.types("q");
        terminal.ends();
        let text = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        // 30 to 49 and 90 to 107 are colours; 39 and 49 put the usual ones back.
        let numbers = text
            .split("\x1b[")
            .skip(1)
            .filter_map(|rest| rest.split_once('m'))
            .flat_map(|(it, _)| it.split(';'));
        let is_colour = |number: u16| matches!(number, 30..=38 | 40..=48 | 90..=107);
        numbers.filter_map(|number| number.parse().ok()).any(is_colour)
    };
    assert!(coloured(&with(1)), "the test sees colours");
    assert!(!coloured(&with(1).with_variable("NO_COLOR", "1")));
}

#[test]
fn where_there_is_no_screen_it_says_what_to_type() {
    let env = with(1).with_variable("TERM", "dumb");
    let mut terminal = review(&env);
    terminal.sees("TERM=dumb");
    terminal.sees("lessons review --next");
    assert_eq!(terminal.ends().exit_code(), 2);
    terminal.is_put_back();
}
