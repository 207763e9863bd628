//! A lesson that says what another one says already is named with the commands that merge or replace it.

use lessons_tests::env::TestEnv;
use lessons_tests::terminal::Terminal;
use serde_json::{Value, json};

use crate::said::said;

/// The warnings about duplicates that `add` gives.
fn duplicates(env: &TestEnv, rule: &str, trigger: &str) -> Vec<String> {
    let added = env.lessons_json(&["add", "--rule", rule, "--trigger", trigger]);
    let warnings = added["warnings"].as_array().cloned().unwrap_or_default();
    let is_meant = |warning: &&Value| warning["code"] == "DUPLICATE_LESSON";
    warnings
        .iter()
        .filter(is_meant)
        .map(|warning| warning["message"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_same_advice_in_other_words_on_the_same_calls_is_named_and_its_remedies_work() {
    let env = TestEnv::new().without_seeds();
    assert!(duplicates(&env, "use pnpm, never npm", r"cmd=\bnpm\b").is_empty());
    let named = duplicates(&env, "always use pnpm rather than npm", r"cmd=\bnpm\s+(install|i)\b");
    assert_eq!(named.len(), 1, "{named:?}");
    let (old, new) = ("use-pnpm-never-npm", "always-use-pnpm-rather-than");
    assert!(named[0].starts_with(&format!("user/{old} says nearly the same")), "{named:?}");
    for (words, gone) in [(&["merge", new, old][..], new), (&["merge", old, new, "--replace"], old)] {
        assert!(named[0].contains(&format!("lessons {}", words.join(" "))), "{named:?}");
        env.must(words);
        let left = env.must(&["list", "--mine", "--short"]);
        assert!(!left.contains(&format!("user/{gone} ")), "{left}");
        env.must(&["undo"]);
    }
    assert!(
        duplicates(&env, "use pnpm for every npm script of web", r"cmd=\byarn\b").is_empty(),
        "other calls"
    );
    assert!(duplicates(&env, "pin the version of node", r"cmd=\bnpm\b").is_empty(), "other advice");
    // What is told at the start of a session is told before every call.
    let session = env.lessons_json(&["add", "--rule", "here we use pnpm, never npm", "--when", "session"]);
    let named = session["warnings"][0]["message"].as_str().expect("a warning");
    assert!(named.starts_with("user/") && named.contains(" says nearly the same; merge"), "{session}");
}

#[test]
fn the_readmes_own_example_names_the_built_in_lesson() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let named = duplicates(&env, "Use `git stash -u`.", r"cmd=\bgit\s+stash\b");
    assert!(named.iter().any(|text| text.starts_with("seed/git-stash")), "{named:?}");
    let off = named[0].split("lessons off ").nth(1).expect("a command");
    env.must(&["off", off]);
    env.must(&["on", off]);
    env.must(&["undo"]);
}

#[test]
fn a_candidate_names_the_lesson_that_says_the_same() {
    let (env, [plain, _]) = crate::seeing::reading::with_candidates();
    env.must(&[
        "add",
        "--rule",
        "With frob push use --safe, which asks.",
        "--trigger",
        r"cmd=\bfrob\s+push\b",
    ]);
    let promoted = said(&env, &env.lessons(&["promote", &plain]));
    assert!(
        promoted.contains("says nearly the same and fires on the same calls; merge the two: lessons merge"),
        "{promoted}"
    );
}

/// Adds the second of two lessons that say the same, in a terminal of this size, and answers the question about them.
fn answered(env: &TestEnv, (columns, rows): (u16, u16), asked: &str, answer: &str, end: &str) {
    let mut command = env.command("lessons");
    command.args(["add", "--rule", "always use pnpm rather than npm", "--trigger", r"cmd=\bnpm\s+install\b"]);
    let mut terminal = Terminal::start(&command, columns, rows);
    terminal.sees(asked);
    let shown = terminal.look(vt100::Screen::contents);
    assert!(
        !shown.contains("lessons merge") && !shown.contains("lessons off"),
        "asked, so no command: {shown}"
    );
    terminal.types(answer);
    terminal.sees(end);
    assert!(terminal.ends().success());
}

#[test]
fn a_person_at_a_terminal_is_asked_what_becomes_of_the_two() {
    let (old, new) = ("use-pnpm-never-npm", "always-use-pnpm-rather-than");
    let cases = [
        ((60, 20), "m\r", "and replaces it", vec![old]),
        ((120, 40), "r\r", "replaces user", vec![new]),
        ((60, 20), "\r", "both?", vec![new, old]),
    ];
    for (size, answer, end, kept) in cases {
        let env = TestEnv::new().without_seeds();
        env.must(&["add", "--rule", "use pnpm, never npm", "--trigger", r"cmd=\bnpm\b"]);
        answered(&env, size, "both?", answer, end);
        let left = env.lessons_json(&["list", "--mine"]);
        let left: Vec<_> =
            left.as_array().expect("a list").iter().filter_map(|it| it["id"].as_str()).collect();
        assert_eq!(left.len(), kept.len(), "{answer:?}: {left:?}");
        assert!(kept.iter().all(|id| left.contains(&format!("user/{id}").as_str())), "{answer:?}: {left:?}");
    }
}

#[test]
fn a_built_in_lesson_is_kept_or_switched_off_for_the_persons_own() {
    let adds = |env: &TestEnv, answer: &str, end: &str| {
        let mut command = env.command("lessons");
        command.args(["add", "--rule", "Use `git stash -u`.", "--trigger", r"cmd=\bgit\s+stash\b"]);
        let mut terminal = Terminal::start(&command, 120, 40);
        terminal.sees("both?");
        terminal.types(answer);
        terminal.sees(end);
        assert!(terminal.ends().success());
    };
    let env = TestEnv::new();
    env.must(&["build"]);
    adds(&env, "r\r", "retired");
    assert_eq!(env.lessons_json(&["list", "--mine"]), json!([]));
    // Enter for whatever other lesson is like it.
    adds(&env, "s\r\r\r", "is off");
    assert_eq!(env.lessons_json(&["list", "--mine"]).as_array().map(Vec::len), Some(1));
}

/// A line that a person typed.
fn typed(number: u32, text: &str) -> Value {
    json!({
        "type": "user", "uuid": format!("00000000-0000-4000-8000-{number:012}"), "cwd": "/srv/app",
        "sessionId": "1d95533e-d41a-40f0-bee4-10d9b84b694c", "origin": {"kind": "human"}, "promptSource": "typed",
        "timestamp": format!("2026-11-20T10:{number:02}:00.000Z"), "message": {"role": "user", "content": text},
    })
}

/// Each is found by the same detector, which puts the same sentence beside it.
#[test]
fn what_a_detector_writes_around_a_finding_makes_it_like_no_other() {
    let env = TestEnv::new().without_seeds();
    let lines = [
        typed(1, "Remember to run uv sync before the tests."),
        typed(2, "From now on write commit messages in English."),
        typed(3, "Always ask before you touch the staging database."),
    ];
    env.write_transcript("app/session.jsonl", &lines);
    env.must(&["scan"]);
    let listed = env.lessons_json(&["candidates"]);
    let ids: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(ids.len(), 3, "{listed:#}");
    env.must(&["promote", ids[0]]);
    env.must(&["reject", ids[1]]);
    let shown = env.must(&["show", ids[2]]);
    assert!(shown.contains("asked to be remembered") && !shown.contains("says nearly"), "{shown}");
    let near = env.lessons_json(&["review", "--next"]);
    let alike = near.to_string().contains(r#""relation":"nearlyTheSame""#);
    assert!(!alike, "{near:#}");
    let doctor = env.lessons(&["doctor"]);
    assert!(!String::from_utf8_lossy(&doctor.stdout).contains("NEAR_DUPLICATE"));
}
