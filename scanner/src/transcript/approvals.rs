//! The calls of a shell that may decide something, and the results of calls that a hook approved.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::{Record, moment, object, text_of, word};
use super::tool_uses;
use crate::timestamp::Timestamp;
use lessons_lesson::call::may_run_commands;

/// A command of the model, as the model wrote it: the client runs what a hook made of it, and keeps this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellCall {
    /// The id by which the result names the call.
    pub(crate) id: String,
    /// The time of its line.
    pub(crate) time: Timestamp,
    /// The command.
    pub(crate) command: String,
}

/// A call that a hook approved in place of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookApprovedCall {
    /// The id of the call.
    pub(crate) id: String,
    /// The time of its result.
    pub(crate) time: Timestamp,
}

/// Reads the commands in a line of the assistant. A line without a time has none.
pub(crate) fn shell_calls(line: &[u8]) -> Vec<ShellCall> {
    #[derive(Deserialize)]
    struct Input<'a> {
        #[serde(borrow)]
        command: Option<&'a RawValue>,
    }
    let Ok(Some(line)) = tool_uses(line) else { return Vec::new() };
    let Some(time) = line.time else { return Vec::new() };
    let runs = |name| text_of(Some(name)).is_some_and(|name| may_run_commands(&name));
    let uses = line.uses.into_iter().filter(|used| runs(used.name));
    uses.filter_map(|used| {
        let command = text_of(object::<Input<'_>>(used.input)?.command)?;
        Some(ShellCall { id: used.id?, time, command })
    })
    .collect()
}

/// Reads a line with the result of a call that a hook approved. `None` for every other line, and for all lines of clients
/// before 2.1.329, which do not say who approved a call.
pub(crate) fn hook_approved_call(line: &[u8]) -> Option<HookApprovedCall> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        #[serde(borrow)]
        permission_decision: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Decision<'a> {
        #[serde(borrow)]
        decision: Option<&'a RawValue>,
        #[serde(borrow)]
        source: Option<&'a RawValue>,
    }
    let record = Record::read(line).ok()?;
    let result = record.said_by("user")?.of_kind("tool_result").next()?;
    let decided: Decision<'_> = object(serde_json::from_slice::<Line<'_>>(line).ok()?.permission_decision)?;
    let is_by_hook = text_of(decided.decision).as_deref() == Some("accept")
        && text_of(decided.source).as_deref() == Some("hook");
    let time = moment(record.timestamp)?;
    let id = word(result.tool_use_id)?;
    is_by_hook.then_some(HookApprovedCall { id, time })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn result(decision: &Value) -> Value {
        json!({
            "type": "user", "timestamp": "2026-01-01T00:00:02.500Z", "permissionDecision": decision,
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]},
        })
    }

    fn read(line: &Value) -> Option<HookApprovedCall> {
        hook_approved_call(line.to_string().as_bytes())
    }

    #[test]
    fn a_result_says_whether_a_hook_approved_its_call() {
        let by_hook = json!({"decision": "accept", "source": "hook", "reasonType": "hook"});
        let time = Timestamp::parse("2026-01-01T00:00:02.500Z").unwrap();
        assert_eq!(read(&result(&by_hook)), Some(HookApprovedCall { id: "t".into(), time }));
        for other in [
            json!(null),
            json!("hook"),
            json!({"decision": "accept", "source": "user_temporary", "reasonCode": "hook:PreToolUse"}),
            json!({"decision": "reject", "source": "hook"}),
            json!({"decision": "accept", "source": ["hook"]}),
        ] {
            assert_eq!(read(&result(&other)), None, "{other}");
        }
    }

    #[test]
    fn only_the_client_says_so_and_no_text_of_a_result() {
        let decision = r#""permissionDecision":{"decision":"accept","source":"hook"}"#;
        let mut said = result(&json!(null));
        said["message"]["content"][0]["content"] = json!(decision);
        assert_eq!(read(&said), None);
        let mut nested = result(&json!(null));
        nested["toolUseResult"] = json!({"permissionDecision": {"decision": "accept", "source": "hook"}});
        assert_eq!(read(&nested), None);
        let mut by_model = result(&json!({"decision": "accept", "source": "hook"}));
        by_model["type"] = json!("assistant");
        assert_eq!(read(&by_model), None);
        let mut timeless = result(&json!({"decision": "accept", "source": "hook"}));
        timeless["timestamp"] = json!(null);
        assert_eq!(read(&timeless), None);
    }

    #[test]
    fn the_commands_of_a_line_are_read_as_the_model_wrote_them() {
        let line = json!({
            "type": "assistant", "timestamp": "2026-01-01T00:00:01Z",
            "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "lessons off all"}},
                {"type": "tool_use", "id": "u", "name": "Read", "input": {"command": "lessons off all"}},
                {"type": "tool_use", "id": "v", "name": "Bash", "input": {"command": 7}},
            ]},
        });
        let calls = shell_calls(line.to_string().as_bytes());
        let time = Timestamp::parse("2026-01-01T00:00:01Z").unwrap();
        assert_eq!(calls, [ShellCall { id: "t".into(), time, command: "lessons off all".into() }]);
        assert_eq!(shell_calls(b"{}"), []);
    }
}
