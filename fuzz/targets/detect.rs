//! A session of calls that fail and work, prompts and refusals, and lines that are nothing of that.
//!
//! Holds: nothing panics; no finding holds a secret that the redactor knows; every pattern that is proposed can be
//! used; what is seen in the beginning of a session is seen in all of it.

#![no_main]

use arbitrary::Arbitrary;
use lessons_pattern::prepared;
use lessons_scanner::detect::seen_in;
use lessons_text::redact::redact;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

#[derive(Debug, Arbitrary)]
enum Step<'a> {
    Ran(&'a str),
    Failed(&'a str, u8, &'a str),
    Refused(&'a str, &'a str),
    Edited(&'a str, &'a str, &'a str),
    /// A call of any tool, which failed where there is a text.
    Called(&'a str, &'a str, Option<&'a str>),
    Typed(&'a str),
    Anything(&'a [u8]),
}

const REFUSED: &str =
    "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n";

/// The lines of a step.
fn lines(number: usize, step: &Step<'_>) -> Vec<u8> {
    let line = |kind: &str, part: &str, block: Value| {
        let line = json!({
            "type": kind, "uuid": format!("{number}-{part}"), "sessionId": "s", "cwd": "/home/u/p",
            "timestamp": "2026-01-01T00:00:00Z", "message": {"role": kind, "content": block},
        });
        format!("{line}\n")
    };
    let call = |tool: &str, input: Value, error: Option<String>| {
        let id = format!("toolu_{number}");
        let call = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": error.is_some(),
                             "content": error.unwrap_or_default()}]);
        (line("assistant", "call", call) + &line("user", "result", result)).into_bytes()
    };
    match step {
        Step::Ran(command) => call("Bash", json!({"command": command}), None),
        Step::Failed(command, code, text) => {
            call("Bash", json!({"command": command}), Some(format!("Exit code {code}\n{text}")))
        }
        Step::Refused(command, reason) => {
            call("Bash", json!({"command": command}), Some(format!("{REFUSED}{reason}")))
        }
        Step::Edited(path, old, new) => {
            call("Edit", json!({"file_path": path, "old_string": old, "new_string": new}), None)
        }
        Step::Called(tool, path, error) => call(tool, json!({"file_path": path}), error.map(str::to_owned)),
        Step::Typed(text) => line("user", "typed", json!(text)).into_bytes(),
        Step::Anything(bytes) => [bytes, b"\n".as_slice()].concat(),
    }
}

fuzz_target!(|steps: Vec<Step<'_>>| {
    let steps: Vec<Vec<u8>> = steps.iter().enumerate().map(|(number, step)| lines(number, step)).collect();
    let all = seen_in(&steps.concat());
    for finding in &all {
        let texts =
            [&finding.mistake, &finding.fix].into_iter().chain(&finding.trigger).chain(&finding.evidence);
        for text in texts {
            assert!(redact(text).kinds.is_empty(), "a secret in {text:?}");
        }
        let proposal = &finding.proposal;
        for trigger in proposal.triggers.iter().chain(&proposal.also).chain(&proposal.unless) {
            assert!(prepared::prepare(trigger).is_ok(), "{trigger:?}");
        }
    }
    let first = seen_in(&steps[..steps.len() / 2].concat());
    assert_eq!(first.as_slice(), &all[..first.len()]);
});
