//! The folders that hold transcripts.

use std::ffi::OsString;
use std::path::PathBuf;

/// The parts of the environment that decide where the client keeps transcripts.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `CLAUDE_CONFIG_DIR`: where the client keeps everything, if not in `~/.claude`.
    pub claude_config: Option<OsString>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
}

/// The folders to look through: the client's own, then those of the setting `scan.roots`. One that is
/// not absolute is left out: what it means would depend on where the scan was started.
pub fn roots(environment: &Environment, configured: &[PathBuf]) -> Vec<PathBuf> {
    let config = environment.claude_config.as_ref().filter(|value| !value.is_empty()).map(PathBuf::from);
    let client = config.or_else(|| environment.home.as_ref().map(|home| home.join(".claude")));
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in client.map(|folder| folder.join("projects")).iter().chain(configured) {
        if root.is_absolute() && !roots.contains(root) {
            roots.push(root.clone());
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(config: Option<&str>) -> Environment {
        Environment { claude_config: config.map(OsString::from), home: Some("/home/u".into()) }
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
}
