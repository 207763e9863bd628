//! The parser for lines of a transcript.
//!
//! The format is the client's and changes without notice, so a line is read leniently: only the
//! fields below are looked at, each by itself, and one of an unexpected type counts as missing. What
//! is *allowed* is strict: lists of what counts, never lists of what does not.

pub(crate) mod changed_sessions;
mod complaints;
pub(crate) mod file_version;
pub mod foreign;
pub mod line;
mod line_events;
pub(crate) mod needle;
pub(crate) mod raw_json;
mod record;
mod requests;
pub(crate) mod resume;
pub mod roots;
pub(crate) mod spoken;
pub mod timestamp;
mod tool_results;
mod tool_uses;
pub mod walk;

use std::collections::BTreeMap;

use lessons_text::digest;
use memchr::memmem;
use serde_json::value::RawValue;

use crate::transcript::raw_json::value_of;
use crate::transcript::timestamp::Timestamp;
pub(crate) use complaints::{complains_of_word, line_may_complain};
pub(crate) use line_events::{CallEnd, LineEvent, ToolCall, line_events, stores_memories};
use record::{Record, folder_of, moment, object, text_of, word};
pub use requests::{HookText, RequestLine, Usage, hook_text, is_compaction, request};
pub(crate) use tool_results::{ToolResult, tool_results};
pub use tool_uses::{CallFailure, ToolUse, ToolUses, call_failures, tool_uses};

/// The facts of one line, and the texts of the assistant in it: the one place where a tag counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineInfo {
    /// The id of the line. A fork copies it, so it identifies the content and not the place. A line without one gets
    /// one made of session, time, message and text.
    pub uuid: String,
    /// The session that the line names.
    pub session: Option<String>,
    /// The time of the line.
    pub time: Option<Timestamp>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The sub-agent, if one wrote it.
    pub agent: Option<Agent>,
    /// The text blocks of the assistant.
    pub texts: Vec<String>,
}

/// A sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its id, if the line names it.
    pub id: Option<String>,
    /// Its type, if the line names it; otherwise the file beside the transcript may.
    pub kind: Option<String>,
}

/// The reason why a line cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unreadable {
    /// The bytes are not UTF-8.
    #[error("not UTF-8")]
    Encoding,
    /// It is not a JSON object, or one that names a field twice.
    #[error("not a JSON object")]
    Json,
}

/// Reads a line with text of the assistant. `None` for every other line: tool calls and their results, text of the
/// user, the system and hooks, thinking, summaries, messages that the client makes up (errors of the API), and
/// whatever later versions of the client will write.
pub fn assistant_line(line: &[u8]) -> Result<Option<LineInfo>, Unreadable> {
    let record = Record::read(line)?;
    let Some(message) = record.of_assistant() else { return Ok(None) };
    let texts: Vec<String> = message.of_kind("text").filter_map(|block| text_of(block.text)).collect();
    if texts.is_empty() || word(message.model).as_deref() == Some("<synthetic>") {
        return Ok(None);
    }
    let mut info = LineInfo { texts, ..record.facts() };
    if info.uuid.is_empty() {
        let message = word(message.id).unwrap_or_default();
        let millis = info.time.map_or(0, Timestamp::millis).to_string();
        let known = [info.session.as_deref().unwrap_or(""), &millis, &message];
        let parts: Vec<&[u8]> =
            known.iter().copied().chain(info.texts.iter().map(String::as_str)).map(str::as_bytes).collect();
        info.uuid = format!("made-{}", digest::hex_of_parts(&parts, 32));
    }
    Ok(Some(info))
}

/// A line with input of the model: text that the model may repeat in its own words. Where nothing is known of it, it may have
/// been anything, at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelInput {
    /// The time of the line.
    pub time: Option<Timestamp>,
    /// Whose words it holds.
    pub source: InputSource,
}

/// Whose words a line with input of the model holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InputSource {
    /// The words of the person, or of the model itself: a prompt, one that waits, one for a sub-agent, a summary.
    Session,
    /// The words of others: the result of a tool, a file, the text of a hook, a message of another agent.
    #[default]
    Others,
}

impl InputSource {
    /// Everybody whose words the model reads.
    pub const ALL: [Self; 2] = [Self::Session, Self::Others];
}

/// Reads a line with input of the model: a prompt or the result of a tool (`user`), a file, the text of a hook or a
/// lesson of ours (`attachment`), a notice of the system, a prompt that waits. `None` for every other line.
pub fn model_input(line: &[u8]) -> Result<Option<ModelInput>, Unreadable> {
    let record = Record::read(line)?;
    let counts = text_of(record.kind)
        .is_some_and(|kind| matches!(kind.as_str(), "user" | "attachment" | "system" | "queue-operation"));
    let time = moment(record.timestamp);
    Ok(counts.then(|| ModelInput { time, source: record.input_source() }))
}

/// The id of a line of the user.
pub fn prompt_id(line: &[u8]) -> Option<String> {
    let record = Record::read(line).ok()?;
    word(record.uuid.filter(|_| record.is_of("user")))
}

/// A working folder, and what its line says of the repository that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFolder {
    /// The folder.
    pub folder: String,
    /// The branch that was checked out there.
    pub branch: Option<String>,
    /// The folder for which the client made it as a work tree.
    pub made_for: Option<String>,
}

/// The working folder that any line names.
pub fn folder(line: &[u8]) -> Option<SessionFolder> {
    // Where all lines name a folder of Windows, which is none of ours, nothing is parsed. A slash may be escaped.
    let begins = |value: &[u8]| [b"\"/", b"\"\\"].iter().any(|start| value.starts_with(*start));
    let may_name = memmem::find_iter(line, b"\"cwd\"").any(|at| begins(value_of(&line[at..])));
    let record = may_name.then(|| Record::read(line).ok()).flatten()?;
    Some(SessionFolder { folder: folder_of(record.cwd)?, branch: word(record.git_branch), made_for: None })
}

/// The work tree that the client made for a session, if this is the line of type `worktree-state` that says so.
pub fn work_tree(line: &[u8]) -> Option<SessionFolder> {
    let record = Record::read(line).ok().filter(|record| record.is_of("worktree-state"))?;
    let tree: BTreeMap<String, &RawValue> = object(record.worktree_session)?;
    let folder = |name: &str| folder_of(tree.get(name).copied());
    Some(SessionFolder { folder: folder("worktreePath")?, branch: None, made_for: folder("originalCwd") })
}

/// The agent type that the file beside a sub-agent's transcript names (`agent-….meta.json`).
pub fn agent_type(meta: &[u8]) -> Option<String> {
    let meta: BTreeMap<String, &RawValue> = serde_json::from_slice(meta).ok()?;
    word(meta.get("agentType").copied())
}

/// Whether a line without a line feed is complete: an object that is closed cannot continue.
pub fn is_whole(line: &[u8]) -> bool {
    line.starts_with(b"{") && line.ends_with(b"}") && Record::read(line).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn line() -> Value {
        json!({
            "type": "assistant", "uuid": "a-1", "sessionId": "s-1", "timestamp": "2026-01-01T00:00:00.500Z",
            "cwd": "/home/u/proj",
            "message": {"role": "assistant", "id": "msg_1", "model": "claude", "content": [
                {"type": "thinking", "thinking": "#lesson"},
                {"type": "text", "text": "one"},
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "#lesson"}},
                {"type": "text", "text": "two"},
            ]},
        })
    }

    fn read(line: &Value) -> Option<LineInfo> {
        assistant_line(line.to_string().as_bytes()).unwrap()
    }

    fn with(path: &str, value: Value) -> Value {
        let mut line = line();
        let (parent, name) = path.rsplit_once('/').unwrap();
        line.pointer_mut(parent).unwrap()[name] = value;
        line
    }

    #[test]
    fn the_text_blocks_of_an_assistant_are_what_it_said() {
        let said = read(&line()).unwrap();
        assert_eq!(said.texts, ["one", "two"]);
        assert_eq!((said.uuid.as_str(), said.session.as_deref()), ("a-1", Some("s-1")));
        assert_eq!(said.time, Timestamp::parse("2026-01-01T00:00:00.500Z"));
        assert_eq!((said.cwd.as_deref(), said.model.as_deref()), (Some("/home/u/proj"), Some("claude")));
        assert_eq!(said.agent, None);
    }

    #[test]
    fn nothing_else_is() {
        for kind in ["user", "system", "attachment", "queue-operation", "summary", "api-request-blob", "new"]
        {
            assert_eq!(read(&with("/type", json!(kind))), None, "{kind}");
        }
        assert_eq!(read(&with("/message/content", json!("#lesson"))), None, "a string");
        assert_eq!(read(&with("/message/content", json!([{"type": "tool_result", "text": "x"}]))), None);
        assert_eq!(read(&with("/message/role", json!("user"))), None);
        assert_eq!(read(&with("/message/model", json!("<synthetic>"))), None);
        assert_eq!(read(&with("/isApiErrorMessage", json!(true))), None);
        assert_eq!(read(&with("/message", json!(null))), None);
    }

    #[test]
    fn a_field_of_another_type_counts_as_missing_and_the_text_stays() {
        for path in
            ["/cwd", "/sessionId", "/timestamp", "/message/model", "/message/id", "/agentId", "/isSidechain"]
        {
            for value in [json!(7), json!({"a": [1]}), json!(null), json!([])] {
                assert_eq!(read(&with(path, value)).unwrap().texts, ["one", "two"], "{path}");
            }
        }
    }

    #[test]
    fn a_line_without_an_id_gets_one_that_depends_on_what_it_says() {
        let made = |line: &Value| read(line).unwrap().uuid;
        let mut bare = line();
        bare.as_object_mut().unwrap().remove("uuid");
        let first = made(&bare);
        assert!(first.starts_with("made-"));
        assert_eq!(first, made(&bare));
        bare["timestamp"] = json!("2026-01-01T00:00:01Z");
        assert_ne!(first, made(&bare));
    }

    #[test]
    fn a_sub_agent_is_known_by_its_line_or_by_the_file_beside_it() {
        let said = read(&with("/isSidechain", json!(true))).unwrap();
        assert_eq!(said.agent, Some(Agent { id: None, kind: None }));
        let mut line = with("/agentId", json!("aa99"));
        line["attributionAgent"] = json!("Explore");
        let agent = read(&line).unwrap().agent.unwrap();
        assert_eq!((agent.id.as_deref(), agent.kind.as_deref()), (Some("aa99"), Some("Explore")));
        assert_eq!(
            agent_type(br#"{"agentType":"general-purpose","finished":true}"#).as_deref(),
            Some("general-purpose")
        );
        assert_eq!(agent_type(b"{}"), None);
        assert_eq!(agent_type(b"\xff"), None);
    }

    #[test]
    fn a_name_that_cannot_be_shown_is_replaced_by_its_hash() {
        let said = read(&with("/sessionId", json!("x\u{1b}[2J"))).unwrap();
        assert!(said.session.unwrap().starts_with("hash-"));
        assert_eq!(read(&with("/cwd", json!("/a\u{202e}b"))).unwrap().cwd, None);
        assert_eq!(read(&with("/cwd", json!("relative"))).unwrap().cwd, None);
    }

    #[test]
    fn a_nesting_bomb_is_no_danger() {
        // ADV-115: in a field that is not looked at, in one that is, and as the whole line.
        let bomb = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
        assert_eq!(assistant_line(bomb.as_bytes()), Ok(None));
        let inside = line().to_string().replace(r#""/home/u/proj""#, &bomb);
        assert_eq!(assistant_line(inside.as_bytes()).unwrap().unwrap().texts, ["one", "two"]);
        let content = line().to_string().replace(r#""two""#, &bomb);
        assert_eq!(assistant_line(content.as_bytes()).unwrap().unwrap().texts, ["one"]);
    }

    #[test]
    fn what_is_no_text_or_no_object_is_said_to_be_unreadable() {
        assert_eq!(assistant_line(b"\xc0\xaf\xc0\xae"), Err(Unreadable::Encoding));
        for bad in ["", "{", "7", "[null]", "{\"type\":\"user\",\"type\":\"assistant\"}"] {
            assert_eq!(assistant_line(bad.as_bytes()), Err(Unreadable::Json), "{bad}");
        }
    }

    #[test]
    fn an_object_that_closes_is_whole_without_a_line_feed() {
        let text = line().to_string();
        assert!(is_whole(text.as_bytes()));
        assert!((0..text.len()).all(|cut| !is_whole(&text.as_bytes()[..cut])));
    }

    #[test]
    fn what_was_put_before_the_assistant_is_heard() {
        for kind in ["user", "attachment", "system", "queue-operation"] {
            assert!(model_input(with("/type", json!(kind)).to_string().as_bytes()).unwrap().is_some());
        }
        for kind in ["assistant", "api-request-blob", "file-history-snapshot"] {
            assert_eq!(model_input(with("/type", json!(kind)).to_string().as_bytes()), Ok(None));
        }
    }

    #[test]
    fn a_line_says_the_folder_and_its_branch_and_one_of_the_client_the_work_tree_that_it_made() {
        let said = |line: &Value| folder(line.to_string().as_bytes());
        let mut line = line();
        let place = |folder: &str, branch: Option<&str>, made_for: Option<&str>| {
            let [branch, made_for] = [branch, made_for].map(|text| text.map(str::to_owned));
            Some(SessionFolder { folder: folder.to_owned(), branch, made_for })
        };
        assert_eq!(said(&line), place("/home/u/proj", None, None));
        line["gitBranch"] = json!("next");
        assert_eq!(said(&line), place("/home/u/proj", Some("next"), None));

        let made = |kind: &str, tree: Value| {
            let session = json!({"originalCwd": "/srv/app", "worktreePath": tree});
            work_tree(json!({"type": kind, "worktreeSession": session}).to_string().as_bytes())
        };
        assert_eq!(made("worktree-state", json!("/srv/tree")), place("/srv/tree", None, Some("/srv/app")));
        assert_eq!(made("user", json!("/srv/tree")), None, "a prompt may say anything");
        assert_eq!(made("worktree-state", json!("tree")), None);
        assert_eq!(made("worktree-state", json!(7)), None);
    }
}
