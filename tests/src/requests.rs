//! What reached the model.
//!
//! The log of requests is the only thing that the real-client tests believe: a transcript or an exit code can
//! say that a text was delivered when it was not.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::end_of_call_id;

/// The name of the main conversation.
pub const MAIN: &str = "main";

/// The name of requests that belong to no conversation, such as the one for a title.
pub const AUXILIARY: &str = "auxiliary";

/// One request that the client made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    serial: usize,
    method: String,
    path: String,
    /// The conversation and how many requests of it came before; nothing for other requests.
    place: Option<(String, usize)>,
    body: Value,
}

/// The result of a tool call, as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// Which call.
    pub id: String,
    /// All its text.
    pub text: String,
    /// Whether the model is told that the call failed or was refused.
    pub is_error: bool,
}

impl Request {
    pub(crate) fn new(
        serial: usize,
        method: String,
        path: String,
        place: Option<(String, usize)>,
        body: Value,
    ) -> Self {
        Self { serial, method, path, place, body }
    }

    /// Everything that the model was given in this request: the system prompt and every message that it did not
    /// say itself.
    pub fn given(&self) -> String {
        let mut text = text_of(&self.body["system"]);
        for message in self.messages().iter().filter(|message| message["role"] != "assistant") {
            text.push('\n');
            text.push_str(&text_of(&message["content"]));
        }
        text
    }

    /// What is new since the model last spoke: the messages after its last one, in their order.
    pub fn fresh(&self) -> String {
        self.fresh_messages()
            .iter()
            .map(|message| text_of(&message["content"]))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The tool results among what is new, in their order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let blocks =
            self.fresh_messages().iter().filter_map(|message| message["content"].as_array()).flatten();
        blocks
            .filter(|block| block["type"] == "tool_result")
            .map(|block| ToolResult {
                id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
                text: text_of(&block["content"]),
                is_error: block["is_error"] == true,
            })
            .collect()
    }

    /// The result of the `call`th tool call, counted from 0, of the turn that this request follows.
    #[track_caller]
    pub fn result(&self, call: usize) -> ToolResult {
        let Some((thread, turn @ 1..)) = &self.place else {
            panic!("no turn of the model comes before this request:\n{}", self.describe());
        };
        let end = end_of_call_id(thread, turn - 1, call);
        let found = self.tool_results().into_iter().find(|result| result.id.ends_with(&end));
        found.unwrap_or_else(|| panic!("no result of call {call} in this request:\n{}", self.describe()))
    }

    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    fn fresh_messages(&self) -> &[Value] {
        let messages = self.messages();
        let start =
            messages.iter().rposition(|message| message["role"] == "assistant").map_or(0, |last| last + 1);
        &messages[start..]
    }

    fn describe(&self) -> String {
        let place =
            self.place.as_ref().map_or_else(String::new, |(thread, turn)| format!(" {thread} {turn}"));
        let fresh: String = self.fresh().chars().take(4000).collect();
        format!("== request {}:{place} {} {}\n{fresh}\n", self.serial, self.method, self.path)
    }
}

/// The requests of one run, in order of arrival.
#[derive(Clone, Debug)]
pub struct Requests(Vec<Request>);

impl Requests {
    /// Reads what `model::server` wrote. No log means that no request was made.
    pub fn read(log: &Path) -> Self {
        let lines = fs::read_to_string(log).unwrap_or_default();
        let parse = |line: &str| serde_json::from_str(line).expect("a line of our own log");
        Self(lines.lines().map(parse).collect())
    }

    /// Whether the model was never asked anything, whatever else was requested.
    pub fn asked_nothing(&self) -> bool {
        self.0.iter().all(|request| request.place.is_none())
    }

    /// The `turn`th request of the main conversation, counted from 0: what the model knew when it gave the
    /// `turn`th answer of the script.
    #[track_caller]
    pub fn main(&self, turn: usize) -> &Request {
        self.of(MAIN, turn)
    }

    /// The `turn`th request of the conversation that a script calls `thread`.
    #[track_caller]
    pub fn of(&self, thread: &str, turn: usize) -> &Request {
        let wanted = |request: &&Request| {
            request.place.as_ref().is_some_and(|(name, number)| name == thread && *number == turn)
        };
        let found = self.0.iter().find(wanted);
        found.unwrap_or_else(|| {
            panic!("the client never made request {turn} of {thread}:\n{}", self.describe())
        })
    }

    /// The last request of the main conversation.
    #[track_caller]
    pub fn last(&self) -> &Request {
        let is_main = |request: &&Request| request.place.as_ref().is_some_and(|(name, _)| name == MAIN);
        let found = self.0.iter().rfind(is_main);
        found.unwrap_or_else(|| panic!("the client asked the model nothing:\n{}", self.describe()))
    }

    /// The requests that gave the model this text, old or new.
    pub fn holding(&self, text: &str) -> Vec<&Request> {
        self.0.iter().filter(|request| request.given().contains(text)).collect()
    }

    /// Every request and what was new in it, for the message of a failed assertion.
    pub fn describe(&self) -> String {
        let mut all = String::new();
        for request in &self.0 {
            let _ = writeln!(all, "{}", request.describe());
        }
        all
    }
}

/// All the text of a content field, which is a string or a list of blocks, tool results among them.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(block) => match block.get("text").or_else(|| block.get("content")) {
            Some(inner) => text_of(inner),
            None => String::new(),
        },
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> Request {
        let body = json!({
            "system": [{"type": "text", "text": "You are."}],
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": [{"type": "text", "text": "mine"}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_9_main_0_1", "is_error": true, "content": "no"},
                    {"type": "tool_result", "tool_use_id": "toolu_9_main_0_0",
                     "content": [{"type": "text", "text": "yes"}]},
                ]},
                {"role": "system", "content": "a hint"},
            ],
        });
        Request::new(3, "POST".to_owned(), "/v1/messages".to_owned(), Some((MAIN.to_owned(), 1)), body)
    }

    #[test]
    fn fresh_is_what_came_after_the_model_last_spoke() {
        assert_eq!(request().fresh(), "no\nyes\na hint");
    }

    #[test]
    fn what_the_model_said_itself_was_not_given_to_it() {
        assert_eq!(request().given(), "You are.\ngo\nno\nyes\na hint");
    }

    #[test]
    fn a_result_is_found_by_the_place_of_its_call_whatever_the_order() {
        let (first, second) = (request().result(0), request().result(1));
        assert_eq!((first.text.as_str(), first.is_error), ("yes", false));
        assert_eq!((second.text.as_str(), second.is_error), ("no", true));
    }
}
