//! The filter for lines that the detectors have to parse.
//!
//! Most lines, and most bytes, are results of calls that succeeded. In such a line only the id is searched and nothing
//! is parsed. The line of a call is not parsed until a detector needs it. A key cannot stand unescaped inside a string
//! of JSON, so no text can make a line look like another.

use crate::detect::history::lazy_call::MAX_UNPARSED;
use crate::transcript;
use crate::transcript::needle::Needle;
use crate::transcript::raw_json::{before_copy, ends_with_key, plain_text, value_of};

/// The longest id of a call that is read without parsing, in bytes.
const MOST_ID: usize = 100;

/// The part of a line that is of interest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineInterest<'l> {
    Nothing,
    /// It may be a call, a failure or a prompt.
    Everything,
    /// It is this call, and nothing else.
    Call(&'l str),
    /// It is the result of this call, which succeeded.
    Success(&'l str),
}

/// Parts of lines by which they are told apart.
static TOOL_USE: Needle = Needle::new("\"tool_use");
static ASSISTANT: Needle = Needle::new("\"assistant\"");
static MESSAGE: Needle = Needle::new("\"message\"");
static USER: Needle = Needle::new("\"user\"");
static QUEUED: Needle = Needle::new("\"queued_command\"");
static QUEUE: Needle = Needle::new("\"queue-operation\"");
static TEXT: Needle = Needle::new("\"text\"");
static IS_ERROR: Needle = Needle::new("\"is_error\"");

/// The part of a line that is of interest.
pub(crate) fn interest(line: &[u8]) -> LineInterest<'_> {
    // Copies of what is sent to the model.
    if line.starts_with(b"{\"type\":\"api-request") {
        return LineInterest::Nothing;
    }
    let (mut call, mut results, mut first) = (None, 0, None);
    for at in TOOL_USE.places(line) {
        let (before, here) = line.split_at(at);
        if here.starts_with(b"\"tool_use_id\"") {
            results += 1;
            first = first.or(Some(here));
        } else if here.starts_with(b"\"tool_use\"")
            && ends_with_key(before, b"\"type\"")
            && call.replace(here).is_some()
        {
            return LineInterest::Everything;
        }
    }
    if let Some(call) = call {
        return match id_of(call).filter(|_| results == 0 && line.len() <= MAX_UNPARSED) {
            Some(id) if is_of_assistant(line) => LineInterest::Call(id),
            _ => LineInterest::Everything,
        };
    }
    let is_of_user = USER.is_in(line);
    let Some(first) = first else {
        let is_prompt = is_of_user || QUEUED.is_in(line) || QUEUE.is_in(line);
        return if is_prompt { LineInterest::Everything } else { LineInterest::Nothing };
    };
    let said = before_copy(line).unwrap_or(line);
    let has_error = || IS_ERROR.places(said).any(|at| value_of(&said[at..]).starts_with(b"true"));
    // What was typed while the tool ran may stand beside the result.
    let has_text = || TEXT.places(said).any(|at| ends_with_key(&said[..at], b"\"type\""));
    let is_said = line.len() - first.len() < said.len();
    match plain_text(value_of(first)).filter(|_| results == 1 && is_said && is_of_user) {
        Some(id) if !has_error() && !has_text() && !transcript::line_may_complain(said) => {
            LineInterest::Success(id)
        }
        _ => LineInterest::Everything,
    }
}

/// Whether the assistant says a line, and not one that lies in it: that is how older clients told of sub-agents.
fn is_of_assistant(line: &[u8]) -> bool {
    let messages = MESSAGE.places(line).filter(|&at| !value_of(&line[at..]).is_empty());
    let mut speakers = ASSISTANT.places(line);
    messages.count() == 1 && speakers.any(|at| ends_with_key(&line[..at], b"\"type\""))
}

/// The id of a call, which the client writes right after its type. An id of another form is left to the parser.
fn id_of(call: &[u8]) -> Option<&str> {
    let after = call.strip_prefix(b"\"tool_use\"")?.trim_ascii_start().strip_prefix(b",")?.trim_ascii_start();
    let id = after.starts_with(b"\"id\"").then(|| plain_text(value_of(after))).flatten()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (!id.is_empty() && id.len() <= MOST_ID && id.bytes().all(is_plain)).then_some(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transcript::{self, CallEnd, LineEvent};

    fn interest(line: &str) -> LineInterest<'_> {
        super::interest(line.as_bytes())
    }

    #[test]
    fn of_a_success_only_the_id_is_looked_at() {
        for line in [
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1","type":"tool_result","is_error":false}]}}"#,
            r#"{"type": "user", "message": {"content": [{"tool_use_id": "t-1", "type": "tool_result"}]}}"#,
        ] {
            assert_eq!(interest(line), LineInterest::Success("t-1"));
        }
    }

    #[test]
    fn a_failure_a_prompt_and_several_calls_are_looked_at_whole() {
        for line in [
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1","is_error": true}]}}"#,
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1"},{"tool_use_id":"t-2"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t"},{"type":"tool_use","id":"u"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","id":"t"}]}}"#,
            r#"{"type":"progress","data":{"message":{"message":{"content":[{"type":"tool_use","id":"t"}]}}}}"#,
            r#"{"type":"user","message":{"content":"hello"}}"#,
            r#"{"type":"attachment","attachment":{"type":"queued_command"}}"#,
        ] {
            assert_eq!(interest(line), LineInterest::Everything, "{line}");
        }
        assert_eq!(interest(r#"{"type":"assistant","userType":"external"}"#), LineInterest::Nothing);
    }

    #[test]
    fn of_a_call_only_the_id_is_looked_at() {
        for line in [
            r#"{"type":"assistant","message":{"type":"message","content":[{"type":"tool_use","id":"t-1"}],"stop_reason":"tool_use"}}"#,
            r#"{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t-1", "name": "Read"}]}}"#,
        ] {
            assert_eq!(interest(line), LineInterest::Call("t-1"));
        }
        let said = r#"{"type":"assistant","message":{"content":[{"type":"text"}],"stop_reason":"tool_use"}}"#;
        assert_eq!(interest(said), LineInterest::Nothing);
        let long = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","x":"{}"}}]}}}}"#,
            "x".repeat(MAX_UNPARSED)
        );
        assert_eq!(interest(&long), LineInterest::Everything);
    }

    #[test]
    fn the_copy_of_a_result_is_not_looked_at() {
        let copy = r#""toolUseResult":{"type":"text","is_error":true,"stderr":"command not found"}"#;
        let message = r#""message":{"content":[{"tool_use_id":"t-1","type":"tool_result","content":"ok"}]}"#;
        let line = format!(r#"{{"type":"user",{message},{copy}}}"#);
        assert_eq!(interest(&line), LineInterest::Success("t-1"));
        let line = format!(r#"{{"type":"user",{copy},{message}}}"#);
        assert_eq!(interest(&line), LineInterest::Everything, "the message comes after it");
        let prompt = r#"{"type":"user","message":{"content":"hello"},"toolUseResult":{"tool_use_id":"t-1"}}"#;
        assert_eq!(interest(prompt), LineInterest::Everything, "the result is in the copy alone");
    }

    #[test]
    fn a_text_cannot_look_like_another_line() {
        let line = r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1","content":"\"tool_use_id\":\"t-2\",\"is_error\":true"}]}}"#;
        assert_eq!(interest(line), LineInterest::Success("t-1"));
    }

    /// A value of one of the fields that decide what a line is.
    fn part() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(r#""type":"user""#.to_owned()),
            Just(r#""type": "assistant""#.to_owned()),
            Just(r#""type":"attachment","attachment":{"type":"queued_command","prompt":"x"}"#.to_owned()),
            Just(r#""message":{"role":"user","content":"hello"}"#.to_owned()),
            Just(
                r#""message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"x"}}]}"#
                    .to_owned()
            ),
            (
                "[ab]",
                prop_oneof![Just(""), Just(r#","is_error":true"#), Just(r#","is_error" : false"#)],
                1_usize..3
            )
                .prop_map(|(id, error, times)| {
                    let block = format!(
                        r#"{{"type":"tool_result","tool_use_id" :"{id}"{error},"content":"\"is_error\":true"}}"#
                    );
                    format!(r#""message":{{"content":[{}]}}"#, vec![block; times].join(","))
                }),
            Just(r#""toolUseResult":{"is_error":true,"tool_use_id":"z"}"#.to_owned()),
            Just(r#""toolUseResult":{"type":"text"}"#.to_owned()),
            Just(r#""toolDenialKind":"user-rejected""#.to_owned()),
            Just(r#""stop_reason":"tool_use""#.to_owned()),
        ]
    }

    proptest::proptest! {
        #[test]
        fn no_line_that_counts_is_passed_over(parts in prop::collection::vec(part(), 0..5)) {
            let line = format!("{{{}}}", parts.join(","));
            let what = transcript::line_events(line.as_bytes()).ok().flatten().map(|line_events| line_events.what);
            match interest(&line) {
                LineInterest::Everything => {}
                LineInterest::Nothing => prop_assert_eq!(what, None),
                LineInterest::Call(id) => {
                    let is_it = |what: &Vec<LineEvent>| matches!(&what[..], [LineEvent::Called(call)] if call.id == id);
                    prop_assert!(what.as_ref().is_none_or(is_it), "{:?}", what);
                }
                LineInterest::Success(id) => {
                    // A refusal bears the mark of an error too; a line that does not was made up.
                    let is_denied = line.contains("toolDenialKind");
                    let ended = LineEvent::Ended { id: id.to_owned(), end: CallEnd::Done };
                    prop_assert!(is_denied || what.is_none() || what == Some(vec![ended]), "{:?}", what);
                }
            }
        }
    }
}
