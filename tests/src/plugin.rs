//! The plugin's folder, as it would be installed, from freshly built programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::binaries::{PROGRAMS, built_programs, copy_program};

/// What the plugin has besides programs, as paths in the repository.
const PARTS: [&str; 4] = [".claude-plugin/plugin.json", "hooks/hooks.json", "commands", "skills"];

/// A copy of the plugin that belongs to one test, and can be spoiled by it.
#[derive(Debug)]
pub struct Plugin {
    folder: TempDir,
}

impl Default for Plugin {
    fn default() -> Self {
        Self::new()
    }
}

impl Plugin {
    /// The plugin as the repository has it now.
    pub fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("lessons-plugin-").tempdir().expect("a temporary folder");
        let plugin = Self { folder };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for part in PARTS {
            copy(&repository.join(part), &plugin.folder().join(part));
        }
        for name in PROGRAMS {
            let program = plugin.program(name);
            fs::create_dir_all(plugin.folder().join("bin")).expect("the plugin's bin folder");
            // A link is as good as a copy: cargo replaces programs, it does not write into them.
            let built = built_programs().join(name);
            if fs::hard_link(&built, &program).is_err() {
                copy_program(&built, &program);
            }
        }
        plugin
    }

    /// The same in another version.
    #[must_use]
    pub fn of_version(self, version: &str) -> Self {
        let file = self.folder().join(PARTS[0]);
        let mut manifest: Value =
            serde_json::from_slice(&fs::read(&file).expect("plugin.json")).expect("plugin.json is JSON");
        manifest["version"] = version.into();
        fs::write(&file, manifest.to_string()).expect("plugin.json can be written");
        self
    }

    /// The same without the hook of one event.
    #[must_use]
    pub fn without_hook(self, event: &str) -> Self {
        let file = self.folder().join("hooks/hooks.json");
        let mut hooks: Value =
            serde_json::from_slice(&fs::read(&file).expect("hooks.json")).expect("hooks.json is JSON");
        let removed = hooks["hooks"].as_object_mut().and_then(|events| events.remove(event));
        assert!(removed.is_some(), "hooks.json has no {event}");
        fs::write(&file, hooks.to_string()).expect("hooks.json can be written");
        self
    }

    /// The same with a shell script in the place of one program.
    #[must_use]
    pub fn with_script(self, program: &str, script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;

        let file = self.program(program);
        fs::remove_file(&file).expect("a program of the plugin");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a script that can be run");
        self
    }

    /// The folder, for `--plugin-dir`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// One of its programs.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder().join("bin").join(name)
    }
}

/// Copies a file or a whole folder.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).expect("a part of the plugin") {
            let name = entry.expect("an entry of a folder").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
        return;
    }
    fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("a folder of the plugin");
    fs::copy(from, to).unwrap_or_else(|error| panic!("cannot copy {}: {error}", from.display()));
}
