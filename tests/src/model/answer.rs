//! A turn in the form of the Messages API: one JSON message, or the same message as a stream of events.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::director::Cue;
use super::end_of_call_id;

/// The whole message. `run` is in every id: a client that resumes a session takes an id that it knows for a
/// call that it has made.
pub(super) fn message(cue: &Cue, run: u32, serial: usize, model: &str) -> Value {
    let turn = &cue.answer;
    let mut content = Vec::new();
    if !turn.text.is_empty() {
        content.push(json!({"type": "text", "text": turn.text}));
    }
    for (index, call) in turn.tools.iter().enumerate() {
        content.push(json!({
            "type": "tool_use",
            "id": format!("toolu_{run}{}", end_of_call_id(&cue.thread, cue.turn, index)),
            "name": call.name,
            "input": call.input,
        }));
    }
    json!({
        "id": format!("msg_{run}_{serial}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": if turn.tools.is_empty() { "end_turn" } else { "tool_use" },
        "stop_sequence": null,
        "usage": {
            "input_tokens": turn.usage.input_tokens,
            "output_tokens": turn.usage.output_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    })
}

/// The message as server-sent events, each block in one piece.
pub(super) fn stream(message: &Value) -> String {
    let mut events = String::new();
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Value::Null;
    event(&mut events, json!({"type": "message_start", "message": opening}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let mut empty = block.clone();
        let delta = if block["type"] == "tool_use" {
            empty["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
        } else {
            empty["text"] = json!("");
            json!({"type": "text_delta", "text": block["text"]})
        };
        event(&mut events, json!({"type": "content_block_start", "index": index, "content_block": empty}));
        event(&mut events, json!({"type": "content_block_delta", "index": index, "delta": delta}));
        event(&mut events, json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    event(&mut events, json!({"type": "message_delta", "delta": end, "usage": message["usage"]}));
    event(&mut events, json!({"type": "message_stop"}));
    events
}

#[allow(clippy::needless_pass_by_value, reason = "each event is made for this call and used once")]
fn event(events: &mut String, data: Value) {
    let name = data["type"].as_str().unwrap_or_default();
    let _ = write!(events, "event: {name}\ndata: {data}\n\n");
}

#[cfg(test)]
mod tests {
    use super::super::{Script, Turn, director::Director};
    use super::*;

    fn a_message() -> Value {
        let turn =
            Turn::text("Hi").tool("Bash", json!({"command": "ls"})).tool("Read", json!({"file_path": "a"}));
        let cue = Director::new(Script::new().turn(turn)).next(&json!({"tools": [{}], "messages": []}));
        message(&cue, 9, 7, "m")
    }

    #[test]
    fn several_calls_of_a_turn_are_one_message() {
        let ids: Vec<Value> =
            a_message()["content"].as_array().unwrap().iter().map(|block| block["id"].clone()).collect();
        assert_eq!(ids, [Value::Null, json!("toolu_9_main_0_0"), json!("toolu_9_main_0_1")]);
        assert_eq!(a_message()["stop_reason"], "tool_use");
    }

    #[test]
    fn a_stream_says_what_the_message_says() {
        let stream = stream(&a_message());
        let names: Vec<&str> = stream.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        let block = ["content_block_start", "content_block_delta", "content_block_stop"];
        let mut expected = vec!["message_start"];
        expected.extend(block.repeat(3));
        expected.extend(["message_delta", "message_stop"]);
        assert_eq!(names, expected);
        assert!(stream.contains(r#"{"partial_json":"{\"command\":\"ls\"}","type":"input_json_delta"}"#));
    }
}
