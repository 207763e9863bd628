//! The writer of Claude Code's lines, and what readers of other forms tell it: facts of the session, ends of calls, texts.

use std::collections::HashMap;
use std::path::Path;

use lessons_text::{digest, path};
use serde_json::{Value, json};

/// The opening and the closing of our own texts, also as clients that escape them write them.
const FENCES: [(&str, &str); 2] = [
    ("<recorded-lessons>", "</recorded-lessons>"),
    ("&lt;recorded-lessons&gt;", "&lt;/recorded-lessons&gt;"),
];
/// What stands behind our fence.
const AFTER_FENCE: &str = "\nNotes only.";
/// The name by which Claude Code marks what was told when a session started.
const AT_START: &str = "SessionStart";

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

/// A reader of one form: it writes what happened in a line, and keeps facts of the session that it names.
pub(super) type Reader = Box<dyn FnMut(&Value, &mut Lines)>;

/// The lines of one session.
#[derive(Default)]
pub(super) struct Lines {
    /// The id of the session, its folder, the branch there, and the model that speaks.
    pub(super) session: String,
    pub(super) cwd: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) speaker: Option<String>,
    /// Whether a program drives the client, so that nobody typed its prompts.
    pub(super) is_program: bool,
    /// When that happened which is written now: ISO 8601 in UTC.
    pub(super) time: Option<String>,
    /// The message of the model to which it belongs.
    pub(super) message: Option<String>,
    /// The last call.
    pub(super) last: Option<String>,
    /// What was written, until somebody takes it.
    pub(super) written: String,
    /// The lines written so far.
    count: u64,
    /// The calls for which one that has not ended stands, where it is not one.
    many: HashMap<String, usize>,
}

impl Lines {
    /// A person wrote this.
    pub(super) fn person(&mut self, text: &str) {
        let text = without_ours(text).0;
        self.put(json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    /// The model wrote this, if it wrote something.
    pub(super) fn model(&mut self, text: Option<String>) {
        if let Some(text) = text {
            self.of_model(&json!({"type": "text", "text": text}));
        }
    }

    /// The model called a tool: in Claude Code's names one call, or several, as where a patch changes files.
    pub(super) fn call(&mut self, id: &str, calls: Vec<(String, Value)>) {
        self.last = Some(id.to_owned());
        if calls.len() != 1 {
            self.many.insert(id.to_owned(), calls.len());
        }
        for (number, (tool, mut input)) in calls.into_iter().enumerate() {
            // Claude Code's paths are whole.
            let file = input.get("file_path").and_then(Value::as_str);
            if let Some((cwd, file)) = self.cwd.as_ref().zip(file) {
                input["file_path"] =
                    path::lexical(&format!("{}", Path::new(cwd).join(file).display())).into();
            }
            let id = id_of(id, number);
            self.of_model(&json!({"type": "tool_use", "id": id, "name": tool, "input": input}));
        }
    }

    /// A call ended, with this text. Our own text in it becomes a line of its own, as Claude Code writes what a hook told; a
    /// call that ended with it was refused by us.
    pub(super) fn end(&mut self, id: &str, end: End, text: &str) {
        let denial = match end {
            End::RefusedByPerson => Some("user-rejected"),
            End::Failed(None) if is_our_refusal(text) => Some("hook"),
            End::Failed(_) | End::Done => None,
        };
        let (mut content, ours) = without_ours(text);
        if let End::Failed(Some(code)) = end {
            content = format!("Exit code {code}\n{content}");
        }
        for number in 0..self.many.remove(id).unwrap_or(1) {
            let id = id_of(id, number);
            if let Some(ours) = &ours {
                self.ours(Some(&id), ours);
            }
            let result = json!({
                "type": "tool_result", "tool_use_id": id, "is_error": end != End::Done, "content": content,
            });
            let mut line = json!({"type": "user", "message": {"role": "user", "content": [result]}});
            if let Some(denial) = denial {
                line["toolDenialKind"] = denial.into();
            }
            self.put(line);
        }
    }

    /// A hook told the model this: at a call, or when the session started.
    pub(super) fn told(&mut self, call: Option<&str>, text: &str) {
        if let Some(ours) = without_ours(text).1 {
            self.ours(call, &ours);
        }
    }

    /// The context was compacted.
    pub(super) fn compacted(&mut self) {
        self.put(json!({"type": "system", "subtype": "compact_boundary"}));
    }

    fn ours(&mut self, call: Option<&str>, text: &str) {
        self.put(json!({"type": "attachment", "attachment": {
            "type": "hook_additional_context", "content": [text], "toolUseID": call.unwrap_or(AT_START),
        }}));
    }

    fn of_model(&mut self, block: &Value) {
        let id = self.message.clone().unwrap_or_else(|| format!("message-{}", self.count));
        self.put(json!({"type": "assistant", "message": {
            "role": "assistant", "id": id, "model": self.speaker, "content": [block],
        }}));
    }

    fn put(&mut self, mut line: Value) {
        self.count += 1;
        // By what it says, and not by its number: a database may put a row between others.
        let said = line.to_string();
        let parts =
            [self.session.as_str(), self.time.as_deref().unwrap_or_default(), &said].map(str::as_bytes);
        line["uuid"] = digest::hex_of_parts(&parts, 32).into();
        line["sessionId"] = self.session.as_str().into();
        line["entrypoint"] = if self.is_program { "sdk-cli" } else { "cli" }.into();
        for (name, value) in [("timestamp", &self.time), ("cwd", &self.cwd), ("gitBranch", &self.branch)] {
            if let Some(value) = value {
                line[name] = value.as_str().into();
            }
        }
        self.written.extend([line.to_string().as_str(), "\n"]);
    }
}

/// The id of one of the calls for which a call stands.
fn id_of(call: &str, number: usize) -> String {
    if number == 0 { call.to_owned() } else { format!("{call}-{number}") }
}

/// Whether the text of a call that failed is a refusal of ours: a fence with at most a few words of the client before it, and
/// behind it the one line that says how to go on. A tool may have failed with such a text in what it printed.
fn is_our_refusal(text: &str) -> bool {
    FENCES.iter().any(|(open, close)| {
        let Some((before, rest)) = text.split_once(open) else { return false };
        let says_how = |behind: &str| behind.trim().lines().count() == 1 && !behind.starts_with(AFTER_FENCE);
        // A client may have cut the end off.
        before.trim().lines().count() <= 1
            && rest.split_once(close).is_none_or(|(_, behind)| says_how(behind))
    })
}

/// A text without what we put into it, and that.
fn without_ours(text: &str) -> (String, Option<String>) {
    let mut rest = text.to_owned();
    let ours = FENCES.map(|(open, close)| cut_out(&mut rest, open, close, AFTER_FENCE)).concat();
    let ours = Some(ours.replace("&lt;", "<").replace("&gt;", ">")).filter(|ours| !ours.is_empty());
    (rest, ours)
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
