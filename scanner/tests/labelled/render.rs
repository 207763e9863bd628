//! From a script to what the client writes.
//!
//! The lines have the shapes that the real client was seen to write: one content block a line, results
//! and refusals with their fields, what is no prompt in the user's name. Sessions with an odd number are
//! written as older clients do, without the fields that tell who typed, who refused and why.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::script::{Label, Outcome, Session, Step};

const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it \
                       was a file edit, the new_string was NOT written to the file).";

/// Sessions on disk, and what their lines are.
pub(crate) struct Rendered {
    /// The label of each line that has one, by its uuid.
    pub(crate) labels: HashMap<String, Label>,
    pub(crate) files: Vec<PathBuf>,
}

/// Writes the sessions below `root`, as the client would.
pub(crate) fn render(sessions: &[Session], root: &Path) -> Rendered {
    let mut rendered = Rendered { labels: HashMap::new(), files: Vec::new() };
    for (number, session) in sessions.iter().enumerate() {
        let mut writer = Writer {
            session: &session.name,
            cwd: format!("/home/dev/{}", session.project),
            is_old: number % 2 == 1,
            // A session a day.
            second: number as u64 * 86_400,
            lines: Vec::new(),
            label: None,
            labels: &mut rendered.labels,
        };
        writer.beginning();
        for (label, step) in &session.steps {
            writer.label.clone_from(label);
            writer.step(step);
        }
        writer.end();
        let lines = writer.lines;
        let folder = root.join(format!("-home-dev-{}", session.project));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{}.jsonl", session.name));
        let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".into()]).collect();
        fs::write(&file, text).unwrap();
        rendered.files.push(file);
    }
    rendered
}

struct Writer<'w> {
    session: &'w str,
    cwd: String,
    is_old: bool,
    second: u64,
    lines: Vec<Value>,
    label: Option<Label>,
    labels: &'w mut HashMap<String, Label>,
}

impl Writer<'_> {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Typed(text) => self.typed(&json!(text)),
            Step::TypedAsBlocks(text) => self.typed(&json!([{"type": "text", "text": text}])),
            Step::TypedMidTurn(text) => self.typed_mid_turn(text),
            Step::Pasted(text) if self.is_old => {
                self.typed(&json!(format!("[Pasted text #1 +9 lines]\n{text}")));
            }
            Step::Pasted(text) => {
                let text =
                    format!("\n\n<pasted_content id=\"8199\">\n{text}\n</pasted_content id=\"8199\">\n\n");
                self.typed(&json!(text));
            }
            Step::SlashCommand(name) => {
                let caveat = "<local-command-caveat>The command below was run directly in Claude Code, not sent to \
                              you as a request.</local-command-caveat>";
                self.user(&json!(caveat), &json!({"isMeta": true}));
                let indent = " ".repeat(12);
                let text = format!(
                    "<command-name>/{name}</command-name>\n{indent}<command-message>{name}</command-message>\n\
                     {indent}<command-args></command-args>"
                );
                self.user(&json!(text), &json!({}));
            }
            Step::OwnCommand(command) => {
                self.user(&json!(format!("<bash-input>{command}</bash-input>")), &json!({}));
            }
            Step::OwnOutput(text) => {
                let text = if self.is_old {
                    format!("<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>")
                } else {
                    format!("<local-command-stdout>{text}</local-command-stdout>")
                };
                self.user(&json!(text), &json!({"turnOrigin": "human"}));
            }
            Step::LineInfo(text) => self.assistant(&json!({"type": "text", "text": text})),
            Step::Call { tool, input, outcome } => self.call(tool, input, outcome),
            Step::Compaction => self.compaction(),
            Step::Reminder(text) => {
                let text = format!("<system-reminder>\n{text}\n</system-reminder>");
                self.user(&json!(text), &json!({"isMeta": true, "turnCompanion": true}));
            }
        }
    }

    /// What stands before the first prompt.
    fn beginning(&mut self) {
        let session = self.session;
        self.lines.push(json!({"type": "mode", "mode": "normal", "sessionId": session}));
        let listing = json!({"type": "skill_listing", "content": "- no: never use this, use that instead"});
        self.line(
            "attachment",
            &json!({"attachment": listing, "rendered": "[elided]", "renderedRole": "system"}),
        );
    }

    fn end(&mut self) {
        self.label = None;
        self.line("system", &json!({"subtype": "turn_duration", "durationMs": 819, "isMeta": false}));
        let session = self.session;
        self.lines.push(json!({"type": "last-prompt", "lastPrompt": "no", "sessionId": session}));
    }

    fn typed(&mut self, content: &Value) {
        let fields = if self.is_old {
            json!({})
        } else {
            json!({"permissionMode": "default", "origin": {"kind": "human"}, "promptSource": "typed",
                   "turnOrigin": "human", "turnPosition": {"promptIndex": 1, "turnIndex": 1}})
        };
        self.user(content, &fields);
    }

    fn typed_mid_turn(&mut self, text: &str) {
        let session = self.session;
        self.lines.push(
            json!({"type": "queue-operation", "operation": "enqueue", "sessionId": session, "content": text}),
        );
        let origin = if self.is_old { Value::Null } else { json!({"kind": "human"}) };
        let mut attachment = json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"});
        if !origin.is_null() {
            attachment["origin"] = origin;
            attachment["humanTurn"] = json!(true);
        }
        let shown =
            format!("<system-reminder>\nThe user sent a new message while you were working:\n{text}\n");
        self.line("attachment", &json!({"attachment": attachment, "rendered": [{"content": shown}]}));
    }

    fn call(&mut self, tool: &str, input: &Value, outcome: &Outcome) {
        let id = format!("toolu_{}_{}", self.session, self.lines.len());
        let mut input = input.clone();
        if let Some(file) = input["file_path"].as_str().filter(|file| !file.starts_with('/')) {
            input["file_path"] = json!(format!("{}/{file}", self.cwd));
        }
        let name = if tool == "Task" { "Agent" } else { tool };
        self.assistant(&json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        let (text, fields) = self.result(tool, outcome);
        let is_error = !matches!(outcome, Outcome::Done(_));
        let mut block = json!({"tool_use_id": id, "type": "tool_result", "content": text});
        if is_error || tool == "Bash" {
            block["is_error"] = json!(is_error);
        }
        self.user(&json!([block]), &fields);
        let is_stopped = matches!(outcome, Outcome::Interrupted | Outcome::RefusedByUser(None));
        if is_stopped {
            let text = "[Request interrupted by user for tool use]";
            self.user(&json!([{"type": "text", "text": text}]), &json!({}));
        }
    }

    /// The text of a result, and the fields beside the message.
    fn result(&self, tool: &str, outcome: &Outcome) -> (String, Value) {
        let decision = |decision: &str, source: &str| json!({"decision": decision, "source": source});
        let failed = |text: String| {
            let fields = json!({"toolUseResult": format!("Error: {text}"),
                                "permissionDecision": decision("accept", "config")});
            (text, fields)
        };
        let with_code = |code: u8, text: &str| match text {
            "" => format!("Exit code {code}"),
            text => format!("Exit code {code}\n{text}"),
        };
        let (text, mut fields) = match outcome {
            Outcome::Done(text) if tool == "Bash" => {
                let shown = if text.is_empty() { "(Bash completed with no output)" } else { text };
                let result = json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false});
                (shown.to_owned(), json!({"toolUseResult": result, "sandboxed": false}))
            }
            Outcome::Done(text) => (
                text.clone(),
                json!({"toolUseResult": {"type": "text", "originalFile": "no, use that instead"}}),
            ),
            Outcome::Failed { code, text } if tool == "Bash" => failed(with_code(*code, text)),
            Outcome::Failed { text, .. } => failed(text.clone()),
            Outcome::BadInput(text) => failed(format!("<tool_use_error>{text}</tool_use_error>")),
            Outcome::TimedOut(time) => failed(with_code(143, &format!("Command timed out after {time}"))),
            Outcome::RefusedByRule(text) => {
                let fields = json!({"toolUseResult": format!("Error: {text}"), "toolDenialKind": "permission-rule",
                                    "permissionDecision": decision("reject", "config")});
                (text.clone(), fields)
            }
            Outcome::RefusedByUser(Some(reason)) => {
                let text = format!("{REFUSED} To tell you how to proceed, the user said:\n{reason}");
                let fields = json!({"toolUseResult": format!("Error: {text}"), "toolDenialKind": "user-rejected",
                                    "userFeedback": reason, "holdsPersonsWords": true,
                                    "permissionDecision": decision("reject", "user_reject")});
                (text, fields)
            }
            Outcome::RefusedByUser(None) | Outcome::Interrupted => {
                let stop = "STOP what you are doing and wait for the user to tell you how to proceed.";
                let fields = json!({"toolUseResult": "User rejected tool use", "toolDenialKind": "user-rejected",
                                    "toolDenialBeforeRun": *outcome != Outcome::Interrupted});
                (format!("{REFUSED} {stop}"), fields)
            }
        };
        if self.is_old {
            let newer = ["toolDenialKind", "toolDenialBeforeRun", "userFeedback", "holdsPersonsWords"];
            let fields = fields.as_object_mut().unwrap();
            fields.retain(|name, _| !newer.contains(&name.as_str()));
        }
        (text, fields)
    }

    fn compaction(&mut self) {
        self.line("system", &json!({"subtype": "compact_boundary", "content": "Conversation compacted"}));
        let text = "This session is being continued from a previous conversation that ran out of context. The user \
                    said: no, never use npm, use pnpm instead.";
        self.user(&json!(text), &json!({"isVisibleInTranscriptOnly": true, "isCompactSummary": true}));
    }

    fn assistant(&mut self, block: &Value) {
        let stop = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
        let message = json!({"id": format!("msg_{}", self.lines.len()), "type": "message", "role": "assistant",
                             "model": "claude-opus-5-5", "content": [block], "stop_reason": stop,
                             "usage": {"input_tokens": 10, "output_tokens": 5}});
        self.line("assistant", &json!({"message": message, "requestId": "req_mock"}));
    }

    fn user(&mut self, content: &Value, fields: &Value) {
        let mut fields = fields.clone();
        fields["message"] = json!({"role": "user", "content": content});
        self.line("user", &fields);
    }

    fn line(&mut self, kind: &str, fields: &Value) {
        let number = self.lines.len();
        self.second += 7;
        let uuid = format!("{}-{number}", self.session);
        if let Some(label) = &self.label {
            self.labels.insert(uuid.clone(), label.clone());
        }
        let mut line = json!({
            "parentUuid": format!("{}-{}", self.session, number.saturating_sub(1)), "isSidechain": false,
            "type": kind, "uuid": uuid, "timestamp": time(self.second), "userType": "external",
            "entrypoint": "cli", "cwd": self.cwd, "sessionId": self.session, "version": "2.1.329",
            "gitBranch": "main",
        });
        line.as_object_mut().unwrap().append(fields.as_object().cloned().as_mut().unwrap());
        self.lines.push(line);
    }
}

/// So many seconds after 2026-01-01, as the client writes it.
fn time(second: u64) -> String {
    let start = jiff::Timestamp::from_second(1_767_225_600).unwrap();
    let time = start + jiff::SignedDuration::from_secs(i64::try_from(second).unwrap());
    format!("{time:.3}")
}
