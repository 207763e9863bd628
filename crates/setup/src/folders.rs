//! The files and folders of an installation.

use std::path::{Path, PathBuf};

use lessons_home::home::Home;

use crate::error::{OrSay, SetupError};

/// The files and folders of an installation, of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallFolders {
    user_home: PathBuf,
    client: PathBuf,
    plugins: PathBuf,
}

impl InstallFolders {
    /// The folders of the user who runs this, from its home folder and `CLAUDE_CONFIG_DIR`.
    pub fn of_process(home: &Home) -> Result<Self, SetupError> {
        let user_home = std::env::home_dir().filter(|path| path.is_absolute());
        let user_home = user_home.or_say(|| "there is no home folder: set HOME to a full path")?;
        let client =
            std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let client = client.unwrap_or_else(|| user_home.join(".claude"));
        Ok(Self { user_home, client, plugins: home.root().join("plugin") })
    }

    /// The user's home folder.
    pub fn user_home(&self) -> &Path {
        &self.user_home
    }

    /// The folder in which Claude Code keeps plugins that it copied.
    pub fn client_plugins(&self) -> PathBuf {
        self.client.join("plugins")
    }

    /// The user's settings of Claude Code.
    pub fn client_settings(&self) -> PathBuf {
        self.client.join("settings.json")
    }

    /// The folder of installed plugins, which is the marketplace that Claude Code knows.
    pub fn plugins(&self) -> &Path {
        &self.plugins
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
    pub(crate) fn below(user_home: &Path) -> Self {
        Self {
            user_home: user_home.to_owned(),
            client: user_home.join(".claude"),
            plugins: user_home.join("data/plugin"),
        }
    }
}
