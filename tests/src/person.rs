//! A person at a terminal of the scratch home, who types `lessons`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::client::Pin;
use crate::controlling_terminal::with_terminal;
use crate::plugin::Plugin;
use crate::scratch::Scratch;

/// Somebody who types `lessons` commands. What they type is not under the client: none of its variables are set.
#[derive(Debug)]
pub struct Person {
    program: PathBuf,
    folder: PathBuf,
    environment: BTreeMap<&'static str, PathBuf>,
}

impl Person {
    /// The user of a scratch home, in its project.
    pub fn new(scratch: &Scratch, plugin: &Plugin) -> Self {
        let environment = [
            ("HOME", scratch.home()),
            ("TMPDIR", scratch.temporary()),
            ("PATH", PathBuf::from("/usr/local/bin:/usr/bin:/bin")),
            ("LANG", PathBuf::from("C.UTF-8")),
        ];
        Self {
            program: plugin.program("lessons"),
            folder: scratch.project(),
            environment: environment.into(),
        }
    }

    /// The same person with another data folder in `LESSONS_HOME`.
    #[must_use]
    pub fn with_lessons_home(mut self, folder: &Path) -> Self {
        self.environment.insert("LESSONS_HOME", folder.to_owned());
        self
    }

    /// The same person, whose shell finds this Claude Code.
    #[must_use]
    pub fn with_client(mut self, scratch: &Scratch, pin: Pin) -> Self {
        let program = pin.program();
        let folder = program.parent().expect("the client is in a folder");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
        self.environment.insert("PATH", path.into());
        // Where the sessions of these tests keep it too.
        self.environment.insert("CLAUDE_CONFIG_DIR", scratch.home().join(".claude"));
        self
    }

    /// The same person, who types the `lessons` at this path.
    #[must_use]
    pub fn with_program(mut self, program: &Path) -> Self {
        program.clone_into(&mut self.program);
        self
    }

    /// Types `lessons` and these words, and expects that it is done. What it printed.
    #[track_caller]
    pub fn types(&self, words: &[&str]) -> String {
        let output = self.output(words);
        let (said, complained) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "lessons {words:?}: {}\n{said}\n{complained}", output.status);
        said.into_owned()
    }

    /// The same with `--json`, read.
    #[track_caller]
    pub fn reads(&self, words: &[&str]) -> Value {
        let said = self.types(&[words, &["--json"]].concat());
        serde_json::from_str(&said)
            .unwrap_or_else(|error| panic!("lessons {words:?} --json: {error}\n{said}"))
    }

    /// Types `lessons` and these words, and returns how it ended.
    pub fn output(&self, words: &[&str]) -> Output {
        let mut lessons = Command::new(&self.program);
        lessons.args(words).env_clear().envs(&self.environment).current_dir(&self.folder);
        with_terminal(&mut lessons)
            .output()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", self.program.display()))
    }
}
