//! Over stores and calls that chance has made, `lessons explain` says what the hook says.

use std::collections::BTreeMap;

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::agreeing::{Dice, Made, decision, explain, input};

/// How many stores are made, each with its own settings.
const STORES: u64 = 4;
/// How many lessons each has.
const LESSONS: usize = 6;
/// How many calls are tried on each.
const CALLS: usize = 25;

fn trigger(dice: &mut Dice) -> Value {
    let verb = dice.one(&["push", "pull", "drop", "wipe", "plan"]);
    let (kind, pattern) = match dice.roll(8) {
        0 => ("keyword", format!("frob {verb}")),
        1 => ("file_glob", dice.one(&["src/**/*.sql", "**/*.ts", "legacy/*"]).to_owned()),
        2 => ("path_pattern", dice.one(&["legacy/", r"\.sql$", "src/"]).to_owned()),
        3 => ("content_pattern", dice.one(&[r":\s*any\b", "string", "^any$"]).to_owned()),
        4 => ("tool", dice.one(&["Bash", "Read", "Task"]).to_owned()),
        5 => ("command_pattern", r"^frob\b.*-n\b".to_owned()),
        _ => ("command_pattern", format!(r"\bfrob\s+{verb}\b")),
    };
    json!({"kind": kind, "pattern": pattern})
}

/// A lesson that chance has made.
fn lesson(dice: &mut Dice, number: usize) -> Value {
    let rule = format!("Mind number {number}: do it the other way, as the plan of this project says.");
    let mut lesson = json!({
        "id": format!("made-{number}"), "rule": format!("{rule} {}", "And so on. ".repeat(dice.roll(30))),
        "mistake": format!("number {number} was done without a look"), "priority": 1 + dice.roll(10),
        "triggers": (0..=dice.roll(2)).map(|_| trigger(dice)).collect::<Vec<_>>(),
    });
    let mut some = |name: &str, value: Value| {
        if dice.roll(4) == 0 {
            lesson[name] = value;
        }
    };
    some("unless", json!([{"kind": "command_pattern", "pattern": r"--safe\b"}]));
    some("also", json!([{"kind": "tool", "pattern": "Bash"}]));
    some("tools", json!(["Bash"]));
    some("subject", json!("executable"));
    some("scope", json!({"agents": ["Explore"]}));
    // One that refuses has to say at what.
    if number == 0 {
        let verb = dice.one(&["push", "drop"]);
        lesson["mode"] = json!("bump");
        lesson["triggers"] = json!([{"kind": "command_pattern", "pattern": format!(r"\bfrob\s+{verb}\b")}]);
        lesson["examples"] = json!({"fires": [{"tool": "Bash", "command": format!("frob {verb} x")}]});
        lesson["also"] = json!([]);
    }
    lesson
}

/// A machine with lessons and settings that chance has made.
fn machine(dice: &mut Dice) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let config = env.data().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let (lessons, bytes) = (1 + dice.roll(3), 256 + dice.roll(900));
    std::fs::write(&config, format!("{text}budget.lessons = {lessons}\nbudget.bytes = {bytes}\n")).unwrap();
    std::fs::create_dir_all(env.project().join(".git")).unwrap();
    for number in 0..LESSONS {
        let lesson = lesson(dice, number);
        let added = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
        assert!(added.status.success(), "{lesson:#}: {}", lessons_tests::env::said(&added));
    }
    env
}

#[test]
fn explain_says_what_the_hook_says_whatever_the_lessons_are() {
    let mut decisions: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..STORES {
        let mut dice = Dice(seed);
        let env = machine(&mut dice);
        let start = env.project().canonicalize().unwrap().to_str().unwrap().to_owned();
        for number in 0..CALLS {
            let (tool, input) = input(&mut dice, &start);
            let agent = (dice.roll(4) == 0).then_some("Explore");
            let id = format!("toolu_{seed}_{number}");
            let session = format!("s-{number}");
            let call = Made { id, session, start: start.clone(), cwd: start.clone(), agent, tool, input };
            let lesson = format!("user/made-{}", dice.roll(LESSONS));
            let shown = || format!("store {seed}, {lesson}: {}", call.payload());
            // It leaves no trace, so the hook comes to the same session after it.
            let explained = explain(&env, &call, &["--lesson", &lesson]);
            let hook = decision(&call.run(&env, "lessons-pre-tool-use", &[]));
            let said = match explained["decision"].as_str().unwrap() {
                "refuse" => "deny",
                other => other,
            };
            let text = explained["text"].as_str().map(str::to_owned);
            assert_eq!((said.to_owned(), text), hook, "{}: {explained:#}", shown());
            let is_told = hook.1.as_ref().is_some_and(|text| text.contains(&lesson));
            assert_eq!(explained["lesson"]["fires"], is_told, "{}: {explained:#}", shown());
            *decisions.entry(hook.0).or_default() += 1;
        }
    }
    for decision in ["silent", "advise", "deny"] {
        assert!(decisions.get(decision).is_some_and(|calls| *calls > 2), "{decisions:?}");
    }
}
