//! Checks of the installation: programs, files of the plugin, and whether the client runs the hooks.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lessons_publish::building::VERSION;
use lessons_setup::{Agent, InstallFolders, PLUGIN_ANYWHERE, State};
use lessons_text::{line, quoted_path as quoted};
use serde_json::Value;

use crate::client::ClientSettings;
use crate::finding::FindingSeverity::{Error, Warning};
use crate::finding::{CheckResult, Examined, Findings};

/// The programs of the plugin.
const PROGRAMS: [&str; 7] = [
    "lessons",
    "lessons-pre-tool-use",
    "lessons-post-tool-use",
    "lessons-post-tool-use-failure",
    "lessons-session-start",
    "lessons-subagent-start",
    "lessons-hook",
];
/// The other files of the plugin, relative to its root.
const FILES: [&str; 4] = [".claude-plugin/plugin.json", "hooks/hooks.json", "commands", "skills"];
/// The folder that cargo builds into.
const BUILDS: &str = "target";

/// The command that installs the programs in this folder again: as Claude Code fetched them, which keeps a plugin in
/// `cache/MARKETPLACE/PLUGIN/VERSION/bin`, as they were built in a clone, or from an archive.
fn reinstall(bin: &Path, client_plugins: &Path) -> String {
    let in_cache = bin.strip_prefix(client_plugins.join("cache")).ok();
    if let Some(marketplace) = in_cache.and_then(|path| path.iter().next()?.to_str()) {
        let plugin = format!("{PLUGIN_ANYWHERE}{marketplace}");
        return format!("claude plugin uninstall {plugin} && claude plugin install {plugin}");
    }
    let is_built = bin.iter().any(|part| part == BUILDS);
    if is_built { "cargo xtask install" } else { "./lessons install" }.to_owned()
}

pub(crate) fn check(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let program = std::env::current_exe().map_err(|error| format!("where this program is: {error}"))?;
    let program = program.canonicalize().unwrap_or(program);
    let bin = program.parent().unwrap_or_else(|| Path::new("/"));
    let folders = InstallFolders::of_process(&examined.context.home)?;
    let reinstall = reinstall(bin, &folders.client_plugins());
    plugin_files(bin, &reinstall, found);
    let settings = ClientSettings::here(&folders);
    let before = found.0.len();
    settings.switched_off(found);
    if found.0.len() == before {
        not_seen(examined, &settings, &folders, format!("{} install", quoted(&program)), found);
    }
    settings.neighbours(&folders, found);
    for agent in Agent::all(&folders).iter().chain([&Agent::skill_lines(&folders)]) {
        other_agent(agent, found);
    }
    Ok(())
}

/// The finding about another agent that has Lessons, but not as it should.
fn other_agent(agent: &Agent, found: &mut Findings) {
    let (name, file) = (agent.client.title(), agent.file.display());
    let again = format!("lessons install --client {}", agent.client.name());
    let (code, message, remedy) = match agent.state() {
        State::Absent | State::Installed | State::Plugin | State::Unreadable => return,
        State::Differs => {
            ("AGENT_DIFFERS", format!("{file} does not start this Lessons at every event"), again)
        }
        State::Twice => ("AGENT_TWICE", format!("{file} starts Lessons twice at one event"), agent.once()),
        State::PluginToo => {
            let message = format!("{name} has Lessons twice: as its plugin, and by {file}");
            ("AGENT_TWICE", message, agent.once())
        }
        State::NotTrusted => {
            let message = format!("{name} runs no hook of Lessons, because it was not told to trust them");
            ("AGENT_NOT_TRUSTED", message, "codex".to_owned())
        }
    };
    found.add(Warning, code, message, remedy);
}

/// Findings about programs and other files of the plugin that are missing or of another version.
fn plugin_files(bin: &Path, reinstall: &str, found: &mut Findings) {
    let is_program =
        |path: PathBuf| path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0);
    let mut lacks = |code, folder: &Path, missing: Vec<&str>| {
        if !missing.is_empty() {
            let message = format!("{} lacks {}", folder.display(), missing.join(", "));
            found.add(Error, code, message, reinstall);
        }
    };
    let missing = PROGRAMS.into_iter().filter(|name| !is_program(bin.join(name)));
    lacks("PROGRAM_MISSING", bin, missing.collect());
    let root = bin.parent().filter(|_| bin.ends_with("bin")).unwrap_or(bin);
    let Ok(text) = std::fs::read(root.join(FILES[0])) else {
        let message = format!("{} is not an installed plugin, so Claude Code cannot use it", root.display());
        found.add(Warning, "NOT_A_PLUGIN", message, reinstall);
        return;
    };
    let missing = FILES.into_iter().filter(|name| !root.join(name).exists());
    lacks("PLUGIN_FILE_MISSING", root, missing.collect());
    let manifest: Value = serde_json::from_slice(&text).unwrap_or_default();
    let version = manifest["version"].as_str().unwrap_or("no version");
    if version != VERSION {
        let message = format!("this program is version {VERSION}, and its plugin is {}", line(version));
        found.add(Error, "VERSIONS_DIFFER", message, reinstall);
    }
}

/// A warning if Claude Code has never run one of the hooks, or no agent can run them any more.
fn not_seen(
    examined: &Examined<'_>,
    settings: &ClientSettings,
    folders: &InstallFolders,
    install: String,
    found: &mut Findings,
) {
    let home = &examined.context.home;
    // Session files are deleted after a week; events stay in the database.
    let database = examined.database.as_ref();
    let is_known = database.is_some_and(|it| it.lessons_in_events().is_ok_and(|known| !known.is_empty()));
    let is_kept = std::fs::read_dir(home.sessions()).is_ok_and(|mut sessions| sessions.next().is_some());
    if is_kept || home.log().join("looked").exists() || is_known {
        let is_in = |agent: &Agent| !matches!(agent.state(), State::Absent | State::Unreadable);
        // Where its copies are left, Claude Code may be started with one (`--plugin-dir`).
        if !settings.has_plugin() && !folders.plugins.is_dir() && !Agent::all(folders).iter().any(is_in) {
            let message = "no agent has Lessons any more, so no lesson is told or blocks a call";
            found.add(Warning, "NOT_INSTALLED", message, install);
        }
        return;
    }
    let (message, remedy) = if settings.has_plugin() {
        ("Claude Code has the plugin enabled, and no hook has said anything yet", "claude".to_owned())
    } else {
        ("Claude Code has not run the hooks yet", install)
    };
    found.add(Warning, "HOOKS_NEVER_SEEN", message, remedy);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_somebody_with_a_clone_is_told_to_build() {
        let client = Path::new("/home/dev/.claude/plugins");
        let reinstall = |bin: &str| reinstall(Path::new(bin), client);
        assert_eq!(reinstall("/src/lessons/target/dist/lessons/bin"), "cargo xtask install");
        assert_eq!(reinstall("/home/dev/.local/share/lessons/plugin/0.1.0-1a/bin"), "./lessons install");
        assert_eq!(
            reinstall("/home/dev/.claude/plugins/cache/team/lessons/0.1.0/bin"),
            "claude plugin uninstall lessons@team && claude plugin install lessons@team"
        );
    }
}
