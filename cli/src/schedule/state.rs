//! The schedulers, programs and variables of this machine.

use std::path::PathBuf;

use anyhow::{Context, Result};
use lessons_context::context::Actor;
use lessons_home::home::HOME_VARIABLE;

use super::{SchedulerFiles, all_installed};
use crate::app::App;

/// Whether any scheduler holds a job of ours.
pub(crate) fn is_scheduled() -> Result<bool> {
    Ok(!all_installed(&machine()?)?.is_empty())
}

pub(crate) fn machine() -> Result<SchedulerFiles> {
    let home = variable("HOME").map(PathBuf::from).context("HOME is not set")?;
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Ok(SchedulerFiles {
        config: config.unwrap_or_else(|| home.join(".config")),
        home,
        user: nix::unistd::getuid().as_raw(),
    })
}

/// The path of this program that survives an update: a link on the PATH that leads to it, else its own path.
pub(crate) fn program() -> Result<String> {
    let own = std::env::current_exe().context("where this program is")?;
    let leads_here =
        |link: &PathBuf| link.canonicalize().is_ok_and(|found| Some(found) == own.canonicalize().ok());
    let path = on_path("lessons").filter(leads_here).unwrap_or(own);
    path.into_os_string().into_string().ok().context("the path of this program is no text")
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The variables that the nightly run needs to find the same folders. Variables that a project may have set are left
/// out.
pub(crate) fn variables(app: &App) -> Result<Vec<(String, String)>> {
    let mut variables = Vec::new();
    if variable(HOME_VARIABLE).is_some() {
        let home = app.home.root().to_str().context("the data folder's path is no text")?;
        variables.push((HOME_VARIABLE.to_owned(), home.to_owned()));
    }
    if app.actor == Actor::Person {
        for name in ["XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            variables.extend(variable(name).map(|value| (name.to_owned(), value)));
        }
    }
    Ok(variables)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
