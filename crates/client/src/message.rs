//! What a client wrote to a hook.

use lessons_lesson::Payload;
use lessons_text::json::shallow;
use serde_json::Value;

use crate::rows::{self, Row};
use crate::{Client, Event, input, tools};

/// What a client wrote to a hook: one JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct Message(Value);

/// What a client has reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    /// The event.
    pub event: Event,
    /// The calls that it is about. A patch is one for each file; a start is one without a tool.
    pub calls: Vec<Payload>,
}

/// The client that a message shows by its own form. Variables are inherited by a client that runs inside another; a
/// message is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Of(Client),
    /// A client that has no row.
    Unknown,
}

impl Message {
    /// Reads a message (see [`value`]). `None` for what is no JSON object.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        value(bytes).filter(Value::is_object).map(Self)
    }

    /// The client that wrote this: the one that the hook was installed for, else the one that the message shows, else the
    /// one whose variables are set, else Claude Code, whose answers most clients understand. `None` where that is a client
    /// without a row, or where the message shows another one than it should: then nothing is said.
    pub fn client(&self, installed_for: Option<&str>, is_set: &dyn Fn(&str) -> bool) -> Option<Client> {
        let installed_for = match installed_for {
            Some(name) => Some(Client::named(name)?),
            None => None,
        };
        match (installed_for, self.mark()) {
            (_, Some(Mark::Unknown)) => None,
            (Some(client), Some(Mark::Of(shown))) => (client == shown).then_some(client),
            (Some(client), None) | (None, Some(Mark::Of(client))) => Some(client),
            (None, None) if is_set("COPILOT_CLI") => Some(Client::Copilot),
            (None, None) if is_set("QWEN_CODE_CLI") => Some(Client::Qwen),
            (None, None) if is_set("GEMINI_SESSION_ID") => Some(Client::Gemini),
            (None, None) if is_set("FACTORY_PROJECT_DIR") => None,
            (None, None) => Some(Client::ClaudeCode),
        }
    }

    fn mark(&self) -> Option<Mark> {
        let has = |key: &str| !self.0[key].is_null();
        let name = self.0["hook_event_name"].as_str().unwrap_or_default();
        if has("client_type") || has("clineVersion") {
            Some(Mark::Unknown)
        } else if has("turn_id") {
            Some(Mark::Of(Client::Codex))
        } else if has("tool_call_id") {
            Some(Mark::Of(Client::Qwen))
        } else if name == "BeforeTool" || name == "AfterTool" {
            Some(Mark::Of(Client::Gemini))
        } else if has("tool_result") {
            Some(Mark::Of(Client::Copilot))
        } else if has("toolCallId") {
            Some(Mark::Of(Client::Pi))
        } else {
            None
        }
    }

    /// What the client reports. `None` for an event that is none of ours.
    pub fn read(&self, client: Client) -> Option<Raised> {
        let row = rows::of(client);
        let name = self.text("hook_event_name")?;
        let (_, event) = *row.events.iter().find(|(known, _)| *known == name)?;
        let is_start = matches!(event, Event::Start | Event::AgentStart);
        let calls = if is_start { vec![self.caller(row)] } else { self.calls(row, event) };
        (!calls.is_empty()).then_some(Raised { event, calls })
    }

    fn calls(&self, row: &Row, event: Event) -> Vec<Payload> {
        let Some(name) = self.text(row.keys.tool).filter(|name| !name.is_empty()) else { return Vec::new() };
        let mut caller = self.caller(row);
        caller.error = if event.is_before_call() { None } else { (row.error)(event, &self.0) };
        if event == Event::SkillLine {
            // Without a session nothing is claimed: the model's own call is another one.
            caller.session_id = None;
        }
        let cwd = caller.call.cwd.take();
        let calls = input::calls(tools::ours(&name), &self.0[row.keys.input]).into_iter();
        calls
            .map(|mut call| {
                call.cwd.clone_from(&cwd);
                Payload { call, ..caller.clone() }
            })
            .collect()
    }

    /// Who reports, without a call.
    fn caller(&self, row: &Row) -> Payload {
        let mut payload = Payload {
            session_id: self.text("session_id"),
            agent_id: self.text("agent_id"),
            agent_type: self.text("agent_type"),
            tool_use_id: self.text(row.keys.call),
            // Copilot's word for a start.
            source: self.text("source").map(|word| if word == "new" { "startup".into() } else { word }),
            is_of_another_client: true,
            ..Payload::default()
        };
        payload.call.cwd = self.text("cwd").filter(|cwd| !cwd.is_empty()).map(Into::into);
        payload
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0[key].as_str().map(str::to_owned)
    }
}

/// The JSON value that a client wrote. Half of a surrogate pair, which JavaScript writes, and bytes that are no UTF-8 become
/// U+FFFD, and what is nested very deep the list of its texts: a call must not pass a block because of them. `None` for what is
/// no JSON.
pub fn value(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok().or_else(|| {
        let whole = with_whole_pairs(&String::from_utf8_lossy(bytes));
        serde_json::from_str(&whole).or_else(|_| serde_json::from_slice(&shallow(whole.as_bytes()))).ok()
    })
}

/// The JSON with U+FFFD in the place of every escape that is half of a surrogate pair.
fn with_whole_pairs(text: &str) -> String {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let second = || escape.get(6..).and_then(unit);
        let (length, written) = match unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(second(), Some(0xDC00..=0xDFFF)) => (12, escape.get(..12)),
            Some(0xD800..=0xDFFF) => (6, Some("\\ufffd")),
            _ => (2, escape.get(..2)),
        };
        whole.push_str(written.unwrap_or_default());
        rest = escape.get(length..).unwrap_or_default();
    }
    whole + rest
}
