//! The calls of a line as the client made them, and the calls that did not succeed: the input of a replay.

use serde_json::value::RawValue;

use super::line_events::{CallEnd, LineEvent, line_events};
use super::record::{Record, moment, word};
use super::{Agent, Unreadable};
use crate::transcript::timestamp::Timestamp;

/// The calls in a line of the assistant.
#[derive(Debug)]
pub struct ToolUses<'a> {
    /// The id of the line, which a fork copies.
    pub uuid: Option<String>,
    /// The id of the answer of the model, of which a line holds a part.
    pub answer: Option<String>,
    /// The time of the line.
    pub time: Option<Timestamp>,
    /// The working folder, as raw JSON.
    pub cwd: Option<&'a RawValue>,
    /// The sub-agent, if one made them.
    pub agent: Option<Agent>,
    /// The calls, in order.
    pub uses: Vec<ToolUse<'a>>,
}

/// A call of a tool.
#[derive(Debug)]
pub struct ToolUse<'a> {
    /// The id by which the result names the call.
    pub id: Option<String>,
    /// The name of the tool, as raw JSON.
    pub name: &'a RawValue,
    /// The parameters, as raw JSON.
    pub input: Option<&'a RawValue>,
}

/// The way in which a call did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFailure {
    /// It failed, with the start of the text that the client gives to hooks; `None` if it starts none.
    Failed(Option<String>),
    /// The client, a rule or a hook did not let it run.
    Stopped,
    /// The user refused it.
    Rejected,
}

/// Reads the calls of a line. `None` for a line without any.
pub fn tool_uses(line: &[u8]) -> Result<Option<ToolUses<'_>>, Unreadable> {
    let record = Record::read(line)?;
    let Some(message) = record.of_assistant() else { return Ok(None) };
    let uses: Vec<ToolUse<'_>> = message
        .of_kind("tool_use")
        .filter_map(|block| Some(ToolUse { id: word(block.id), name: block.name?, input: block.input }))
        .collect();
    if uses.is_empty() {
        return Ok(None);
    }
    Ok(Some(ToolUses {
        uuid: word(record.uuid),
        answer: word(message.id),
        time: moment(record.timestamp),
        cwd: record.cwd,
        agent: record.agent(),
        uses,
    }))
}

/// The calls whose results in a line say that they did not succeed, by their ids.
pub fn call_failures(line: &[u8]) -> Result<Vec<(String, CallFailure)>, Unreadable> {
    let what = line_events(line)?.map(|line_events| line_events.what).unwrap_or_default();
    let ending = |what| {
        let LineEvent::Ended { id, end } = what else { return None };
        let failure = match end {
            CallEnd::Failed { code, text } => CallFailure::Failed(error_for_hooks(code, text)),
            CallEnd::Refused => CallFailure::Stopped,
            CallEnd::RefusedByUser(_) | CallEnd::RefusedInWords(_) => CallFailure::Rejected,
            CallEnd::Done | CallEnd::Masked(_) => return None,
        };
        Some((id, failure))
    };
    Ok(what.into_iter().filter_map(ending).collect())
}

/// The error as hooks are given it. The client starts none for a call that it refuses itself, as an edit of a text that
/// is not there.
fn error_for_hooks(code: Option<u8>, text: String) -> Option<String> {
    let error = match code {
        Some(code) => format!("Exit code {code}\n{text}"),
        None => text,
    };
    (!error.starts_with("<tool_use_error>")).then_some(error)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_calls_of_a_line_are_read_as_they_stand() {
        let line = json!({
            "type": "assistant", "uuid": "u", "cwd": "/p", "timestamp": "2026-01-01T00:00:00Z", "agentId": "a1",
            "isSidechain": true, "attributionAgent": "Explore",
            "message": {"role": "assistant", "content": [
                {"type": "text", "text": "tool_use"},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "t2", "input": {}},
                {"type": "tool_use", "id": 7, "name": "Read"},
            ]},
        })
        .to_string();
        let called = tool_uses(line.as_bytes()).unwrap().unwrap();
        let uses: Vec<_> = called.uses.iter().map(|used| (used.id.as_deref(), used.name.get())).collect();
        assert_eq!(uses, [(Some("t1"), "\"Bash\""), (None, "\"Read\"")], "a call without a tool is none");
        assert_eq!(called.uses[0].input.unwrap().get(), r#"{"command":"ls"}"#);
        assert_eq!(called.agent.unwrap().kind.as_deref(), Some("Explore"));
    }

    #[test]
    fn other_lines_hold_no_calls() {
        let block = json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]);
        for line in [
            json!({"type": "user", "message": {"role": "user", "content": block}}),
            json!({"type": "assistant", "message": {"role": "user", "content": block}}),
            json!({"type": "assistant", "isApiErrorMessage": true, "message": {"content": block}}),
            json!({"type": "assistant", "message": {"content": "tool_use"}}),
            json!({"type": "assistant"}),
        ] {
            assert!(tool_uses(line.to_string().as_bytes()).unwrap().is_none(), "{line}");
        }
        assert!(tool_uses(b"[]").is_err());
    }

    #[test]
    fn only_results_that_say_so_end_badly() {
        let line = |result: serde_json::Value| {
            let line = json!({"type": "user", "message": {"role": "user", "content": [result]}}).to_string();
            call_failures(line.as_bytes()).unwrap()
        };
        let result = |error: bool, text: &str| json!({"type": "tool_result", "tool_use_id": "t", "is_error": error, "content": text});
        let failed = |text: &str| [("t".to_owned(), CallFailure::Failed(Some(text.to_owned())))];
        assert_eq!(line(result(true, "Exit code 1\nno")), failed("Exit code 1\nno"));
        assert_eq!(line(result(true, "File does not exist.")), failed("File does not exist."));
        assert_eq!(
            line(result(true, "<tool_use_error>String to replace not found in file.</tool_use_error>")),
            [("t".to_owned(), CallFailure::Failed(None))],
            "no hook hears of it"
        );
        assert_eq!(line(result(false, "Exit code 1")), []);
    }

    #[test]
    fn only_the_user_rejects_a_call() {
        let of = |denial: serde_json::Value, text: &str| {
            let result =
                json!({"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": text});
            let message = json!({"role": "user", "content": [result]});
            let line = json!({"type": "user", "toolDenialKind": denial, "message": message}).to_string();
            call_failures(line.as_bytes()).unwrap()
        };
        let rejected = [("t".to_owned(), CallFailure::Rejected)];
        assert_eq!(of(json!("user-rejected"), "no"), rejected);
        assert_eq!(of(json!("hook"), "no"), [("t".to_owned(), CallFailure::Stopped)]);
        assert_ne!(of(json!(null), "Exit code 1"), rejected);
        let earlier = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
        assert_eq!(of(json!(null), earlier), rejected);
    }
}
