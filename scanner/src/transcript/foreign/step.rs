//! What readers find in the lines of a transcript: facts of the session, ends of calls, texts.

use serde_json::Value;

/// The facts of the session that a transcript tells.
#[derive(Debug, Default)]
pub(super) struct SessionFacts {
    pub(super) id: String,
    pub(super) cwd: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) model: Option<String>,
    /// Whether a program drives the client, so that nobody typed its prompts.
    pub(super) is_program: bool,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It succeeded.
    Done,
    /// It failed, with the exit code of a command.
    Failed(Option<i64>),
    /// A person refused it.
    RefusedByPerson,
}

impl End {
    /// The end of a command by its exit code, where the client names one.
    pub(super) fn of_code(code: Option<i64>) -> Self {
        match code {
            None | Some(0) => Self::Done,
            Some(code) => Self::Failed(Some(code)),
        }
    }
}

/// The text of a field, or of a list of blocks with texts.
pub(super) fn text_in(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Cuts each part of a text that stands between two marks, with these and with `behind` where it follows, and returns all of
/// them. What has no end ends with the text.
pub(super) fn cut_out(text: &mut String, open: &str, close: &str, behind: &str) -> String {
    let mut cut = String::new();
    while let Some(start) = text.find(open) {
        let end = text[start..].find(close).map_or(text.len(), |at| start + at + close.len());
        let end = if text[end..].starts_with(behind) { end + behind.len() } else { end };
        cut.extend(text.drain(start..end));
    }
    cut
}

/// The text of a field, if it is one that is not empty.
pub(super) fn owned(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
