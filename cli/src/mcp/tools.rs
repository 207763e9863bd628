//! The tools: what they are called, what they take, and what they run.

use std::sync::Arc;

use lessons_decide::claims::Memory as _;
use lessons_decide::{Outcome, SessionClaims, SessionFolder};
use lessons_lesson::QualifiedId;
use rmcp::model::{Tool, object};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::note::{self, MOST_TAGS, at_most, within};
use crate::prelude::*;
use crate::ui::input;
use crate::verbs::seeing::query::{self, Query};
use crate::verbs::seeing::show;
use crate::verbs::trying::explain::Explain;

/// What a client may tell its model about the server.
pub(super) const INSTRUCTIONS: &str = "Lessons that a person has approved: what went wrong before in this project, and what to \
do instead. Ask before work that may go wrong. A note waits for a person and decides nothing.";
/// The agent's name in the events for what was told here.
const AGENT: &str = "mcp";
/// The longest question, in characters.
const LONGEST_QUERY: usize = 2_000;
/// The longest command or edit that is explained, in bytes.
const LONGEST_CALL: usize = 256 << 10;
/// The most lessons, and the most tokens, that one question may ask for.
const MOST_LESSONS: usize = 50;
const MOST_TOKENS: usize = 16_000;

/// The arguments of `lessons_query`: words, or the work ahead.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct QueryArguments {
    query: Option<String>,
    file: Option<String>,
    command: Option<String>,
    keyword: Option<String>,
    limit: Option<usize>,
    max_tokens: Option<usize>,
}

/// The arguments of `lessons_explain`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ExplainArguments {
    id: Option<String>,
    command: Option<String>,
    file: Option<String>,
    content: Option<String>,
    error: Option<String>,
    tool: Option<String>,
}

/// The definitions of all tools.
pub(super) fn all() -> Vec<Tool> {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let number =
        |most, about: &str| json!({ "type": "integer", "minimum": 1, "maximum": most, "description": about });
    vec![
        tool(
            "lessons_query",
            "Find the lessons in force that concern work, best first: by words (query), or by the file, command or subject of the \
             work ahead. What it returns counts as told.",
            &json!({
                "query": text("Words of lessons, such as: git stash untracked files; alone"),
                "file": text("A file that is going to be changed"),
                "command": text("A command that is going to be run"),
                "keyword": text("What the work is about"),
                "limit": number(MOST_LESSONS, "Maximum number of lessons"),
                "max_tokens": number(MOST_TOKENS, "Maximum number of tokens of text"),
            }),
            &[],
        ),
        tool(
            "lessons_explain",
            "Explain what a tool call would get and why (command or file), show a lesson (id), or why a lesson keeps quiet at \
             a call (both). A lesson that it shows counts as told.",
            &json!({
                "id": text("A lesson's id, or the start of it"),
                "command": text("What Bash would run"),
                "file": text("The file that a tool works on"),
                "content": text("What an edit puts into the file"),
                "error": text("The error with which the call failed"),
                "tool": text("The tool; without it, Bash for a command and Edit for a file"),
            }),
            &[],
        ),
        tool(
            "lessons_note",
            "Note a mistake and what to do instead, as a candidate that waits for a person. Only what is specific here, would \
             change what you do, and is not generic practice. Returns warnings about it.",
            &json!({
                "mistake": text("What goes wrong"),
                "fix": text("What to do instead"),
                "trigger": text("The literal command at which it matters, such as: git stash"),
                "path": text("A glob of the files at which it matters"),
                "why": text("The reason"),
                "worth": text("Why it is worth keeping"),
                "tags": { "type": "array", "maxItems": MOST_TAGS, "items": { "type": "string" }, "description": "Such as tool:git" },
            }),
            &["mistake", "fix"],
        ),
    ]
}

/// Runs a tool, which prints its answer; `None` if there is none of this name.
pub(super) fn call(app: &App, run: &str, name: &str, arguments: Value) -> Option<Result<()>> {
    Some(match name {
        "lessons_query" => understood(arguments).and_then(|arguments| asked(app, arguments)),
        "lessons_explain" => understood(arguments).and_then(|arguments| explained(app, arguments)),
        "lessons_note" => understood(arguments).and_then(|arguments| note::file(app, run, &arguments)),
        _ => return None,
    })
}

/// A tool that takes an object with these properties and no others.
fn tool(name: &'static str, about: &'static str, properties: &Value, required: &[&str]) -> Tool {
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    Tool::new(name, about, Arc::new(object(schema)))
}

fn understood<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    Ok(input::understood(arguments, "the arguments")?)
}

fn asked(app: &App, arguments: QueryArguments) -> Result<()> {
    let QueryArguments { query, file, command: cmd, keyword, limit: top, max_tokens } = arguments;
    for (name, text) in [("query", &query), ("file", &file), ("command", &cmd), ("keyword", &keyword)] {
        let text = text.as_deref().unwrap_or("-");
        at_most(name, text, LONGEST_QUERY)?;
        if text.trim().is_empty() {
            bail!(Refused(format!("`{name}` is empty: what is the work about?")));
        }
    }
    within("limit", top, MOST_LESSONS)?;
    within("max_tokens", max_tokens, MOST_TOKENS)?;
    if query.is_some() == (file.is_some() || cmd.is_some() || keyword.is_some()) {
        bail!(Refused(
            "what is the work about? Give `query` alone, or `file`, `command` and `keyword`".into()
        ));
    }
    let text = query.iter().flat_map(|query| query.split_whitespace()).map(str::to_owned).collect();
    let asked = Query { text, file, cmd, keyword, top, max_tokens, all: false, ids: true, session: None };
    count_as_told(app, &query::shown_for(app, &asked)?);
    Ok(())
}

/// Records lessons as told: for the session where the client says which it is, and in the events in either case.
fn count_as_told(app: &App, told: &[QualifiedId]) {
    if let (false, Some(session)) = (told.is_empty(), app.session())
        && let Some(index) = in_force::readable_index(app)
    {
        let files = SessionFolder::of(&app.home, Some(session));
        let mut memory = SessionClaims::new(files, None, index.settings().dedup_scope);
        for lesson in told {
            // One that was told before stays told.
            let _ = memory.tell(lesson);
        }
    }
    query::append_shown(app, Outcome::Told, AGENT, told);
}

fn explained(app: &App, arguments: ExplainArguments) -> Result<()> {
    let ExplainArguments { id, command, file, content, error, tool } = arguments;
    for (name, text) in [("id", &id), ("tool", &tool)] {
        at_most(name, text.as_deref().unwrap_or_default(), LONGEST_QUERY)?;
    }
    for (name, text) in [("command", &command), ("file", &file), ("content", &content), ("error", &error)] {
        at_most(name, text.as_deref().unwrap_or_default(), LONGEST_CALL)?;
    }
    let is_call = command.is_some() || file.is_some() || tool.is_some();
    match (id, is_call) {
        (None, false) => bail!(Refused("which call or which lesson? Give `command`, `file` or `id`".into())),
        (Some(id), false) => {
            let told: Vec<QualifiedId> = show::one(app, &id)?.into_iter().collect();
            count_as_told(app, &told);
            Ok(())
        }
        (id, true) => {
            let session = app.session().map(str::to_owned);
            let call =
                Explain { tool, command, file, content, error, session, lesson: id, ..Explain::default() };
            crate::verbs::trying::explain::run(app, &call).map(drop)
        }
    }
}
