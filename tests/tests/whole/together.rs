//! Many programs at the same instant, on one data folder.

use std::collections::BTreeSet;
use std::process::{Output, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::journal::{State, ThingKind};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_tests::env::{TestEnv, as_the_client_writes, said};
use serde_json::{Value, json};

/// The payload of a Bash call.
pub(crate) fn call(env: &TestEnv, session: &str, command: &str) -> Value {
    json!({
        "session_id": session,
        "hook_event_name": "PreToolUse",
        "cwd": env.project(),
        "tool_name": "Bash",
        "tool_input": { "command": command },
        "tool_use_id": "toolu_1",
    })
}

/// Starts one hook for each payload, holds their input back until all of them run, and gives it to all at once.
fn hooks_at_once(env: &TestEnv, payloads: &[Value]) -> Vec<Output> {
    let started: Vec<_> = payloads
        .iter()
        .map(|payload| {
            let mut hook = env.command("lessons-pre-tool-use");
            hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            (hook.spawn().expect("a hook"), as_the_client_writes(payload))
        })
        .collect();
    let all_run = Barrier::new(started.len());
    thread::scope(|scope| {
        let release = |(mut hook, payload): (std::process::Child, Vec<u8>)| {
            let all_run = &all_run;
            scope.spawn(move || {
                let mut input = hook.stdin.take().expect("a pipe");
                all_run.wait();
                std::io::Write::write_all(&mut input, &payload).expect("the payload");
                drop(input);
                hook.wait_with_output().expect("a hook ends")
            })
        };
        let running: Vec<_> = started.into_iter().map(release).collect();
        running.into_iter().map(|hook| hook.join().expect("a hook")).collect()
    })
}

#[test]
fn of_24_hooks_of_one_session_exactly_one_tells_the_lesson() {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Use `frob push --safe`.", "--trigger", r"cmd=\bfrob push\b"]);
    for session in ["one", "two", "three", "four", "five"] {
        let answers = hooks_at_once(&env, &vec![call(&env, session, "frob push"); 24]);
        for answer in &answers {
            assert!(answer.status.success() && answer.stderr.is_empty(), "{}", said(answer));
        }
        let told: Vec<_> = answers.iter().filter(|answer| !answer.stdout.is_empty()).collect();
        let [told] = told.as_slice() else { panic!("{} of 24 told it in session {session}", told.len()) };
        assert!(said(told).contains("frob push --safe"), "{}", said(told));
    }
}

#[test]
fn of_24_hooks_of_one_session_each_of_40_lessons_is_told_by_exactly_one() {
    let env = TestEnv::new().without_seeds();
    let trigger = Trigger::new(TriggerKind::Keyword, "frob").id(8);
    let lesson = |number: u32| {
        let rule = format!("Rule {number:02} of frob.");
        let body = json!({
            "rule": rule, "topics": ["frob"], "triggers": [trigger], "evidence": [], "status": "active",
            "createdAt": "2026-01-01",
        });
        (format!("frob-{number:02}"), body)
    };
    let lessons: serde_json::Map<String, Value> = (0..40).map(lesson).collect();
    let store = json!({
        "version": 1, "lessons": lessons, "topics": { "frob": { "summary": "Frob" } },
        "triggers": { &trigger: { "kind": "keyword", "pattern": "frob" } },
    });
    std::fs::write(env.data().join("lessons.json"), store.to_string()).expect("a store");
    env.must(&["accept"]);
    // Three at a call: 24 calls have room for all of them.
    let answers: Vec<String> =
        hooks_at_once(&env, &vec![call(&env, "one", "frob push"); 24]).iter().map(said).collect();
    for number in 0..40 {
        let rule = format!("Rule {number:02} of frob.");
        assert_eq!(answers.iter().filter(|answer| answer.contains(&rule)).count(), 1, "{rule}");
    }
}

/// The ids of the user's own lessons that the manifest holds.
fn in_force(env: &TestEnv) -> BTreeSet<String> {
    let listed = env.lessons_json(&["list"]);
    let ids = listed.as_array().expect("a list").iter().filter_map(|lesson| lesson["id"].as_str());
    ids.filter(|id| id.starts_with("user/")).map(str::to_owned).collect()
}

/// Adds `count` lessons with as many processes at once, and looks for each in the store, the manifest and the journal.
fn add_at_once(count: usize) {
    let env = TestEnv::new().without_seeds();
    let adding: Vec<_> = (0..count)
        .map(|number| {
            let rule = format!("Number {number} is what you should use.");
            // All of them would like the same id: their rules differ, their summaries do not.
            let words =
                ["add", "--rule", &rule, "--summary", "The same words", "--trigger", "kw=frob", "--json"];
            env.command("lessons").args(words).stdout(Stdio::piped()).spawn().expect("lessons starts")
        })
        .collect();
    let added: BTreeSet<String> = adding
        .into_iter()
        .map(|process| {
            let output = process.wait_with_output().expect("lessons ends");
            assert!(output.status.success(), "{}", said(&output));
            let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            answer["id"].as_str().expect("an id").to_owned()
        })
        .collect();
    assert_eq!(added.len(), count, "each has an id of its own: {added:?}");
    assert_eq!(in_force(&env), added);

    let stored = lessons_store::load::lessons(&Home::at(env.data())).expect("the store");
    let rules: BTreeSet<_> = stored.lessons().map(|lesson| lesson.rule.as_str()).collect();
    assert_eq!((stored.lessons().count(), rules.len()), (count, count), "{rules:?}");
    let journal = Database::open(&Home::at(env.data())).unwrap().journal(100).expect("the journal");
    let lessons = journal.iter().filter(|entry| entry.thing.kind == ThingKind::Lesson).count();
    assert_eq!(lessons, count);
    assert!(journal.iter().all(|entry| entry.state == State::Done), "{journal:?}");
}

#[test]
fn two_that_add_at_once_lose_nothing() {
    add_at_once(2);
}

#[test]
fn four_that_add_at_once_lose_nothing() {
    add_at_once(4);
}

#[test]
fn not_one_call_misses_a_block_while_builds_replace_the_manifest() {
    const CALLERS: usize = 2;
    const CALLS: usize = 60;
    const BUILDS: usize = 12;
    let env = TestEnv::new().without_seeds();
    let block = ["--mode", "block", "--trigger", r"cmd=\bfrob wipe\b", "--fires", "frob wipe /"];
    let force = ["--force-block", "there is no past here"];
    env.must(&[&["add", "--rule", "Never wipe with frob."][..], &block, &force].concat());
    env.must(&["add", "--rule", "Frob needs a look first.", "--trigger", "kw=frob"]);

    let (builds, callers) = (AtomicUsize::new(0), AtomicUsize::new(CALLERS));
    thread::scope(|scope| {
        scope.spawn(|| {
            // Every other build has one lesson less, so the bytes change each time.
            for switch in ["off", "on"].into_iter().cycle() {
                if callers.load(Ordering::Relaxed) == 0 {
                    break;
                }
                env.must(&[switch, "user/frob-needs-a-look-first"]);
                builds.fetch_add(1, Ordering::Relaxed);
            }
        });
        for caller in 0..CALLERS {
            let (env, builds, callers) = (&env, &builds, &callers);
            scope.spawn(move || {
                let _done = Countdown(callers);
                let mut number = 0;
                while number < CALLS || builds.load(Ordering::Relaxed) < BUILDS {
                    number += 1;
                    let answer = env.hook(&call(env, &format!("{caller}-{number}"), "frob wipe /home"));
                    let refused = said(&answer).contains(r#""permissionDecision":"deny""#);
                    assert!(answer.status.success() && refused, "call {number}: {}", said(&answer));
                }
            });
        }
    });
}

/// Counts down when a thread is done, also when it panics: whoever waits for it must not wait for ever.
struct Countdown<'a>(&'a AtomicUsize);

impl Drop for Countdown<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
