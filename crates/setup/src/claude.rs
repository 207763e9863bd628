//! The plugin commands of Claude Code: installing and uninstalling.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lessons_text::shell_word::quoted_path as quoted;
use serde_json::Value;

use crate::error::{OrSay, Result, failed};
use crate::machine::{InstallFolders, on_path};
use crate::package::{NAME, Package};

/// The plugin as the client names it: `plugin@marketplace`.
pub const PLUGIN: &str = "lessons@lessons";

/// The start of its name, whatever the marketplace.
pub const PLUGIN_ANYWHERE: &str = "lessons@";

/// The client that a shell finds, run in one home.
pub struct Claude<'a> {
    program: PathBuf,
    folders: &'a InstallFolders,
}

impl<'a> Claude<'a> {
    /// Finds `claude` on the PATH.
    pub fn find(folders: &'a InstallFolders) -> Option<Self> {
        on_path("claude").map(|program| Self { program, folders })
    }

    /// Adds our marketplace and installs the plugin from it; both may be there already. A marketplace of our name that
    /// holds the very package that is installed gives way: its folder may go.
    pub fn install(&self, package: &Package) -> Result<()> {
        let marketplace = &self.folders.plugins;
        if let Some(other) = self.marketplace()?.filter(|found| !same(found, marketplace)) {
            let is_unpacked_here = other.canonicalize().is_ok_and(|other| package.folder.starts_with(other));
            if !is_unpacked_here {
                return failed(format!(
                    "Claude Code already knows another marketplace called {NAME}, at {}. \
                     If it is not needed: claude plugin marketplace remove {NAME}",
                    other.display()
                ));
            }
            self.run(&["marketplace", "remove", NAME])?;
        }
        self.run(&["marketplace", "add", path_argument(marketplace)?])?;
        self.run(&["install", PLUGIN])?;
        // The files are read where they lie, but the client notes the version it has seen.
        if self.installed()?.is_some_and(|noted| noted != package.version()) {
            self.run(&["update", PLUGIN])?;
        }
        let listed = self.installed()?.map(drop);
        listed.or_say(|| format!("Claude Code does not list {PLUGIN} after installing it"))
    }

    /// Undoes [`Claude::install`], and leaves alone what is not ours. Returns how it went, for a person.
    pub fn uninstall(&self) -> Result<String> {
        let installed = self.installed()?.is_some();
        if !self.marketplace()?.is_some_and(|found| same(&found, &self.folders.plugins)) {
            return Ok(if installed {
                format!(
                    "The plugin came from another marketplace and stays in Claude Code. To remove it as well: claude plugin \
                     uninstall {PLUGIN}"
                )
            } else {
                "Claude Code has nothing of this installation".to_owned()
            });
        }
        if installed {
            self.run(&["uninstall", PLUGIN])?;
        }
        self.run(&["marketplace", "remove", NAME])?;
        Ok("Removed the plugin from Claude Code".to_owned())
    }

    /// Returns the folder of the marketplace with our name, or `?` if the marketplace is no folder.
    fn marketplace(&self) -> Result<Option<PathBuf>> {
        let list = self.list(&["marketplace", "list", "--json"])?;
        let found = list.iter().find(|entry| entry["name"] == NAME);
        Ok(found.map(|entry| entry["path"].as_str().or(entry["source"].as_str()).unwrap_or("?").into()))
    }

    /// Returns the version of the plugin that the client has recorded.
    fn installed(&self) -> Result<Option<String>> {
        let list = self.list(&["list", "--json"])?;
        let found = list.iter().find(|entry| entry["id"] == PLUGIN);
        Ok(found.and_then(|entry| entry["version"].as_str()).map(str::to_owned))
    }

    fn list(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let printed = self.run(arguments)?;
        serde_json::from_str(&printed)
            .or_say(|| format!("claude plugin {} printed no list", arguments.join(" ")))
    }

    fn run(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        // Nothing here needs a network.
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        command.arg("plugin").args(arguments).current_dir(&self.folders.user_home).stdin(Stdio::null());
        let output = command.output().or_say(|| format!("cannot start {}", self.program.display()))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let (typed, error) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
            return failed(format!("claude plugin {typed} failed: {}{}", printed.trim(), error.trim()));
        }
        Ok(printed)
    }
}

/// Returns the commands that a person types to install the plugin.
pub fn commands_to_install(folders: &InstallFolders) -> Vec<String> {
    vec![
        format!("claude plugin marketplace add {}", quoted(&folders.plugins)),
        format!("claude plugin install {PLUGIN}"),
    ]
}

/// Returns the commands that a person types to uninstall the plugin.
pub fn commands_to_uninstall() -> Vec<String> {
    vec![format!("claude plugin uninstall {PLUGIN}"), format!("claude plugin marketplace remove {NAME}")]
}

/// Whether two paths name one folder, also if it does not exist.
fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

fn path_argument(path: &Path) -> Result<&str> {
    path.to_str().or_say(|| format!("{} is not UTF-8, which the client needs", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use crate::package::tests::package;

    /// A client that lists `marketplaces`, has no plugin until it installs one, and logs its arguments.
    fn client(folders: &InstallFolders, marketplaces: &str) -> PathBuf {
        let program = folders.user_home.join("claude");
        let script = format!(
            r#"#!/bin/sh
echo "$*" >> log
case "$*" in
"plugin marketplace list --json") echo '{marketplaces}' ;;
"plugin list --json") if [ -e there ]; then echo '[{{"id":"lessons@lessons","version":"0.0.9"}}]'; else echo '[]'; fi ;;
"plugin install lessons@lessons") touch there ;;
"plugin uninstall lessons@lessons") rm there ;;
*broken*) echo "no such thing"; exit 1 ;;
esac
"#
        );
        // Written by another process: a program that this one has open for writing cannot be started,
        // and a test that forks at that moment keeps it open.
        let write = r#"printf %s "$1" > "$2" && chmod +x "$2""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", write, "sh", &script]).arg(&program);
        assert!(shell.status().unwrap().success());
        program
    }

    fn log(folders: &InstallFolders) -> Vec<String> {
        let log = fs::read_to_string(folders.user_home.join("log")).unwrap_or_default();
        log.lines().filter(|line| !line.contains("list")).map(str::to_owned).collect()
    }

    #[test]
    fn an_older_version_is_noted_anew_and_everything_is_taken_out_again() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        let ours = &folders.plugins;
        let marketplaces = format!(r#"[{{"name":"lessons","path":"{}"}}]"#, ours.display());
        let claude = Claude { program: client(&folders, &marketplaces), folders: &folders };
        claude.install(&package(&scratch.path().join("unpacked"), "0.1.0", "")).unwrap();
        assert_eq!(claude.uninstall().unwrap(), "Removed the plugin from Claude Code");
        assert_eq!(
            log(&folders),
            [
                &format!("plugin marketplace add {}", ours.display()),
                "plugin install lessons@lessons",
                "plugin update lessons@lessons",
                "plugin uninstall lessons@lessons",
                "plugin marketplace remove lessons",
            ]
        );
    }

    #[test]
    fn a_marketplace_of_the_same_name_that_is_not_ours_is_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        for other in [r#"[{"name":"lessons","path":"/else"}]"#, r#"[{"name":"lessons","source":"github"}]"#] {
            let claude = Claude { program: client(&folders, other), folders: &folders };
            let error = claude
                .install(&package(&scratch.path().join("unpacked"), "0.1.0", ""))
                .unwrap_err()
                .to_string();
            assert!(error.contains("another marketplace"), "{error}");
            assert_eq!(claude.uninstall().unwrap(), "Claude Code has nothing of this installation");
        }
        assert!(log(&folders).is_empty());
    }

    #[test]
    fn a_marketplace_that_holds_the_unpacked_archive_gives_way() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let folders = InstallFolders::below(&root);
        let unpacked = root.join("unpacked");
        let package = package(&unpacked.join("plugins/lessons"), "0.0.9", "");
        let marketplaces = format!(r#"[{{"name":"lessons","path":"{}"}}]"#, unpacked.display());
        let claude = Claude { program: client(&folders, &marketplaces), folders: &folders };
        claude.install(&package).unwrap();
        assert_eq!(log(&folders)[0], "plugin marketplace remove lessons");
        assert!(log(&folders)[1].starts_with("plugin marketplace add "));
    }

    #[test]
    fn what_the_client_says_when_it_fails_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = InstallFolders::below(scratch.path());
        let claude = Claude { program: client(&folders, "[]"), folders: &folders };
        let error = claude.run(&["broken"]).unwrap_err().to_string();
        assert!(error.contains("claude plugin broken failed: no such thing"), "{error}");
    }
}
