//! A scripted stand-in for the model: what it answers, turn by turn.
//!
//! A [`Script`] is data. `model::server` speaks the Messages API and plays a script to the client.
//!
//! ```
//! use lessons_tests::model::{Script, Turn};
//! use serde_json::json;
//!
//! let script = Script::new()
//!     .turn(Turn::text("Looking.").tool("Bash", json!({"command": "ls"})))
//!     .turn(Turn::text("Done."));
//! ```

mod answer;
mod director;
pub mod server;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the model answers in one run of the client.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Script {
    turns: Vec<Turn>,
    threads: Vec<Thread>,
}

/// The answers to one conversation other than the main one.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Thread {
    /// A conversation whose first user message holds this text is this thread.
    opening: String,
    turns: Vec<Turn>,
}

impl Script {
    /// A script without a turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next answer of the main conversation.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Adds the answers to the conversation whose first user message holds `opening`, which is how a sub-agent
    /// is told from the main thread. The text must not occur in the main prompt. It is also the thread's name.
    #[must_use]
    pub fn thread(mut self, opening: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.threads.push(Thread { opening: opening.to_owned(), turns: turns.into_iter().collect() });
        self
    }
}

/// One answer: a text, and any number of tool calls that the client gets in one message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Turn {
    text: String,
    tools: Vec<ToolCall>,
    delay: Duration,
    usage: Usage,
}

/// A call that the model makes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ToolCall {
    name: String,
    input: Value,
}

/// The tokens that an answer says it took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Usage {
    input_tokens: u32,
    output_tokens: u32,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input_tokens: 10, output_tokens: 5 }
    }
}

impl Turn {
    /// An answer that says `text`.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// An answer that says nothing and calls a tool.
    pub fn call(name: &str, input: Value) -> Self {
        Self::default().tool(name, input)
    }

    /// Adds a tool call to the same message.
    #[must_use]
    pub fn tool(mut self, name: &str, input: Value) -> Self {
        self.tools.push(ToolCall { name: name.to_owned(), input });
        self
    }

    /// Answers only after this time.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Says that this many tokens were used. A large input makes the client compact by itself.
    #[must_use]
    pub fn usage(mut self, input_tokens: u32, output_tokens: u32) -> Self {
        self.usage = Usage { input_tokens, output_tokens };
        self
    }
}

/// How the id of a tool call ends: the `call`th of a turn, both counted from 0. So a test can name the result that
/// it wants by the place of the call in the script.
pub(crate) fn end_of_call_id(thread: &str, turn: usize, call: usize) -> String {
    let thread: String = thread.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("_{thread}_{turn}_{call}")
}
