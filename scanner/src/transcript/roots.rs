//! The folders that hold transcripts.

use std::ffi::OsString;
use std::path::PathBuf;

/// The parts of the environment that decide where the client keeps transcripts.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `CLAUDE_CONFIG_DIR`: where Claude Code keeps everything, if not in `~/.claude`.
    pub claude_config: Option<OsString>,
    /// `CODEX_HOME`: the same of Codex, if not in `~/.codex`.
    pub codex_home: Option<OsString>,
    /// `XDG_DATA_HOME`: where opencode keeps its database, if not in `~/.local/share`.
    pub data_home: Option<OsString>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
}

/// The folders to look through: Claude Code's own, those of the other clients that are there, then those of the setting
/// `scan.roots`. One that is not absolute is left out: what it means would depend on where the scan was started.
pub fn roots(environment: &Environment, configured: &[PathBuf]) -> Vec<PathBuf> {
    let client = environment.folder(environment.claude_config.as_ref(), ".claude");
    // Where Codex, Copilot, Gemini, Qwen, pi and opencode keep sessions.
    let others = [
        (environment.codex_home.as_ref(), ".codex", "sessions"),
        (None, ".copilot", "session-state"),
        (None, ".gemini", "tmp"),
        (None, ".qwen", "projects"),
        (None, ".pi", "agent/sessions"),
        (environment.data_home.as_ref(), ".local/share", "opencode/opencode.db"),
    ];
    let below = |(named, usual, place)| Some(environment.folder(named, usual)?.join(place));
    let others = others.into_iter().filter_map(below).filter(|place| place.exists());
    let mut roots: Vec<PathBuf> = Vec::new();
    let all = client.map(|folder| folder.join("projects")).into_iter().chain(others);
    for root in all.chain(configured.iter().cloned()) {
        if root.is_absolute() && !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

impl Environment {
    /// A folder that a variable names, or the one below the user's home.
    fn folder(&self, named: Option<&OsString>, usual: &str) -> Option<PathBuf> {
        let named = named.filter(|value| !value.is_empty()).map(PathBuf::from);
        named.or_else(|| self.home.as_ref().map(|home| home.join(usual)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(config: Option<&str>) -> Environment {
        Environment {
            claude_config: config.map(OsString::from),
            home: Some("/home/u".into()),
            ..Environment::default()
        }
    }

    #[test]
    fn the_clients_folder_comes_first_and_settings_add_to_it() {
        let more = [PathBuf::from("/srv/old"), "relative".into(), "/home/u/.claude/projects".into()];
        let expected = [PathBuf::from("/home/u/.claude/projects"), "/srv/old".into()];
        assert_eq!(roots(&environment(None), &more), expected);
        assert_eq!(roots(&environment(Some("")), &[]), expected[..1]);
        assert_eq!(roots(&environment(Some("/c")), &[]), [PathBuf::from("/c/projects")]);
        assert!(roots(&Environment::default(), &[]).is_empty());
    }

    #[test]
    fn other_clients_count_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        std::fs::create_dir_all(home.join(".codex/sessions")).unwrap();
        std::fs::create_dir_all(home.join("data/opencode")).unwrap();
        std::fs::write(home.join("data/opencode/opencode.db"), "").unwrap();
        let environment = Environment {
            home: Some(home.to_owned()),
            data_home: Some(home.join("data").into()),
            ..Environment::default()
        };
        let expected = [".claude/projects", ".codex/sessions", "data/opencode/opencode.db"];
        assert_eq!(roots(&environment, &[]), expected.map(|place| home.join(place)));
    }
}
