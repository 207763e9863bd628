//! `lessons agents`: the agents on this machine, and which of them have Lessons.

use std::path::PathBuf;

use anyhow::Result;
use lessons_client::Client;
use lessons_context::error::Exit;
use lessons_setup::agents::{Agent, State};
use lessons_setup::folders::InstallFolders;
use lessons_setup::machine::on_path;
use serde_json::json;

use crate::app::App;
use crate::ui::answer::Answer;

/// What a person does about hooks that Codex does not trust.
pub(crate) const NOT_TRUSTED: &str = "installed, but not trusted: start `codex` and trust the hooks of Lessons. Until then it \
                                      runs none of them, and `codex exec` does not say so";

pub(crate) fn run(app: &App) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    let claude = Client::ClaudeCode.name();
    let mut lines = Vec::new();
    let mut rows = Vec::new();
    let mut row = |client: &str, is_found: bool, said: &str, state: Option<State>, file: Option<&PathBuf>| {
        let found = if is_found { "" } else { " (not found on this machine)" };
        lines.push(format!("{client:9} {said}{found}"));
        rows.push(json!({ "client": client, "found": is_found, "state": state, "file": file }));
    };
    // Claude Code keeps what it has of ours itself.
    row(claude, on_path(claude).is_some(), "`lessons doctor` checks its plugin", None, None);
    for agent in Agent::all(&folders) {
        let (client, state) = (agent.client.name(), agent.state());
        let install = format!("lessons install --client {client}");
        let said = match state {
            State::Absent if agent.is_found => format!("not installed: {install}"),
            State::Absent => "not installed".to_owned(),
            State::Installed => "installed".to_owned(),
            State::Differs => format!("installed differently: {install}"),
            State::Twice => format!("installed twice: {}", agent.once()),
            State::Plugin => "installed as its plugin".to_owned(),
            State::PluginToo => format!("installed twice, as its plugin too: {}", agent.once()),
            State::NotTrusted => NOT_TRUSTED.to_owned(),
            State::Unreadable => format!("its settings cannot be read: {install}"),
        };
        row(client, agent.is_found, &said, Some(state), Some(&agent.file));
    }
    app.done(&Answer::new(lines, json!({ "agents": rows })))
}
