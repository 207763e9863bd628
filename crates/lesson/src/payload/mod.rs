//! The payload of a hook: the JSON object that the client writes to its standard input.
//!
//! It comes in pieces, and each byte is read once: values that are needed are copied, all others are
//! skipped without a copy, so that a long text costs a search for its end and no memory.
//!
//! - A field of the wrong type counts as absent: it must not hide the others. If a field occurs twice
//!   the last one counts; paths and contents are collected.
//! - Invalid UTF-8, and the lone surrogates that JavaScript can write, become U+FFFD, and an escape that JSON
//!   does not have stands for itself, so that no text can make the hook blind.
//! - JSON of any depth is read. Skipped values are checked for their structure only, so a payload
//!   may be accepted that a strict parser rejects.

mod fields;
mod lexer;
mod quote;

use self::fields::Fields;
use self::lexer::Lexer;
use crate::call::Call;

/// The most bytes of a payload that are read. Fields that are complete by then count.
pub const LIMIT: usize = 8 << 20;

/// A payload: the caller, its session, and the tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payload {
    /// The id of the session; in a sub-agent that of its parent.
    pub session_id: Option<String>,
    /// The id of the sub-agent; `None` in the main thread.
    pub agent_id: Option<String>,
    /// The type of the sub-agent; `None` in the main thread.
    pub agent_type: Option<String>,
    /// The id of the call, which the transcript contains too.
    pub tool_use_id: Option<String>,
    /// The reason why a session starts: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: Option<String>,
    /// The error text of a call that has failed.
    pub error: Option<String>,
    /// Whether it holds a field that Claude Code never writes and another client does.
    pub is_of_another_client: bool,
    /// The call. Its tool is empty if the payload names none. It has no error: see [`Payload::failed_call`].
    pub call: Call<'static>,
}

impl Payload {
    /// The call with its error; `None` if it has not failed.
    pub fn failed_call(&self) -> Option<Call<'_>> {
        let error = self.error.as_deref()?;
        Some(Call { error: Some(error.into()), ..self.call.clone() })
    }

    /// The agent's type, `main` for the main thread.
    pub fn agent(&self) -> &str {
        match (&self.agent_type, &self.agent_id) {
            (Some(agent), _) if !agent.is_empty() => agent,
            (_, Some(_)) => "unknown",
            _ => "main",
        }
    }
}

/// Whether the contents that an edit writes into files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// The contents of the tools that write files are read.
    Keep,
    /// No content is read, as if the payload had none.
    Skip,
}

/// The way in which a payload ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadEnd {
    /// After one whole JSON object.
    Whole,
    /// In the middle of the object, or as something other than one object.
    Broken,
    /// Beyond [`LIMIT`].
    Beyond,
}

/// An incremental reader of one payload.
#[derive(Debug)]
pub struct PayloadReader {
    lexer: Lexer,
    fields: Fields,
    /// The number of bytes that came, including those beyond the limit.
    seen: usize,
}

impl PayloadReader {
    /// A reader at the start of a payload.
    pub fn new(contents: Contents) -> Self {
        Self { lexer: Lexer::default(), fields: Fields::new(contents), seen: 0 }
    }

    /// Reads the next piece. Pieces may end anywhere, also within a character. Bytes beyond [`LIMIT`] are
    /// ignored, but must be passed all the same: their presence changes the end.
    pub fn feed(&mut self, piece: &[u8]) {
        let room = LIMIT.saturating_sub(self.seen).min(piece.len());
        self.seen = self.seen.saturating_add(piece.len());
        self.lexer.feed(&piece[..room], &mut self.fields);
    }

    /// The name of the tool so far; empty until it was read.
    pub fn tool(&self) -> &str {
        self.fields.tool()
    }

    /// The fields that were complete when the payload ended, and how it ended. A payload that went
    /// beyond the limit has no contents: they may be incomplete, and a pattern could match only a part of them.
    pub fn finish(self) -> (Payload, PayloadEnd) {
        let mut payload = self.fields.settle();
        if self.seen > LIMIT {
            payload.call.contents.clear();
            payload.call.replaced.clear();
            return (payload, PayloadEnd::Beyond);
        }
        let end = if self.lexer.is_done() { PayloadEnd::Whole } else { PayloadEnd::Broken };
        (payload, end)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use lessons_text::content::Content;

    fn read_with(contents: Contents, input: &str) -> (Payload, PayloadEnd) {
        let mut reader = PayloadReader::new(contents);
        reader.feed(input.as_bytes());
        reader.finish()
    }

    fn read(input: &str) -> Payload {
        let (payload, end) = read_with(Contents::Keep, input);
        assert_eq!(end, PayloadEnd::Whole, "{input}");
        payload
    }

    #[test]
    fn an_mcp_tool_writes_what_its_edits_bring_and_takes_out_what_is_old() {
        let input = r#"{"relative_path":"src/a.ts","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":"d"}]}"#;
        let payload = format!(r#"{{"tool_name":"mcp__fs__edit_file","tool_input":{input}}}"#);
        let call = read(&payload).call;
        let texts = |contents: &[Content<'_>]| {
            contents.iter().map(|content| content.text().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(call.paths, ["src/a.ts"]);
        assert_eq!(
            (texts(&call.contents), texts(&call.replaced)),
            (vec!["b".into(), "d".into()], vec!["a".into(), "c".into()])
        );
        let edit = r#"{"tool_name":"Edit","tool_input":{"file_path":"a","old_string":"a","new_string":"b"}}"#;
        let call = read(edit).call;
        assert_eq!((texts(&call.contents), texts(&call.replaced)), (vec!["b".into()], vec!["a".into()]));
    }

    #[test]
    fn the_address_of_a_fetch_is_read_and_the_texts_of_an_mcp_call_where_contents_are() {
        let fetch =
            r#"{"tool_name":"WebFetch","tool_input":{"url":"https://a.example/x","prompt":"p"},"cwd":"/p"}"#;
        let (payload, _) = read_with(Contents::Keep, fetch);
        assert_eq!(payload.call.absolute_paths(), ["https://a.example/x"]);
        let query =
            r#"{"tool_name":"mcp__db__query","tool_input":{"sql":"DROP TABLE a","limit":1,"path":"/a"}}"#;
        let texts = |contents| {
            let (payload, _) = read_with(contents, query);
            payload.call.contents.iter().map(|content| content.text().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!((texts(Contents::Keep), texts(Contents::Skip)), (vec!["DROP TABLE a".to_owned()], vec![]));
        let other = r#"{"tool_name":"Read","tool_input":{"url":"https://a.example/x"}}"#;
        assert!(read_with(Contents::Keep, other).0.call.paths.is_empty());
    }

    #[test]
    fn another_client_is_known_by_the_fields_that_it_adds() {
        let claude = r#"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls","turn_id":"x"}}"#;
        assert!(!read(claude).is_of_another_client, "a field of the input is none of the payload");
        for field in
            [r#""turn_id":"x""#, r#""client_type":"x""#, r#""tool_call_id":null"#, r#""timestamp":17"#]
        {
            let payload = format!(r#"{{"session_id":"s","tool_name":"Bash","tool_input":{{}},{field}}}"#);
            assert!(read(&payload).is_of_another_client, "{field}");
        }
    }

    #[test]
    fn the_fields_of_a_bash_call_are_read() {
        let payload = read(
            r#"{"session_id":"s","cwd":"/p","tool_name":"Bash","tool_input":{"command":"git stash","timeout":5},"tool_use_id":"t"}"#,
        );
        assert_eq!(payload.session_id.as_deref(), Some("s"));
        assert_eq!(payload.tool_use_id.as_deref(), Some("t"));
        assert_eq!(payload.call.cwd.as_deref(), Some("/p"));
        assert_eq!(payload.call.command.as_deref(), Some("git stash"));
        assert_eq!(payload.agent(), "main");
    }

    #[test]
    fn every_edit_of_a_multiedit_counts() {
        let payload = read(
            r#"{"tool_input":{"file_path":"/a","edits":[{"old_string":"o","new_string":"x"},{"new_string":"y"}]},"tool_name":"MultiEdit"}"#,
        );
        assert_eq!(payload.call.contents, ["x", "y"].map(Content::from));
        assert_eq!(payload.call.paths, ["/a"]);
    }

    #[test]
    fn edits_of_another_shape_hide_nothing() {
        for edits in
            ["7", "{}", "[]", "null", r#"[7,"x",[{"new_string":"no"}],{},{"edits":[{"new_string":"no"}]}]"#]
        {
            let input = format!(
                r#"{{"tool_name":"MultiEdit","tool_input":{{"edits":{edits},"file_path":"/a"}},"cwd":"/p"}}"#
            );
            let payload = read(&input);
            assert_eq!((payload.call.paths.len(), payload.call.contents.len()), (1, 0), "{edits}");
            assert_eq!(payload.call.cwd.as_deref(), Some("/p"), "{edits}");
        }
    }

    #[test]
    fn a_command_counts_for_what_runs_one_and_a_content_for_editors_only() {
        let input = r#"{"command":"rm","content":"c","path":"/a"}"#;
        let runs = ["Bash", "PowerShell", "Monitor"].map(|tool| (tool, Some("rm")));
        for (tool, command) in runs.into_iter().chain([("Skill", None), ("Grep", None)]) {
            for payload in [
                read(&format!(r#"{{"tool_name":"{tool}","tool_input":{input}}}"#)),
                read(&format!(r#"{{"tool_input":{input},"tool_name":"{tool}"}}"#)),
            ] {
                assert_eq!(payload.call.command.as_deref(), command, "{tool}");
                assert_eq!(payload.call.contents.len(), 0, "{tool}");
                assert_eq!(payload.call.paths, ["/a"]);
            }
        }
        for tool in ["mcp__acp__Bash", "mcp__desktop-commander__start_process"] {
            let payload = read(&format!(r#"{{"tool_name":"{tool}","tool_input":{input}}}"#));
            assert_eq!(payload.call.command.as_deref(), Some("rm"), "{tool}");
        }
    }

    #[test]
    fn what_an_edit_holds_is_no_command() {
        let payload =
            read(r#"{"tool_name":"Bash","tool_input":{"command":"git stash","edits":[{"command":"ls"}]}}"#);
        assert_eq!(payload.call.command.as_deref(), Some("git stash"));
    }

    #[test]
    fn contents_are_skipped_where_no_lesson_looks_at_them() {
        let input = r#"{"tool_name":"Write","tool_input":{"content":"a \"b\" \n","file_path":"/a"}}"#;
        assert_eq!(read(input).call.contents, ["a \"b\" \n"].map(Content::from));
        let (payload, end) = read_with(Contents::Skip, input);
        assert_eq!((payload.call.contents.len(), end), (0, PayloadEnd::Whole));
        assert_eq!(payload.call.paths, ["/a"]);
    }

    #[test]
    fn a_field_of_the_wrong_type_hides_no_other() {
        let payload = read(
            r#"{"session_id":7,"tool_name":"Bash","tool_input":{"path":["a"],"file_path":{"x":[1]},"command":"ls"}}"#,
        );
        assert_eq!(payload.session_id, None);
        assert_eq!(payload.call.command.as_deref(), Some("ls"));
        assert_eq!(read(r#"{"tool_name":"Bash","tool_input":[{"command":"ls"}]}"#).call.command, None);
    }

    #[test]
    fn of_two_fields_of_one_name_the_last_counts() {
        let payload =
            read(r#"{"session_id":"a","session_id":"b","cwd":"/p","cwd":7,"source":"x","source":""}"#);
        assert_eq!(payload.session_id.as_deref(), Some("b"));
        assert_eq!(payload.call.cwd, None);
        assert_eq!(payload.source.as_deref(), Some(""));
    }

    #[test]
    fn a_key_may_be_written_with_escapes() {
        let payload = read(r#"{"tool\u005fname":"Bash","\u0063\u0077\u0064":"/p"}"#);
        assert_eq!(payload.call.tool, "Bash");
        assert_eq!(payload.call.cwd.as_deref(), Some("/p"));
    }

    #[test]
    fn a_wrong_escape_hides_nothing() {
        let payload = read(r#"{"\q":1,"tool_name":"Write","tool_input":{"content":"a\q"},"cwd":"/p\d"}"#);
        assert_eq!(payload.call.contents, [Content::from(r"a\q")]);
        assert_eq!(payload.call.cwd.as_deref(), Some(r"/p\d"));
    }

    #[test]
    fn a_key_too_long_to_be_known_hides_no_other() {
        let mut reader = PayloadReader::new(Contents::Keep);
        for piece in [r#"{"cwd"#, &"x".repeat(1000), &"x".repeat(1000), r#"":[""#] {
            reader.feed(piece.as_bytes());
        }
        reader.feed(br#"cwd"],"cw"#);
        reader.feed(br#"d":"/p"}"#);
        let (payload, end) = reader.finish();
        assert_eq!((payload.call.cwd.as_deref(), end), (Some("/p"), PayloadEnd::Whole));
    }

    #[test]
    fn an_error_makes_a_failed_call_and_leaves_the_call_before_it_alone() {
        let payload = read(
            r#"{"tool_name":"Bash","tool_input":{"command":"git push","error":"no"},"error":"Exit code 3\nboom","is_interrupt":false}"#,
        );
        assert_eq!(payload.call.error, None);
        let failed = payload.failed_call().unwrap();
        assert_eq!(failed.error.as_deref(), Some("Exit code 3\nboom"));
        assert_eq!(failed.command.as_deref(), Some("git push"));
        assert_eq!(read(r#"{"tool_name":"Bash","error":7}"#).failed_call(), None);
    }

    #[test]
    fn task_is_called_agent() {
        assert_eq!(read(r#"{"tool_name":"Task"}"#).call.tool, "Agent");
    }

    #[test]
    fn a_cut_payload_gives_what_was_complete() {
        let cut =
            r#"{"session_id":"s","tool_name":"Write","tool_input":{"file_path":"/a.ts","content":"AAAA"#;
        let (payload, end) = read_with(Contents::Keep, cut);
        assert_eq!(end, PayloadEnd::Broken);
        assert_eq!(payload.call.paths, ["/a.ts"]);
        assert!(payload.call.contents.is_empty());
    }

    #[test]
    fn what_is_no_payload_is_broken() {
        for bad in [
            "",
            "   \n",
            "[]",
            "null",
            "\"x\"",
            "{",
            "{}{}",
            "{} x",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1 "b":2}"#,
            r#"{"a":x}"#,
            r#"{"tool_input":{"edits":[{},]}}"#,
            r#"{"tool_input":{"edits":[{}}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":"git st"#,
        ] {
            assert_eq!(read_with(Contents::Keep, bad).1, PayloadEnd::Broken, "{bad}");
        }
    }

    #[test]
    fn what_is_skipped_may_nest_as_deep_as_it_likes() {
        for key in ["tool_input", "tool_response", "session_id"] {
            let deep = format!("{}1{}", r#"{"a":["#.repeat(100_000), "]}".repeat(100_000));
            let payload = read(&format!(r#"{{"{key}":{deep},"tool_name":"Bash"}}"#));
            assert_eq!(payload.call.tool, "Bash");
        }
    }

    #[test]
    fn a_lone_surrogate_does_not_make_the_hook_blind() {
        let payload =
            read(r#"{"tool_name":"Bash","tool_input":{"command":"git \ud83d stash \ud83d\ude00 \\ud800"}}"#);
        assert_eq!(payload.call.command.as_deref(), Some("git \u{fffd} stash 😀 \\ud800"));
    }

    #[test]
    fn invalid_utf_8_does_not_make_the_hook_blind() {
        let mut reader = PayloadReader::new(Contents::Keep);
        reader.feed(b"{\"x\xff\":\"\xe2\",\"cwd\":\"/p\xe2\x82");
        reader.feed(b"\xac\xff\"}");
        let (payload, end) = reader.finish();
        assert_eq!((payload.call.cwd.as_deref(), end), (Some("/p\u{20ac}\u{fffd}"), PayloadEnd::Whole));
    }

    #[test]
    fn beyond_the_limit_only_that_it_is_there_counts() {
        let start = r#"{"session_id":"s","tool_name":"MultiEdit","tool_input":{"edits":[{"new_string":"x"}],"content":""#;
        let fill = "x".repeat(LIMIT - start.len() - 3);
        let mut reader = PayloadReader::new(Contents::Keep);
        for piece in [start, &fill, "\"}}"] {
            reader.feed(piece.as_bytes());
        }
        let (payload, end) = reader.finish();
        assert_eq!((payload.call.contents.len(), end), (2, PayloadEnd::Whole));

        let mut reader = PayloadReader::new(Contents::Keep);
        for piece in [start, &fill, "xxxxx\"}}"] {
            reader.feed(piece.as_bytes());
        }
        let (payload, end) = reader.finish();
        assert_eq!((payload.call.contents.len(), end), (0, PayloadEnd::Beyond));
        assert_eq!((payload.session_id.as_deref(), payload.call.tool.as_ref()), (Some("s"), "MultiEdit"));
    }
}
