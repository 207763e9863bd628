//! The hook before a tool call, which tells the model a lesson or refuses the call.

use std::borrow::Cow;

use lessons_client::{Client, Event, Verdict, claude};
use lessons_decide::answer::Answer;
use lessons_decide::{Advice, Decision, GuardedPaths, Outcome};
use lessons_home::Home;
use lessons_index::Corrupt;
use lessons_lesson::{Call, Payload, PayloadEnd, is_writing_mcp};
use serde_json::{Map, Value};

use crate::environment::HookEnvironment;
use crate::event::{self, Hook, HookContext, HookReply, Occurrence, with_lessons};
use crate::{attendance, question};

/// The most fields of one object, and the most items of a list, that are joined to paths.
const MOST_JOINED: usize = 12;
/// The fields in which a tool of an MCP server is told where to run a command.
const FOLDER_FIELDS: [&str; 4] = ["cwd", "workdir", "workingDirectory", "working_directory"];

/// Runs the hook.
pub fn run() {
    event::run(&mut PreToolUse { advice: HookEnvironment::advice() }, Event::Before);
}

/// The hook. Where the model does not see what is said before a call, its `advice` is silenced there, so that nothing is
/// claimed, and asked for after the call.
pub(crate) struct PreToolUse {
    pub(crate) advice: Advice,
}

impl Hook for PreToolUse {
    fn expects_answer(&self, payload: &Payload, end: PayloadEnd) -> bool {
        match end {
            PayloadEnd::Whole => !payload.call.tool.is_empty(),
            PayloadEnd::Beyond => true,
            PayloadEnd::Broken => false,
        }
    }

    fn answer(&mut self, context: &mut HookContext<'_>) -> Result<HookReply, Corrupt> {
        let answer = decide(context, &self.advice)?;
        let said = match &answer.decision {
            Decision::Silent => claude::Answer::Silent,
            Decision::Question(_) => question::answer(context),
            Decision::Ask { reason } => question::about_file(context, reason),
            Decision::Advise { text, .. } => claude::Answer::told(Verdict::Advice(text.clone())),
            Decision::Refuse { text, person, .. } => claude::Answer::Told {
                verdict: Some(Verdict::Refusal(text.clone())),
                person: attendance::is_claude_code(context).then(|| person.clone()),
            },
        };
        Ok(HookReply { answer: said, events: events(context.call.end, answer) })
    }
}

fn decide(context: &mut HookContext<'_>, advice: &Advice) -> Result<Answer, Corrupt> {
    // What is guarded does not depend on whether the folder may be read.
    let fallback = context.call.environment.variables.data_folder.as_deref();
    let folder = context.home.as_ref().ok().map(Home::root).or(fallback).map(|path| path.to_string_lossy());
    let user_home = std::env::var_os("HOME").map(|path| path.to_string_lossy().into_owned());
    let guarded =
        GuardedPaths { home: folder.as_deref().unwrap_or_default(), user_home: user_home.as_deref() };
    let call = &context.call.payload.call;
    // What other clients write was read whole.
    if context.call.client != Client::ClaudeCode || !is_writing_mcp(&call.tool) {
        return context.decide(call, &guarded, advice);
    }
    let payload = lessons_client::value(context.call.raw);
    let input =
        payload.and_then(|mut payload| Some(payload.get_mut("tool_input")?.take())).unwrap_or_default();
    let folder = FOLDER_FIELDS.into_iter().find_map(|name| Some(input[name].as_str()?.to_owned().into()));
    let call = Call { cwd: folder.or_else(|| call.cwd.clone()), texts: texts(input), ..call.clone() };
    context.decide(&call, &guarded, advice)
}

/// Every text in an input, keys too, and every path that two fields of an object give together, as a folder and a name, or the
/// parts of a list. The input of an MCP tool has a form that only its server knows; it may be JSON in a text.
fn texts(input: Value) -> Vec<Cow<'static, str>> {
    let mut texts = Vec::new();
    let mut left = vec![input];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) if text.contains("\\/") => texts.push(text.replace("\\/", "/").into()),
            Value::String(text) => texts.push(text.into()),
            Value::Array(items) => {
                let parts: Vec<&str> = items.iter().take(MOST_JOINED).filter_map(Value::as_str).collect();
                if parts.len() > 1 {
                    texts.push(parts.join("/").into());
                }
                left.extend(items);
            }
            Value::Object(fields) => {
                texts.extend(joined(&fields));
                for (name, value) in fields {
                    if name.contains(['/', '%']) {
                        texts.push(name.into());
                    }
                    left.push(value);
                }
            }
            _ => {}
        }
    }
    texts
}

/// The paths that two fields of an object give together.
fn joined(fields: &Map<String, Value>) -> Vec<Cow<'static, str>> {
    let texts: Vec<&str> = fields.values().take(MOST_JOINED).filter_map(Value::as_str).collect();
    let folders = texts.iter().filter(|text| text.starts_with(['/', '~', '.']) || text.starts_with("file:"));
    let below = |folder: &str| {
        let names = texts.iter().filter(|name| !name.starts_with(['/', '~']));
        names.map(|name| format!("{}/{name}", folder.trim_end_matches('/')).into()).collect::<Vec<_>>()
    };
    folders.flat_map(|folder| below(folder)).collect()
}

/// The events that record an answer.
fn events(end: PayloadEnd, answer: Answer) -> Vec<Occurrence> {
    let overflow = (end == PayloadEnd::Beyond).then(|| (Outcome::Overflow, Vec::new()));
    let passed = with_lessons([(Outcome::Passed, answer.passed)]);
    let decided = match answer.decision {
        Decision::Silent => None,
        Decision::Advise { lessons, .. } => Some((Outcome::Told, lessons)),
        Decision::Refuse { lessons, .. } => Some((Outcome::Refused, lessons)),
        Decision::Ask { .. } | Decision::Question(_) => Some((Outcome::Asked, Vec::new())),
    };
    let held = with_lessons([(Outcome::Held, answer.held)]);
    overflow.into_iter().chain(passed).chain(decided).chain(held).collect()
}
