//! The results of tools in a line of a transcript, with their whole texts.

use super::record::{Record, is_true, texts_of, word};
use super::{LineInfo, Unreadable};

/// The most bytes from the start and from the end of a result that are looked at, as hooks do.
const START: usize = 256 << 10;
const END: usize = 64 << 10;

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolResult {
    /// The id of the call.
    pub(crate) id: String,
    /// The text, without the middle of a very long one.
    pub(crate) text: String,
    /// Whether the call failed or was refused.
    pub(crate) is_error: bool,
}

/// Reads the facts of a line, without texts, and the results in it, in order. `None` for a line without any.
pub(crate) fn tool_results(line: &[u8]) -> Result<Option<(LineInfo, Vec<ToolResult>)>, Unreadable> {
    let record = Record::read(line)?;
    let Some(message) = record.said_by("user") else { return Ok(None) };
    let results: Vec<ToolResult> = message
        .of_kind("tool_result")
        .filter_map(|block| {
            let id = word(block.tool_use_id)?;
            let text = without_middle(texts_of(block.content).join("\n"));
            Some(ToolResult { id, text, is_error: is_true(block.is_error) })
        })
        .collect();
    Ok((!results.is_empty()).then(|| (record.facts(), results)))
}

/// A text without its middle, if it is very long.
fn without_middle(text: String) -> String {
    if text.len() <= START + END {
        return text;
    }
    let start = text.floor_char_boundary(START);
    let end = text.ceil_char_boundary(text.len() - END);
    format!("{}\n{}", text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn results(content: &Value) -> Vec<ToolResult> {
        let line = json!({"type": "user", "message": {"role": "user", "content": content}}).to_string();
        tool_results(line.as_bytes()).unwrap().map(|(_, results)| results).unwrap_or_default()
    }

    fn of(content: &Value) -> String {
        let block =
            json!([{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": content}]);
        results(&block).pop().unwrap().text
    }

    #[test]
    fn a_text_and_a_list_of_texts_are_read() {
        assert_eq!(of(&json!("a page")), "a page");
        assert_eq!(
            of(&json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])),
            "a\nb"
        );
        assert_eq!(of(&json!({"a": 1})), "");
    }

    #[test]
    fn of_a_very_long_text_start_and_end_are_kept() {
        let text = format!("start{}end", "ü".repeat(START));
        let kept = of(&json!(text));
        assert!(kept.starts_with("start") && kept.ends_with("end"));
        assert!(kept.len() <= START + END + 1 && kept.len() + 8 > START + END);
    }

    #[test]
    fn other_lines_have_none() {
        assert!(results(&json!("tool_result")).is_empty());
        assert!(results(&json!([{"type": "text", "text": "tool_result"}])).is_empty());
        for line in ["{}", "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_result\"}]}}"]
        {
            assert_eq!(tool_results(line.as_bytes()), Ok(None));
        }
        assert!(tool_results(b"[]").is_err());
    }
}
