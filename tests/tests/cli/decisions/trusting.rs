//! What a person sees of a project's lessons before they trust it, and why some of them are not in force.

use std::fs;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

/// A project whose store has these lessons, each with the trigger that it names: `wipe`, `push` or `late`.
fn with_lessons(lessons: &Value) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    bring(&env, lessons);
    env
}

fn bring(env: &TestEnv, lessons: &Value) {
    let trigger = |pattern: &str| json!({ "kind": "command_pattern", "pattern": pattern });
    let graph = json!({
        "version": 1, "lessons": lessons, "topics": { "frob": { "summary": "Frob" } },
        "triggers": { "wipe": trigger("frob wipe"), "push": trigger("frob push"), "late": trigger("frob late") },
    });
    let folder = env.project().join(".lessons");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("lessons.json"), graph.to_string()).expect("a store");
}

fn lesson(rule: &str, trigger: &str, more: &Value) -> Value {
    let mut lesson = json!({
        "rule": rule, "topics": ["frob"], "triggers": [trigger], "evidence": [], "status": "active",
        "createdAt": "2026-01-01",
    });
    lesson.as_object_mut().expect("a lesson").extend(more.as_object().expect("fields").clone());
    lesson
}

/// What `lessons trust` shows, without asking.
fn shown(env: &TestEnv) -> String {
    String::from_utf8(env.lessons(&["trust"]).stdout).expect("text")
}

#[test]
fn all_of_a_lesson_is_shown_that_trust_brings_into_force() {
    let more = json!({
        "mistake": "It wipes the disk.", "rationale": "There is no undo.", "mode": "block", "tools": ["Bash"],
        "unless": ["push"], "summary": "Do not wipe.",
    });
    let long = format!("Never wipe with frob{}.", ", not even a little".repeat(80));
    let env = with_lessons(&json!({ "guard": lesson(&long, "wipe", &more) }));
    let text = shown(&env);
    for line in [
        "new      guard",
        "  + mode       block",
        "  + mistake    It wipes the disk.",
        "  + rationale  There is no undo.",
        "  + summary    Do not wipe.",
        "  + trigger    cmd=frob wipe",
        "  + unless     cmd=frob push",
        "  + tool       Bash",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
    assert!(text.contains(&format!("  + rule       {long}\n")), "nothing is cut: {text}");
    assert!(!text.contains("approved before"), "nothing was approved before: {text}");
    let json = env.lessons_json(&["trust", "--yes"]);
    assert_eq!(json["wasApproved"], false);
    assert_eq!(json["differences"][0]["id"], "guard");
    assert_eq!(
        json["differences"][0]["fields"][1],
        json!({ "field": "rule", "before": [], "after": [long] }),
        "{json}"
    );
}

#[test]
fn what_is_approved_again_is_shown_as_a_difference() {
    let env = with_lessons(&json!({
        "guard": lesson("Never wipe.", "wipe", &json!({})), "same": lesson("Push.", "push", &json!({})),
        "gone": lesson("Go.", "late", &json!({})),
    }));
    env.must(&["trust", "--yes"]);
    assert!(shown(&env).contains("3 lessons, as you approved them before."));
    bring(
        &env,
        &json!({
            "guard": lesson("Wipe as you like.", "late", &json!({ "mode": "bump" })),
            "same": lesson("Push.", "push", &json!({})),
        }),
    );
    let text = shown(&env);
    let expected = "Against what you approved before:\nremoved  gone\n  - mode       advise\n  - rule       Go.\n  \
                    - trigger    cmd=frob late\n  - topic      frob\nchanged  guard\n  - mode       advise\n  + mode       bump\n  \
                    - rule       Never wipe.\n  + rule       Wipe as you like.\n  - trigger    cmd=frob wipe\n  \
                    + trigger    cmd=frob late\n";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("same"), "what is the same needs no second look: {text}");
}

#[test]
fn a_lesson_that_is_not_in_force_after_all_is_named_with_the_reason() {
    let failing = json!({ "examples": { "fires": [{ "tool": "Bash", "command": "frob nothing" }] } });
    let env = with_lessons(&json!({
        "good": lesson("Push.", "push", &json!({})), "bad": lesson("Wipe.", "wipe", &failing),
        "retired": lesson("Old.", "late", &json!({ "status": "deprecated" })),
    }));
    let text = said(&env.lessons(&["trust", "--yes"]));
    assert!(text.contains("bad is not in force: ") && text.contains("frob nothing"), "{text}");
    assert!(!text.contains("good is not") && !text.contains("retired is not"), "{text}");
    env.must(&["untrust"]);
    let json = env.lessons_json(&["trust", "--yes"]);
    assert_eq!(json["notInForce"][0]["id"], "bad", "{json}");
    assert_eq!(json["notInForce"].as_array().map(Vec::len), Some(1), "{json}");
}

#[test]
fn lessons_of_another_tool_in_an_older_layout_are_named() {
    for layout in [".lessons", ".agentsmesh/lessons"] {
        let env = TestEnv::new().without_seeds();
        let folder = env.project().join(layout);
        fs::create_dir_all(folder.join("topics")).expect("a folder");
        let index = "version: 1\nclusters:\n- topic: present\n  file: topics/present.md\n  summary: Present.\n  triggers:\n    \
                     file_globs: ['src/**']\n    command_patterns: []\n    keywords: []\n";
        fs::write(folder.join("index.yaml"), index).expect("an index");
        let refused = env.lessons(&["trust"]);
        let text = said(&refused);
        assert!(!refused.status.success() && text.contains(&format!("{layout}/index.yaml")), "{text}");
        let command = format!("lessons import {}", folder.display());
        assert!(text.contains(&command), "{text}");
        bring(&env, &json!({ "good": lesson("Push.", "push", &json!({})) }));
        assert!(shown(&env).contains(&format!("{layout}/index.yaml")), "beside a store too");
    }
}

#[test]
fn the_command_that_ends_trust_is_one_that_can_be_pasted() {
    let env = with_lessons(&json!({ "late": lesson("Frob late.", "late", &json!({})) }));
    let folder = env.home().join("we b");
    fs::create_dir_all(&folder).expect("a folder");
    fs::rename(env.project().join(".lessons"), folder.join(".lessons")).expect("another project");
    let trusted = said(&env.lessons_in(&folder, &["trust", "--yes"]));
    let untrust = format!("to end it lessons untrust '{}'\n", folder.display());
    assert!(trusted.contains(&untrust), "{trusted}");
}
