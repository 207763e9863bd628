//! `lessons agents`: the agents on this machine, and which of them have Lessons.

use std::fmt;
use std::path::PathBuf;

use anyhow::Result;
use lessons_client::Client;
use lessons_context::error::Exit;
use serde::Serialize;

use crate::agents::{Agent, State};
use crate::app::App;
use crate::install::folders::InstallFolders;
use crate::schedule::state::on_path;

/// The answer: a row for each agent.
#[derive(Debug, Serialize)]
struct Agents {
    agents: Vec<Row>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    client: &'static str,
    /// Whether it is on this machine.
    found: bool,
    /// What it has of ours. `None` for Claude Code, which keeps that itself.
    state: Option<State>,
    /// The file that makes it start our program.
    file: Option<PathBuf>,
}

impl fmt::Display for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Row { client, found, state, .. } in &self.agents {
            let found = if *found { "" } else { " (not found on this machine)" };
            let install = format!("lessons install --client {client}");
            let said = match state {
                None => "`lessons doctor` checks its plugin".to_owned(),
                Some(State::Absent) if found.is_empty() => format!("not installed: {install}"),
                Some(State::Absent) => "not installed".to_owned(),
                Some(State::Installed) => "installed".to_owned(),
                Some(State::Differs) => format!("installed differently: {install}"),
                Some(State::Twice) => format!("installed twice: {install}"),
                Some(State::NotTrusted) => NOT_TRUSTED.to_owned(),
                Some(State::Unreadable) => format!("its settings cannot be read: {install}"),
            };
            writeln!(f, "{client:9} {said}{found}")?;
        }
        Ok(())
    }
}

/// What a person does about hooks that Codex does not trust.
pub(crate) const NOT_TRUSTED: &str = "installed, but not trusted: start `codex` and trust the hooks of Lessons. Until then it \
                                      runs none of them, and `codex exec` does not say so";

pub(crate) fn run(app: &App) -> Result<Exit> {
    let folders = InstallFolders::of_process(&app.home)?;
    let claude = Row {
        client: Client::ClaudeCode.name(),
        found: on_path(Client::ClaudeCode.name()).is_some(),
        state: None,
        file: None,
    };
    let row = |agent: Agent| Row {
        client: agent.client.name(),
        found: agent.is_found,
        state: Some(agent.state()),
        file: Some(agent.file),
    };
    let others = Agent::all(&folders).into_iter().map(row);
    app.done(&Agents { agents: std::iter::once(claude).chain(others).collect() })
}
