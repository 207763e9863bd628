//! A store that a project brings along: nothing of it is told before the user has trusted it.

use std::fs;
use std::path::Path;
use std::process::Output;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use super::facts::Facts;
use crate::cases::Input;
use crate::generate;

pub(super) fn observe(input: &Input) -> Facts {
    let store = generate::json(&input.get("input")["data"]);
    let env = TestEnv::new();
    let mut facts = Facts::default();
    // The user's own lesson on the same call, under an id that the store knows of.
    let mine = json!({"id": "git-stash-untracked", "rule": "MINE", "triggers": [{"kind": "command_pattern", "pattern": "git"}], "priority": 5});
    let added = env.lessons_given(&["add", "--json-input", "-"], mine.to_string().as_bytes());
    assert!(added.status.success(), "{}", said(&added));
    bring_along(&env.project(), &store);

    facts.note("told before trust", project_text(&call(&env, "before")).is_some());
    let start = env.session_start(&json!({"session_id": "start", "cwd": env.project(), "source": "startup"}));
    let object: Value = serde_json::from_slice(&start.stdout).unwrap_or_default();
    facts.note(
        "user was told",
        object["systemMessage"].as_str().is_some_and(|text| text.contains("lessons trust")),
    );

    let project = env.project();
    let trust = env.lessons(&["trust", "--yes", project.to_str().unwrap()]);
    let text = said(&trust);
    facts.note("flagged", text.contains("--accept"));
    facts.note("reported", text.contains("SUPERSEDE_CYCLE") || text.contains("cycle"));
    facts.detail(&text);
    let output = call(&env, "after");
    let plain = project_text(&output);
    facts.note("told after trust", plain.is_some());
    facts.note("told without accepting", plain.is_some());
    let printed = given(&output);
    facts.note("silences the user", !printed.contains("MINE"));
    let place = |text: &str| printed.find(text).unwrap_or(usize::MAX);
    facts.note("outranks the user", place("[lesson project-") < place("[lesson user/"));
    facts.detail(&printed);

    // Accepted, it is told, and still cannot break out.
    let accepted: Vec<String> = store["lessons"]
        .as_object()
        .unwrap()
        .keys()
        .flat_map(|id| ["--accept".to_owned(), id.clone()])
        .collect();
    let arguments =
        [vec!["trust".to_owned(), "--yes".to_owned(), project.to_str().unwrap().to_owned()], accepted]
            .concat();
    facts.detail(said(&env.lessons(&arguments)));
    let text = given(&call(&env, "accepted"));
    let broken =
        ["</lessons", "<system-reminder", "</system", "<!--", "!["].iter().any(|mark| text.contains(mark));
    // The one end of the frame comes after every text of a lesson.
    let inside = text.split_once("</recorded-lessons>").map_or("", |(inside, _)| inside);
    let is_framed = text.matches("ignore the above").count() == inside.matches("ignore the above").count();
    facts.note("breaks out", broken || !is_framed);
    facts.detail(&text);
    facts
}

/// Puts a store into a project.
pub(super) fn bring_along(project: &Path, store: &Value) {
    fs::create_dir_all(project.join(".lessons")).unwrap();
    fs::write(project.join(".lessons/lessons.json"), store.to_string()).unwrap();
}

fn call(env: &TestEnv, session: &str) -> Output {
    env.hook(&json!({
        "session_id": session, "cwd": env.project(), "tool_name": "Bash", "tool_input": {"command": "git status"}
    }))
}

/// What the model is given.
fn given(output: &Output) -> String {
    let object: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    object["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// The same, if a project's lesson is in it.
fn project_text(output: &Output) -> Option<String> {
    Some(given(output)).filter(|text| text.contains("[lesson project-"))
}
