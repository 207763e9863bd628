//! A text gone from every copy.

use std::fs;

use insta::assert_snapshot;
use lessons_tests::env::{TestEnv, said};
use serde_json::json;

use crate::said;

const SECRET: &str = "zebra-account 9";

fn tag(uuid: &str, mistake: &str) -> serde_json::Value {
    let text = format!(
        "#lesson\ntool: Bash\ntrigger: frob push\nmistake: {mistake}\nfix: use frob push --safe, which asks\n#/lesson"
    );
    json!({
        "type": "assistant", "uuid": uuid, "sessionId": "s", "timestamp": "2026-11-20T10:00:00.000Z", "cwd": "/srv",
        "message": { "role": "assistant", "model": "m", "content": [{ "type": "text", "text": text }] },
    })
}

/// A machine on which the text stands in two lessons, a candidate, the journal and copies of last night.
fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let lines = [
        tag("u1", "frob push as zebra-account 9 overwrites what others pushed"),
        tag("u2", "frob push overwrites the tags of others"),
    ];
    env.write_transcript("app/s.jsonl", &lines);
    env.must(&["scan"]);
    env.must(&["add", "--rule", "Never frob as ZEBRA-account  9 at night.", "--trigger", "kw=frob night"]);
    env.must(&[
        "add",
        "--rule",
        "Ask before you log in there.",
        "--trigger",
        r"cmd=login\s+zebra-account\s+9",
    ]);
    env.must(&["nightly"]);
    env
}

#[test]
fn it_is_gone_from_everything_of_ours_and_a_scan_does_not_bring_it_back() {
    let env = machine();
    let forgotten = env.lessons_given(&["forget"], format!("{SECRET}\n").as_bytes());
    let text = said::said(&env, &forgotten);
    let text = text
        .lines()
        .map(|line| line.split("ours, ").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let text = text
        .split("nightly-")
        .map(|part| part.split_once('.').filter(|(day, _)| day.len() == 10).map_or(part, |(_, rest)| rest))
        .collect::<Vec<_>>()
        .join("nightly-DAY.");
    assert_snapshot!(text, @r#"
    exit 0
    Forgotten.
    1 candidate gone.
    user/general-never-frob-as-forgotten: taken out. Next: lessons show general-never-frob-as-forgotten
    user/general-ask-before-you-log-in: retired, because a trigger contained the text or nothing else was left of it.
    4 of the journal's entries: taken out.
    backups/nightly-DAY.accepted.json: taken out.
    backups/nightly-DAY.db: taken out.
    backups/nightly-DAY.json: taken out.
    reports/lessons.html: taken out.
    Looked through 14 files of 
    It is still in 1 file of the client's, which are not ours to change:
      HOME/.claude/projects/app/s.jsonl (1 time)
    A later scan does not bring it back: kept are its length and a keyed hash. What the disk itself, snapshots and other backups of this machine hold is out of reach, and so is a page that you saved elsewhere with `lessons report --html`.
    "#);
    for entry in walk(&env.data()) {
        let text = String::from_utf8_lossy(&fs::read(&entry).expect("a file")).to_lowercase();
        assert!(!text.contains("zebra"), "{} holds it", entry.display());
    }
    // From the start, as after the cursor is lost.
    let transcript = env.transcripts().join("app/s.jsonl");
    let bytes = fs::read(&transcript).expect("a transcript");
    fs::remove_file(&transcript).expect("a transcript");
    env.must(&["scan"]);
    fs::write(&transcript, bytes).expect("a transcript");
    let scanned = env.lessons_json(&["scan"]);
    assert_eq!((scanned["new"].clone(), scanned["forgotten"].clone()), (json!(0), json!(1)), "{scanned}");
    assert_eq!(env.lessons_json(&["candidates"]).as_array().expect("a list").len(), 1);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn an_agent_cannot_have_anything_forgotten_and_the_command_line_takes_no_text() {
    let env = machine();
    let refused = env.as_agent("s").lessons(&["forget"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("in a terminal"), "{}", said(&refused));
    assert_eq!(env.lessons(&["forget", SECRET]).status.code(), Some(2));
    assert!(env.must(&["list"]).contains("ZEBRA"));
}

#[test]
fn what_stands_everywhere_or_nowhere_is_said() {
    let env = TestEnv::new().without_seeds();
    let short = env.lessons_given(&["forget"], b"abc");
    assert_snapshot!(said::said(&env, &short), @r#"
    exit 2
    --- stderr
    lessons: a text of fewer than 6 characters stands in ordinary words too; give a longer part of it
    "#);
    let nowhere = env.lessons_given(&["forget"], b"a text that nobody wrote");
    assert!(
        String::from_utf8_lossy(&nowhere.stdout).starts_with("It was in nothing of ours."),
        "{}",
        said(&nowhere)
    );
}

#[test]
fn a_project_whose_lessons_hold_it_is_trusted_no_more() {
    let env = TestEnv::new().without_seeds();
    let store = json!({
        "version": 1,
        "lessons": { "theirs": {
            "rule": "Log in as zebra-account 9 first.", "topics": ["frob"], "triggers": ["t-kw-1f4ae865"],
            "evidence": [], "status": "active", "createdAt": "2026-01-01",
        }},
        "topics": { "frob": { "summary": "Frob" } },
        "triggers": { "t-kw-1f4ae865": { "kind": "keyword", "pattern": "frob wipe" } },
    });
    let folder = env.project().join(".lessons");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("lessons.json"), store.to_string()).expect("a store");
    env.must(&["trust", "--yes"]);
    let forgotten = env.lessons_given(&["forget"], SECRET.as_bytes());
    let text = String::from_utf8_lossy(&forgotten.stdout).into_owned();
    assert!(forgotten.status.success() && text.contains("trusted no more"), "{}", said(&forgotten));
    assert!(!env.must(&["list"]).contains("theirs"));
    assert!(folder.join("lessons.json").exists(), "what is not ours stays");
}
