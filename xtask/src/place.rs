//! Where things go: into the user's own home, or into a scratch one.

use std::env;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// A home, and the places in it that an installation uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    home: PathBuf,
    data: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    Scratch,
}

/// The variables that decide where the data folder is.
#[derive(Debug, Clone, Default)]
struct Variables {
    lessons_home: Option<PathBuf>,
    xdg_data_home: Option<PathBuf>,
}

impl Place {
    /// The home of whoever runs this.
    pub(crate) fn own() -> Result<Self> {
        let home = path_variable("HOME").context("HOME is not set to a full path")?;
        let variables = Variables {
            lessons_home: path_variable("LESSONS_HOME"),
            xdg_data_home: path_variable("XDG_DATA_HOME"),
        };
        let data = data_folder(&home, &variables);
        Ok(Self { home, data, kind: Kind::Own })
    }

    /// The folder `home`, taken as somebody's home.
    pub(crate) fn scratch(home: &Path) -> Result<Self> {
        let home = home.canonicalize().with_context(|| format!("cannot use {} as a home", home.display()))?;
        let data = data_folder(&home, &Variables::default());
        Ok(Self { home, data, kind: Kind::Scratch })
    }

    /// The home folder.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The data folder of Lessons.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// What `lessons build` leaves behind.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.data.join("lesson-manifest.json")
    }

    /// The folder of installed plugins: the marketplace that the client is told about.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.data.join("plugin")
    }

    /// The link to the plugin in use.
    pub(crate) fn current(&self) -> PathBuf {
        self.plugins().join("current")
    }

    /// An installed program.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.current().join("bin").join(name)
    }

    /// Where `lessons` is linked to, for a shell to find.
    pub(crate) fn link(&self) -> PathBuf {
        self.home.join(".local/bin/lessons")
    }

    /// Makes the data folder, readable by its owner alone.
    pub(crate) fn create_data(&self) -> Result<()> {
        let folder = self.plugins();
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&folder).with_context(|| format!("cannot create {}", folder.display()))
    }

    /// A command that takes this home for the user's. In a scratch home it sees none of the
    /// variables by which the user's own session would shine through.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if self.kind == Kind::Scratch {
            for (name, _) in env::vars_os().filter(|(name, _)| shines_through(name)) {
                command.env_remove(name);
            }
            command.env("HOME", &self.home).env("CLAUDE_CONFIG_DIR", self.client_folder());
        }
        command
    }

    /// What a person types in front of a command to run it in this home.
    pub(crate) fn prefix(&self) -> String {
        match self.kind {
            Kind::Own => String::new(),
            Kind::Scratch => {
                format!("HOME={} CLAUDE_CONFIG_DIR={} ", quoted(&self.home), quoted(&self.client_folder()))
            }
        }
    }

    fn client_folder(&self) -> PathBuf {
        self.home.join(".claude")
    }
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@".contains(c);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The same rule as in lessons-core, but for a home that is not this process's own. The installer checks
/// that `lessons` has put its manifest there.
fn data_folder(home: &Path, variables: &Variables) -> PathBuf {
    if let Some(given) = &variables.lessons_home {
        return given.clone();
    }
    if cfg!(target_os = "macos") {
        return home.join("Library/Application Support/lessons");
    }
    variables.xdg_data_home.clone().unwrap_or_else(|| home.join(".local/share")).join("lessons")
}

fn shines_through(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    ["LESSONS_", "XDG_", "CLAUDE"].iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_follows_the_variables_of_its_owner() {
        let home = Path::new("/home/u");
        let given = Variables { lessons_home: Some("/data".into()), xdg_data_home: Some("/xdg".into()) };
        assert_eq!(data_folder(home, &given), Path::new("/data"));
        #[cfg(target_os = "linux")]
        {
            let moved = Variables { lessons_home: None, ..given };
            assert_eq!(data_folder(home, &moved), Path::new("/xdg/lessons"));
            let plain = Variables::default();
            assert_eq!(data_folder(home, &plain), Path::new("/home/u/.local/share/lessons"));
        }
    }

    #[test]
    fn a_command_in_a_scratch_home_sees_that_home() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("new home");
        std::fs::create_dir(&home).unwrap();
        let place = Place::scratch(&home).unwrap();
        let output = place.command(Path::new("env")).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.lines().any(|line| line == format!("HOME={}", place.home().display())));
        assert!(place.prefix().contains("new home'"), "{}", place.prefix());
        assert!(shines_through(&"CLAUDECODE".into()) && !shines_through(&"PATH".into()));
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
