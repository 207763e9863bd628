//! A call as the client writes it to a hook's standard input.

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The text in a payload that each run replaces with the id of its session.
const SESSION_GAP: &str = "SESSION-OF-THIS-RUN";
static SESSIONS: AtomicU32 = AtomicU32::new(1);

/// The session that makes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSession {
    /// A new session at each run, in which nothing was told.
    Fresh,
    /// One session for all runs.
    Same,
}

/// A call with a gap for the session's id.
#[derive(Debug, Clone)]
pub(crate) struct Payload {
    head: Vec<u8>,
    tail: Vec<u8>,
    session: Option<u32>,
}

impl Payload {
    /// Makes a call of `tool` with `input`, in the project at `project`.
    pub(crate) fn new(project: &Path, tool: &str, input: &Value, session: CallSession) -> Result<Self> {
        Self::of_event("PreToolUse", project, tool, (input, &Value::Null), session)
    }

    /// Makes the result of a call of `tool`, a text.
    pub(crate) fn of_result(project: &Path, tool: &str, text: &str) -> Result<Self> {
        let response = json!([{ "type": "text", "text": text }]);
        Self::of_event("PostToolUse", project, tool, (&json!({}), &response), CallSession::Fresh)
    }

    /// Makes the payload of an event, with the input and the response of the tool.
    fn of_event(
        event: &str,
        project: &Path,
        tool: &str,
        (input, response): (&Value, &Value),
        session: CallSession,
    ) -> Result<Self> {
        let mut payload = json!({
            "session_id": SESSION_GAP,
            "transcript_path": "/home/u/.claude/projects/-home-u-project/session.jsonl",
            "cwd": project,
            "permission_mode": "default",
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "toolu_01BENCHBENCHBENCHBENCHBE",
        });
        if !response.is_null() {
            payload["tool_response"] = response.clone();
        }
        let text = payload.to_string();
        let (head, tail) = text.split_once(SESSION_GAP).context("a payload has a session")?;
        let session = (session == CallSession::Same).then(next);
        Ok(Self { head: head.into(), tail: tail.into(), session })
    }

    /// Makes a line for a shell, with the session in a comment.
    #[cfg(test)]
    pub(crate) fn of_script(line: &str) -> Self {
        Self { head: format!("{line} # ").into_bytes(), tail: b"\n".to_vec(), session: None }
    }

    /// Returns the bytes for the next run.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let session = format!("{:08x}-0000-4000-8000-{:012x}", *RUN, self.session.unwrap_or_else(next));
        [&self.head, session.as_bytes(), &self.tail].concat()
    }
}

/// A number that tells the sessions of this process from those of earlier ones, whose claims may still be on disk.
static RUN: LazyLock<u32> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.subsec_nanos() ^ std::process::id().rotate_left(16)
});

fn next() -> u32 {
    SESSIONS.fetch_add(1, Ordering::Relaxed)
}

/// Makes source code that takes exactly `length` bytes as a JSON string, without its quotes.
pub(crate) fn source_code(length: usize) -> String {
    let mut text = String::new();
    let mut in_json = 0;
    for number in 0usize.. {
        let line = match number % 6 {
            0 => format!("export function render{number}(input: Input, depth: number): Output {{\n"),
            1 => format!("  const cached = this.cache.get(`row-{number}`) ?? [];\n"),
            2 => "  if (depth > limit) { return { rows: cached, done: true }; }\n".to_owned(),
            3 => format!("  log.debug(\"rendering row {number} of the overview\", depth);\n"),
            4 => "  // The rows come sorted, so the last one decides.\n".to_owned(),
            _ => "  return merge(cached, input.rows, (a, b) => a.key < b.key);\n}\n\n".to_owned(),
        };
        for c in line.chars() {
            let width = if matches!(c, '\n' | '"' | '\\') { 2 } else { 1 };
            if in_json + width > length {
                // One byte is left where an escape takes two.
                text.push_str(&"x".repeat(length - in_json));
                return text;
            }
            in_json += width;
            text.push(c);
        }
    }
    text
}

/// Makes ordinary prose of at least `length` bytes. It has words that the rules about orders know, and raises none of them.
pub(crate) fn page(length: usize) -> String {
    const SENTENCES: [&str; 6] = [
        "The server sends a token to the client when a user signs in, and the page says how long it is valid.",
        "An option that is not known is reported, and the program does not go on.",
        "Earlier versions ignore this file; the system reads it again after each change.",
        "Every request has to be approved by a reviewer before the report is shown to other people.",
        "The command prints what it would replace and asks whether to go on.",
        "Without a password the host cannot be reached, so set one in the environment.",
    ];
    let mut text = String::with_capacity(length + 200);
    for (number, sentence) in (1usize..).zip(SENTENCES.iter().cycle()) {
        if text.len() >= length {
            break;
        }
        text.push_str(sentence);
        text.push_str(if number.is_multiple_of(SENTENCES.len()) { "\n\n" } else { " " });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(payload: &Payload) -> String {
        let json: Value = serde_json::from_slice(&payload.bytes()).unwrap();
        json["session_id"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_fresh_session_is_another_in_every_run_and_the_same_one_is_not() {
        let of = |session| Payload::new(Path::new("/p"), "Bash", &json!({"command": "ls"}), session).unwrap();
        let (fresh, same) = (of(CallSession::Fresh), of(CallSession::Same));
        assert_ne!(session(&fresh), session(&fresh));
        assert_eq!(session(&same), session(&same));
        assert_ne!(session(&same), session(&of(CallSession::Same)));
        assert_eq!(fresh.bytes().len(), same.bytes().len());
    }

    #[test]
    fn source_code_has_the_length_that_was_asked_for_in_json() {
        for length in [0, 1, 2, 100, 9_999, 123_456] {
            assert_eq!(serde_json::to_string(&source_code(length)).unwrap().len(), length + 2);
        }
    }
}
