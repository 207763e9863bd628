//! The home that an installation goes into: the user's own, or a scratch one.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// A home folder, with the files and folders in it that an installation uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserHome {
    folder: PathBuf,
    data: PathBuf,
    kind: HomeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HomeKind {
    /// The home of the user who runs this.
    Own,
    /// Another folder. Programs that run in it must see nothing of the user's.
    Scratch,
}

/// The environment variables that decide where the data folder is.
#[derive(Debug, Clone, Default)]
struct DataVariables {
    lessons_home: Option<PathBuf>,
    xdg_data_home: Option<PathBuf>,
}

impl UserHome {
    /// Finds the home of the user who runs this.
    pub(crate) fn own() -> Result<Self> {
        let home = path_variable("HOME").context("HOME is not set to a full path")?;
        let variables = DataVariables {
            lessons_home: path_variable("LESSONS_HOME"),
            xdg_data_home: path_variable("XDG_DATA_HOME"),
        };
        let data = data_folder(&home, &variables);
        Ok(Self { folder: home, data, kind: HomeKind::Own })
    }

    /// Takes an existing folder for a home.
    pub(crate) fn scratch(home: &Path) -> Result<Self> {
        let home = home.canonicalize().with_context(|| format!("cannot use {} as a home", home.display()))?;
        let data = data_folder(&home, &DataVariables::default());
        Ok(Self { folder: home, data, kind: HomeKind::Scratch })
    }

    /// Returns the home folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the link to the plugin in use.
    pub(crate) fn current(&self) -> PathBuf {
        self.data.join("plugin/current")
    }

    /// Returns the path of an installed program.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.current().join("bin").join(name)
    }

    /// Whether this is another folder than the home of the user who runs this.
    pub(crate) fn is_scratch(&self) -> bool {
        self.kind == HomeKind::Scratch
    }

    /// Makes a command that runs in this home. In a scratch home it sees none of the variables of the user's session.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if self.kind == HomeKind::Scratch {
            for (name, _) in env::vars_os().filter(|(name, _)| belongs_to_session(name)) {
                command.env_remove(name);
            }
            command.env("HOME", &self.folder).env("CLAUDE_CONFIG_DIR", self.client_folder());
        }
        command
    }

    /// Returns the text that a person types in front of a command to run it in this home.
    pub(crate) fn prefix(&self) -> String {
        match self.kind {
            HomeKind::Own => String::new(),
            HomeKind::Scratch => {
                format!("HOME={} CLAUDE_CONFIG_DIR={} ", quoted(&self.folder), quoted(&self.client_folder()))
            }
        }
    }

    fn client_folder(&self) -> PathBuf {
        self.folder.join(".claude")
    }
}

/// Quotes a path for a shell, if it needs quotes.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@".contains(c);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Finds the data folder by the rule of `lessons`, for any home.
fn data_folder(home: &Path, variables: &DataVariables) -> PathBuf {
    if let Some(given) = &variables.lessons_home {
        return given.clone();
    }
    if cfg!(target_os = "macos") {
        return home.join("Library/Application Support/lessons");
    }
    variables.xdg_data_home.clone().unwrap_or_else(|| home.join(".local/share")).join("lessons")
}

fn belongs_to_session(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    ["LESSONS_", "XDG_", "CLAUDE"].iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_follows_the_variables_of_its_owner() {
        let home = Path::new("/home/u");
        let given = DataVariables { lessons_home: Some("/data".into()), xdg_data_home: Some("/xdg".into()) };
        assert_eq!(data_folder(home, &given), Path::new("/data"));
        #[cfg(target_os = "linux")]
        {
            let moved = DataVariables { lessons_home: None, ..given };
            assert_eq!(data_folder(home, &moved), Path::new("/xdg/lessons"));
            let plain = DataVariables::default();
            assert_eq!(data_folder(home, &plain), Path::new("/home/u/.local/share/lessons"));
        }
    }

    #[test]
    fn a_command_in_a_scratch_home_sees_that_home() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("new home");
        std::fs::create_dir(&home).unwrap();
        let home = UserHome::scratch(&home).unwrap();
        let output = home.command(Path::new("env")).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.lines().any(|line| line == format!("HOME={}", home.folder().display())));
        assert!(home.prefix().contains("new home'"), "{}", home.prefix());
        assert!(belongs_to_session(&"CLAUDECODE".into()) && !belongs_to_session(&"PATH".into()));
    }

    #[test]
    fn a_printed_path_can_be_pasted_into_a_shell() {
        for path in ["/a/b-c_d.e", "/a b/$HOME/`x`", "/it's"] {
            let script = format!("printf %s {}", quoted(Path::new(path)));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), path);
        }
    }
}
