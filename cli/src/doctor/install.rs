//! Checks of the installation: programs, files of the plugin, and whether the client runs the hooks.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lessons_home::files;
use lessons_publish::building::VERSION;
use lessons_store::config::in_editor;
use lessons_text::neutral::line;
use serde_json::Value;

use super::{DoctorContext, DoctorFinding};
use crate::agents::{Agent, State};
use crate::install::folders::{InstallFolders, quoted};

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
/// The start of the plugin's name in the client's settings; the marketplace follows.
const PLUGIN: &str = "lessons@";

/// The folder that cargo builds into.
const BUILDS: &str = "target";

/// The way in which this program came here, which decides how it is installed again.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Provenance {
    /// Claude Code fetched it from the marketplace of this name.
    Marketplace(String),
    /// It was built in a clone.
    Clone,
    /// It comes from an archive.
    Archive,
}

impl Provenance {
    /// Claude Code keeps a plugin in `cache/MARKETPLACE/PLUGIN/VERSION/bin`.
    fn of(bin: &Path, client_plugins: &Path) -> Self {
        let cache = client_plugins.join("cache");
        let in_cache = bin.strip_prefix(cache).ok().and_then(|path| path.iter().next()?.to_str());
        match in_cache {
            Some(marketplace) => Self::Marketplace(marketplace.to_owned()),
            None if bin.iter().any(|part| part == BUILDS) => Self::Clone,
            None => Self::Archive,
        }
    }

    /// The command that installs it again.
    fn reinstall(&self) -> String {
        match self {
            Self::Marketplace(name) => {
                let plugin = format!("{PLUGIN}{name}");
                format!("claude plugin uninstall {plugin} && claude plugin install {plugin}")
            }
            Self::Clone => "cargo xtask install".to_owned(),
            Self::Archive => "./lessons install".to_owned(),
        }
    }
}

pub(super) fn check(context: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let program = std::env::current_exe().context("where this program is")?;
    let program = program.canonicalize().unwrap_or(program);
    let bin = program.parent().unwrap_or_else(|| Path::new("/"));
    let folders = InstallFolders::of_process(&context.app.home)?;
    let reinstall = Provenance::of(bin, &folders.client_plugins()).reinstall();
    let mut found = programs(bin, &reinstall);
    found.extend(plugin_files(bin, &reinstall));
    found.extend(client(context, format!("{} install", quoted(&program))));
    let agents = Agent::all(&folders);
    found.extend(agents.iter().chain([&Agent::skill_lines(&folders)]).filter_map(other_agent));
    Ok(found)
}

/// The finding about another agent that has Lessons, but not as it should.
fn other_agent(agent: &Agent) -> Option<DoctorFinding> {
    let (name, file) = (agent.client.title(), agent.file.display());
    let again = format!("lessons install --client {}", agent.client.name());
    let (code, message, remedy) = match agent.state() {
        State::Absent | State::Installed | State::Unreadable => return None,
        State::Differs => {
            ("AGENT_DIFFERS", format!("{file} does not start this Lessons at every event"), again)
        }
        State::Twice => ("AGENT_TWICE", format!("{file} starts Lessons twice at one event"), again),
        State::NotTrusted => {
            let message = format!("{name} runs no hook of Lessons, because it was not told to trust them");
            ("AGENT_NOT_TRUSTED", message, "codex".to_owned())
        }
    };
    Some(DoctorFinding::warning(code, message, remedy))
}

fn programs(bin: &Path, reinstall: &str) -> Vec<DoctorFinding> {
    let is_program =
        |path: PathBuf| path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0);
    let missing: Vec<&str> = PROGRAMS.into_iter().filter(|name| !is_program(bin.join(name))).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let message = format!("{} lacks {}", bin.display(), missing.join(", "));
    vec![DoctorFinding::error("PROGRAM_MISSING", message, reinstall)]
}

fn plugin_files(bin: &Path, reinstall: &str) -> Vec<DoctorFinding> {
    let root = bin.parent().filter(|_| bin.ends_with("bin")).unwrap_or(bin);
    let manifest = root.join(FILES[0]);
    let Ok(text) = std::fs::read(&manifest) else {
        let message = format!("{} is not an installed plugin, so Claude Code cannot use it", root.display());
        return vec![DoctorFinding::warning("NOT_A_PLUGIN", message, reinstall)];
    };
    let mut found = Vec::new();
    let missing: Vec<&str> = FILES.into_iter().filter(|name| !root.join(name).exists()).collect();
    if !missing.is_empty() {
        let message = format!("{} lacks {}", root.display(), missing.join(", "));
        found.push(DoctorFinding::error("PLUGIN_FILE_MISSING", message, reinstall));
    }
    let version = serde_json::from_slice::<Value>(&text).ok();
    let version = version.as_ref().and_then(|json| json.get("version")?.as_str()).unwrap_or("no version");
    if version != VERSION {
        let message = format!("this program is version {VERSION}, and its plugin is {}", line(version));
        found.push(DoctorFinding::error("VERSIONS_DIFFER", message, reinstall));
    }
    found
}

/// Whether settings have a hook that is asked before the person is.
fn answers_for_person(settings: &Value) -> bool {
    let hooks = settings.get("hooks").and_then(|hooks| hooks.get("PermissionRequest"));
    hooks.and_then(Value::as_array).is_some_and(|hooks| !hooks.is_empty())
}

/// Findings about the client's settings, and a warning if it has never run one of the hooks.
fn client(context: &DoctorContext<'_>, install: String) -> Vec<DoctorFinding> {
    let mut found = Vec::new();
    let mut is_enabled = false;
    for path in settings_files() {
        let Some(settings) = read(&path) else { continue };
        if settings.get("disableAllHooks").and_then(Value::as_bool) == Some(true) {
            let message = format!("{} switches all hooks off (`disableAllHooks`)", path.display());
            found.push(DoctorFinding::error("HOOKS_DISABLED", message, in_editor(&path)));
        }
        if answers_for_person(&settings) {
            let message = format!(
                "a PermissionRequest hook in {} can answer Claude Code's questions for you: what an agent asks to change \
                 may be approved without you",
                path.display()
            );
            found.push(DoctorFinding::warning("PERMISSION_HOOK", message, in_editor(&path)));
        }
        let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
        for (name, on) in plugins.into_iter().flatten().filter(|(name, _)| name.starts_with(PLUGIN)) {
            is_enabled |= on.as_bool() == Some(true);
            if on.as_bool() == Some(false) {
                let message = format!("{} switches the plugin off", path.display());
                found.push(DoctorFinding::error(
                    "PLUGIN_DISABLED",
                    message,
                    format!("claude plugin enable {}", line(name)),
                ));
            }
        }
    }
    let home = &context.app.home;
    // Session files are deleted after a week; events stay in the database.
    let is_kept = std::fs::read_dir(home.sessions()).is_ok_and(|mut sessions| sessions.next().is_some());
    let was_seen = is_kept || home.log().join("looked").exists() || super::activity::any_event(context);
    if found.is_empty() && !was_seen {
        let (message, remedy) = if is_enabled {
            ("Claude Code has the plugin enabled, and no hook has said anything yet", "claude".to_owned())
        } else {
            ("Claude Code has not run the hooks yet", install)
        };
        found.push(DoctorFinding::warning("HOOKS_NEVER_SEEN", message, remedy));
    }
    found
}

/// The client's settings files: the user's and those of the current project.
fn settings_files() -> Vec<PathBuf> {
    let config = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = config.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".claude")));
    let here = std::env::current_dir().ok().map(|here| here.join(".claude"));
    let mut files = Vec::new();
    for folder in [user, here].into_iter().flatten() {
        files.extend(["settings.json", "settings.local.json"].map(|name| folder.join(name)));
    }
    files.dedup();
    files
}

/// The largest settings file that is read, in bytes.
const SETTINGS_LIMIT: u64 = 4 << 20;

fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&files::read_foreign(path, SETTINGS_LIMIT).ok()??).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_somebody_with_a_clone_is_told_to_build() {
        let client = Path::new("/home/dev/.claude/plugins");
        let reinstall = |bin: &str| Provenance::of(Path::new(bin), client).reinstall();
        assert_eq!(reinstall("/src/lessons/target/dist/lessons/bin"), "cargo xtask install");
        assert_eq!(reinstall("/home/dev/.local/share/lessons/plugin/0.1.0-1a/bin"), "./lessons install");
        assert_eq!(
            reinstall("/home/dev/.claude/plugins/cache/team/lessons/0.1.0/bin"),
            "claude plugin uninstall lessons@team && claude plugin install lessons@team"
        );
    }
}
