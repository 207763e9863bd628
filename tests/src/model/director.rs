//! Which turn of a script is next.

use serde_json::Value;

use super::{Script, Turn};
use crate::requests::{AUXILIARY, MAIN, text_of};

/// Follows the conversations of one run through their scripts.
pub(super) struct Director {
    script: Script,
    /// How many turns each thread has had: the main one first, then the others in the script's order.
    played: Vec<usize>,
}

/// A turn and its place in the script.
#[derive(Debug)]
pub(super) struct Cue {
    pub(super) thread: String,
    pub(super) turn: usize,
    pub(super) answer: Turn,
}

impl Director {
    pub(super) fn new(script: Script) -> Self {
        let played = vec![0; script.threads.len() + 1];
        Self { script, played }
    }

    /// The answer to a request. One without tools (a title, a probe) is not part of any conversation.
    pub(super) fn next(&mut self, request: &Value) -> Cue {
        let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        if !has_tools {
            return Cue { thread: AUXILIARY.to_owned(), turn: 0, answer: Turn::text("ok") };
        }
        let opening = opening_of(request);
        let found = self.script.threads.iter().position(|thread| opening.contains(&thread.opening));
        let (thread, turns) = match found {
            Some(index) => (self.script.threads[index].opening.as_str(), &self.script.threads[index].turns),
            None => (MAIN, &self.script.turns),
        };
        let played = &mut self.played[found.map_or(0, |index| index + 1)];
        let turn = *played;
        *played += 1;
        let answer = turns.get(turn).cloned().unwrap_or_else(|| Turn::text("(the script has ended)"));
        Cue { thread: thread.to_owned(), turn, answer }
    }
}

/// The text of the first user message.
fn opening_of(request: &Value) -> String {
    request["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|message| message["role"] == "user")
        .map(|message| text_of(&message["content"]))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(opening: &str) -> Value {
        json!({"tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": opening}]})
    }

    #[test]
    fn each_conversation_follows_its_own_turns() {
        let script = Script::new()
            .turn(Turn::text("first"))
            .turn(Turn::text("second"))
            .thread("SUB", [Turn::text("of the sub-agent")]);
        let mut director = Director::new(script);
        let said: Vec<(String, usize, String)> = ["go", "a SUB task", "go", "go"]
            .iter()
            .map(|opening| director.next(&request(opening)))
            .map(|cue| (cue.thread, cue.turn, cue.answer.text))
            .collect();
        assert_eq!(
            said,
            [
                ("main".to_owned(), 0, "first".to_owned()),
                ("SUB".to_owned(), 0, "of the sub-agent".to_owned()),
                ("main".to_owned(), 1, "second".to_owned()),
                ("main".to_owned(), 2, "(the script has ended)".to_owned()),
            ]
        );
    }

    #[test]
    fn a_request_without_tools_uses_up_no_turn() {
        let mut director = Director::new(Script::new().turn(Turn::text("first")));
        let probe = director.next(&json!({"messages": [{"role": "user", "content": "a title, please"}]}));
        assert_eq!((probe.thread.as_str(), probe.answer.text.as_str()), ("auxiliary", "ok"));
        assert_eq!(director.next(&request("go")).answer.text, "first");
    }
}
