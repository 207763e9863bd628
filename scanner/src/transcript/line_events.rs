//! The events in a line of a transcript: calls, their results, and prompts.
//!
//! The speaker is decided by the structure of a line and never by its words: a result that looks like a prompt is a
//! result. A prompt is what a person typed. The client writes much else in the user's name
//! (results, summaries, the bodies of skills, the output of slash commands, notices), and marks it.

use serde_json::Value;
use serde_json::value::RawValue;

use lessons_lesson::call::is_shell;
use lessons_text::digest;

use super::complaints::may_complain;
use super::record::{
    Block, Message, Record, blocks, is, is_true, object, text_of, texts_of, without_pastes, word,
};
use super::{LineInfo, Unreadable};

/// The longest command or text of an edit that is kept, in bytes.
const MAX_KEPT: usize = 8 << 10;
/// The longest part of a result that is kept, in bytes: errors say close to their start what is wrong.
const MAX_RESULT: usize = 4 << 10;
/// The longest prompt that can be a correction, in characters. A longer one is a task or a paste.
const MAX_PROMPT_CHARS: usize = 1000;
/// The most lines of such a prompt.
const MAX_PROMPT_LINES: usize = 12;
/// The start of the result of a call that the user refused, in every version of the client.
pub(super) const REFUSED: &str = "The user doesn't want to proceed with this tool use.";
/// The texts before the reason of a person who refused a call.
const REASONS: [&str; 2] = ["the user said:", "provided the following reason for the rejection:"];
/// The start of what the client writes to the model after such a reason.
const AFTER_REASON: &str = "\n\nNote: The user's next message";
/// What the client keeps of a refused call in the place of its result.
const KEPT_OF_REFUSAL: &str = "User rejected tool use";

/// The events of one line, and the facts of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineEvents {
    /// The facts of the line, without texts. Left out where calls only end: they are known by the lines that made them.
    pub(crate) origin: LineInfo,
    /// The events, in order.
    pub(crate) what: Vec<LineEvent>,
}

/// An event in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineEvent {
    /// The assistant calls a tool.
    Called(ToolCall),
    /// A call ended.
    Ended {
        /// The id of the call.
        id: String,
        /// The end of the call.
        end: CallEnd,
    },
    /// The user typed this.
    Typed(String),
    /// The user typed this while the assistant worked, and the client put it into its queue. What the assistant gets
    /// of the queue may stand in a later line as well.
    Queued(String),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// The names of the parameters, in alphabetical order.
    pub(crate) given: Vec<String>,
    /// The command of a Bash call.
    pub(crate) command: Option<String>,
    /// The file it works on.
    pub(crate) path: Option<String>,
    /// The text that an edit replaces.
    pub(crate) old: Option<String>,
    /// The text that an edit or a write puts in, or a tool for memories stores.
    pub(crate) new: Option<String>,
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// It succeeded.
    Done,
    /// It counts as a success, but its result complains, as where `| tail` hides the exit code.
    Masked(String),
    /// It failed.
    Failed {
        /// The exit code of a command.
        code: Option<u8>,
        /// The text of the error.
        text: String,
    },
    /// The client, a rule or a hook did not let it run.
    Refused,
    /// The user refused or stopped it, with the reason where one was typed.
    RefusedByUser(Option<String>),
    /// The same, but only by the text of the result, which another server may have written.
    RefusedInWords(Option<String>),
}

/// Reads the events of a line. `None` for a line without any.
pub(crate) fn line_events(line: &[u8]) -> Result<Option<LineEvents>, Unreadable> {
    let record = Record::read(line)?;
    let what = events(&record);
    let origin = if what.iter().all(|event| matches!(event, LineEvent::Ended { .. })) {
        LineInfo::default()
    } else {
        let facts = record.facts();
        let made = || format!("made-{}", digest::hex(line, 32));
        LineInfo { uuid: Some(facts.uuid).filter(|uuid| !uuid.is_empty()).unwrap_or_else(made), ..facts }
    };
    Ok((!what.is_empty()).then_some(LineEvents { origin, what }))
}

fn events(line: &Record<'_>) -> Vec<LineEvent> {
    if let Some(message) = line.of_assistant() {
        return message.of_kind("tool_use").filter_map(|block| call(&block)).map(LineEvent::Called).collect();
    }
    if let Some(message) = line.said_by("user") {
        return said_or_ended(line, &message);
    }
    // What a person typed while the assistant worked, and what they typed into the queue of the client.
    let is_of_agent = line.agent_id.is_some() || is_true(line.is_sidechain);
    let attached = line.attached().filter(|it| !is_of_agent && it.is_queued_prompt());
    let mid_turn = attached.and_then(|it| prompt_in(&text_of(it.prompt)?));
    let queued = line.put_into_queue().filter(|_| line.may_be_typed()).and_then(|text| prompt_in(&text));
    mid_turn.map(LineEvent::Typed).into_iter().chain(queued.map(LineEvent::Queued)).collect()
}

fn call(block: &Block<'_>) -> Option<ToolCall> {
    let tool = word(block.name)?;
    let mut call = ToolCall { id: word(block.id)?, tool, ..ToolCall::default() };
    let given: std::collections::BTreeMap<String, &RawValue> = object(block.input)?;
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| given.get(*name))?;
        text_of(Some(found)).filter(|text| text.len() <= MAX_KEPT)
    };
    call.command = is_shell(&call.tool).then(|| text(&["command"])).flatten();
    call.path = text(&["file_path", "notebook_path"]);
    // MultiEdit gives its edits as a list.
    let edits: Vec<Value> =
        given.get("edits").and_then(|edits| serde_json::from_str(edits.get()).ok()).unwrap_or_default();
    let joined = |name: &str| {
        let texts: Vec<&str> = edits.iter().filter_map(|edit| edit.get(name)?.as_str()).collect();
        Some(texts.join("\n")).filter(|text| !texts.is_empty() && text.len() <= MAX_KEPT)
    };
    call.old = text(&["old_string"]).or_else(|| joined("old_string"));
    call.new = text(&["new_string", "content", "new_source"]).or_else(|| joined("new_string"));
    if call.new.is_none() && stores_memories(&call.tool) {
        let texts =
            given.values().filter_map(|it| serde_json::from_str(it.get()).ok()).flat_map(texts_within);
        call.new = Some(texts.collect::<Vec<_>>().join("\n")).filter(|text| text.len() <= MAX_KEPT);
    }
    call.given = given.into_keys().collect();
    Some(call)
}

/// Whether a tool of a server stores memories, by its name: `mcp__memory__add_observations`, `mcp__x__write_memory`.
pub(crate) fn stores_memories(tool: &str) -> bool {
    let Some((server, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) else {
        return false;
    };
    let stores = ["add", "append", "create", "remember", "save", "store", "update", "write"];
    let mut words = name.split(['_', '-']);
    (server.contains("memor") || name.contains("memor")) && words.any(|word| stores.contains(&word))
}

/// The texts in a value of JSON, at any depth.
fn texts_within(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.into_iter().flat_map(texts_within).collect(),
        Value::Object(fields) => fields.into_iter().flat_map(|(_, value)| texts_within(value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn said_or_ended(line: &Record<'_>, message: &Message<'_>) -> Vec<LineEvent> {
    let blocks = blocks(message.content);
    let mut events: Vec<LineEvent> = blocks.iter().filter_map(|block| ended(line, block)).collect();
    // Clients 2.0 and 2.1 put what was typed while a tool ran beside its result.
    let prompt = if events.is_empty() { typed(line, message, &blocks) } else { typed_beside(line, &blocks) };
    events.extend(prompt.filter(|text| !text.is_empty()).map(LineEvent::Typed));
    events
}

fn ended(line: &Record<'_>, block: &Block<'_>) -> Option<LineEvent> {
    let id = word(block.tool_use_id.filter(|_| is(block.kind, "tool_result")))?;
    let text = || result_text(block.content);
    let end = match text_of(line.tool_denial_kind).as_deref() {
        Some("user-rejected") => {
            CallEnd::RefusedByUser(text_of(line.user_feedback).or_else(|| reason_in(&text())))
        }
        Some(_) => CallEnd::Refused,
        None if is_true(block.is_error) && is(line.tool_use_result, KEPT_OF_REFUSAL) => {
            CallEnd::RefusedByUser(reason_in(&text()))
        }
        None if is_true(block.is_error) => CallEnd::of_error(&text()),
        None if block.content.is_some_and(|content| may_complain(content.get().as_bytes())) => {
            CallEnd::Masked(text())
        }
        None => CallEnd::Done,
    };
    Some(LineEvent::Ended { id, end })
}

/// The reason in the text of a refusal, without what the client adds to it.
pub(super) fn reason_in(text: &str) -> Option<String> {
    let said = REASONS.iter().find_map(|before| text.split_once(before))?.1;
    let said = said.split(AFTER_REASON).next().unwrap_or_default().trim();
    Some(said.to_owned()).filter(|said| !said.is_empty())
}

/// The start of the text of a result. Half a line may hold half a secret, which no rule recognises; of a long line only the
/// start is shown.
fn result_text(content: Option<&RawValue>) -> String {
    let mut text = texts_of(content).join("\n");
    if text.len() > MAX_RESULT {
        text.truncate(text.floor_char_boundary(MAX_RESULT));
        text.truncate(text.rfind('\n').filter(|&at| at > MAX_RESULT / 2).unwrap_or(text.len()));
    }
    text
}

impl CallEnd {
    /// The end of a call by the text of its error. The texts of the client cannot come from a command, whose error
    /// begins with the exit code.
    fn of_error(text: &str) -> Self {
        if let Some(rest) = text.strip_prefix(REFUSED) {
            return Self::RefusedInWords(reason_in(rest));
        }
        // The client stops the other calls of a message where one fails.
        if text.contains("Sibling tool call errored") {
            return Self::Refused;
        }
        let by_client =
            ["PreToolUse:", "Permission to use", "Claude requested permissions", "Permission for this"];
        if by_client.iter().any(|start| text.starts_with(start)) {
            return Self::Refused;
        }
        let (code, text) = match text.strip_prefix("Exit code ") {
            Some(rest) => {
                let (code, text) = rest.split_once('\n').unwrap_or((rest, ""));
                (code.trim().parse().ok(), text)
            }
            None => (None, text),
        };
        Self::Failed { code, text: text.to_owned() }
    }
}

/// What a person typed in a text: nothing where it was pasted, or is too long to be about one step. `None` where the client
/// wrote it in the name of the user.
fn typed_part(text: &str) -> Option<String> {
    let typed = without_pastes(text, "");
    let typed = typed.split("[Pasted text #").next().unwrap_or_default().trim();
    let is_of_the_client = typed.starts_with("[Request interrupted by user")
        || typed.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let is_long = typed.lines().count() > MAX_PROMPT_LINES || typed.chars().nth(MAX_PROMPT_CHARS).is_some();
    (!is_of_the_client).then(|| if is_long { String::new() } else { typed.to_owned() })
}

/// The prompt in a text, if a person typed one.
fn prompt_in(text: &str) -> Option<String> {
    typed_part(text).filter(|text| !text.is_empty())
}

/// The prompt that a person sent, if the line is one.
fn typed(line: &Record<'_>, message: &Message<'_>, blocks: &[Block<'_>]) -> Option<String> {
    if !line.may_be_typed() || line.source_tool.is_some() {
        return None;
    }
    let text = text_of(message.content).or_else(|| {
        let texts: Option<Vec<String>> =
            blocks.iter().filter(|block| !is(block.kind, "image")).map(|block| text_of(block.text)).collect();
        // What the client puts beside a prompt is none of it.
        let is_typed = |text: &String| typed_part(text).is_some();
        let typed: Vec<String> = texts?.into_iter().filter(is_typed).collect();
        Some(typed.join("\n")).filter(|text| !text.is_empty())
    })?;
    typed_part(&text)
}

/// The prompt in the text blocks beside the results of a line.
fn typed_beside(line: &Record<'_>, blocks: &[Block<'_>]) -> Option<String> {
    let of_text = blocks.iter().filter(|block| is(block.kind, "text"));
    let texts = of_text.filter_map(|block| typed_part(&text_of(block.text)?));
    let joined = texts.reduce(|all, more| format!("{all}\n{more}").trim().to_owned());
    joined.filter(|_| line.may_be_typed())
}

#[cfg(test)]
#[path = "line_events/tests.rs"]
mod tests;
