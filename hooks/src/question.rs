//! A call of `lessons` that decides: `lessons question` plans it and says what to ask the person.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use lessons_client::Verdict;
use lessons_client::claude::Answer;
use lessons_text::neutral;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::event::HookContext;
use crate::{attendance, background};

/// How long a plan may take. The client ends the hook after five seconds, and then runs the call.
const PATIENCE: Duration = Duration::from_secs(4);
/// The longest command line in a refusal, in characters.
const SHOWN: usize = 1_000;

/// The reply to such a call: a question with the rewritten call, or a refusal with the command to type.
pub(crate) fn answer(context: &HookContext<'_>) -> Answer {
    if !attendance::at_a_terminal(context) {
        return refusal(context, "only a person decides that, and none attends this session");
    }
    if context.call.raw.is_empty() {
        return refusal(context, "this call is too large for a question to a person");
    }
    planned(context).map_or_else(
        || refusal(context, "it could not be worked out what a person has to be asked"),
        Answer::Planned,
    )
}

/// The reply to a call that changes our files: a question, or a refusal where nobody can be asked. There the client refuses
/// most calls by itself, but not every one (observed with 2.1.329: a write through a link).
pub(crate) fn about_file(context: &HookContext<'_>, reason: &str) -> Answer {
    if attendance::can_be_asked(context) {
        return Answer::Ask(format!("{reason} Allow it only if you asked for it."));
    }
    if context.call.payload.call.command.is_some() {
        return refusal(context, "nobody can be asked here about a change of the files of Lessons");
    }
    let text = format!(
        "Not done: {reason} Nobody can be asked about it here. The user changes the file in an editor of their own, and \
         types `lessons accept` in a terminal to put the change into force."
    );
    Answer::told(Verdict::Refusal(text))
}

/// What `lessons question` prints. `None` if it fails or takes too long.
fn planned(context: &HookContext<'_>) -> Option<String> {
    let until = Instant::now() + PATIENCE;
    let mut command = background::program("lessons", &context.call.environment.variables)?;
    // Some verbs look for programs of the machine, such as its scheduler.
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    if let Some(project) = &context.call.environment.project {
        command.env("CLAUDE_PROJECT_DIR", project);
    }
    let mut child = command.arg("question").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let printed = talk(&mut child, context.call.raw, until);
    if printed.is_none() {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let has_succeeded = child.wait().is_ok_and(|status| status.success());
    printed.filter(|printed| has_succeeded && printed.starts_with('{'))
}

/// Writes the payload to a program and reads what it prints, until it closes its output.
fn talk(child: &mut Child, payload: &[u8], until: Instant) -> Option<String> {
    // The program reads all of it before it does anything else.
    child.stdin.take()?.write_all(payload).ok()?;
    let mut output = child.stdout.take()?;
    let mut printed = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let left = until.checked_duration_since(Instant::now())?;
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        if poll(&mut [PollFd::new(output.as_fd(), PollFlags::POLLIN)], left).ok()? == 0 {
            return None;
        }
        match output.read(&mut piece).ok()? {
            0 => return String::from_utf8(printed).ok(),
            length => printed.extend_from_slice(piece.get(..length).unwrap_or_default()),
        }
    }
}

fn refusal(context: &HookContext<'_>, why: &str) -> Answer {
    let command = context.call.payload.call.command.as_deref().unwrap_or_default();
    let typed = neutral::shortened(&neutral::line(command), SHOWN);
    let text = format!(
        "Not done: {why}. Nothing was changed. The user types it in a terminal of their own:\n  {}",
        typed.trim()
    );
    Answer::told(Verdict::Refusal(text))
}
