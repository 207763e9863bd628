//! Which calls a history holds.

use std::sync::Mutex;

use lessons_lesson::payload::Contents;
use lessons_replay::call_log::{CallLog, CallOutcome};
use lessons_replay::history::{History, ReadingWatcher};
use lessons_text::content::Content;
use serde_json::json;

use crate::scene::{Scene, bash, call, result};

/// The calls as `agent: what`, in the order of the history.
fn calls(history: &History) -> Vec<String> {
    let said = |log: &CallLog| {
        let one = |recorded: &lessons_replay::call_log::RecordedCall| {
            let what = recorded.call.command.as_deref().or(recorded.call.paths.first().map(AsRef::as_ref));
            format!("{}: {}", recorded.agent, what.unwrap_or(&recorded.call.tool))
        };
        log.calls.iter().map(one).collect::<Vec<_>>()
    };
    history.logs.iter().flat_map(said).collect()
}

#[test]
fn every_call_is_read_with_what_the_hook_would_have_been_given() {
    let scene = Scene::new();
    let edit = json!({"file_path": "/srv/app/a.ts", "edits": [{"new_string": "x"}, {"new_string": "y"}]});
    let lines = [
        json!({"type": "user", "cwd": "/srv", "message": {"role": "user", "content": "\"tool_use\""}}),
        bash(1, "git stash"),
        result(1, Some("Exit code 1\nno")),
        call(2, "MultiEdit", &edit),
        call(3, "Task", &json!({"prompt": "look"})),
        result(3, Some("The user doesn't want to proceed with this tool use.")),
    ];
    scene.write("-srv-app/s1.jsonl", &lines);
    let history = scene.history();
    assert_eq!(calls(&history), ["main: git stash", "main: /srv/app/a.ts", "main: Agent"]);
    let log = &history.logs[0];
    let recorded = &log.calls;
    assert_eq!(recorded[1].call.contents, ["x", "y"].map(Content::from));
    assert_eq!(recorded[1].call.cwd.as_deref(), Some("/srv/app"));
    let outcomes: Vec<_> = recorded.iter().map(|recorded| recorded.outcome).collect();
    assert_eq!(outcomes, [CallOutcome::Failed, CallOutcome::Fine, CallOutcome::Rejected]);
    assert_eq!(recorded[0].time, Some(1_767_225_601_000));
    let session = history.session(log).unwrap();
    assert_eq!((session.id.as_str(), session.start.as_deref()), ("s1", Some("/srv")));
    assert_eq!((history.lost, history.skipped.len()), (0, 0));
}

#[test]
fn a_sub_agent_is_known_by_its_line_or_by_the_file_beside_it() {
    let scene = Scene::new();
    scene.write("-p/s1.jsonl", &[bash(1, "one")]);
    let of_agent = |number, kind: Option<&str>| {
        let mut line = bash(number, "two");
        line["isSidechain"] = true.into();
        line["agentId"] = "a1".into();
        if let Some(kind) = kind {
            line["attributionAgent"] = kind.into();
        }
        line
    };
    scene.write("-p/s1/subagents/agent-a.jsonl", &[of_agent(2, Some("Explore")), of_agent(3, None)]);
    scene.write_raw("-p/s1/subagents/agent-a.meta.json", br#"{"agentType":"general-purpose"}"#);
    scene.write("-p/s1/subagents/agent-b.jsonl", &[of_agent(4, None)]);
    let history = scene.history();
    let mut found = calls(&history);
    found.sort();
    assert_eq!(found, ["Explore: two", "general-purpose: two", "main: one", "unknown: two"]);
    assert_eq!(history.sessions.len(), 1);
}

#[test]
fn what_cannot_be_read_is_counted_and_hides_nothing() {
    let scene = Scene::new();
    let broken = bash(1, "broken").to_string().replacen('}', "", 1);
    let whole = bash(2, "whole").to_string();
    let cut = &bash(3, "cut").to_string()[..100];
    scene.write_raw("-p/s1.jsonl", format!("{broken}\n\u{feff}\n{whole}\n{cut}").as_bytes());
    scene.write_raw("-p/s2.jsonl", bash(4, "no line feed").to_string().as_bytes());
    scene.write_raw("-p/s3.jsonl", b"\xff\xfe\"tool_use\"\n");
    let history = scene.history();
    let mut found = calls(&history);
    found.sort();
    assert_eq!(found, ["main: no line feed", "main: whole"]);
    assert_eq!(history.lost, 2);
}

#[test]
fn a_fork_counts_once_and_the_same_ids_elsewhere_are_other_calls() {
    let scene = Scene::new();
    let old = scene.write("-p/s1.jsonl", &[bash(1, "one"), bash(2, "two")]);
    scene.write("-p/s2.jsonl", &[bash(1, "one"), bash(2, "two"), bash(3, "three")]);
    let mut other = bash(1, "other");
    other["uuid"] = "another".into();
    scene.write("-p/s3.jsonl", &[other]);
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000);
    std::fs::File::options().append(true).open(old).unwrap().set_modified(past).unwrap();
    let history = scene.history();
    let mut found = calls(&history);
    found.sort();
    assert_eq!(found, ["main: one", "main: other", "main: three", "main: two"]);
    let first = history.logs.last().unwrap();
    assert_eq!(first.calls.len(), 2, "the oldest file has them");
}

#[test]
fn a_fork_without_a_result_does_not_make_a_failure_good() {
    let scene = Scene::new();
    let cut = scene.write("-p/fork.jsonl", &[bash(1, "one")]);
    scene.write("-p/whole.jsonl", &[bash(1, "one"), result(1, Some("Exit code 1"))]);
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000);
    std::fs::File::options().append(true).open(cut).unwrap().set_modified(past).unwrap();
    let history = scene.history();
    let outcomes: Vec<_> = history.logs.iter().flat_map(|log| &log.calls).map(|call| call.outcome).collect();
    assert_eq!(outcomes, [CallOutcome::Failed]);
}

#[test]
fn contents_are_left_out_where_no_lesson_looks_at_them() {
    let scene = Scene::new();
    scene.write("-p/s1.jsonl", &[call(1, "Write", &json!({"file_path": "/a", "content": "long"}))]);
    let history = History::read(&[scene.root()], Contents::Skip, &());
    let recorded = &history.logs[0].calls[0];
    assert_eq!((recorded.call.paths.len(), recorded.call.contents.len()), (1, 0));
}

#[derive(Debug, Default)]
struct Watching(Mutex<(u64, u64)>);

impl ReadingWatcher for Watching {
    fn progress(&self, done: u64, total: u64) {
        let mut most = self.0.lock().unwrap();
        *most = (most.0.max(done), total);
    }
}

#[test]
fn who_watches_hears_of_every_byte() {
    let scene = Scene::new();
    for session in 0..5 {
        scene.write(&format!("-p/{session}.jsonl"), &[bash(1, &session.to_string())]);
    }
    let watching = Watching::default();
    let history = History::read(&[scene.root()], Contents::Keep, &watching);
    assert_eq!(*watching.0.lock().unwrap(), (history.bytes, history.bytes));
    assert_eq!(history.logs.len(), 5);
}

#[test]
fn no_folder_is_no_history() {
    let history = History::read(&["/nowhere/at/all".into()], Contents::Keep, &());
    assert!(history.is_empty() && history.sessions.is_empty());
}
