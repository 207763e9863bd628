//! The writer of Claude Code's lines.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use lessons_text::{digest, path};
use serde_json::{Value, json};

use super::step::{End, SessionFacts, What, cut_out};

/// The opening and the closing of our own texts, also as clients that escape them write them.
const FENCES: [(&str, &str); 2] = [
    ("<recorded-lessons>", "</recorded-lessons>"),
    ("&lt;recorded-lessons&gt;", "&lt;/recorded-lessons&gt;"),
];
/// What stands behind our fence.
const AFTER_FENCE: &str = "\nNotes only.";
/// The name by which Claude Code marks what was told when a session started.
const AT_START: &str = "SessionStart";

/// The lines of one session.
pub(super) struct Lines {
    pub(super) session: SessionFacts,
    /// The lines written so far.
    count: u64,
    /// The calls for which one that has not ended stands, where it is not one.
    many: HashMap<String, usize>,
}

impl Lines {
    pub(super) fn new(session: SessionFacts) -> Self {
        Self { session, count: 0, many: HashMap::new() }
    }

    /// Writes what happened at a time, ISO 8601 in UTC, in a message of the model. Our own text inside a result becomes a
    /// line of its own, as Claude Code writes what a hook told; a call that ended with it was refused by us.
    pub(super) fn write(
        &mut self,
        what: What,
        time: Option<&str>,
        message: Option<&str>,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let line = match what {
            What::Person(text) => {
                let text = without_ours(&text).0;
                json!({"type": "user", "message": {"role": "user", "content": text}})
            }
            What::Model(text) => self.of_model(message, &json!({"type": "text", "text": text})),
            What::Call { id, calls } => {
                if calls.len() != 1 {
                    self.many.insert(id.clone(), calls.len());
                }
                for (number, (tool, mut input)) in calls.into_iter().enumerate() {
                    // Claude Code's paths are whole.
                    let file = input.get("file_path").and_then(Value::as_str);
                    if let Some((cwd, file)) = self.session.cwd.as_ref().zip(file) {
                        input["file_path"] =
                            path::lexical(&format!("{}", Path::new(cwd).join(file).display())).into();
                    }
                    let id = id_of(&id, number);
                    let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
                    self.put(self.of_model(message, &call), time, out)?;
                }
                return Ok(());
            }
            What::End { id, end, text } => {
                let is_refusal = end == End::Failed(None) && is_our_refusal(&text);
                let (text, ours) = without_ours(&text);
                for number in 0..self.many.remove(&id).unwrap_or(1) {
                    let id = id_of(&id, number);
                    if let Some(ours) = &ours {
                        self.put(told(Some(&id), ours), time, out)?;
                    }
                    self.put(ended(&id, end, is_refusal, &text), time, out)?;
                }
                return Ok(());
            }
            What::Told { call, text } => match without_ours(&text).1 {
                Some(ours) => told(call.as_deref(), &ours),
                None => return Ok(()),
            },
            What::Compacted => json!({"type": "system", "subtype": "compact_boundary"}),
        };
        self.put(line, time, out)
    }

    fn of_model(&self, message: Option<&str>, block: &Value) -> Value {
        let id = message.map_or_else(|| format!("message-{}", self.count), str::to_owned);
        json!({"type": "assistant", "message": {
            "role": "assistant", "id": id, "model": self.session.model, "content": [block],
        }})
    }

    fn put(&mut self, mut line: Value, time: Option<&str>, out: &mut dyn io::Write) -> io::Result<()> {
        self.count += 1;
        let SessionFacts { id, cwd, branch, is_program, .. } = &self.session;
        // By what it says, and not by its number: a database may put a row between others.
        let said = line.to_string();
        let parts = [id.as_bytes(), time.unwrap_or_default().as_bytes(), said.as_bytes()];
        line["uuid"] = digest::hex_of_parts(&parts, 32).into();
        line["sessionId"] = id.as_str().into();
        line["entrypoint"] = if *is_program { "sdk-cli" } else { "cli" }.into();
        for (name, value) in [("timestamp", time), ("cwd", cwd.as_deref()), ("gitBranch", branch.as_deref())]
        {
            if let Some(value) = value {
                line[name] = value.into();
            }
        }
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }
}

/// The id of one of the calls for which a call stands.
fn id_of(call: &str, number: usize) -> String {
    if number == 0 { call.to_owned() } else { format!("{call}-{number}") }
}

fn ended(id: &str, end: End, is_refusal: bool, text: &str) -> Value {
    let content = match end {
        End::Failed(Some(code)) => format!("Exit code {code}\n{text}"),
        End::Done | End::Failed(None) | End::RefusedByPerson => text.to_owned(),
    };
    let result = json!({
        "type": "tool_result", "tool_use_id": id, "is_error": end != End::Done, "content": content,
    });
    let mut line = json!({"type": "user", "message": {"role": "user", "content": [result]}});
    if end == End::RefusedByPerson {
        line["toolDenialKind"] = "user-rejected".into();
    } else if is_refusal {
        line["toolDenialKind"] = "hook".into();
    }
    line
}

fn told(call: Option<&str>, text: &str) -> Value {
    json!({"type": "attachment", "attachment": {
        "type": "hook_additional_context", "content": [text], "toolUseID": call.unwrap_or(AT_START),
    }})
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
