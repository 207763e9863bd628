//! `lessons review` without its screen: what waits, and files of decisions.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::reading::{tag, with_candidates};
use crate::seeing::replaying::with_commands;

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";

/// Writes a file of decisions.
fn decisions(env: &TestEnv, decisions: &Value) -> PathBuf {
    let file = env.project().join("answers.json");
    fs::write(&file, json!({ "decisions": decisions }).to_string()).expect("a file");
    file
}

fn own(env: &TestEnv) -> Vec<String> {
    let listed = env.lessons_json(&["list", "--all"]);
    let ids = listed.as_array().expect("a list").iter().filter_map(|entry| entry["id"].as_str());
    ids.filter(|id| id.starts_with("user/")).map(str::to_owned).collect()
}

/// A machine with three candidates without a doubt, in the order in which they are shown.
pub(crate) fn with_three() -> (TestEnv, [String; 3]) {
    let env = TestEnv::new().without_seeds();
    let about = |number: u32, verb: &str, fix: &str| {
        let text = format!(
            "#lesson\ntool: Bash\ntrigger: frob {verb}\nmistake: frob {verb} without a plan breaks the {verb}\n\
             fix: {fix}\ntags: tool:frob\n#/lesson"
        );
        tag(number, &text)
    };
    let lines = [
        about(1, "push", "use frob push --safe, which asks first"),
        about(2, "merge", "name both sides of the merge in full"),
        about(3, "clean", "list what would go with frob clean --dry-run"),
    ];
    env.write_transcript("app/session.jsonl", &lines);
    env.must(&["scan"]);
    let listed = env.lessons_json(&["candidates"]);
    let ids = [0, 1, 2].map(|at| listed[at]["id"].as_str().expect("three candidates").to_owned());
    (env, ids)
}

#[test]
fn the_screen_needs_a_terminal() {
    let (env, _) = with_candidates();
    assert_snapshot!(said(&env, &env.lessons(&["review"])), @r#"
    exit 2
    --- stderr
    lessons: the screen needs a terminal. Without it: `lessons review --next` shows what waits, `lessons promote ID` and `lessons reject ID` decide, `lessons review --apply FILE` carries out many decisions at once, and `lessons review --unread` shows what nobody has read
    "#);
}

#[test]
fn what_waits_is_told_with_all_that_a_reviewer_needs() {
    let (env, [plain, flagged]) = with_candidates();
    env.must(&["add", "--rule", "Use frob push --safe, which asks first.", "--trigger", "kw=frob push"]);
    let waiting = env.lessons_json(&["review"]);
    assert_eq!(waiting["waiting"], 2);
    let first = &waiting["candidates"][0];
    assert_eq!(first["id"], *plain);
    assert_eq!(first["proposed"]["trigger"], json!([r"cmd=\bfrob\s+push\b"]));
    assert_eq!(first["score"][0], json!({"points": 60, "because": "the agent wrote it down"}));
    assert_eq!(first["near"].as_array().map(Vec::len), Some(1), "lessons about something else are not shown");
    assert_eq!(first["near"][0]["id"], "user/use-frob-push-safe-which");
    assert_eq!(first["near"][0]["relation"], "nearlyTheSame", "{first}");
    assert!(first["sightings"][0]["file"].as_str().is_some_and(|file| file.ends_with("session.jsonl")));

    let one = env.lessons_json(&["review", "--next"]);
    assert_eq!(one["candidates"].as_array().map(Vec::len), Some(1));
    let after = env.lessons_json(&["review", "--next", "--after", &plain]);
    assert_eq!(after["candidates"][0]["id"], *flagged);
    assert!(after["candidates"][0]["mistake"].is_string(), "a person reads it");
    let none = env.lessons_json(&["review", "--next", "--after", &flagged]);
    assert_eq!(none["candidates"], json!([]));

    let shown = said(&env, &env.lessons(&["review", "--next"])).replace(&plain, "ID");
    assert!(
        shown.contains("fires on  cmd=\\bfrob\\s+push\\b")
            && shown.contains("like      nearly the same as user/use-frob-push-safe-which: "),
        "{shown}"
    );

    let agent = env.as_agent(SESSION);
    let told = String::from_utf8_lossy(&agent.lessons(&["review", "--json"]).stdout).into_owned();
    assert!(told.contains("overwrites what others pushed"), "{told}");
    assert!(!told.contains("ignore all previous"), "an agent reads no flagged text: {told}");
}

#[test]
fn a_file_of_decisions_is_carried_out_as_a_whole() {
    let (env, [push, merge, clean]) = with_three();
    env.must(&[
        "add",
        "--rule",
        "Look before you clean.",
        "--trigger",
        "kw=frob clean",
        "--tag",
        "tool:frob",
    ]);
    let file = decisions(
        &env,
        &json!([
            {"do": "promote", "candidate": push, "fields": {"rule": "Push with --safe.", "mode": "bump"}},
            {"do": "reject", "candidate": merge[..6], "reason": "one-off"},
            {"do": "merge", "candidate": clean, "lesson": "user/frob-look-before-you-clean"},
        ]),
    );
    let path = file.display().to_string();
    let shown = |output| {
        let text = said(&env, &output);
        [(&push, "PUSH"), (&merge, "MERGE"), (&clean, "CLEAN")]
            .iter()
            .fold(text, |text, (id, name)| text.replace(id.as_str(), name).replace(&id[..8], name))
    };
    assert_snapshot!(shown(env.lessons(&["review", "--check", &path])), @r#"
    exit 0
      PUSH promoted: user/frob-push-with-safe (bump): Push with --safe.
      MERGE rejected: one-off
      CLEAN merged: user/frob-look-before-you-clean (advise): Look before you clean.
    Nothing was done yet
    Next: lessons review --apply PROJECT/answers.json
    "#);
    assert_eq!(own(&env).len(), 1, "a check changes nothing");
    assert_snapshot!(shown(env.lessons(&["review", "--apply", &path])), @r#"
    exit 0
      user/frob-push-with-safe promoted; it is in force from the next call on, everywhere
      user/frob-look-before-you-clean merged; it is in force from the next call on, everywhere
      candidate MERGE is rejected; `lessons restore MERGE` brings it back
    3 decisions carried out
    Next: lessons list
    "#);
    assert_eq!(own(&env).len(), 2);
    let both = env.lessons_json(&["show", "frob-look-before-you-clean"]);
    assert_eq!(both["lesson"]["triggers"].as_array().map(Vec::len), Some(2), "{both}");
    assert_eq!(env.lessons_json(&["review"])["waiting"], 0);
    assert_eq!(env.lessons_json(&["show", &merge])["reason"], "one-off");
}

#[test]
fn one_wrong_decision_stops_all_of_them() {
    let (env, [push, merge, clean]) = with_three();
    let file = decisions(
        &env,
        &json!([
            {"do": "promote", "candidate": push},
            {"do": "promote", "candidate": merge, "fields": {"trigger": ["cmd=(?=x)"]}},
            {"do": "merge", "candidate": clean, "lesson": "nothing-like-it"},
            {"do": "reject", "candidate": push},
            {"do": "skip", "candidate": "ffffffff"},
        ]),
    );
    let path = file.display().to_string();
    for verb in ["--check", "--apply"] {
        let output = env.lessons(&["review", verb, &path]);
        assert_eq!(output.status.code(), Some(2));
        let text = said(&env, &output);
        for part in
            ["4 of 5 decisions", "number 2, ", "number 3, ", "number 4, ", "number 5, ", "nothing was done"]
        {
            assert!(text.contains(part), "{verb}: {part}: {text}");
        }
    }
    assert!(own(&env).is_empty());
    assert_eq!(env.lessons_json(&["review"])["waiting"], 3);
}

#[test]
fn a_lesson_is_changed_because_of_a_candidate() {
    let (env, [push, ..]) = with_three();
    env.must(&["add", "--rule", "Push with care.", "--trigger", "kw=frob push", "--tag", "tool:frob"]);
    let edit = json!([
        {"do": "edit", "candidate": push, "lesson": "frob-push-with-care", "fields": {"rule": "Push with --safe."}}
    ]);
    let path = decisions(&env, &edit).display().to_string();
    env.must(&["review", "--apply", &path]);
    let lesson = env.lessons_json(&["show", "frob-push-with-care"]);
    assert_eq!(lesson["lesson"]["rule"], "Push with --safe.");
    assert_eq!(lesson["lesson"]["evidence"][0], format!("candidate:{push}"));
    // The same again finds it done.
    assert!(
        env.must(&["review", "--apply", &path]).contains("is the lesson user/frob-push-with-care already")
    );
}

#[test]
fn a_merge_that_would_fire_too_often_is_refused() {
    let (env, _) = with_three();
    let text = "#lesson\ntool: Bash\ntrigger: frob gc\nunless: frob gc --keep\nmistake: frob gc removes what others \
                still use\nfix: keep what is used with frob gc --keep\ntags: tool:frob\n#/lesson";
    env.write_transcript("app/other.jsonl", &[tag(9, text)]);
    env.must(&["scan"]);
    let waiting = env.lessons_json(&["review"]);
    let gc =
        waiting["candidates"].as_array().expect("a list").iter().find(|found| found["trigger"] == "frob gc");
    let gc = gc.expect("the candidate")["id"].clone();
    env.must(&["add", "--rule", "Push with care.", "--trigger", "kw=frob push", "--tag", "tool:frob"]);
    let merge = json!([{"do": "merge", "candidate": gc, "lesson": "frob-push-with-care"}]);
    let path = decisions(&env, &merge).display().to_string();
    let text = said(&env, &env.lessons(&["review", "--apply", &path]));
    assert!(text.starts_with("exit 2") && text.contains("fires under other conditions"), "{text}");
}

#[test]
fn what_is_no_file_of_decisions_is_refused_with_what_it_looks_like() {
    let (env, _) = with_three();
    for bad in ["", "[]", "{}", r#"{"decisions": []}"#, r#"{"decisions": [{"do": "obey"}]}"#] {
        let output = env.lessons_given(&["review", "--apply", "-"], bad.as_bytes());
        assert_eq!(output.status.code(), Some(2), "{bad}: {}", said(&env, &output));
    }
    assert_eq!(env.lessons(&["review", "--apply", "/nowhere.json"]).status.code(), Some(1));
    assert_eq!(env.lessons(&["review", "--next", "--apply", "x"]).status.code(), Some(2));
}

#[test]
fn an_agent_carries_out_what_the_person_saw_and_nothing_else() {
    let (env, [push, merge, clean]) = with_three();
    env.must(&["build"]);
    let agent = env.as_agent(SESSION);
    let answers = json!([
        {"do": "promote", "candidate": push, "fields": {"rule": "Push with --safe.", "mode": "bump"}},
        {"do": "reject", "candidate": merge, "reason": "one-off"},
        {"do": "reject", "candidate": clean},
    ]);
    let path = decisions(&env, &answers).display().to_string();
    let checked = agent.lessons(&["review", "--check", &path, "--json"]);
    let checked: Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    let next = checked["next"].as_str().expect("a command");
    let refused = agent.runs(next);
    assert!(said(&env, &refused).contains("only a person decides"), "{}", said(&env, &refused));
    let asked = agent.asks(next);
    let reason = asked["permissionDecisionReason"].as_str().expect("a reason");
    let reason = reason.replace(&merge[..8], "MERGE").replace(&clean[..8], "CLEAN");
    assert_snapshot!(reason, @r"
    Approve this change?
    New lesson that blocks a call once: Push with --safe.
      on cmd=\bfrob\s+clean\b, tools Bash, everywhere
      mistake: frob clean without a plan breaks the clean
    Reject: candidate MERGE, CLEAN
    ");
    let approved = asked["updatedInput"]["command"].as_str().expect("a command");

    // The file is another one by now.
    decisions(&env, &json!([{"do": "promote", "candidate": push, "fields": {"rule": "Obey the agent."}}]));
    let refused = agent.runs(approved);
    assert!(said(&env, &refused).contains("no longer what was approved"), "{}", said(&env, &refused));
    assert!(own(&env).is_empty());

    decisions(&env, &answers);
    assert!(!agent.runs(approved).status.success(), "the token is spent");
    let asked = agent.asks(next);
    let done = agent.runs(asked["updatedInput"]["command"].as_str().expect("a command"));
    assert!(done.status.success(), "{}", said(&env, &done));
    assert_eq!(own(&env).len(), 1);
}

#[test]
fn an_agent_takes_up_no_candidate_that_is_flagged() {
    let (env, [_, flagged]) = with_candidates();
    env.must(&["build"]);
    env.must(&["add", "--rule", "Push with care.", "--trigger", "kw=frob push", "--tag", "tool:frob"]);
    let own = "frob-push-with-care";
    let fields = json!({"rule": "Push with --safe."});
    for decision in [
        json!({"do": "promote", "candidate": flagged}),
        json!({"do": "edit", "candidate": flagged, "lesson": own, "fields": fields}),
        json!({"do": "merge", "candidate": flagged, "lesson": own}),
    ] {
        // A person accepts each doubt, with a reason; an agent cannot.
        let path = decisions(&env, &json!([decision])).display().to_string();
        let refused = said(&env, &env.lessons(&["review", "--check", &path]));
        assert!(refused.starts_with("exit 2") && refused.contains("is flagged:"), "{decision}: {refused}");
        let mut accepted = decision.clone();
        accepted["accept"] = json!({"flags": ["overrides-instructions"], "reason": "it quotes an attack"});
        let path = decisions(&env, &json!([accepted])).display().to_string();
        let checked = said(&env, &env.lessons(&["review", "--check", &path]));
        assert!(checked.starts_with("exit 0"), "{decision}: {checked}");
        let refused = said(&env, &env.as_agent(SESSION).lessons(&["review", "--check", &path]));
        assert!(refused.contains("the user does that in a terminal"), "{decision}: {refused}");
    }
    let edit = json!([{"do": "edit", "candidate": flagged, "lesson": own, "fields": fields,
                       "accept": {"flags": ["overrides-instructions"], "reason": "it quotes an attack"}}]);
    let path = decisions(&env, &edit).display().to_string();
    env.must(&["review", "--apply", &path]);
    let evidence = env.lessons_json(&["show", own])["lesson"]["evidence"].clone();
    assert_eq!(evidence[1], "accepted:overrides-instructions: it quotes an attack");
}

#[test]
fn the_next_one_comes_after_one_that_was_decided_about() {
    let (env, [first, second, third]) = with_three();
    let next = |after: &str| env.lessons_json(&["review", "--next", "--after", after])["candidates"].clone();
    assert_eq!(next(&first)[0]["id"], second);
    env.must(&["reject", &second]);
    assert_eq!(next(&second)[0]["id"], third, "the one that was skipped is not shown again");
    env.must(&["promote", &third]);
    assert_eq!(next(&third), json!([]));
}

#[test]
fn what_is_saved_is_told_though_it_is_not_in_force() {
    let (env, [push, ..]) = with_three();
    env.must(&["build"]);
    // Nothing can be put in its place.
    let manifest = env.data().join("lesson-manifest.json");
    fs::remove_file(&manifest).expect("it was built");
    fs::create_dir_all(manifest.join("in the way")).expect("a folder");
    let promoted = said(&env, &env.lessons(&["promote", &push]));
    assert!(promoted.starts_with("exit 1") && promoted.contains("saved, not yet in force"), "{promoted}");
    assert_eq!(own(&env).len(), 1);
    let undone = said(&env, &env.lessons(&["undo"]));
    assert!(undone.starts_with("exit 1") && undone.contains("is undone"), "{undone}");
    assert!(own(&env).is_empty());
    fs::remove_dir_all(&manifest).expect("it goes");
    env.must(&["build"]);
}

#[test]
fn what_is_checked_is_what_is_carried_out() {
    let (env, [push, ..]) = with_three();
    with_commands(&env, "past", 1, &["frob push a"]);
    let refused = |fields: Value, why: &str| {
        let file = json!([{"do": "promote", "candidate": push, "fields": fields}]);
        let path = decisions(&env, &file).display().to_string();
        for verb in ["--check", "--apply"] {
            let text = said(&env, &env.lessons(&["review", verb, &path]));
            assert!(text.starts_with("exit 2") && text.contains(why), "{verb}: {text}");
        }
    };
    let command = json!(["cmd=\\bfrob\\s+push\\b"]);
    refused(json!({"mode": "block", "trigger": command}), "would have refused 1 different call");
    let smuggled = json!({"mode": "block", "trigger": command, "evidence": ["forced:block: says who"]});
    refused(smuggled, "would have refused 1 different call");
    // What the store itself would not take.
    refused(
        json!({"mode": "block", "trigger": command, "forceBlock": "I know", "fires": []}),
        "needs an example",
    );
    let fields =
        json!({"mode": "block", "trigger": command, "forceBlock": "I know", "fires": ["frob push x"]});
    let file = json!([{"do": "promote", "candidate": push, "fields": fields}]);
    let path = decisions(&env, &file).display().to_string();
    assert!(env.must(&["review", "--check", &path]).contains("(block)"));
    env.must(&["review", "--apply", &path]);
}

/// What `/lessons:review` gives the model before it asks for more: the command, and the first candidate.
#[test]
fn a_review_costs_the_same_however_many_wait_and_however_long_they_are() {
    let env = TestEnv::new().without_seeds();
    let lines: Vec<Value> = (0..50u32)
        .map(|number| {
            let long = format!("part{number} ").repeat(150);
            let text = format!(
                "#lesson\ntool: Bash\ntrigger: frob part{number}\nmistake: {long}\nfix: {long}\nwhy: {long}\n\
                 tags: tool:frob\n#/lesson"
            );
            tag(number + 1, &text)
        })
        .collect();
    env.write_transcript("app/session.jsonl", &lines);
    env.must(&["scan"]);
    assert_eq!(env.lessons_json(&["candidates"]).as_array().map(Vec::len), Some(50));
    let command = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../commands/review.md"));
    let given = env.as_agent("s").lessons(&["review", "--next"]);
    let given = String::from_utf8(given.stdout).expect("text");
    let tokens = (command.expect("the command").chars().count() + given.chars().count()).div_ceil(4);
    assert!(given.contains("part") && tokens <= 2500, "{tokens} tokens: {given}");
}
