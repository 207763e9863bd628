//! The lines of one transcript, as the client writes them.

use std::fmt::Write as _;

use lessons_lesson::protocol;
use serde_json::json;

use lessons_bench::words::word;

/// A command that is made now and then and that nothing else mentions.
pub(crate) const RARE_COMMAND: &str = "flightdeck deploy --now --region";

/// The fields that the client writes at the end of every line of an assistant's message.
const USAGE: &str = r#","stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":412,"cache_read_input_tokens":51234,"output_tokens":205,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","iterations":[],"speed":"standard"},"stop_details":null},"requestId":"req_011","requestedModel":"claude-opus-5-5","effort":"medium""#;

/// A tool call. Its texts are escaped for JSON.
#[derive(Debug, Clone, Copy)]
pub(super) enum ToolCall<'s> {
    Command(&'s str),
    /// A second try of a command, with another option.
    Retry(&'s str),
    /// The command [`RARE_COMMAND`].
    Rare,
    Read(&'s str),
    Edit(&'s str, &'s str, &'s str),
}

/// A writer of one transcript's lines, in their order.
pub(super) struct TranscriptLines {
    session: String,
    cwd: String,
    /// The number of lines so far.
    number: usize,
    day: usize,
}

impl TranscriptLines {
    pub(super) fn new(number: usize, project: &str) -> Self {
        let session = format!("{number:08x}-0000-4000-8000-{number:012x}");
        Self { session, cwd: format!("/home/dev/{project}"), number: 0, day: number % 200 }
    }

    pub(super) fn file_name(&self) -> String {
        format!("{}.jsonl", self.session)
    }

    /// Makes the line in which our own hook tells the protocol at session start.
    pub(super) fn beginning(&mut self) -> String {
        let told = json!(protocol::EXAMPLE);
        let what = format!(
            r#""attachment":{{"type":"hook_additional_context","content":[{told}],"hookName":"SessionStart","hookEvent":"SessionStart"}}"#
        );
        self.line("attachment", &what)
    }

    pub(super) fn typed(&mut self, text: &str) -> String {
        let what = format!(
            r#""message":{{"role":"user","content":"{text}"}},"origin":{{"kind":"human"}},"promptSource":"typed""#
        );
        self.line("user", &what)
    }

    pub(super) fn said(&mut self, text: &str) -> String {
        self.assistant(&format!(r#"{{"type":"text","text":"{text}"}}"#))
    }

    /// Makes a lesson that the agent writes down. Each number has its own subject.
    pub(super) fn lesson(&mut self, number: usize) -> String {
        let (one, two) = (word(2 * number), word(2 * number + 1));
        let text = format!(
            "That was it.\n#lesson\ntool: Bash\ntrigger: {one} push\nmistake: {one} pushes to {two} before the table \
             of {one} is locked\nfix: lock the table of {one} with {two} first, then push\n#/lesson"
        );
        self.said(json!(text).to_string().trim_matches('"'))
    }

    pub(super) fn call(&mut self, call: &ToolCall<'_>) -> String {
        let (name, input) = match call {
            ToolCall::Command(command) => {
                ("Bash", format!(r#""command":"{command}","description":"Look at it""#))
            }
            ToolCall::Retry(command) => {
                ("Bash", format!(r#""command":"{command} --offline","description":"Look again""#))
            }
            ToolCall::Rare => ("Bash", format!(r#""command":"{RARE_COMMAND}","description":"Ship it""#)),
            ToolCall::Read(path) => ("Read", format!(r#""file_path":"{}/{path}""#, self.cwd)),
            ToolCall::Edit(path, old, new) => {
                let path = format!("{}/{path}", self.cwd);
                ("Edit", format!(r#""file_path":"{path}","old_string":"{old}","new_string":"{new}""#))
            }
        };
        let id = self.call_id(self.number);
        self.assistant(&format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{{input}}}}}"#))
    }

    /// Makes the result of the call in the line before, which succeeded.
    pub(super) fn succeeded(&mut self, text: &str) -> String {
        self.result(text, "false", &format!(r#"{{"stdout":"{text}","stderr":"","interrupted":false}}"#))
    }

    /// Makes the result of the call in the line before, which failed.
    pub(super) fn failed(&mut self, text: &str) -> String {
        self.result(text, "true", &format!(r#""Error: {text}""#))
    }

    fn result(&mut self, text: &str, is_error: &str, more: &str) -> String {
        let id = self.call_id(self.number.saturating_sub(1));
        let what = format!(
            r#""message":{{"role":"user","content":[{{"tool_use_id":"{id}","type":"tool_result","content":"{text}","is_error":{is_error}}}]}},"toolUseResult":{more},"sourceToolAssistantUUID":"{}""#,
            self.uuid(self.number.saturating_sub(1))
        );
        self.line("user", &what)
    }

    fn assistant(&mut self, block: &str) -> String {
        let what = format!(
            r#""message":{{"id":"msg_{0}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{block}]{USAGE}"#,
            self.number
        );
        self.line("assistant", &what)
    }

    fn line(&mut self, kind: &str, what: &str) -> String {
        let number = self.number;
        let (month, day) = (1 + self.day / 28, 1 + self.day % 28);
        let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
        let mut line = String::with_capacity(what.len() + 600);
        line.push_str(r#"{"parentUuid":""#);
        line.push_str(&self.uuid(number.saturating_sub(1)));
        line.push_str(r#"","isSidechain":false,"#);
        line.push_str(what);
        // Writing into a `String` cannot fail.
        let _ = writeln!(
            line,
            r#","type":"{kind}","uuid":"{}","timestamp":"2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z","userType":"external","entrypoint":"cli","cwd":"{}","sessionId":"{}","version":"2.1.329","gitBranch":"main"}}"#,
            self.uuid(number),
            self.cwd,
            self.session
        );
        self.number += 1;
        line
    }

    fn uuid(&self, number: usize) -> String {
        format!("{}-{number:012x}", &self.session[..8])
    }

    fn call_id(&self, number: usize) -> String {
        format!("toolu_{}_{number}", &self.session[..8])
    }
}
