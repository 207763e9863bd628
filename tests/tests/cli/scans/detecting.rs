//! A mistake that nobody wrote down, from the session to the hook.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use lessons_home::home::Home;
use lessons_ledger::candidates::{Finding, Proposal, SharedOrigin, Sighting};
use lessons_ledger::database::Database;
use lessons_ledger::recording::cursors::Cursor;
use lessons_ledger::recording::{FileScan, ScanItem};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::with_commands;

/// A call of Bash and its result, as the client writes them.
fn call(number: u32, command: &str, error: Option<&str>) -> [Value; 2] {
    let line = |kind: &str, second: u32, block: Value| {
        json!({
            "type": kind, "uuid": format!("00000000-0000-4000-8000-{:012}", number * 2 + second),
            "sessionId": "1d95533e-d41a-40f0-bee4-10d9b84b694c", "cwd": "/srv/app",
            "timestamp": format!("2026-11-20T10:{number:02}:{second:02}.000Z"),
            "message": { "role": kind, "content": [block] },
        })
    };
    let id = format!("toolu_{number}");
    let input = json!({ "command": command });
    let content = error.unwrap_or("done");
    [
        line("assistant", 0, json!({ "type": "tool_use", "id": id, "name": "Bash", "input": input })),
        line(
            "user",
            1,
            json!({ "type": "tool_result", "tool_use_id": id, "content": content,
                                "is_error": error.is_some() }),
        ),
    ]
}

#[test]
fn what_failed_twice_and_then_worked_the_same_way_becomes_a_lesson_with_its_unless() {
    let env = TestEnv::new().without_seeds();
    let scanned = unlock_twice(&env);
    assert!(scanned.contains("1 candidate of mistakes that nobody wrote down."), "{scanned}");
    let listed = env.lessons_json(&["candidates"]);
    assert_eq!((&listed[0]["source"], &listed[0]["confidence"]), (&json!("repeated failure"), &json!(0.5)));
    let id = listed[0]["id"].as_str().expect("an id");
    let shown = said(&env, &env.lessons(&["show", id])).replace(id, "ID");
    assert_snapshot!(shown, @r#"
    exit 0
    candidate ID  found by repeated failure
      mistake   `frob push alpha` fails with exit code 1
      fix       `frob push` worked with `--unlock`: use `frob push alpha --unlock`
      trigger   frob push alpha
      evidence  failed: frob push alpha
      evidence  error: frob: the tree is locked
      evidence  worked: frob push alpha --unlock
      score     0.50: 0.50 a call failed, and one that differs in little did not
      trust     0.5 (detector)
      proposed  cmd=\bfrob\s+push\b
      unless    cmd=(?:^|\s)--unlock\b
      seen      2 times, in 1 session and 1 project
                HOME/.claude/projects/app/session.jsonl:5 (main)
                HOME/.claude/projects/app/session.jsonl:1 (main)
    Next: lessons promote ID, or lessons reject ID
    "#);
    env.must(&["promote", id]);
    let speaks = |command: &str| {
        let payload = json!({
            "session_id": command, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_use_id": "toolu_1",
        });
        String::from_utf8_lossy(&env.hook(&payload).stdout).contains("frob push alpha --unlock")
    };
    assert!(speaks("frob push gamma"), "told where the mistake would be made again");
    assert!(!speaks("frob push gamma --unlock"), "and not where it is not");
}

#[test]
fn who_wants_no_detectors_gets_what_was_written_down_alone() {
    let env = TestEnv::new().without_seeds();
    let refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n\
                   part9 is in use, never drop it";
    let mut lines = call(1, "frob drop part9", Some(refused)).to_vec();
    let text = "#lesson\ntool: Bash\ntrigger: frob push\nmistake: frob push forgets the lock of the tree\n\
                fix: run frob lock before each push\n#/lesson";
    lines.push(json!({
        "type": "assistant", "uuid": "00000000-0000-4000-8000-000000000099", "cwd": "/srv/app",
        "timestamp": "2026-11-20T10:09:00.000Z",
        "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] },
    }));
    env.write_transcript("app/session.jsonl", &lines);
    let settings = env.data().join("config.toml");
    let before = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, format!("{before}scan.detectors = false\n")).expect("settings");
    env.must(&["scan"]);
    let candidates = env.lessons_json(&["candidates"]);
    assert_eq!(candidates.as_array().expect("a list").len(), 1, "{candidates:#}");
    assert_eq!(candidates[0]["mistake"], "frob push forgets the lock of the tree");
}

#[test]
fn a_setting_says_how_many_come_at_once() {
    let env = TestEnv::new().without_seeds();
    let reasons =
        ["the part is in use, never drop it", "always ask Ana first", "no, we archive old orders instead"];
    let refused = |n: u32| {
        let reason = reasons[n as usize - 1];
        let text =
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:";
        call(n, &format!("frob drop part{n}"), Some(&format!("{text}\n{reason}")))
    };
    env.write_transcript("app/session.jsonl", &[refused(1), refused(2), refused(3)].concat());
    let settings = env.data().join("config.toml");
    let before = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, format!("{before}scan.proposals = 2\n")).expect("settings");
    let scanned = env.must(&["scan"]);
    assert!(scanned.contains("1 more left for the next scan"), "{scanned}");
    assert_eq!(env.lessons_json(&["candidates"]).as_array().expect("a list").len(), 2);
    env.must(&["scan"]);
    assert_eq!(env.lessons_json(&["candidates"]).as_array().expect("a list").len(), 3);
}

/// A command that failed because of an option, and the same without it, twice.
fn unlock_twice(env: &TestEnv) -> String {
    let failed = Some("Exit code 1\nfrob: the tree is locked");
    let calls = [
        call(1, "frob push alpha", failed),
        call(2, "frob push alpha --unlock", None),
        call(3, "frob push beta", failed),
        call(4, "frob push beta --unlock", None),
    ];
    env.write_transcript("app/session.jsonl", &calls.concat());
    env.must(&["scan"])
}

#[test]
fn a_bump_of_a_correction_has_the_call_that_was_refused_as_its_example() {
    let env = TestEnv::new().without_seeds();
    let reason = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n\
                  Use `just push` instead of `frob push`";
    env.write_transcript("app/session.jsonl", &call(1, "frob push alpha", Some(reason)));
    env.must(&["scan"]);
    let id = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("a candidate").to_owned();
    let lesson = env.lessons_json(&["promote", &id, "--mode", "bump"])["id"].clone();
    let shown = env.lessons_json(&["show", lesson.as_str().expect("an id")]);
    let example = json!([{"tool": "Bash", "command": "frob push alpha"}]);
    assert_eq!((&shown["lesson"]["examples"]["fires"], &shown["inForce"]), (&example, &json!(true)));
}

#[test]
fn what_slips_through_is_told_by_what_became_of_it() {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Pull with --all.", "--trigger", "cmd=frob pull"]);
    unlock_twice(&env);
    let more = [call(5, "frob pull", Some("Exit code 1\nno")), call(6, "frob list", Some("Exit code 1\nno"))];
    env.write_transcript("app/other.jsonl", &more.concat());
    // A session counts once it is quiet for an hour.
    for name in ["session", "other"] {
        let path = env.transcripts().join(format!("app/{name}.jsonl"));
        let before = SystemTime::now() - Duration::from_hours(2);
        File::options().append(true).open(path).and_then(|file| file.set_modified(before)).expect("its time");
    }
    let reach = || env.lessons_json(&["effect"])["reach"].clone();
    let expected = |waiting: u32, rejected: u32| json!({"calls": 4, "told": 0, "keptQuiet": 1, "waiting": waiting, "rejected": rejected});
    assert_eq!(reach(), expected(2, 0), "both calls that failed and worked another way");
    let id = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("an id").to_owned();
    env.must(&["reject", &id]);
    assert_eq!(reach(), expected(0, 2));
    env.must(&["undo"]);
    env.must(&["promote", &id]);
    let promoted = json!({"calls": 4, "told": 0, "keptQuiet": 3, "waiting": 0, "rejected": 0});
    assert_eq!(reach(), promoted, "a lesson fires there now");
}

#[test]
fn what_a_lesson_in_force_catches_is_not_listed_again() {
    let env = TestEnv::new().without_seeds();
    unlock_twice(&env);
    let waiting =
        |more: &[&str]| env.lessons_json(&[&["candidates"], more].concat()).as_array().map(Vec::len);
    assert_eq!(waiting(&[]), Some(1));
    let rule = ["add", "--rule", "Look at the tree before anything of frob."];
    env.must(&[&rule[..], &["--trigger", r"cmd=\bfrob\b"]].concat());
    assert_eq!(waiting(&[]), Some(1), "a lesson that fires on the way out as well is about something else");
    let rule = ["add", "--rule", "Unlock the tree with each push of frob."];
    env.must(&[&rule[..], &["--trigger", r"cmd=\bfrob push\b", "--unless", "cmd=--unlock"]].concat());
    assert_eq!((waiting(&[]), waiting(&["--all"])), (Some(0), Some(1)));
}

#[test]
fn a_scan_says_how_many_of_its_candidates_wait() {
    let env = TestEnv::new().without_seeds();
    assert!(unlock_twice(&env).ends_with("1 candidate waits for your decision. Next: lessons candidates\n"));
    let env = TestEnv::new().without_seeds();
    let rule = ["add", "--rule", "Unlock the tree with each push of frob."];
    env.must(&[&rule[..], &["--trigger", r"cmd=\bfrob push\b", "--unless", "cmd=--unlock"]].concat());
    assert!(unlock_twice(&env).ends_with("Lessons in force catch all of them\n"));
}

#[test]
fn a_proposal_that_nobody_is_shown_takes_no_room() {
    let env = TestEnv::new().without_seeds();
    unlock_twice(&env);
    let rule = ["add", "--rule", "Unlock the tree with each push of frob."];
    env.must(&[&rule[..], &["--trigger", r"cmd=\bfrob push\b", "--unless", "cmd=--unlock"]].concat());
    let wishes: Vec<Value> = (10..40)
        .map(|number| {
            json!({
                "type": "user", "uuid": format!("00000000-0000-4000-8000-{number:012}"), "cwd": "/srv/app",
                "sessionId": "1d95533e-d41a-40f0-bee4-10d9b84b694c",
                "timestamp": format!("2026-11-20T11:{number}:00.000Z"),
                "message": { "role": "user", "content": format!("from now on use tool{number} for step{number}") },
            })
        })
        .collect();
    env.write_transcript("app/wishes.jsonl", &wishes);
    let settings = env.data().join("config.toml");
    let before = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, format!("{before}scan.proposals = 100\n")).expect("settings");
    env.must(&["scan"]);
    let shown = env.lessons_json(&["candidates"]).as_array().map(Vec::len);
    assert_eq!(shown, Some(25), "as many as a hundred sessions are worth");
}

#[test]
fn a_lesson_is_for_the_project_in_which_its_mistake_was_seen() {
    let env = TestEnv::new().without_seeds();
    let refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n\
                   part9 is in use, never drop it";
    let mut lines = call(1, "frob drop part9", Some(refused)).to_vec();
    for line in &mut lines {
        line["cwd"] = json!(env.project());
    }
    env.write_transcript("app/session.jsonl", &lines);
    env.must(&["scan"]);
    let listed = env.lessons_json(&["candidates"]);
    env.must(&["promote", listed[0]["id"].as_str().expect("an id")]);
    let lessons = env.lessons_json(&["list"]);
    let lesson = env.lessons_json(&["show", lessons[0]["id"].as_str().expect("an id")]);
    let projects = lesson["lesson"]["scope"]["projects"].as_array().map(Vec::len);
    assert_eq!(projects, Some(1), "{lesson:#}");
}

#[test]
fn a_scan_says_what_it_cannot_read_or_does_not_take() {
    let env = TestEnv::new().without_seeds();
    env.write_raw_transcript(
        "app/odd.jsonl",
        b"{\"type\":\"user\"}\nno object\n{\"cut\": 1\n\n{\"type\":\"user\"}\n",
    );
    let report = env.lessons_json(&["scan"]);
    assert_eq!(report["unreadable"], serde_json::json!({"not a JSON object": 2}), "{report}");

    let nowhere = env.lessons(&["scan", "--root", "/nope"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("there is no folder /nope to look through"));

    let settings = env.data().join("config.toml");
    let text = std::fs::read_to_string(&settings).expect("the settings");
    std::fs::write(&settings, format!("{text}[scan]\nproposals = 1000\n")).expect("the settings");
    let warned = env.lessons(&["scan"]);
    let warning = String::from_utf8_lossy(&warned.stderr).into_owned();
    assert!(
        warned.status.success() && warning.contains("`scan.proposals` must be a number from 0 to 100"),
        "{warning}"
    );
}

/// Scans sessions at `folder` in which `frob push` failed and then worked, and also went well four times in other ways.
fn scan_wide_use(env: &TestEnv, folder: &Path) {
    let failed = Some("Exit code 1\nfrob: the tree is locked");
    let mut calls = vec![
        call(1, "frob push alpha", failed),
        call(2, "frob push alpha --unlock", None),
        call(3, "frob push beta", failed),
        call(4, "frob push beta --unlock", None),
    ];
    calls.extend((5..9).map(|n| call(n, &format!("frob push copy{n}"), None)));
    let mut lines = calls.concat();
    for line in &mut lines {
        line["cwd"] = json!(folder);
    }
    env.write_transcript("app/session.jsonl", &lines);
    let quiet: Vec<&str> = std::iter::repeat_n("ls", 250).collect();
    with_commands(env, "other", 1, &quiet);
    env.must(&["scan"]);
}

/// What `lessons show` says of the proposal about `frob push` after it was listed.
fn shown_after_wide_use(env: &TestEnv, folder: &Path) -> String {
    scan_wide_use(env, folder);
    let listed = env.lessons_json(&["candidates"]);
    let entries = listed.as_array().expect("a list");
    let marked = entries.iter().find(|entry| entry["marks"] == json!(["fires-often"]));
    let marked = marked.unwrap_or_else(|| panic!("{listed:#}"));
    env.must(&["show", marked["id"].as_str().expect("an id")])
}

#[test]
fn a_trigger_is_narrowed_to_the_words_at_which_calls_fail() {
    let env = TestEnv::new().without_seeds();
    let failed = Some("Exit code 2\nfrob: peer authentication failed for the given user");
    for session in ["one", "two"] {
        let mut calls: Vec<_> =
            (1..4).map(|n| call(n, &format!("frob push -U ann part{n}"), failed)).collect();
        calls.extend((4..20).map(|n| call(n, &format!("frob push -U bob part{n}"), None)));
        let mut lines = calls.concat();
        for line in &mut lines {
            line["sessionId"] = json!(session);
            line["uuid"] = json!(format!("{session}-{}", line["uuid"].as_str().expect("an id")));
        }
        env.write_transcript(&format!("app/{session}.jsonl"), &lines);
    }
    let quiet: Vec<&str> = std::iter::repeat_n("ls", 3200).collect();
    with_commands(&env, "other", 1, &quiet);
    env.must(&["scan"]);
    let listed = env.lessons_json(&["candidates"]);
    let shown = env.must(&["show", listed[0]["id"].as_str().expect("an id")]);
    assert!(shown.contains(r"proposed  cmd=\bfrob\s+push\b\s(?:[^\n;&|]*\s)?\bann\b"), "{shown}");
}

#[test]
fn what_would_fire_where_nothing_was_wrong_is_said_before_it_is_decided_about() {
    let env = TestEnv::new().without_seeds();
    let shown = shown_after_wide_use(&env, Path::new("/srv/app"));
    let mark = "it fires at 4 of the 256 calls in your sessions that went well; give it a narrower trigger";
    assert!(shown.contains(mark) && shown.contains(r"proposed  cmd=\bfrob\s+push\b"), "{shown}");
}

#[test]
fn what_would_fire_too_often_in_one_project_becomes_a_lesson_for_the_start_of_its_sessions() {
    let env = TestEnv::new().without_seeds();
    std::fs::create_dir_all(env.project().join(".git")).expect("a project");
    let shown = shown_after_wide_use(&env, &env.project());
    let mark = "it had a trigger that fires at 4 of the 256 calls in your sessions that went well, so it is proposed \
                for the start of a session instead";
    assert!(shown.contains(mark) && !shown.contains("proposed  cmd"), "{shown}");
    let id = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("an id").to_owned();
    env.must(&["promote", &id]);
    let store = std::fs::read_to_string(env.data().join("lessons.json")).expect("the store");
    let store: Value = serde_json::from_str(&store).expect("JSON");
    let lesson = store["lessons"].as_object().and_then(|lessons| lessons.values().next()).expect("a lesson");
    let projects = lesson["scope"]["projects"].as_array().map(Vec::len);
    assert_eq!((&lesson["when"], projects), (&json!("session"), Some(1)), "{lesson:#}");
}

#[test]
fn a_candidate_that_proposes_no_lesson_keeps_no_other_from_being_tried() {
    let env = TestEnv::new().without_seeds();
    let trigger = Trigger::new(TriggerKind::CommandPattern, r"\bfrob\b");
    let shared = SharedOrigin { author: "a".into(), event: "e".into(), lesson: json!("no lesson") };
    let finding = Finding {
        source: "shared:peer".into(),
        mistake: "frob is slow".into(),
        fix: "use brof".into(),
        shared: Some(Box::new(shared)),
        proposal: Proposal { triggers: vec![trigger], ..Proposal::default() },
        ..Finding::default()
    };
    let sighting = Sighting { uuid: "u".into(), session: "s".into(), time: 5, ..Sighting::default() };
    let seen = ScanItem::Seen { finding: Box::new(finding), sighting };
    let cursor = Cursor {
        path: "/t/a.jsonl".into(),
        device: 1,
        inode: 1,
        offset: 1,
        line: 1,
        prefix: 1,
        hash: String::new(),
        size: 1,
        changed: 0,
    };
    let mut database = Database::open(&Home::at(env.data())).expect("a database");
    database
        .record_scans(&[FileScan { cursor, found: vec![seen], notes: Vec::new(), beginnings: Vec::new() }], 5)
        .expect("a candidate");
    drop(database);
    shown_after_wide_use(&env, Path::new("/srv/app"));
}

#[test]
fn a_night_tries_what_waits_and_says_so_once() {
    let env = TestEnv::new().without_seeds();
    scan_wide_use(&env, Path::new("/srv/app"));
    let tried = "Tried: 1 candidate would fire at more than one in 100 of the calls that went well, and will come last";
    let night = env.must(&["nightly"]);
    assert!(night.contains(tried), "{night}");
    let night = env.must(&["nightly"]);
    assert!(!night.contains("Tried"), "{night}");
}
