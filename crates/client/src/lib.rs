//! The agents that Lessons works in: how each writes its tool calls, and which answers it takes.
//!
//! [`Message::parse`] and [`Message::read`] turn what a client wrote into calls in the core's words, [`write`] turns what
//! is to be said into the client's form. All that differs is a row: one file below `rows` for each client. Nothing here
//! opens a file, and nothing above this crate knows how a client spells a name.
//!
//! Claude Code is a row too, but its payloads are read by [`lessons_lesson::payload`], in pieces, because its hooks
//! are counted in instructions, and only it can be asked a question ([`claude::Answer`]). A [`Verdict`] has no question,
//! so no other client can be sent one: in Codex the call would run, in Gemini the run would end.

pub mod claude;
mod client;
mod input;
mod message;
pub mod patch;
mod rows;
#[cfg(test)]
mod tests;
pub mod tools;

pub use client::Client;
pub use message::{Message, Raised, value};

/// What a client reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A call is about to run.
    Before,
    /// A call has run, well or not.
    After,
    /// A call has failed.
    Failed,
    /// A session starts.
    Start,
    /// A sub-agent starts.
    AgentStart,
    /// A slash command or a skill is about to run a line of its own. No model sees what is said, and nobody repeats the call.
    SkillLine,
}

impl Event {
    /// Whether it comes before a call, which can be refused then.
    pub fn is_before_call(self) -> bool {
        matches!(self, Self::Before | Self::SkillLine)
    }
}

/// What an agent is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A text beside the call, or at the start.
    Advice(String),
    /// The call is not to run, for this reason. Only before it.
    Refusal(String),
}

/// Whether the model sees what is said at this event. Where it does not, nothing may be counted as told.
pub fn shows_advice(client: Client, event: Event) -> bool {
    !rows::of(client).hides_advice.contains(&event)
}

/// A client's names of the events that we answer.
pub fn events(client: Client) -> impl Iterator<Item = &'static str> {
    rows::of(client).events.iter().map(|(name, _)| *name)
}

/// Claude Code's name of [`Event::SkillLine`], which stands in a person's own settings.
pub const SKILL_LINE: &str = rows::SKILL_LINE;

/// The bytes that tell a client this; `None` where it would not take them.
pub fn write(client: Client, event: Event, verdict: &Verdict) -> Option<String> {
    let row = rows::of(client);
    let (name, _) = row.events.iter().find(|(_, named)| *named == event)?;
    match verdict {
        Verdict::Advice(text) => shows_advice(client, event).then(|| (row.advice)(event, name, text)),
        Verdict::Refusal(reason) => event.is_before_call().then(|| (row.refusal)(reason)),
    }
}
