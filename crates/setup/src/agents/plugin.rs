//! The agents that take the plugin of Claude Code as it is, and whether they have ours: Codex and Copilot.
//!
//! Observed with Codex 0.171.0, which has a table `[plugins."NAME@MARKETPLACE"]` in `config.toml`, and with Copilot 1.0.102, which
//! has the key `enabledPlugins` in `settings.json`, as Claude Code has.

use std::path::Path;

use jsonc_parser::ast::Value;
use lessons_client::Client;
use lessons_home::files;
use lessons_text::neutral::line;
use lessons_text::shell_word;
use toml_edit::Item;

use super::{LIMIT, settings, trust};
use crate::claude::PLUGIN_ANYWHERE;

/// The plugin of ours that an agent has switched on, ready to be typed. `folder` holds its settings.
pub(super) fn of(client: Client, folder: &Path) -> Option<String> {
    let name = match client {
        Client::Codex => {
            let config = trust::config(folder)?;
            let plugins = config.get("plugins")?.as_table_like()?;
            let is_on = |plugin: &Item| plugin.get("enabled").and_then(Item::as_bool) != Some(false);
            plugins
                .iter()
                .find(|(name, plugin)| name.starts_with(PLUGIN_ANYWHERE) && is_on(plugin))?
                .0
                .to_owned()
        }
        Client::Copilot => {
            let bytes = files::read_foreign(&folder.join("settings.json"), LIMIT).ok()??;
            let text = String::from_utf8(bytes).ok()?;
            let root = settings::parse(&text).ok()?;
            let plugins = &root.as_object()?.get_object("enabledPlugins")?.properties;
            let is_on = |plugin: &Value<'_>| plugin.as_boolean_lit().is_some_and(|on| on.value);
            let names =
                plugins.iter().filter(|plugin| is_on(&plugin.value)).map(|plugin| plugin.name.as_str());
            names.into_iter().find(|name| name.starts_with(PLUGIN_ANYWHERE))?.to_owned()
        }
        _ => return None,
    };
    Some(shell_word::quoted(&line(&name)))
}
