//! The plugin around this program, from which it installs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::{OrSay, Result, failed};
use crate::machine::InstallFolders;

/// The marketplace and the plugin in it have the same name.
pub const NAME: &str = "lessons";

/// The keeper of the plugin's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// Claude Code, which fetched the plugin from a marketplace and replaces it with each update.
    Client,
    /// The user: an unpacked archive, a build or an earlier installation.
    User,
}

/// The plugin that this program belongs to.
#[derive(Debug)]
pub struct Package {
    /// The folder of the plugin.
    pub folder: PathBuf,
    /// The keeper of its files.
    pub keeper: Keeper,
    manifest: Value,
}

impl Package {
    /// Finds the plugin around this program.
    pub fn of_process(folders: &InstallFolders) -> Result<Self> {
        let program = std::env::current_exe().and_then(|path| path.canonicalize());
        Self::around(&program.or_say(|| "where this program is")?, folders)
    }

    fn around(program: &Path, folders: &InstallFolders) -> Result<Self> {
        let bin = program.parent().or_say(|| "this program is in no folder")?;
        let folder = bin.parent().filter(|_| bin.ends_with("bin"));
        let found = folder.map(|folder| (folder, folder.join(".claude-plugin/plugin.json")));
        let Some((folder, path)) = found.filter(|(_, path)| path.is_file()) else {
            return failed(format!(
                "{} is not part of the plugin, so there is nothing to install from. Unpack the archive again, and run \
                 `./lessons install` in it",
                program.display()
            ));
        };
        let text = std::fs::read(&path).or_say(|| path.display().to_string())?;
        let manifest: Value = serde_json::from_slice(&text).or_say(|| path.display().to_string())?;
        if !manifest["version"].is_string() {
            return failed(format!("{} names no version", path.display()));
        }
        let client = folders.client_plugins();
        let is_kept_by_client = client.canonicalize().is_ok_and(|client| folder.starts_with(client));
        let keeper = if is_kept_by_client { Keeper::Client } else { Keeper::User };
        Ok(Self { folder: folder.to_owned(), keeper, manifest })
    }

    /// The version of the plugin.
    pub fn version(&self) -> &str {
        self.manifest["version"].as_str().unwrap_or_default()
    }

    /// The marketplace.json of a marketplace that holds this plugin at `source`.
    pub fn marketplace(&self, source: &str) -> String {
        let marketplace = json!({
            "name": NAME,
            "owner": self.manifest["author"],
            "metadata": { "description": "Lessons, as it is installed on this machine." },
            "plugins": [{ "name": NAME, "source": source, "description": self.manifest["description"] }],
        });
        format!("{marketplace:#}\n")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;

    /// A plugin of one file, `bin/lessons` with this text.
    pub(crate) fn package(folder: &Path, version: &str, program: &str) -> Package {
        fs::create_dir_all(folder.join(".claude-plugin")).unwrap();
        fs::create_dir_all(folder.join("bin")).unwrap();
        let manifest =
            json!({"name": NAME, "version": version, "author": {"name": "us"}, "description": "d"});
        fs::write(folder.join(".claude-plugin/plugin.json"), manifest.to_string()).unwrap();
        fs::write(folder.join("bin/lessons"), program).unwrap();
        Package::around(&folder.join("bin/lessons"), &InstallFolders::below(Path::new("/nobody"))).unwrap()
    }

    #[test]
    fn a_program_outside_a_plugin_has_nothing_to_install_from() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        for program in ["lessons", "bin/lessons"] {
            let error = Package::around(&scratch.path().join(program), &folders).unwrap_err().to_string();
            assert!(error.contains("nothing to install from"), "{error}");
        }
    }

    #[test]
    fn what_claude_code_has_fetched_is_its_own() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let folders = InstallFolders::below(&root);
        let cached = folders.client_plugins().join("cache/lessons/lessons/0.1.0");
        package(&cached, "0.1.0", "");
        assert_eq!(Package::around(&cached.join("bin/lessons"), &folders).unwrap().keeper, Keeper::Client);
        let unpacked = package(&root.join("unpacked"), "0.1.0", "");
        assert_eq!((unpacked.keeper, unpacked.version()), (Keeper::User, "0.1.0"));
        let marketplace: Value = serde_json::from_str(&unpacked.marketplace("./current")).unwrap();
        assert_eq!(marketplace["plugins"][0]["source"], "./current");
        assert_eq!(marketplace["owner"]["name"], "us");
    }
}
