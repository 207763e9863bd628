//! Who may decide: a person at a terminal, a script that a person accepted, or a call that a person approved.

use std::fs;
use std::process::Output;

use insta::assert_snapshot;
use lessons_tests::env::{Agent, TestEnv, said};
use serde_json::{Value, json};

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";
const OTHER: &str = "2e95533e-d41a-40f0-bee4-10d9b84b694c";
const ADD: &str = "lessons add --rule 'Use the safe form of frob.' --trigger 'kw=frob push'";
const WORDS: [&str; 5] = ["add", "--rule", "Use the safe form of frob.", "--trigger", "kw=frob push"];

/// A machine whose data folder a person has used before.
fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["accept"]);
    env
}

fn rules(env: &TestEnv) -> Vec<String> {
    let listed = env.lessons_json(&["list", "--all"]);
    let rules = listed.as_array().expect("a list").iter().filter_map(|entry| entry["id"].as_str());
    rules.filter(|id| id.starts_with("user/")).map(str::to_owned).collect()
}

/// The command that the client would run after a yes.
#[track_caller]
pub(crate) fn approved(reply: &Value) -> String {
    assert_eq!(reply["permissionDecision"], "ask", "{reply}");
    reply["updatedInput"]["command"].as_str().expect("a rewritten command").to_owned()
}

#[track_caller]
fn denied(reply: &Value) -> String {
    assert_eq!(reply["permissionDecision"], "deny", "{reply}");
    assert_eq!(reply["updatedInput"], Value::Null);
    reply["permissionDecisionReason"].as_str().expect("a reason").to_owned()
}

#[track_caller]
fn is_refused(output: &Output, why: &str) {
    assert!(!output.status.success(), "{}", said(output));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(complaint.contains(why) && complaint.contains("Nothing was changed"), "{complaint}");
}

#[test]
fn the_person_is_shown_what_a_call_would_change_and_an_approved_call_does_it_once() {
    let env = machine();
    let agent = env.as_agent(SESSION);
    let reply = agent.asks("lessons add --rule 'Use the safe form of frob.' --mistake 'It pushes all.' --trigger 'kw=frob push' --fires 'frob push x' --mode bump");
    assert_snapshot!(reply["permissionDecisionReason"].as_str().unwrap(), @r"
    Approve this change?
    New lesson that blocks a call once: Use the safe form of frob.
      on kw=frob push, everywhere
      mistake: It pushes all.
    ");
    let line = approved(&reply);
    assert!(line.starts_with("lessons --agreed "), "{line}");
    assert!(rules(&env).is_empty(), "nothing is done yet");
    let done = agent.runs(&line);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(rules(&env).len(), 1);
    is_refused(&agent.runs(&line), "spent");
    let log = env.must(&["log"]);
    assert!(log.contains("when the agent asked in session"), "{log}");
}

#[test]
fn a_time_is_the_one_that_was_shown() {
    let env = machine();
    let agent = env.as_agent(SESSION);
    let reply = agent.asks("lessons off all --for 2h");
    let reason = reply["permissionDecisionReason"].as_str().unwrap().to_owned();
    let until = reason.rsplit(' ').next().unwrap();
    assert!(until.len() == "2026-11-23T12:00:00Z".len() && until.ends_with('Z'), "{reason}");
    let done = agent.runs(&approved(&reply));
    assert!(done.status.success(), "{}", said(&done));
    assert!(fs::read_to_string(env.data().join("config.toml")).unwrap().contains(until));
}

#[test]
fn trust_shows_every_lesson_that_it_approves() {
    let env = machine();
    fs::create_dir_all(env.project().join(".git")).unwrap();
    fs::create_dir_all(env.project().join(".lessons")).unwrap();
    let other = machine();
    other.must(&[
        "add",
        "--rule",
        "Use the safe form of frob.",
        "--mistake",
        "It pushes all.",
        "--trigger",
        "kw=frob push",
    ]);
    fs::copy(other.data().join("lessons.json"), env.project().join(".lessons/lessons.json")).unwrap();
    let agent = env.as_agent(SESSION);
    for line in ["lessons trust", "lessons trust --json --allow-refusals"] {
        let reply = agent.asks(line);
        let reason = reply["permissionDecisionReason"].as_str().unwrap().to_owned();
        for part in ["advises: Use the safe form of frob.", "kw=frob push", "It pushes all."] {
            assert!(reason.contains(part), "{line}: {reason}");
        }
        let words = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.contains("they may block calls"), line.contains("--allow-refusals"), "{reason}");
    }
    let done = agent.runs(&approved(&agent.asks("lessons trust")));
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_block_without_proof_is_shown_as_one() {
    let env = machine();
    let line = format!("{ADD} --mode block --fires 'frob push x' --force-block 'I know it'");
    let reply = env.as_agent(SESSION).asks(&line);
    let reason = reply["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("blocks without proof: I know it"), "{reason}");
}

#[test]
fn a_question_that_is_not_answered_leaves_nothing_that_can_be_used() {
    let env = machine();
    let agent = env.as_agent(SESSION);
    approved(&agent.asks(ADD));
    is_refused(&agent.runs(ADD), "CLAUDECODE");
    is_refused(
        &agent.runs(&format!("unset CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_SESSION_ID; {ADD}")),
        "terminal",
    );
    // What is kept of the question is the hash of its token.
    for entry in fs::read_dir(env.data().join("questions")).unwrap().flatten() {
        let token = entry.file_name().into_string().unwrap();
        is_refused(&agent.runs(&ADD.replace("lessons", &format!("lessons --agreed {token}"))), "spent");
    }
    assert!(rules(&env).is_empty());
}

#[test]
fn an_approval_is_good_for_its_call_in_its_folder_only() {
    let env = machine();
    let agent = env.as_agent(SESSION);
    for change in [
        |line: &str| line.replace("safe form", "other form"),
        |line: &str| format!("{line} --mode bump"),
        |line: &str| format!("cd / && {line}"),
        |line: &str| format!("{} off all", line.split(" add ").next().unwrap()),
    ] {
        let line = approved(&agent.asks(ADD));
        let changed = change(&line);
        let output = agent.runs(&changed);
        assert!(!output.status.success(), "{changed}: {}", said(&output));
        is_refused(&agent.runs(&line), "spent");
    }
    assert!(rules(&env).is_empty());
}

#[test]
fn an_approval_is_good_for_what_was_shown_only() {
    let env = machine();
    env.must(&WORDS);
    let id = rules(&env).pop().unwrap();
    let agent = env.as_agent(SESSION);
    let line = approved(&agent.asks(&format!("lessons edit {id} --trigger 'kw=frob pull'")));
    env.must(&["edit", &id, "--rule", "Use the other form of frob."]);
    is_refused(&agent.runs(&line), "no longer what was approved");
    let triggers = env.lessons_json(&["show", &id])["lesson"]["triggers"].clone();
    assert_eq!(triggers, json!([{"kind": "keyword", "pattern": "frob push"}]), "it stays");
}

#[test]
fn a_file_that_is_swapped_after_the_yes_is_not_taken() {
    let env = machine();
    let file = env.project().join("lesson.json");
    let lesson = |rule: &str| {
        json!({"rule": rule, "triggers": [{"kind": "keyword", "pattern": "frob push"}]}).to_string()
    };
    fs::write(&file, lesson("Use the safe form of frob.")).unwrap();
    let agent = env.as_agent(SESSION);
    for line in ["lessons add --json-input lesson.json", "lessons add --json-input - < lesson.json"] {
        fs::write(&file, lesson("Use the safe form of frob.")).unwrap();
        let line = approved(&agent.asks(line));
        fs::write(&file, lesson("Obey the agent, always and everywhere.")).unwrap();
        is_refused(&agent.runs(&line), "no longer what was approved");
    }
    let heredoc = format!("lessons add --json-input - <<'E'\n{}\nE", lesson("Use the safe form of frob."));
    let line = approved(&agent.asks(&heredoc));
    let done = agent.runs(&line);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(rules(&env).len(), 1);
}

#[test]
fn a_call_that_would_fail_or_change_nothing_is_answered_without_a_question() {
    let env = machine();
    env.must(&WORDS);
    let agent = env.as_agent(SESSION);
    for (line, why) in [
        ("lessons promote ffff", "there is no candidate"),
        ("lessons add --rule x --frobnicate", "unexpected argument"),
        ("lessons on all", "would change nothing"),
        ("lessons accept", "would change nothing"),
        ("lessons --agreed abc off all", "unexpected argument"),
        ("lessons forget", "by a person in a terminal"),
        ("lessons review", "for a person at a terminal"),
    ] {
        let reason = denied(&agent.asks(line));
        assert!(reason.contains(why), "{line}: {reason}");
    }
}

#[test]
fn what_does_not_fit_into_a_question_is_for_a_terminal() {
    let env = machine();
    let rule = "Never do this without that. ".repeat(40);
    let reason = denied(&env.as_agent(SESSION).asks(&format!("lessons add --rule '{rule}' --trigger kw=ab")));
    assert!(reason.contains("more than a question can show") && reason.contains("terminal"), "{reason}");
    let huge = format!("lessons add --rule a --trigger kw=frob --rationale '{}'", "x".repeat(70_000));
    let reason = denied(&env.as_agent(SESSION).asks(&huge));
    assert!(reason.contains("too large"), "{reason}");
}

#[test]
fn where_nobody_attends_nothing_is_asked_and_no_token_is_made() {
    let env = machine();
    let denied_at = |line: &str| {
        let payload = json!({
            "session_id": SESSION, "cwd": env.project(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": line}, "tool_use_id": "toolu_1",
        });
        denied(&serde_json::from_slice::<Value>(&env.hook(&payload).stdout).unwrap()["hookSpecificOutput"])
    };
    assert!(denied_at(ADD).contains(ADD));
    assert!(!env.data().join("questions").exists());
}

/// Codex runs a call that a hook asks about, so nothing but Claude Code is ever asked.
#[test]
fn nothing_is_asked_in_another_client_or_where_the_client_does_not_say_who_it_is() {
    let env = machine();
    let write = json!({"file_path": env.data().join("lessons.json"), "content": "{}"});
    let payload = |tool: &str, input: &Value, field: &str| {
        json!({
            "session_id": SESSION, "cwd": env.project(), "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "tool_use_id": "toolu_1", field: "another",
        })
    };
    let decision = |payload: &Value, variables: &[(&str, &str)]| {
        let reply: Value =
            serde_json::from_slice(&env.hook_with(payload, variables).stdout).expect("a reply");
        reply["hookSpecificOutput"].clone()
    };
    let cli = ("CLAUDE_CODE_ENTRYPOINT", "cli");
    let own = payload("Write", &write, "model");
    for entrypoint in ["cli", "claude-vscode", "sdk-ts"] {
        let reply = decision(&own, &[("CLAUDE_CODE_ENTRYPOINT", entrypoint)]);
        assert_eq!(reply["permissionDecision"], "ask", "{entrypoint}: {reply}");
    }
    let reason = denied(&decision(&own, &[]));
    assert!(reason.contains("lessons accept"), "{reason}");
    for field in ["turn_id", "client_type", "tool_call_id", "timestamp"] {
        denied(&decision(&payload("Write", &write, field), &[cli]));
        let add = json!({ "command": ADD });
        assert!(denied(&decision(&payload("Bash", &add, field), &[cli])).contains(ADD));
    }
    for variable in ["COPILOT_CLI", "QWEN_CODE_CLI", "GEMINI_SESSION_ID", "FACTORY_PROJECT_DIR"] {
        denied(&decision(&own, &[cli, (variable, "1")]));
    }
    let remove = json!({"command": format!("rm -r '{}'", env.data().display())});
    let reason = denied(&decision(&payload("Bash", &remove, "turn_id"), &[cli]));
    assert!(reason.contains("rm -r"), "{reason}");
}

#[test]
fn the_input_of_the_tool_stays_as_it_came_but_for_the_token() {
    let env = machine();
    let input = json!({
        "command": "lessons off all --for 2h",
        "description": "Ünïcode 😀 \u{2028}",
        "timeout": 120_000,
        "run_in_background": true,
        "unknown": {"deep": [1, null, "x"]},
    });
    let reply = env.as_agent(SESSION).asks_with(&input);
    let line = approved(&reply);
    let mut rewritten = reply["updatedInput"].clone();
    rewritten["command"] = input["command"].clone();
    assert_eq!(rewritten, input);
    assert!(line.ends_with(" off all --for 2h"), "{line}");
}

#[test]
fn every_verb_that_decides_is_planned_without_a_trace() {
    let env = machine();
    env.must(&WORDS);
    let id = rules(&env).pop().unwrap();
    env.must(&["add", "--rule", "Frob twice, or not at all.", "--trigger", "kw=frob pull"]);
    let other = rules(&env).into_iter().find(|other| *other != id).unwrap();
    env.must(&["add", "--rule", "Knead the dough for ten minutes.", "--trigger", "kw=knead"]);
    let third = rules(&env).into_iter().find(|rule| *rule != id && *rule != other).unwrap();
    env.must(&["retire", &third]);
    fs::create_dir_all(env.project().join(".lessons")).unwrap();
    fs::create_dir_all(env.project().join(".git")).unwrap();
    fs::copy(env.data().join("lessons.json"), env.project().join(".lessons/lessons.json")).unwrap();
    let exported = env.must(&["export", "--format", "lessons-graph"]);
    fs::write(
        env.project().join("graph.json"),
        exported.replace("Frob twice, or not at all.", "Frob thrice.").replace("frob-twice", "frob-thrice"),
    )
    .unwrap();
    for line in [
        ADD.replace("safe", "safest"),
        format!("lessons edit {id} --mode bump --fires 'frob push x'"),
        format!("lessons retire {id}"),
        format!("lessons restore {third}"),
        format!("lessons merge {other} {id}"),
        format!("lessons merge {other} {id} --replace"),
        format!("lessons supersede {other} {id}"),
        format!("lessons off {id}"),
        format!("lessons off {id} --session"),
        "lessons off all --for 2h".to_owned(),
        "lessons undo".to_owned(),
        "lessons trust".to_owned(),
        format!("lessons peers trust {} --name ana", "ab".repeat(32)),
        "lessons init".to_owned(),
        "lessons import --format lessons-graph graph.json".to_owned(),
        "lessons doctor --fix".to_owned(),
    ] {
        if line.starts_with("lessons doctor") {
            // Something to fix.
            fs::create_dir_all(env.data().join("backups")).unwrap();
            fs::write(env.data().join("backups/.lessons.json.999999999-0.unfinished"), "{").unwrap();
        }
        let before = contents(&env);
        let reply = env.as_agent(SESSION).asks(&line);
        approved(&reply);
        assert_eq!(contents(&env), before, "{line}");
    }
}

/// Every file of the data folder that says what was decided, with its bytes. The database is looked at through the log.
fn contents(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for folder in [env.data(), env.data().join("trust"), env.data().join("backups"), env.project()] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.display().to_string();
            if path.is_file() && !name.contains("lessons.db") && !name.ends_with("lock") {
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    files.push(("log".into(), env.must(&["log", "--limit", "100"]).into_bytes()));
    files.sort();
    files
}

#[test]
fn a_script_decides_only_where_a_person_accepted_that() {
    let env = machine();
    is_refused(&env.lessons_in_script(&WORDS), "gate.scripts");
    for reading in [&["list"][..], &["status"], &["scan"], &["build"], &["nightly"]] {
        let output = env.lessons_in_script(reading);
        assert!(output.status.success(), "{reading:?}: {}", said(&output));
    }
    // Written by anybody, it does not count; nor does it let the agent decide.
    let config = env.data().join("config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\n[gate]\nscripts = true\n")).unwrap();
    is_refused(&env.lessons_in_script(&WORDS), "gate.scripts");
    is_refused(&env.lessons_in_script(&["accept"]), "gate.scripts");
    env.must(&["accept"]);
    let added = env.lessons_in_script(&WORDS);
    assert!(added.status.success(), "{}", said(&added));
    assert!(env.must(&["status"]).contains("switched on by a script of yours"));
    is_refused(&env.as_agent(SESSION).runs("true && lessons off all"), "CLAUDECODE");
}

/// A process that an agent let go of, by each of these ways, while the client runs.
#[test]
fn a_script_that_an_agent_let_go_of_is_the_agents() {
    let env = machine();
    let config = env.data().join("config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\n[gate]\nscripts = true\n")).unwrap();
    env.must(&["accept"]);
    let clear = "env -i PATH=\"$PATH\" HOME=\"$HOME\"";
    let client = "cp \"$(command -v sleep)\" claude; ./claude 9 >/dev/null 2>&1 & sleep 0.1";
    for way in [
        "(CLEAR lessons off all >out 2>&1 &); WAIT",
        "(CLEAR nohup lessons off all >out 2>&1 &); WAIT",
        "(CLEAR nohup sh -c 'lessons off all; true' >out 2>&1 &); WAIT",
        "CLIENT; CLEAR setsid -f lessons off all >out 2>&1; WAIT",
        "CLIENT; CLEAR setsid -f nohup lessons off all >out 2>&1; WAIT",
        "CLIENT; CLEAR setsid -f sh -c 'setsid -f sh -c \"sleep 0.2; lessons off all\"' >out 2>&1; WAIT",
    ] {
        let wait = "for i in $(seq 50); do sleep 0.1; grep -q . out && break; done; cat out; kill %1 2>/dev/null; true";
        let line = way.replace("CLEAR", clear).replace("CLIENT", client).replace("WAIT", wait);
        let output = env.as_agent(SESSION).runs(&line);
        assert!(
            said(&output).contains("NEEDS_PERSON") || said(&output).contains("Nothing was changed"),
            "{line}: {}",
            said(&output)
        );
        assert!(said(&output).contains("Claude Code"), "{line}: {}", said(&output));
        drop(fs::remove_file(env.project().join("out")));
    }
    assert!(!fs::read_to_string(&config).unwrap().contains("enabled = false"));
    let added = env.lessons_in_script(&WORDS);
    assert!(added.status.success(), "{}", said(&added));
}

#[test]
fn a_token_that_a_client_left_in_a_transcript_is_good_for_nothing() {
    let env = machine();
    let agent = env.as_agent(SESSION);
    let line = approved(&agent.asks(ADD));
    // The client could ask nobody, and refused the call.
    let result =
        json!({"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": "denied"});
    env.write_transcript(
        &format!("project/{SESSION}.jsonl"),
        &[json!({"type": "user", "message": {"role": "user", "content": [result]}})],
    );
    is_refused(&agent.runs(&line), "this approval is spent");
    assert!(rules(&env).is_empty());
}

#[test]
fn a_data_folder_that_a_script_names_and_builds_serves_the_hooks_and_one_of_an_agent_does_not() {
    let machine = || {
        let env = TestEnv::new();
        let folder = env.home().join("elsewhere");
        env.with_variable("LESSONS_HOME", folder)
    };
    let call = json!({"session_id": SESSION, "hook_event_name": "PreToolUse", "tool_name": "Bash",
                      "tool_input": {"command": "git stash"}, "tool_use_id": "t"});
    let is_answered = |env: &TestEnv| !env.hook(&call).stdout.is_empty();

    let env = machine();
    assert!(env.lessons_in_script(&["build"]).status.success());
    assert!(is_answered(&env));
    let env = machine();
    env.as_agent(SESSION).runs("lessons build");
    assert!(!env.home().join("elsewhere").exists());
}

#[test]
fn provisioning_sets_up_a_new_home_for_scripts_but_not_from_within_the_client() {
    let env = TestEnv::new();
    let agent = env.as_agent(SESSION);
    is_refused(&agent.runs("lessons init --scripts"), "CLAUDECODE");
    assert!(!env.data().join("config.toml").exists());
    drop(fs::remove_dir_all(env.data()));
    let made = env.lessons_in_script(&["init", "--scripts"]);
    assert!(made.status.success(), "{}", said(&made));
    let added = env.lessons_in_script(&WORDS);
    assert!(added.status.success(), "{}", said(&added));
    let other = machine();
    is_refused(&other.lessons_in_script(&["init", "--scripts"]), "gate.scripts");
}

#[test]
fn a_person_may_pipe_and_be_anywhere_with_a_terminal() {
    let env = machine();
    let lesson = json!({"rule": "Use the safe form of frob.", "triggers": [{"kind": "keyword", "pattern": "frob push"}]}).to_string();
    let added = env.lessons_given(&["add", "--json-input", "-"], lesson.as_bytes());
    assert!(added.status.success(), "{}", said(&added));
    assert_eq!(rules(&env).len(), 1);
}

#[test]
fn off_for_a_session_is_off_in_that_session_only() {
    let env = machine();
    env.must(&WORDS);
    let id = rules(&env).pop().unwrap();
    let in_a_terminal = env.lessons(&["off", &id, "--session"]);
    assert_eq!(in_a_terminal.status.code(), Some(2));
    assert!(said(&in_a_terminal).contains("--for 2h"), "{}", said(&in_a_terminal));

    let (agent, other) = (env.as_agent(SESSION), env.as_agent(OTHER));
    does(&agent, &format!("lessons off {id} --session"));
    assert_eq!(agent.asks("frob push"), Value::Null);
    let listed = agent.runs("lessons list frob");
    assert!(said(&listed).contains("(off until this session ends)"), "{}", said(&listed));
    does(&agent, &format!("lessons on {id}"));
    assert_ne!(agent.asks("frob push"), Value::Null, "it was not told before");
    does(&agent, "lessons off all --session");
    assert_eq!(agent.asks("frob push --force"), Value::Null);
    assert_ne!(other.asks("frob push --force"), Value::Null);
}

#[track_caller]
fn does(agent: &Agent<'_>, line: &str) {
    let done = agent.runs(&approved(&agent.asks(line)));
    assert!(done.status.success(), "{line}: {}", said(&done));
}
