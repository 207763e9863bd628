//! What a digest takes from a line: what a person typed, and how the calls of the main thread began and ended.
//!
//! Other than [`super::line_events`], a prompt of any length is one, and the inputs of all tools are kept.

use serde_json::Value;

use super::line_events::{REFUSED, reason_in};
use super::record::{Attachment, Block, Record, is_true, moment, text_of, texts_of, without_pastes, word};
use crate::transcript::timestamp::Timestamp;

/// The most bytes of a result that are kept: errors say close to their start what is wrong.
const MAX_RESULT: usize = 4 << 10;
/// The most bytes of a prompt that are kept of its start, and of its end.
const MAX_PROMPT: (usize, usize) = (32 << 10, 4 << 10);
/// How texts begin that the client writes in the place of a person.
const OF_THE_CLIENT: [&str; 14] = [
    "<command-",
    "<local-command",
    "<bash-",
    "<task-",
    "<system-reminder",
    "<ide_",
    "<user-prompt-submit-hook",
    "<teammate-message",
    "Caveat: The messages below",
    "This session is being continued",
    "Base directory for this skill",
    "Unknown slash command",
    "Stop hook feedback",
    "Your task is to create a detailed summary",
];
/// The texts that the client puts beside what was typed, each between two tags.
const REMINDERS: [&str; 3] = ["system-reminder", "ide_opened_file", "ide_selection"];

/// A line of the main thread.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpokenLine {
    /// The id of the line; empty where it has none.
    pub(crate) uuid: String,
    /// Its time.
    pub(crate) time: Option<Timestamp>,
    /// Whether a program may have sent it: editors and programs use the same library.
    pub(crate) may_be_program: bool,
    /// What happened, in order.
    pub(crate) what: Vec<Spoken>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Spoken {
    /// A person typed this.
    Typed(String),
    /// A person typed this while the assistant worked. It is written again when it is delivered.
    Queued(String),
    /// A person interrupted the work.
    Interrupted,
    /// A person had this remembered (`#`).
    Remembered(String),
    /// A tool was called.
    Called(SpokenCall),
    /// The call with this id ended.
    Ended(String, SpokenEnd),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpokenCall {
    pub(crate) id: String,
    /// The tool; a shell of an editor is `Bash`.
    pub(crate) tool: String,
    /// Its input.
    pub(crate) input: Value,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpokenEnd {
    /// It succeeded, with this result.
    Done(String),
    /// It failed, with this error.
    Failed(String),
    /// A person refused it, with a reason where one was typed.
    Refused(Option<String>),
    /// The client, a rule or a hook did not let it run.
    Stopped,
}

/// Reads a record of the main thread. `None` for every other one, and where nothing happened in it.
pub(crate) fn spoken(record: &[u8]) -> Option<SpokenLine> {
    let record = Record::read(record).ok()?;
    if is_true(record.is_sidechain) || record.agent_id.is_some() {
        return None;
    }
    let entry = text_of(record.entrypoint).unwrap_or_default();
    let may_be_program = entry == "sdk-ts";
    // What a program sends was not typed.
    if !may_be_program && entry.starts_with("sdk-") || matches!(entry.as_str(), "mcp" | "action") {
        return None;
    }
    let (uuid, time) = (word(record.uuid).unwrap_or_default(), moment(record.timestamp));
    Some(SpokenLine { uuid, time, may_be_program, what: events(&record) })
        .filter(|line| !line.what.is_empty())
}

fn events(record: &Record<'_>) -> Vec<Spoken> {
    if let Some(message) = record.of_assistant() {
        return message.of_kind("tool_use").filter_map(|block| called(&block)).collect();
    }
    if record.is_of("queue-operation") {
        let text = record.put_into_queue().filter(|text| !text.starts_with('/'));
        let queued = |typed| match typed {
            Spoken::Typed(text) => Spoken::Queued(text),
            other => other,
        };
        return text.and_then(|text| typed(&text)).map(queued).into_iter().collect();
    }
    if let Some(attachment) = record.attached().filter(Attachment::is_queued_prompt) {
        return texts_of(attachment.prompt).iter().filter_map(|text| typed(text)).collect();
    }
    let Some(message) = record.said_by("user") else { return Vec::new() };
    let ended = message.of_kind("tool_result").filter_map(|block| ended(record, &block));
    let is_typed = record.may_be_typed();
    let typed = texts_of(message.content).into_iter().filter(|_| is_typed).filter_map(|text| typed(&text));
    ended.chain(typed).collect()
}

/// What a person typed, by the text of one block.
fn typed(text: &str) -> Option<Spoken> {
    let text = without_reminders(text);
    let text = text.trim();
    if text.starts_with("[Request interrupted by user") {
        return Some(Spoken::Interrupted);
    }
    // A prompt may quote any of these: the client begins with them.
    let tagged = |start, name| if text.starts_with(start) { between(text, name) } else { None };
    if let Some(note) = tagged("<user-memory-input>", "user-memory-input") {
        return Some(Spoken::Remembered(note.trim().to_owned()));
    }
    if let Some(command) = tagged("<bash-input>", "bash-input") {
        return Some(Spoken::Typed(format!("! {}", command.trim())));
    }
    if let Some(command) = tagged("<command-", "command-name") {
        let given = between(text, "command-args")?.trim();
        let is_said = given.chars().filter(|c| c.is_alphanumeric()).count() >= 12;
        return is_said.then(|| Spoken::Typed(bounded(format!("{} {given}", command.trim()))));
    }
    let is_typed = !text.is_empty() && !OF_THE_CLIENT.iter().any(|start| text.starts_with(start));
    is_typed.then(|| Spoken::Typed(bounded(without_pastes(text, " […] "))))
}

/// The text between the first two tags of this name.
fn between<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, inside) = text.split_once(&format!("<{name}>"))?;
    inside.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

/// The text without what the client put beside it.
fn without_reminders(text: &str) -> String {
    let mut text = text.to_owned();
    for name in REMINDERS {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let (mut out, mut rest) = (String::new(), text.as_str());
        while let Some((before, after)) = rest.split_once(&open)
            && let Some((_, after)) = after.split_once(&close)
        {
            out.push_str(before);
            out.push(' ');
            rest = after;
        }
        text = out + rest;
    }
    text
}

/// The start and the end of a long text.
fn bounded(text: String) -> String {
    let (head, tail) = MAX_PROMPT;
    if text.len() <= head + tail {
        return text;
    }
    let (head, tail) = (text.floor_char_boundary(head), text.ceil_char_boundary(text.len() - tail));
    let (head, tail) = (&text[..head], &text[tail..]);
    // Half a word may be half a secret, which nothing knows for one.
    let head = head.rfind(char::is_whitespace).map_or("", |end| &head[..end]);
    let tail = tail.find(char::is_whitespace).map_or("", |start| &tail[start..]);
    format!("{head}\n[…]\n{tail}")
}

fn called(block: &Block<'_>) -> Option<Spoken> {
    let input = serde_json::from_str(block.input?.get()).unwrap_or(Value::Null);
    let tool = word(block.name)?;
    let tool = tool.strip_prefix("mcp__acp__").map(str::to_owned).unwrap_or(tool);
    Some(Spoken::Called(SpokenCall { id: word(block.id)?, tool, input }))
}

fn ended(record: &Record<'_>, block: &Block<'_>) -> Option<Spoken> {
    let mut text = texts_of(block.content).join("\n");
    if text.len() > MAX_RESULT {
        text.truncate(text.floor_char_boundary(MAX_RESULT));
        text.truncate(text.rfind(char::is_whitespace).unwrap_or(0));
    }
    let denial = text_of(record.tool_denial_kind);
    let end = match denial.as_deref() {
        Some("user-rejected") => {
            SpokenEnd::Refused(text_of(record.user_feedback).or_else(|| reason_in(&text)))
        }
        Some(_) => SpokenEnd::Stopped,
        None if !is_true(block.is_error) => SpokenEnd::Done(text),
        None if is_refusal(&text) => SpokenEnd::Refused(reason_in(&text)),
        None => SpokenEnd::Failed(text),
    };
    Some(Spoken::Ended(word(block.tool_use_id)?, end))
}

fn is_refusal(text: &str) -> bool {
    text.starts_with(REFUSED)
        || ["doesn't want to take this action", "tool use was rejected"]
            .iter()
            .any(|sign| text.get(..text.floor_char_boundary(400)).is_some_and(|start| start.contains(sign)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(line: &Value) -> Vec<Spoken> {
        spoken(line.to_string().as_bytes()).map(|line| line.what).unwrap_or_default()
    }

    fn user(content: &Value) -> Value {
        json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": content}})
    }

    #[test]
    fn blocks_of_the_client_are_never_the_words_of_a_person() {
        let block = |text: &str| json!({"type": "text", "text": text});
        let typed = [Spoken::Typed("no, use make".to_owned())];
        for other in [
            "<system-reminder>x</system-reminder>",
            "<ide_opened_file>x</ide_opened_file>",
            "<task-notification>x",
        ] {
            assert_eq!(read(&user(&json!([block(other), block("no, use make")]))), typed);
            assert_eq!(read(&user(&json!([block("no, use make"), block(other)]))), typed);
            assert_eq!(read(&user(&json!(other))), []);
        }
        assert_eq!(read(&user(&json!("<system-reminder>x</system-reminder>\nno, use make"))), typed);
        for quoted in [
            "I typed <command-name>/clear</command-name> and it hangs",
            "it shows <user-memory-input>x</user-memory-input> twice",
        ] {
            assert_eq!(read(&user(&json!(quoted))), [Spoken::Typed(quoted.to_owned())]);
        }
        let command = "<command-name>/release</command-name><command-args>never on a Friday</command-args>";
        assert_eq!(read(&user(&json!(command))), [Spoken::Typed("/release never on a Friday".to_owned())]);
    }

    #[test]
    fn what_programs_and_sub_agents_send_is_not_typed() {
        for (name, value) in
            [("entrypoint", json!("sdk-py")), ("isSidechain", json!(true)), ("agentId", json!("a"))]
        {
            let mut line = user(&json!("do it"));
            line[name] = value;
            assert_eq!(read(&line), [], "{name}");
        }
    }

    #[test]
    fn a_shell_of_an_editor_is_a_shell() {
        let block =
            json!({"type": "tool_use", "id": "t", "name": "mcp__acp__Bash", "input": {"command": "ls"}});
        let line = json!({"type": "assistant", "message": {"role": "assistant", "content": [block]}});
        let input = json!({"command": "ls"});
        assert_eq!(read(&line), [Spoken::Called(SpokenCall { id: "t".into(), tool: "Bash".into(), input })]);
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_character() {
        let line = br#"{"type":"user","message":{"role":"user","content":"never push \ud83d today"}}"#;
        let what = spoken(line).unwrap().what;
        assert!(
            matches!(&what[..], [Spoken::Typed(text)] if text.starts_with("never push ") && text.ends_with(" today"))
        );
    }

    #[test]
    fn a_refusal_has_the_reason_that_was_typed() {
        let result = |text: &str| {
            read(&user(
                &json!([{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": text}]),
            ))
        };
        let refused =
            |reason: Option<&str>| [Spoken::Ended("t".into(), SpokenEnd::Refused(reason.map(str::to_owned)))];
        let said = format!(
            "{REFUSED} To tell you how to proceed, the user said:\nuse make\n\nNote: The user's next message"
        );
        assert_eq!(result(&said), refused(Some("use make")));
        assert_eq!(result(REFUSED), refused(None));
    }
}
