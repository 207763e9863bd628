//! The requests to a model that a transcript shows, and what was put before the model by hooks.

use serde_json::Value;
use serde_json::value::RawValue;

use super::Unreadable;
use super::record::{Record, is, object, word};

/// One request, as far as one line of its answer shows it. The client writes an answer in several lines, each with the
/// same id and usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestLine {
    /// The id of the message; that of the line where the message has none.
    pub id: String,
    /// The id of the line.
    pub line: Option<String>,
    /// The id of the sub-agent that asked, empty where the client names none; `None` for the main thread.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The tokens of the request.
    pub usage: Usage,
}

/// The tokens of a request. A count that is not there is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Fresh input.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input that was written into the cache.
    pub written: u64,
    /// That part of it that is kept for an hour.
    pub written_for_an_hour: u64,
    /// Input that was read from the cache.
    pub read: u64,
}

/// The text that a hook gave the model at a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookText {
    /// The id of the call.
    pub call: String,
    /// The text.
    pub text: String,
}

/// Reads the request whose answer a line belongs to. `None` for lines that are no answer of a model.
pub fn request(line: &[u8]) -> Result<Option<RequestLine>, Unreadable> {
    let record = Record::read(line)?;
    let Some(message) = record.of_assistant() else { return Ok(None) };
    let model = word(message.model);
    if model.as_deref() == Some("<synthetic>") {
        return Ok(None);
    }
    let line = word(record.uuid);
    let Some(id) = word(message.id).or_else(|| line.clone()) else { return Ok(None) };
    let agent = record.agent().map(|agent| agent.id.unwrap_or_default());
    Ok(Some(RequestLine { id, line, agent, model, usage: Usage::of(message.usage) }))
}

impl Usage {
    fn of(value: Option<&RawValue>) -> Self {
        let counts: Value = object(value).unwrap_or_default();
        // No context holds more; a larger number is a mistake, and sums of it would overflow.
        let number = |value: &Value| value.as_u64().unwrap_or(0).min(1 << 32);
        Self {
            input: number(&counts["input_tokens"]),
            output: number(&counts["output_tokens"]),
            written: number(&counts["cache_creation_input_tokens"]),
            written_for_an_hour: number(&counts["cache_creation"]["ephemeral_1h_input_tokens"]),
            read: number(&counts["cache_read_input_tokens"]),
        }
    }
}

/// Reads the text that a hook gave the model at a call. `None` for every other line.
pub fn hook_text(line: &[u8]) -> Result<Option<HookText>, Unreadable> {
    let attachment = Record::read(line)?.attached().filter(|it| is(it.kind, "hook_additional_context"));
    Ok(attachment.and_then(|attachment| {
        let parts: Vec<String> = object(attachment.content).unwrap_or_default();
        Some(HookText { call: word(attachment.call)?, text: parts.concat() })
    }))
}

/// Whether a line says that the context was compacted: what was told before is gone.
pub fn is_compaction(line: &[u8]) -> bool {
    Record::read(line).is_ok_and(|record| record.is_of("system") && is(record.subtype, "compact_boundary"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bytes(line: &Value) -> Vec<u8> {
        line.to_string().into_bytes()
    }

    fn answer() -> Value {
        json!({
            "type": "assistant", "uuid": "u", "timestamp": "2026-01-01T00:00:00Z", "agentId": "a1",
            "message": {"role": "assistant", "id": "msg_1", "model": "claude-opus-5-5", "content": [],
                "usage": {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 7,
                    "cache_read_input_tokens": 900, "cache_creation": {"ephemeral_1h_input_tokens": 7}}},
        })
    }

    #[test]
    fn a_request_is_known_by_its_message() {
        let found = request(&bytes(&answer())).unwrap().unwrap();
        assert_eq!((found.id.as_str(), found.agent.as_deref()), ("msg_1", Some("a1")));
        assert_eq!(found.model.as_deref(), Some("claude-opus-5-5"));
        assert_eq!(
            found.usage,
            Usage { input: 10, output: 5, written: 7, written_for_an_hour: 7, read: 900 }
        );
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_nothing() {
        let mut line = answer();
        line["message"]["usage"] =
            json!({"input_tokens": "many", "output_tokens": -1, "cache_creation": [1]});
        assert_eq!(request(&bytes(&line)).unwrap().unwrap().usage, Usage::default());
        line["message"]["id"] = json!(null);
        assert_eq!(request(&bytes(&line)).unwrap().unwrap().id, "u");
        line["message"]["model"] = json!("<synthetic>");
        assert_eq!(request(&bytes(&line)), Ok(None), "the client made it up");
        assert_eq!(request(&bytes(&json!({"type": "user", "message": {"content": []}}))), Ok(None));
        assert!(request(b"{").is_err());
    }

    #[test]
    fn the_text_of_a_hook_names_its_call() {
        let line = json!({"type": "attachment", "attachment":
            {"type": "hook_additional_context", "content": ["a\n", "b"], "toolUseID": "t1"}});
        assert_eq!(hook_text(&bytes(&line)), Ok(Some(HookText { call: "t1".into(), text: "a\nb".into() })));
        for (path, value) in [("type", json!("hook_success")), ("toolUseID", json!(7))] {
            let mut other = line.clone();
            other["attachment"][path] = value;
            assert_eq!(hook_text(&bytes(&other)), Ok(None), "{path}");
        }
        let said = json!({"type": "user", "attachment": line["attachment"]});
        assert_eq!(hook_text(&bytes(&said)), Ok(None), "only the client attaches");
    }

    #[test]
    fn a_compaction_is_a_line_of_the_system() {
        assert!(is_compaction(br#"{"type":"system","subtype":"compact_boundary"}"#));
        assert!(!is_compaction(br#"{"type":"user","subtype":"compact_boundary"}"#));
        assert!(!is_compaction(br#"{"type":"system","subtype":"informational"}"#));
    }
}
