//! The schedulers, programs and variables of this machine.

use std::path::PathBuf;

use lessons_context::{Actor, Context};
use lessons_home::Home;
use lessons_home::home::{HOME_VARIABLE, absolute};

use crate::error::{OrSay, Result};
use crate::schedule::{SchedulerFiles, all_installed};

/// Whether any scheduler holds a job of ours.
pub fn is_scheduled() -> Result<bool> {
    Ok(!all_installed(&machine()?)?.is_empty())
}

/// Where the schedulers of this machine keep the jobs of the user who runs this.
pub fn machine() -> Result<SchedulerFiles> {
    let home = variable("HOME").map(PathBuf::from).or_say(|| "HOME is not set")?;
    Ok(SchedulerFiles {
        config: absolute("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
        home,
        user: nix::unistd::getuid().as_raw(),
    })
}

/// The path of this program that survives an update: a link on the PATH that leads to it, else its own path.
pub fn program() -> Result<String> {
    let own = std::env::current_exe().or_say(|| "where this program is")?;
    let leads_here =
        |link: &PathBuf| link.canonicalize().is_ok_and(|found| Some(found) == own.canonicalize().ok());
    let path = on_path("lessons").filter(leads_here).unwrap_or(own);
    path.into_os_string().into_string().ok().or_say(|| "the path of this program is no text")
}

/// The file that a shell finds by this name.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The variables that the nightly run needs to find the same folders. Variables that a project may have set are left
/// out.
pub fn variables(context: &Context) -> Result<Vec<(String, String)>> {
    let mut variables = Vec::new();
    if variable(HOME_VARIABLE).is_some() {
        let home = context.home.root().to_str().or_say(|| "the data folder's path is no text")?;
        variables.push((HOME_VARIABLE.to_owned(), home.to_owned()));
    }
    if context.actor == Actor::Person {
        for name in ["XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            variables.extend(variable(name).map(|value| (name.to_owned(), value)));
        }
    }
    Ok(variables)
}

/// The value of a variable, if it is not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The files and folders of an installation, of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallFolders {
    /// The user's home folder.
    pub user_home: PathBuf,
    /// The folder of Claude Code.
    client: PathBuf,
    /// The folder of installed plugins, which is the marketplace that Claude Code knows.
    pub plugins: PathBuf,
}

impl InstallFolders {
    /// The folders of the user who runs this, from its home folder and `CLAUDE_CONFIG_DIR`.
    pub fn of_process(home: &Home) -> Result<Self> {
        let user_home = std::env::home_dir().filter(|path| path.is_absolute());
        let user_home = user_home.or_say(|| "there is no home folder: set HOME to a full path")?;
        let client = absolute("CLAUDE_CONFIG_DIR").unwrap_or_else(|| user_home.join(".claude"));
        Ok(Self { user_home, client, plugins: home.root().join("plugin") })
    }

    /// The folder in which Claude Code keeps plugins that it copied.
    pub fn client_plugins(&self) -> PathBuf {
        self.client.join("plugins")
    }

    /// The user's settings of Claude Code.
    pub fn client_settings(&self) -> PathBuf {
        self.client.join("settings.json")
    }

    /// The link to the plugin in use.
    pub fn current(&self) -> PathBuf {
        self.plugins.join("current")
    }

    /// A program of the plugin in use.
    pub fn program(&self, name: &str) -> PathBuf {
        self.current().join("bin").join(name)
    }

    /// The link by which a shell finds `lessons`.
    pub fn command_link(&self) -> PathBuf {
        self.user_home.join(".local/bin/lessons")
    }

    #[cfg(test)]
    pub(crate) fn below(user_home: &std::path::Path) -> Self {
        Self {
            user_home: user_home.to_owned(),
            client: user_home.join(".claude"),
            plugins: user_home.join("data/plugin"),
        }
    }
}
