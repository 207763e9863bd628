//! `lessons explain`: why a call is advised, blocked or left alone.
//!
//! The call is typed, given as the client gives it to the hook, or one from a past session.

use std::borrow::Cow;
use std::io::{IsTerminal, Read};

use lessons_decide::events::name;
use lessons_decide::session_hash;
use lessons_ledger::{FiredEvent, events};
use lessons_lesson::payload::LIMIT;
use lessons_lesson::{Call, Contents, Payload, PayloadEnd, PayloadReader, tool_name, writes_files};
use lessons_replay::History;
use lessons_review::explain::{AskedCall, explain};
use lessons_text::{Content, quoted};

use crate::prelude::*;
use crate::verbs::seeing::query;

/// `lessons explain`.
#[derive(Debug, Default, Args)]
pub struct Explain {
    /// What Bash would run, as it is typed; other options come before it
    #[arg(trailing_var_arg = true, value_name = "COMMAND", conflicts_with_all = ["command", "tool_use"])]
    pub words: Vec<String>,
    /// The tool; without it, Bash for a command and Edit for a file
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// What Bash would run, in one word
    #[arg(long, visible_alias = "cmd", conflicts_with = "tool_use")]
    pub command: Option<String>,
    /// The file that the tool works on
    #[arg(long, value_name = "PATH", conflicts_with = "tool_use")]
    pub file: Option<String>,
    /// What an edit puts into it
    #[arg(long, value_name = "TEXT", requires = "file")]
    pub content: Option<String>,
    /// The error with which the call failed: what is told beside it
    #[arg(long, value_name = "TEXT")]
    pub error: Option<String>,
    /// Where; without it, here
    #[arg(long, value_name = "FOLDER", conflicts_with = "tool_use")]
    pub cwd: Option<PathBuf>,
    /// The type of the agent that makes the call; `main` is the main thread
    #[arg(long, value_name = "AGENT", conflicts_with = "tool_use")]
    pub agent: Option<String>,
    /// The id of that agent, for what was told to it already; without it, the main thread
    #[arg(long, value_name = "ID", conflicts_with = "tool_use")]
    pub agent_id: Option<String>,
    /// The session whose claims count, or in which the call of --tool-use was made
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// A call of the past, by its id, which `lessons log --fired` shows
    #[arg(long, visible_alias = "call", value_name = "ID", conflicts_with = "tool")]
    pub tool_use: Option<String>,
    /// Why this lesson keeps quiet: its id, or the start of it
    #[arg(long, value_name = "LESSON")]
    pub lesson: Option<String>,
}

impl Explain {
    /// The command, if there is one. A single word is a whole command; several are quoted as the shell had them.
    pub fn typed_command(&self) -> Option<String> {
        match self.words.as_slice() {
            [] => self.command.clone(),
            [whole] => Some(whole.clone()),
            words => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
        }
    }
}

pub(crate) fn run(app: &App, args: &Explain) -> Result<Exit> {
    if args.tool.as_deref() == Some("") {
        bail!(Refused("--tool is the name of a tool, such as Bash or Edit".into()));
    }
    let explained = explain(app, &asked(app, args)?, args.lesson.as_deref())?;
    app.recorded(&Answer::new(explained.lines, explained.fields))?;
    if app.output == Output::Json {
        query::note_shown(app, &explained.told);
    }
    Ok(Exit::Done)
}

/// The call that the arguments name.
fn asked(app: &App, args: &Explain) -> Result<AskedCall> {
    let command = args.typed_command();
    let is_typed = [&command, &args.file, &args.tool, &args.error].into_iter().any(Option::is_some);
    let mut asked = match &args.tool_use {
        Some(id) => past(app, id, args.session.as_deref()),
        None if is_typed => typed(args, command),
        None => payload(),
    }?;
    if let Some(error) = &args.error {
        asked.call.error = Some(error.clone().into());
    }
    Ok(asked)
}

fn typed(args: &Explain, command: Option<String>) -> Result<AskedCall> {
    // What stands behind the name of a tool for files is its file.
    let is_of_files = args.tool.as_deref().is_some_and(|tool| writes_files(tool) || tool == "Read");
    let (command, file) = match (command, &args.file) {
        (Some(file), None) if is_of_files => (None, Some(file)),
        (command, file) => (command, file.clone()),
    };
    let otherwise = if file.is_some() && command.is_none() { "Edit" } else { "Bash" };
    let cwd = std::path::absolute(args.cwd.as_deref().unwrap_or(Path::new(".")))?;
    let cwd = cwd.to_str().context("the working folder has a name that is no text")?.to_owned();
    Ok(AskedCall {
        call: Call {
            tool: tool_name(args.tool.as_deref().unwrap_or(otherwise)).to_owned().into(),
            command: command.map(Cow::Owned),
            paths: file.map(Cow::Owned).into_iter().collect(),
            contents: args.content.clone().map(Content::from).into_iter().collect(),
            cwd: Some(cwd.clone().into()),
            ..Call::default()
        },
        agent: args.agent.clone().unwrap_or_else(|| "main".to_owned()),
        agent_id: args.agent_id.clone(),
        session: args.session.clone(),
        is_left_out: false,
        start: if args.cwd.is_some() { Some(cwd) } else { project().or(Some(cwd)) },
    })
}

/// A payload on standard input, read as the hook reads it.
fn payload() -> Result<AskedCall> {
    let input = std::io::stdin();
    if input.is_terminal() {
        let which = "which call? Type its command: lessons explain git stash; or --file src/db.ts, --tool NAME or --error TEXT; or \
                     one of the past: --tool-use ID; or give what the client gives to the hook on standard input";
        bail!(Refused(which.into()));
    }
    let mut bytes = Vec::new();
    input.lock().take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    let mut reader = PayloadReader::new(Contents::Keep);
    reader.feed(&bytes);
    let (payload, end) = reader.finish();
    if end == PayloadEnd::Broken || payload.call.tool.is_empty() {
        let none = "standard input holds no call as the client gives it to the hook: a JSON object with tool_name and \
                    tool_input";
        bail!(Refused(none.into()));
    }
    let agent = payload.agent().to_owned();
    let Payload { mut call, session_id, agent_id, error, .. } = payload;
    call.error = error.map(Cow::Owned);
    let start = project().or_else(|| call.cwd.as_deref().map(str::to_owned));
    Ok(AskedCall { call, agent, agent_id, session: session_id, is_left_out: false, start })
}

/// A call of a past session. It is explained as the first of that session, since claims made later must not count.
fn past(app: &App, id: &str, session: Option<&str>) -> Result<AskedCall> {
    let folders = lookup::transcript_folders(app, &[])?;
    let history = match session {
        Some(session) => History::of_sessions(&folders, &|id| id == session, Contents::Keep),
        None => History::read(&folders, Contents::Keep, &()),
    };
    for log in &history.logs {
        let Some(found) = log.calls.iter().find(|recorded| *recorded.id == *id) else { continue };
        let session = history.session(log);
        let is_left_out = session.map(|session| is_left_out(app, &session.id, id)).transpose()?;
        return Ok(AskedCall {
            call: found.call.clone(),
            agent: found.agent.to_string(),
            is_left_out: is_left_out.unwrap_or_default(),
            start: session.and_then(|session| session.start.clone()),
            ..AskedCall::default()
        });
    }
    let place = session.map(|session| format!("session {}", line(session)));
    let place = place.unwrap_or_else(|| "the sessions on this machine".to_owned());
    bail!(Refused(format!("there is no call {} in {place}; `lessons log --fired` names calls", line(id))))
}

/// Whether the events say that the lot left reminders out: of this call, or, where they say nothing of it, of its session.
fn is_left_out(app: &App, session: &str, call: &str) -> Result<bool> {
    let mut database = app.database()?;
    events::take_in(&app.home, &mut database, app.now_ms())?;
    let events = database.events_of_session(&session_hash(session))?;
    let is_held = |event: &FiredEvent| event.outcome == "held";
    let at_call = events.iter().find(|event| event.call == name(call));
    Ok(at_call.map_or_else(|| events.iter().any(is_held), is_held))
}

/// The environment variable `CLAUDE_PROJECT_DIR`, which the hook reads too.
fn project() -> Option<String> {
    let project = std::env::var("CLAUDE_PROJECT_DIR").ok()?;
    Path::new(&project).is_absolute().then_some(project)
}
