//! `lessons question`: plan a call of an agent, and say what to ask the person about it. The hook before a tool call
//! runs this, and passes its payload on.
//!
//! The verb of the call runs as it would in earnest, up to the change. What it would change is shown, and the call gets a
//! token that is good for exactly that change. A call that would fail or change nothing is refused with the reason, and
//! nobody is asked.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use anyhow::Context;
use clap::Parser as _;
use jiff::Timestamp;
use lessons_client::claude::Answer;
use lessons_client::{Event, Verdict};
use lessons_context::proposal::Proposal;
use lessons_context::token::{self, Question};
use lessons_context::{Actor, Authority, Plan, person};
use lessons_decide::approval::{PlainCall, PlainInput};
use lessons_home::{Environment, home};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::{Printed, client};
use crate::prelude::*;
use crate::verbs::{self, Cli};

/// The largest payload that is read, in bytes.
const LIMIT: u64 = 128 << 10;
/// The largest input of a tool that is passed on, in bytes.
const MOST_INPUT: usize = 64 << 10;
/// The most rows of the text that a person is shown. On a screen of 30 rows the client's dialog cuts a reason after ten
/// (observed with 2.1.197 and 2.1.329).
const MOST_ROWS: usize = 9;
/// The width of a row in that dialog on a screen of 80 columns.
const WIDTH: usize = 72;
/// The longest reason that the model is given for a refusal, in characters.
const MOST_REASON: usize = 1_500;

/// The fields of a payload that matter here.
#[derive(Deserialize)]
struct Payload<'p> {
    session_id: String,
    cwd: PathBuf,
    #[serde(default)]
    tool_use_id: String,
    transcript_path: Option<PathBuf>,
    #[serde(borrow)]
    tool_input: &'p RawValue,
}

#[derive(Deserialize)]
struct ToolInput<'p> {
    #[serde(borrow)]
    command: &'p RawValue,
}

/// Reads the payload from standard input, and prints the reply for the client.
pub fn run() -> Result<Exit> {
    let mut payload = String::new();
    std::io::stdin().take(LIMIT).read_to_string(&mut payload).context("the payload")?;
    let reply = if person::is_started_by_hook() {
        asked(&payload)?
    } else {
        let call = serde_json::from_str(&payload).context("the payload").and_then(|it| plain_call(&it));
        let unread = "The user types the command in a terminal of their own";
        let instead = call.map_or_else(|_| unread.to_owned(), |(.., call)| in_terminal(&call));
        refusal(&format!(
            "Nobody was asked, because no person started this Claude Code in a terminal: another program did. {instead}"
        ))
    };
    std::io::stdout().write_all(reply.as_bytes())?;
    Ok(Exit::Done)
}

/// The input of the tool in a payload, the command in it, and the call of `lessons` that it is.
fn plain_call<'p>(payload: &Payload<'p>) -> Result<(ToolInput<'p>, String, PlainCall)> {
    let input: ToolInput<'_> = serde_json::from_str(payload.tool_input.get()).context("tool_input")?;
    let command: String = serde_json::from_str(input.command.get()).context("command")?;
    let call = PlainCall::of(&command).context("this is no plain call of lessons")?;
    Ok((input, command, call))
}

/// What the user types instead.
fn in_terminal(call: &PlainCall) -> String {
    let typed = format!("lessons {}", lessons_context::typed(&call.argv));
    format!("The user types it in a terminal of their own:\n  {}", shortened(&line(&typed), 1_000))
}

/// The reply to a payload: a question with the rewritten call, or a refusal.
fn asked(payload: &str) -> Result<String> {
    let payload: Payload<'_> = serde_json::from_str(payload).context("the payload")?;
    let raw = payload.tool_input.get();
    let (input, command, call) = plain_call(&payload)?;
    let in_terminal = in_terminal(&call);
    if raw.len() > MOST_INPUT {
        let why = format!("This call is too large for a question. Nothing was changed. {in_terminal}");
        return Ok(refusal(&why));
    }
    std::env::set_current_dir(&payload.cwd).context("the working folder")?;
    provide(call.input.as_ref())?;
    let (plan, printed) = (Arc::new(Plan::default()), Printed::default());
    let mut app = None;
    let run = |(planned, cli): (App, Cli)| verbs::run(app.insert(planned), cli.verb.as_ref());
    let done = ready(&payload, &call, &plan, &printed).and_then(run);
    let (Some(app), Some(proposal)) = (app, plan.proposal()) else {
        let why = match done {
            Ok(_) => format!("would change nothing: {}", printed.text()),
            Err(error) => format!("would fail: {}", messages::sentence(&error)),
        };
        return Ok(refusal(&format!("Nothing was asked, because this {why}")));
    };
    let rows = rows(proposal);
    if rows.len() > MOST_ROWS {
        return Ok(refusal(&format!(
            "This would change more than a question can show ({} rows of {MOST_ROWS}). Nothing was changed. {in_terminal}\n\
             Or decide about less at once.",
            rows.len()
        )));
    }
    let question = Question {
        asked: app.now_ms(),
        argv: call.argv.clone(),
        folder: std::env::current_dir().context("the working folder")?,
        session: payload.session_id.clone(),
        digest: proposal.digest.clone(),
        call: payload.tool_use_id.clone(),
        transcript: payload.transcript_path.clone(),
    };
    let token = question.keep(&app.home)?;
    let words = format!("{} {token}", token::OPTION);
    let rewritten = retyped(raw, &input, &command, &call, &words).context("the call cannot be rewritten")?;
    Ok(reply_with(&rows.join("\n"), &rewritten))
}

/// The context in which the verb of a call runs up to its change, which ends it with an error, and the verb. What it prints is
/// kept.
fn ready(payload: &Payload<'_>, call: &PlainCall, plan: &Arc<Plan>, printed: &Printed) -> Result<(App, Cli)> {
    let words = std::iter::once("lessons").chain(call.argv.iter().map(String::as_str));
    let cli = Cli::try_parse_from(words).map_err(|error| Refused(error.to_string()))?;
    let output = if cli.json { Output::Json } else { Output::Text };
    let caller = client(std::env::var("CLAUDE_PROJECT_DIR").ok(), Some(payload.cwd.clone()));
    let home = home::locate(&Environment::of_process(), &caller)?.home;
    let context = lessons_context::Context {
        actor: Actor::Agent { session: payload.session_id.clone() },
        authority: Authority::Planning(Arc::clone(plan)),
        // To the millisecond, as the question keeps it: the call is carried out at this time, to the same effect.
        now: Timestamp::from_millisecond(Timestamp::now().as_millisecond())?,
        argv: call.argv.clone(),
        ..lessons_context::Context::at(home)
    };
    Ok((App { context, output, printed: Some(printed.clone()) }, cli))
}

/// Provides the input that the command line gives as this process's standard input, which the payload no longer needs.
fn provide(input: Option<&PlainInput>) -> Result<()> {
    match input {
        None => nix::unistd::dup2_stdin(File::open("/dev/null")?)?,
        Some(PlainInput::File(path)) => {
            nix::unistd::dup2_stdin(File::open(path).with_context(|| path.clone())?)?;
        }
        Some(PlainInput::Text(text)) => {
            let (reader, mut writer) = std::io::pipe()?;
            nix::unistd::dup2_stdin(reader)?;
            let text = text.clone();
            // A verb that does not read it ends the process all the same.
            std::thread::spawn(move || writer.write_all(text.as_bytes()));
        }
    }
    Ok(())
}

/// The rows to show.
fn rows(proposal: &Proposal) -> Vec<String> {
    let options = textwrap::Options::new(WIDTH).subsequent_indent("    ");
    let wrapped = proposal.lines.iter().flat_map(|line| textwrap::wrap(line, &options));
    let question = std::iter::once("Approve this change?".to_owned());
    question.chain(wrapped.map(std::borrow::Cow::into_owned)).collect()
}

/// The tool's input with words inserted after the program word, and otherwise as it came.
fn retyped(raw: &str, input: &ToolInput<'_>, command: &str, call: &PlainCall, words: &str) -> Option<String> {
    let json = input.command.get();
    // serde borrows from `raw`, so the offset is that of the value in it.
    let start = (json.as_ptr() as usize).checked_sub(raw.as_ptr() as usize)?;
    let (before, after) = (raw.get(..start)?, raw.get(start + json.len()..)?);
    let expected = call.with_words(command, words)?;
    let rewritten = format!("{before}{}{after}", json!(expected));
    // The client gets this text, so it is read once more as the client will read it.
    let read: serde_json::Value = serde_json::from_str(&rewritten).ok()?;
    let argv = words.split(' ').chain(call.argv.iter().map(String::as_str));
    let is_right = read["command"] == expected.as_str() && PlainCall::of(&expected)?.argv.iter().eq(argv);
    is_right.then_some(rewritten)
}

fn reply_with(reason: &str, input: &str) -> String {
    let reason = json!(reason);
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":{reason},"updatedInput":{input}}}}}"#
    )
}

fn refusal(text: &str) -> String {
    let text = shortened(text, MOST_REASON);
    Answer::told(Verdict::Refusal(text)).write(Event::Before).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_token(raw: &str) -> Option<String> {
        let input: ToolInput<'_> = serde_json::from_str(raw).ok()?;
        let command: String = serde_json::from_str(input.command.get()).ok()?;
        retyped(raw, &input, &command, &PlainCall::of(&command)?, "--agreed T")
    }

    #[test]
    fn the_input_stays_as_it_came_but_for_the_token() {
        for (raw, expected) in [
            (r#"{"command":"lessons off a"}"#, r#"{"command":"lessons --agreed T off a"}"#),
            (
                r#"{ "timeout": 1e3, "x":{"command":"no"}, "command" : "lessons off \u00e9\n", "run_in_background":true}"#,
                r#"{ "timeout": 1e3, "x":{"command":"no"}, "command" : "lessons --agreed T off é\n", "run_in_background":true}"#,
            ),
            (
                r#"{"description":"é \ud83d\ude00","command":"\"/a b/\u00fc\ud83d\ude00/lessons\" off a"}"#,
                r#"{"description":"é \ud83d\ude00","command":"\"/a b/ü😀/lessons\" --agreed T off a"}"#,
            ),
            (
                r#"{"command":"lessons add --json-input - <<'E'\n{\"rule\":\"lessons\"}\nE"}"#,
                r#"{"command":"lessons --agreed T add --json-input - <<'E'\n{\"rule\":\"lessons\"}\nE"}"#,
            ),
        ] {
            assert_eq!(with_token(raw).as_deref(), Some(expected), "{raw}");
        }
    }

    #[test]
    fn an_input_with_two_commands_is_not_passed_on() {
        assert_eq!(with_token(r#"{"command":"lessons off a","command":"lessons off b"}"#), None);
    }

    #[test]
    fn a_long_line_counts_with_each_row_that_it_takes() {
        let rows = rows(&Proposal::said(&"word ".repeat(40)));
        assert_eq!(rows.len(), 4);
        assert!(rows.iter().all(|row| row.len() <= WIDTH), "{rows:?}");
    }
}
