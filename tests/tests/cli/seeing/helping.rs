//! Help, colours, and the names of settings.

use std::fs;
use std::process::Command;

use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;

use crate::said::{said, with_a_lesson};

#[test]
fn help_explains_a_verb_and_lists_all_of_them() {
    let env = TestEnv::new();
    assert_eq!(env.must(&["help"]), env.must(&["--help"]));
    assert_eq!(env.must(&["help", "add"]), env.must(&["add", "--help"]));
    let all = env.must(&["help", "all"]);
    for verb in ["\n  merge ", "\n  forget ", "\n  status ", "\n  completions "] {
        assert!(all.contains(verb), "{all}");
    }
    assert!(env.must(&["--help"]).lines().count() < 35);
    insta::assert_snapshot!(said(&env, &env.lessons(&["help", "frob"])), @r"
    exit 2
    --- stderr
    lessons: there is no verb `frob`; `lessons help all` names them
    ");
}

/// What a program writes to a terminal.
fn on_terminal(command: &Command) -> String {
    let mut terminal = Terminal::start(command, 120, 40);
    assert!(terminal.ends().success());
    terminal.sees("Next: lessons show ID");
    String::from_utf8(terminal.bytes()).expect("text")
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let env = with_a_lesson();
    let mut list = env.command("lessons");
    list.args(["list", "--mine"]).env("TERM", "xterm-256color");
    assert!(on_terminal(&list).contains("\u{1b}[32madvise\u{1b}[0m  \u{1b}[1muser/"));
    list.env("NO_COLOR", "1");
    assert!(!on_terminal(&list).contains('\u{1b}'));
    list.env("NO_COLOR", "").env("TERM", "dumb");
    assert!(!on_terminal(&list).contains('\u{1b}'));
    assert!(!env.must(&["list"]).contains('\u{1b}'), "a program reads no colours");
}

#[test]
fn settings_have_one_style_of_names() {
    let env = with_a_lesson();
    env.must(&["add", "--rule", "Mind the zebra stable.", "--trigger", "kw=zebra stable"]);
    env.must(&["add", "--rule", "Close the zebra gate.", "--trigger", "kw=zebra gate"]);
    let settings = env.data().join("config.toml");
    for one in ["query.limit = 1\n", "[query]\nlimit = 1\n"] {
        fs::write(&settings, one).expect("the settings");
        assert_eq!(env.must(&["query", "zebra"]).lines().count(), 1, "{one}");
        let doctor = said(&env, &env.lessons(&["doctor"]));
        assert!(!doctor.contains("UNKNOWN"), "{one}: {doctor}");
    }
    env.must(&["init"]);
    let written = fs::read_to_string(&settings).expect("the settings");
    assert!(written.contains("tokens = 400") && written.contains("[prune]\nauto = false"), "{written}");
    let keys = written.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key);
    assert!(keys.into_iter().all(|key| key.chars().all(|c| c.is_ascii_lowercase())));
}

#[test]
fn a_verb_that_got_a_better_name_keeps_its_old_one() {
    let env = with_a_lesson();
    let id = "frob-use-frob-push-safe-which";
    assert_eq!(env.must(&["deprecate", "--help"]), env.must(&["retire", "--help"]));
    env.must(&["deprecate", id]);
    assert!(!env.must(&["help", "all"]).contains("deprecate"));
}
