//! The rows: what differs between the clients.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod pi;
mod qwen;

use serde_json::Value;

pub(crate) use self::claude_code::SKILL_LINE;

use crate::{Client, Event};

/// What differs between the clients.
pub(crate) struct Row {
    /// Its names of the events that we answer.
    pub(crate) events: &'static [(&'static str, Event)],
    pub(crate) keys: Keys,
    /// The events at which the model does not see advice.
    pub(crate) hides_advice: &'static [Event],
    /// The text of the error, of a message after a call. `None` where the call went well.
    pub(crate) error: fn(Event, &Value) -> Option<String>,
    /// The bytes for advice at an event of this name.
    pub(crate) advice: fn(Event, &str, &str) -> String,
    /// The bytes for a refusal.
    pub(crate) refusal: fn(&str) -> String,
}

/// The keys of a message that clients name differently.
pub(crate) struct Keys {
    pub(crate) tool: &'static str,
    pub(crate) input: &'static str,
    pub(crate) call: &'static str,
}

impl Keys {
    /// Claude Code's names, which most clients took over.
    pub(crate) const CLAUDE: Self = Self { tool: "tool_name", input: "tool_input", call: "tool_use_id" };
}

/// The row of a client.
pub(crate) fn of(client: Client) -> &'static Row {
    match client {
        Client::ClaudeCode => &claude_code::ROW,
        Client::Codex => &codex::ROW,
        Client::Copilot => &copilot::ROW,
        Client::Opencode => &opencode::ROW,
        Client::Pi => &pi::ROW,
        Client::Gemini => &gemini::ROW,
        Client::Qwen => &qwen::ROW,
    }
}

/// A field of a message as text.
fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
