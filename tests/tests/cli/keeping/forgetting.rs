//! A text gone from every copy.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use lessons_lesson::lesson::Lesson;
use lessons_store::decisions::Decisions;
use lessons_store::decisions::peers::PeerTrust;
use lessons_tests::env::{TestEnv, said};
use lessons_tests::files;
use lessons_tests::shared::{self, Colleague};
use lessons_tests::terminal::Terminal;
use serde_json::json;

use crate::said;
use crate::scene::{add, advice};

const SECRET: &str = "zebra-account 9";

const NONE: [PathBuf; 0] = [];

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
    user/never-frob-as-forgotten: taken out. Next: lessons show never-frob-as-forgotten
    user/ask-before-you-log-in: retired, because its id or a trigger contained the text, or nothing else was left of it.
    4 of the journal's entries: taken out.
    backups/nightly-DAY.db: taken out.
    backups/nightly-DAY.decisions.json: taken out.
    backups/nightly-DAY.json: taken out.
    reports/lessons.html: taken out.
    Looked through 15 files of 
    It is still in 1 file of the client's, which are not ours to change:
      HOME/.claude/projects/app/s.jsonl (1 time)
    A later scan does not bring it back: kept are its length and a keyed hash. What the disk itself, snapshots and other backups of this machine hold is out of reach, and so is a page that you saved elsewhere with `lessons report --html`.
    "#);
    assert_eq!(env.files_holding("zebra"), NONE);
    // From the start, as after the cursor is lost.
    let transcript = env.transcripts().join("app/s.jsonl");
    let bytes = fs::read(&transcript).expect("a transcript");
    fs::remove_file(&transcript).expect("a transcript");
    env.must(&["scan"]);
    fs::write(&transcript, bytes).expect("a transcript");
    let scanned = env.lessons_json(&["scan"]);
    assert_eq!((scanned["new"].clone(), scanned["forgotten"].clone()), (json!(0), json!(1)), "{scanned}");
    assert_eq!(env.lessons_json(&["candidates"]).as_array().expect("decisions").len(), 1);
}

#[test]
fn the_id_of_a_block_goes_with_its_text_and_no_later_build_or_start_repeats_it() {
    for trigger in [r"cmd=\bfrob wipe\b", r"cmd=\bfrob zebraword\b"] {
        let env = TestEnv::new().without_seeds();
        let rule =
            ["--rule", "Call the zebraword first.", "--mistake", "a wipe loses data", "--trigger", trigger];
        let fires = trigger.trim_start_matches("cmd=").replace(r"\b", "");
        let mode = ["--topic", "zebraword", "--mode", "bump", "--fires", &fires];
        env.must(&[&["add"], &rule[..], &mode[..]].concat());
        let forgotten = env.lessons_given(&["forget"], b"zebraword\n");
        assert!(forgotten.status.success(), "{}", said(&forgotten));
        for _ in 0..2 {
            let start = env.session_start(&json!({"session_id": "s", "hook_event_name": "SessionStart",
                                                  "source": "startup", "cwd": env.project()}));
            let told = String::from_utf8_lossy(&start.stdout).to_lowercase();
            assert!(!told.contains("zebra") && !told.contains("blocks nothing"), "{told}");
            drop(env.lessons(&["build"]));
        }
        assert_eq!(env.files_holding("zebra"), NONE);
    }
}

#[test]
fn a_topic_that_no_lesson_names_any_more_is_forgotten_too() {
    let env = TestEnv::new().without_seeds();
    let lesson = ["--rule", "Ask before you frob.", "--trigger", r"cmd=\bfrob\b", "--topic", "zebratopic"];
    env.must(&[&["add"], &lesson[..]].concat());
    env.must(&["undo"]);
    let decisions = fs::read_to_string(env.data().join("decisions.json")).expect("decisions");
    assert!(!decisions.contains("zebratopic"), "{decisions}");
    assert!(env.lessons_given(&["forget"], b"zebratopic\n").status.success());
    assert_eq!(env.files_holding("zebratopic"), NONE);
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

/// The lesson `push-safely`, with the text or without.
fn shared_lesson(rule: &str) -> Lesson {
    shared::lesson("push-safely", rule, r"\bfrob push\b")
}

const TOLD: &str = "Use `frob push --safe` as zebra-account 9.";

#[test]
fn shared_files_that_hold_it_are_removed_or_named_with_the_reason() {
    let env = TestEnv::new().without_seeds();
    let (ana, eve) = (Colleague::new(1), Colleague::new(2));
    shared::with_remote(&env);
    add(&env, &advice("night", "Never frob as zebra-account 9 at night.", "frob night"), &[]);
    add(&env, &advice("day", "Frob by day.", "frob day"), &[]);
    let synced = env.home().join("synced");
    env.must(&["share", "night", "day", "--yes"]);
    env.must(&["share", "night", "day", "--to", synced.to_str().expect("a path"), "--yes"]);
    shared::trust(&env, &ana, "ana", PeerTrust::Auto);
    let folder = shared::folder(&env);
    let of_ana = shared::put(&folder, &ana.lesson(&shared_lesson(TOLD), 1_763_700_000));
    let of_eve = shared::put(&synced, &eve.lesson(&shared_lesson(TOLD), 1_763_700_000));
    env.must(&["receive"]);
    let forgotten = env.lessons_given(&["forget"], SECRET.as_bytes());
    let text = said(&forgotten);
    assert!(forgotten.status.success(), "{text}");
    let left = files::holding(&folder, "zebra");
    assert_eq!((left.len(), files::below(&folder).len()), (2, 3), "in a repository nothing is removed");
    let own = left.iter().find(|path| **path != of_ana).expect("the own file");
    let named = |path: &std::path::Path| {
        text.lines()
            .find(|line| line.starts_with(path.to_str().expect("a path")))
            .unwrap_or_else(|| panic!("{text}"))
    };
    assert!(named(own).contains("you shared it, and it is in a git repository"), "{text}");
    assert!(
        named(own).contains(&format!("Next: lessons unshare night, then git rm {}", own.display())),
        "{text}"
    );
    assert!(named(&of_ana).contains("ana shared it") && named(&of_ana).contains("git rm"), "{text}");
    assert_eq!(
        files::holding(&synced, "zebra"),
        std::slice::from_ref(&of_eve),
        "the user's own file is gone"
    );
    assert_eq!(files::below(&synced).len(), 2);
    assert!(named(&of_eve).contains("somebody else put it there"), "{text}");
    assert!(text.contains(": removed. Whoever has copied it still has it."), "{text}");
    assert_eq!(env.files_holding("zebra"), NONE);
    // The command that it names works.
    env.must(&["unshare", "night", "--yes"]);
}

#[test]
fn what_a_peer_says_again_of_it_is_not_received() {
    let env = TestEnv::new().without_seeds();
    let ana = Colleague::new(1);
    shared::with_remote(&env);
    shared::trust(&env, &ana, "ana", PeerTrust::Auto);
    let folder = shared::folder(&env);
    let first = ana.lesson(&shared_lesson(TOLD), 1_763_700_000);
    shared::put(&folder, &first);
    env.must(&["receive"]);
    assert!(env.must(&["list"]).contains("push-safely"));
    assert!(env.lessons_given(&["forget"], SECRET.as_bytes()).status.success());
    let lesson = shared_lesson("Ask zebra-account 9 before.");
    shared::put(&folder, &ana.lesson_for(shared::PROJECT, &lesson, 2, 1_763_700_001));
    let received = env.lessons_json(&["receive"]);
    assert_eq!(received["rejected"][0]["reason"], "it holds a text that you had forgotten", "{received}");
    assert!(!env.must(&["list"]).contains("push-safely"));
    assert_eq!(env.lessons_json(&["candidates"]), json!([]));
    // Without it the next one waits, as the person has put the lesson away.
    let lesson = shared_lesson("Use `frob push --safe`.");
    shared::put(&folder, &ana.lesson_for(shared::PROJECT, &lesson, 3, 1_763_700_002));
    env.must(&["receive"]);
    assert_eq!(env.lessons_json(&["candidates"]).as_array().map(Vec::len), Some(1));
}

#[test]
fn a_peer_whose_name_or_key_it_is_is_trusted_no_more_and_the_others_are() {
    for text in ["zebra-account", &Colleague::new(1).key()] {
        let env = TestEnv::new().without_seeds();
        shared::trust(&env, &Colleague::new(1), "zebra-account", PeerTrust::Auto);
        shared::trust(&env, &Colleague::new(2), "ben", PeerTrust::Review);
        env.must(&["nightly"]);
        let forgotten = env.lessons_given(&["forget"], text.as_bytes());
        assert!(forgotten.status.success(), "{}", said(&forgotten));
        let peers = env.lessons_json(&["peers"])["peers"].clone();
        assert_eq!((peers.as_array().map(Vec::len), &peers[0]["name"]), (Some(1), &json!("ben")));
        for entry in files::below(&env.data())
            .into_iter()
            .filter(|path| path.to_string_lossy().ends_with("decisions.json"))
        {
            let list = fs::read(&entry).expect("decisions");
            assert!(Decisions::parse(&entry, &list).is_ok(), "{}", entry.display());
        }
    }
}

#[test]
fn a_text_that_is_typed_at_a_terminal_is_not_shown_and_is_forgotten() {
    let env = machine();
    let mut terminal = Terminal::start(env.command("lessons").arg("forget"), 120, 60);
    terminal.sees("The text to forget");
    terminal.types(&format!("{SECRET}\n"));
    assert!(terminal.ends().success());
    assert!(!terminal.look(|screen| screen.contents().contains(SECRET)));
    assert!(!env.must(&["candidates"]).contains(SECRET));
}
