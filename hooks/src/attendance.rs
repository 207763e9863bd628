//! Whether the client that started the hook can put a question to a person.
//!
//! Only Claude Code takes `ask` as a question. Codex *runs* the call instead, Gemini ends its run. So an answer that asks is
//! sent to a client that says who it is, and to nobody else.

use std::env::var_os as variable;

use lessons_client::Client;

use crate::event::HookContext;

/// The variable that says how Claude Code was started: `cli` in a terminal, `sdk-cli` with `-p`, others in an editor.
const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
/// The variable by which later clients say whether a person attends the session.
const ATTENDED: &str = "CLAUDE_CODE_SESSION_ATTENDED";
/// Variables that other clients set for their hooks. A client that was started inside Claude Code has its variables too.
const OTHER_CLIENTS: [&str; 4] = ["COPILOT_CLI", "QWEN_CODE_CLI", "GEMINI_SESSION_ID", "FACTORY_PROJECT_DIR"];

/// Whether the person sits at the terminal of the session. Where the client shows a question elsewhere, or nowhere, it leaves
/// the call with its token in the transcript.
pub(crate) fn at_a_terminal(context: &HookContext<'_>) -> bool {
    variable(ENTRYPOINT).is_some_and(|entrypoint| entrypoint == "cli") && can_be_asked(context)
}

/// Whether a person can be asked at all: at a terminal, in an editor, or by a program that shows questions.
pub(crate) fn can_be_asked(context: &HookContext<'_>) -> bool {
    let shows_questions = variable(ENTRYPOINT).is_some_and(|entrypoint| entrypoint != "sdk-cli");
    let is_unattended = variable(ATTENDED).is_some_and(|attended| attended == "0");
    shows_questions && !is_unattended && is_claude_code(context)
}

/// Whether the client is Claude Code. Others drop an answer with a field that they do not know.
pub(crate) fn is_claude_code(context: &HookContext<'_>) -> bool {
    let is_another = context.call.payload.is_of_another_client
        || OTHER_CLIENTS.into_iter().any(|name| variable(name).is_some());
    context.call.client == Client::ClaudeCode && variable(ENTRYPOINT).is_some() && !is_another
}
