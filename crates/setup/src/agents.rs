//! The other agents: where each has its settings, and what of ours is in them.
//!
//! Only the user's own settings are written, never those of a project. [`settings`] edits a file that holds more than ours,
//! and keeps everything else as it is; the other files are ours alone. [`plugin`]: the agents that have our plugin besides, and
//! whether Codex runs our hooks.

mod plugin;
mod settings;

use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_home::files;
use lessons_home::home::absolute;
use lessons_store::durable;
use lessons_text::shell_word;
use serde::Serialize;
use serde_json::json;

use crate::error::{OrSay, Result, failed};
use crate::machine::{InstallFolders, on_path};

/// The program that every agent but Claude Code starts.
pub const PROGRAM: &str = "lessons-hook";
/// The largest file of settings that is read, in bytes.
const LIMIT: u64 = 4 << 20;

/// An agent that is not Claude Code.
pub struct Agent {
    /// Its name.
    pub client: Client,
    /// Whether it is there: its program is on the PATH, or it has left settings.
    pub is_found: bool,
    /// The file that makes it start our program.
    pub file: PathBuf,
    /// The plugin of ours that it has switched on besides, by the name that it has for it.
    pub plugin: Option<String>,
    form: Form,
}

/// What of the file is ours.
enum Form {
    /// One entry at each event.
    Entries(settings::Entries),
    /// All of it: this text.
    Whole(String),
}

/// What an agent has of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing.
    Absent,
    /// Everything, as this program would write it.
    Installed,
    /// Something else than this program would write.
    Differs,
    /// An event starts our program twice.
    Twice,
    /// Nothing in the file, but our plugin.
    Plugin,
    /// Our plugin too, so that every call starts two programs of ours.
    PluginToo,
    /// Everything, but Codex was not told to trust it, and runs none of it.
    NotTrusted,
    /// The file cannot be read as what it should be, or a file of another owner is in its place.
    Unreadable,
}

impl Agent {
    /// The agents, and Claude Code not among them.
    pub fn all(folders: &InstallFolders) -> Vec<Self> {
        Client::ALL.into_iter().filter_map(|client| Self::of(client, folders)).collect()
    }

    /// The agent of this client. `None` for Claude Code, which has the plugin.
    pub fn of(client: Client, folders: &InstallFolders) -> Option<Self> {
        let home = &folders.user_home;
        let program = folders.program(PROGRAM);
        let variable = |name: &str, otherwise: &str| absolute(name).unwrap_or_else(|| home.join(otherwise));
        let entries = |timeout, name, version| {
            let (events, command) = (lessons_client::events(client).collect(), command(client, &program));
            Form::Entries(settings::Entries { events, command, timeout, name, version })
        };
        let bridge = |text: &str| {
            let quoted = json!(program.to_string_lossy()).to_string();
            Form::Whole(text.replace("\"@PROGRAM@\"", &quoted))
        };
        let (folder, file, form) = match client {
            Client::ClaudeCode => return None,
            Client::Codex => (variable("CODEX_HOME", ".codex"), "hooks.json", entries(5, None, None)),
            Client::Copilot => (home.join(".copilot"), "hooks/lessons.json", entries(5, None, Some(1))),
            Client::Opencode => {
                let folder = variable("XDG_CONFIG_HOME", ".config").join("opencode");
                (folder, "plugins/lessons.js", bridge(include_str!("bridges/opencode.js")))
            }
            Client::Pi => {
                (home.join(".pi"), "agent/extensions/lessons.ts", bridge(include_str!("bridges/pi.ts")))
            }
            // In milliseconds.
            Client::Gemini => (home.join(".gemini"), "settings.json", entries(5000, Some("lessons"), None)),
            Client::Qwen => (home.join(".qwen"), "settings.json", entries(5000, Some("lessons"), None)),
        };
        let is_found = on_path(client.name()).is_some() || folder.is_dir();
        let plugin = plugin::of(client, &folder);
        Some(Self { client, is_found, file: folder.join(file), plugin, form })
    }

    /// Claude Code's own settings, of which ours is the look at the lines that slash commands and skills run. The plugin cannot
    /// ask for it: an earlier client would drop all of its hooks.
    pub fn skill_lines(folders: &InstallFolders) -> Self {
        let client = Client::ClaudeCode;
        let command = command(client, &folders.program(PROGRAM));
        let events = vec![lessons_client::SKILL_LINE];
        let form =
            Form::Entries(settings::Entries { events, command, timeout: 5, name: None, version: None });
        Self { client, is_found: true, file: folders.client_settings(), plugin: None, form }
    }

    /// What it has of ours.
    pub fn state(&self) -> State {
        match (self.state_of_file(), &self.plugin) {
            (State::Absent, Some(_)) => State::Plugin,
            (State::Installed | State::NotTrusted, Some(_)) => State::PluginToo,
            (state, _) => state,
        }
    }

    fn state_of_file(&self) -> State {
        let Ok(text) = text_of(&self.file) else { return State::Unreadable };
        let Some(text) = text else { return State::Absent };
        match &self.form {
            Form::Whole(ours) if text == *ours => State::Installed,
            Form::Whole(_) if text.contains(PROGRAM) => State::Differs,
            Form::Whole(_) => State::Unreadable,
            Form::Entries(entries) => match entries.state(&text) {
                State::Installed if self.client == Client::Codex && !plugin::is_given(&self.file, &text) => {
                    State::NotTrusted
                }
                state => state,
            },
        }
    }

    /// The command that makes every call start one program of ours again.
    pub fn once(&self) -> String {
        match (self.client, &self.plugin) {
            (Client::Codex, Some(plugin)) => format!("codex plugin remove {plugin}"),
            (Client::Qwen, Some(plugin)) => format!("qwen extensions uninstall {plugin}"),
            (client, Some(plugin)) => format!("{} plugin uninstall {plugin}", client.name()),
            (client, None) => format!("lessons install --client {}", client.name()),
        }
    }

    /// Writes what is ours, and returns whether that changed anything. A file that cannot be read is left alone; the error
    /// holds what a person would put there.
    pub fn install(&self) -> Result<bool> {
        let by_hand =
            || format!("{} was left as it is. What belongs there:\n{}", self.file.display(), self.snippet());
        let text = text_of(&self.file).or_say(by_hand)?.unwrap_or_default();
        let new = match &self.form {
            Form::Whole(ours) if text.is_empty() || text.contains(PROGRAM) => ours.clone(),
            Form::Whole(_) => {
                let file = self.file.display();
                return failed(format!("another file has the name {file}, which was left as it is"));
            }
            Form::Entries(entries) => entries.added_to(&text).or_say(by_hand)?,
        };
        if new != text {
            durable::replace_in_project(&self.real_file(), new.as_bytes())?;
        }
        Ok(new != text)
    }

    /// Removes what is ours, and returns whether there was anything.
    pub fn uninstall(&self) -> Result<bool> {
        let Some(text) = text_of(&self.file)?.filter(|text| text.contains(PROGRAM)) else { return Ok(false) };
        let left = match &self.form {
            Form::Whole(_) => None,
            Form::Entries(entries) => {
                let left = entries.removed_from(&text).or_say(|| {
                    format!("{} still starts {PROGRAM}: remove that by hand", self.file.display())
                })?;
                // Where a link stands, the file and the link are somebody's, whatever they held.
                left.or_else(|| self.file.is_symlink().then(|| "{}\n".to_owned()))
            }
        };
        match left {
            Some(left) => durable::replace_in_project(&self.real_file(), left.as_bytes())?,
            None => durable::remove_elsewhere(&self.file)?,
        }
        Ok(true)
    }

    /// What a person would write into the file.
    fn snippet(&self) -> String {
        match &self.form {
            Form::Whole(text) => text.clone(),
            Form::Entries(entries) => entries.added_to("").unwrap_or_default(),
        }
    }

    /// The file behind a link, as settings often are one.
    fn real_file(&self) -> PathBuf {
        self.file.canonicalize().unwrap_or_else(|_| self.file.clone())
    }
}

/// The text of a file of settings; `None` where there is no file.
fn text_of(file: &Path) -> Result<Option<String>> {
    let bytes = files::read_foreign(file, LIMIT)?;
    bytes.map(|bytes| String::from_utf8(bytes).or_say(|| "it is not UTF-8")).transpose()
}

/// The command line that starts our program, and that lets every call pass where it is gone: some clients refuse the call
/// where they cannot start a hook.
fn command(client: Client, program: &Path) -> String {
    let program = shell_word::quoted_path(program);
    let script = format!("[ -x {program} ] || exit 0; exec {program} --client {}", client.name());
    format!("sh -c {}", shell_word::quoted(&script))
}

/// Whether [`command`] wrote this command line, for whatever client and place of the program, or somebody typed what it runs.
pub fn is_our_command(line: &str) -> bool {
    let Some((before, name)) = line.trim_end_matches('\'').rsplit_once(" --client ") else { return false };
    let Some(client) = Client::named(name) else { return false };
    let is_program = |path: &str| Path::new(path).file_name().is_some_and(|name| name == PROGRAM);
    let script = shell_word::unquoted(line.strip_prefix("sh -c ").unwrap_or_default());
    let program = script.strip_prefix("[ -x ").and_then(|rest| Some(rest.split_once(" ] ||")?.0));
    let program = program.map(shell_word::unquoted).filter(|program| is_program(program));
    match program {
        Some(program) => command(client, Path::new(&program)) == line,
        None => !before.contains(char::is_whitespace) && is_program(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_gone_lets_the_call_pass_whatever_its_path_holds() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["plain", "with space", "with'quote", "$(x)"] {
            let line = command(Client::Codex, &folder.path().join(name));
            assert!(line.contains("--client codex"), "{line}");
            let ended = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert!(ended.status.success() && ended.stderr.is_empty(), "{line}: {ended:?}");
        }
    }

    #[test]
    fn settings_behind_a_link_stay_there_without_ours() {
        let folder = tempfile::tempdir().unwrap();
        let agent = Agent::of(Client::Gemini, &InstallFolders::below(folder.path())).unwrap();
        std::fs::create_dir(agent.file.parent().unwrap()).unwrap();
        let target = folder.path().join("dotfiles.json");
        durable::replace(&target, b"{}\n").unwrap();
        std::os::unix::fs::symlink(&target, &agent.file).unwrap();
        assert!(agent.install().unwrap() && agent.state() == State::Installed);
        assert!(agent.uninstall().unwrap() && agent.file.is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "{}\n");
    }

    #[test]
    fn a_bridge_names_the_program() {
        let folders = InstallFolders::below(Path::new("/home/dev"));
        for client in [Client::Opencode, Client::Pi] {
            let agent = Agent::of(client, &folders).unwrap();
            let text = agent.snippet();
            assert!(
                text.contains(r#"const PROGRAM = "/home/dev/data/plugin/current/bin/lessons-hook""#),
                "{text}"
            );
        }
    }
}
