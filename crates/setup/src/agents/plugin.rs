//! The agents that take the plugin of Claude Code, and whether they have ours: Codex, Copilot and Qwen Code.
//!
//! Observed with Codex 0.171.0, which has a table `[plugins."NAME@MARKETPLACE"]` in `config.toml`, and with Copilot 1.0.102, which
//! has the key `enabledPlugins` in `settings.json`, as Claude Code has. Qwen Code 0.24.4 makes an extension of it: a folder
//! `extensions/lessons` with its hooks, and a rule in `extension-enablement.json`, `!FOLDER*` where it is switched off.

use std::path::Path;

use lessons_client::Client;
use lessons_text::{line, shell_word};
use toml_edit::{DocumentMut, Item};

use super::{settings, text_of};
use crate::claude::PLUGIN_ANYWHERE;

/// The plugin of ours that an agent has switched on, ready to be typed. `folder` holds its settings.
pub(super) fn of(client: Client, folder: &Path) -> Option<String> {
    let name = match client {
        Client::Codex => {
            let config = config(folder)?;
            let plugins = config.get("plugins")?.as_table_like()?;
            let is_on = |plugin: &Item| plugin.get("enabled").and_then(Item::as_bool) != Some(false);
            let mut on = plugins.iter().filter(|(_, plugin)| is_on(plugin)).map(|(name, _)| name);
            on.find(|name| name.starts_with(PLUGIN_ANYWHERE))?.to_owned()
        }
        Client::Copilot => {
            let text = text_of(&folder.join("settings.json")).ok()??;
            let root = settings::parse(&text).ok()?;
            let plugins = root.as_object()?.get_object("enabledPlugins")?.properties.iter();
            let on = plugins.filter(|it| it.value.as_boolean_lit().is_some_and(|on| on.value));
            on.map(|it| it.name.as_str()).find(|name| name.starts_with(PLUGIN_ANYWHERE))?.to_owned()
        }
        Client::Qwen => {
            let name = PLUGIN_ANYWHERE.trim_end_matches('@');
            let read = |file: &str| -> Option<serde_json::Value> {
                serde_json::from_str(&text_of(&folder.join("extensions").join(file)).ok()??).ok()
            };
            let hooks = read(&format!("{name}/hooks/hooks.json"))?;
            let is_ours = hooks.to_string().contains("/bin/lessons-");
            let rules = read("extension-enablement.json").unwrap_or_default();
            let last = rules[name]["overrides"].as_array().and_then(|rules| rules.last()?.as_str());
            let is_off = last.is_some_and(|rule| rule.starts_with('!'));
            (is_ours && !is_off).then(|| name.to_owned())?
        }
        _ => return None,
    };
    Some(shell_word::quoted(&line(&name)))
}

/// What Codex keeps in its folder. `None` where that cannot be read.
pub(super) fn config(folder: &Path) -> Option<DocumentMut> {
    text_of(&folder.join("config.toml")).ok()??.parse().ok()
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
