//! What the join says of the reach of lessons is what the hooks do: each call that went wrong, put to the hooks by itself.

use lessons_lesson::lesson::SampleCall;
use lessons_manifest_builder::seeds;
use lessons_tests::env::TestEnv;
use lessons_tests::reach::compare;
use serde_json::{Value, json};

/// A failure that says nothing of its reason, and is the answer of no test.
const FAILED: &str = "Exit code 1\nit does not work";

/// A call and its failure, in two lines of a transcript. `None` for a call that a transcript would show otherwise.
fn failed(number: usize, sample: &SampleCall) -> Option<[Value; 2]> {
    let (id, time) =
        (format!("toolu_{number}"), format!("2026-01-01T00:{:02}:{:02}Z", number / 60 % 60, number % 60));
    let command = sample.command.as_ref()?;
    let call = json!({"type": "tool_use", "id": id, "name": sample.tool, "input": {"command": command}});
    let error = sample.error.as_deref().map_or(FAILED.to_owned(), |error| format!("Exit code 1\n{error}"));
    let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": true, "content": error});
    let line = |kind: &str, block: Value| {
        json!({"type": kind, "uuid": format!("{kind}{number}"), "sessionId": "s", "cwd": "/srv/app", "timestamp": time,
            "message": {"role": kind, "id": format!("m{number}"), "content": [block]}})
    };
    Some([line("assistant", call), line("user", result)])
}

#[test]
fn the_join_and_the_hooks_agree_on_what_the_built_in_lessons_reach() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let lessons = seeds::lessons();
    let samples =
        lessons.iter().flat_map(|lesson| lesson.examples.fires.iter().chain(&lesson.examples.quiet));
    let lines: Vec<Value> =
        samples.enumerate().filter_map(|(number, sample)| failed(number, sample)).flatten().collect();
    env.write_transcript("-srv-app/s.jsonl", &lines);
    let compared = compare(&env, &env.transcripts());
    assert_eq!(compared.differing, Vec::<String>::new());
    assert_eq!(compared.by_join, compared.by_hooks);
    assert!(compared.by_join > 100 && compared.calls > compared.by_join + 50, "{compared:?}");
}
