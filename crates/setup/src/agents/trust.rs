//! Whether Codex runs our hooks. It runs none that its user did not trust, and `codex exec` says nothing of that.
//!
//! `config.toml` beside the file of hooks holds a table for each trusted hook, whose key names the file, the event and the
//! place of the hook in it. The hash in it is Codex' own: a hook that was changed since is trusted here and not there.

use std::path::Path;

use lessons_home::files;
use toml_edit::{DocumentMut, Item};

use super::{LIMIT, settings};

/// What Codex keeps in its folder. `None` where that cannot be read.
pub(super) fn config(folder: &Path) -> Option<DocumentMut> {
    let bytes = files::read_foreign(&folder.join("config.toml"), LIMIT).ok()??;
    String::from_utf8(bytes).ok()?.parse().ok()
}

/// Whether every hook of ours in a file of hooks is trusted.
pub(super) fn is_given(file: &Path, hooks: &str) -> bool {
    let Some(config) = file.parent().and_then(config) else { return false };
    let state = config.get("hooks").and_then(|hooks| hooks.get("state"));
    let is_trusted = |(event, group, hook): (String, usize, usize)| {
        let key = format!("{}:{}:{group}:{hook}", file.display(), snake_case(&event));
        let known = state.and_then(|state| state.get(&key));
        known.and_then(|known| known.get("trusted_hash")).is_some_and(Item::is_str)
    };
    settings::positions(hooks).into_iter().all(is_trusted)
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
mod tests {
    use super::*;

    #[test]
    fn every_hook_of_ours_has_to_be_trusted_at_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.json");
        let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"mine"}]},{"hooks":[{"command":"lessons-hook --client codex"}]}]}}"#;
        let config = |key: &str| {
            let text = format!("[hooks.state.\"{}:{key}\"]\ntrusted_hash = \"sha256:x\"\n", file.display());
            std::fs::write(folder.path().join("config.toml"), text).unwrap();
            is_given(&file, hooks)
        };
        assert!(!is_given(&file, hooks), "without a config.toml");
        assert!(config("pre_tool_use:1:0"));
        assert!(!config("pre_tool_use:0:0"));
        std::fs::write(folder.path().join("config.toml"), "not toml = =").unwrap();
        assert!(!is_given(&file, hooks));
    }
}
