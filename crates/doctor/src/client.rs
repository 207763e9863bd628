//! What in Claude Code decides whether our hooks run, and what it does with their answers: its settings, and the hooks and mods
//! of other plugins.
//!
//! Observed with 2.1.332: a file of settings counts before those that stand before it here, also with `false`; under
//! `allowManagedHooksOnly` run the hooks of managed settings and of the plugins that those switch on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_home::files;
use lessons_setup::agents::is_our_command;
use lessons_setup::{InstallFolders, PLUGIN_ANYWHERE};
use lessons_store::config::in_editor;
use lessons_text::{line, quoted_path as quoted};
use serde_json::{Value, json};

use crate::finding::FindingSeverity::{Error, Note, Warning};
use crate::finding::Findings;

/// The folder of managed settings.
const MANAGED: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };
/// The manifest of a plugin.
const MANIFEST: &str = ".claude-plugin/plugin.json";
/// The event at which a hook may answer for the person.
const PERMISSION_REQUEST: &str = "PermissionRequest";
/// The largest file that is read, in bytes.
const LIMIT: u64 = 4 << 20;

/// The settings that hold here, the weakest file first.
pub(crate) struct ClientSettings {
    own: Vec<(PathBuf, Value)>,
    managed: Vec<(PathBuf, Value)>,
}

impl ClientSettings {
    pub(crate) fn here(folders: &InstallFolders) -> Self {
        let mut own = vec![folders.client_settings()];
        if let Ok(here) = std::env::current_dir() {
            own.extend(["settings.json", "settings.local.json"].map(|name| here.join(".claude").join(name)));
        }
        own.dedup();
        let mut managed = vec![Path::new(MANAGED).join("managed-settings.json")];
        let more = entries(&Path::new(MANAGED).join("managed-settings.d")).into_iter();
        managed.extend(more.filter(|path| path.extension().is_some_and(|extension| extension == "json")));
        let read = |paths: Vec<PathBuf>| paths.into_iter().map(|path| (path.clone(), read(&path))).collect();
        Self { own: read(own), managed: read(managed) }
    }

    fn all(&self) -> impl Iterator<Item = &(PathBuf, Value)> {
        self.own.iter().chain(&self.managed)
    }

    /// Whether our plugin is switched on.
    pub(crate) fn has_plugin(&self) -> bool {
        is_ours_on(&switched(self.all()))
    }

    /// Findings about settings under which no hook of ours runs.
    pub(crate) fn switched_off(&self, found: &mut Findings) {
        let last = |files: &[(PathBuf, Value)], key: &str| {
            let (path, settings) = files.iter().rfind(|(_, settings)| !settings[key].is_null())?;
            Some((path.clone(), settings[key] == true))
        };
        let only_managed = last(&self.managed, "allowManagedHooksOnly").filter(|(_, is_set)| *is_set);
        if let Some((path, _)) = only_managed.filter(|_| !is_ours_on(&switched(self.managed.iter()))) {
            let message = format!(
                "{} allows only managed hooks (`allowManagedHooksOnly`), so nothing of Lessons runs, unless it switches the \
                 plugin on (`enabledPlugins`)",
                path.display()
            );
            found.add(Error, "HOOKS_DISABLED", message, in_editor(&path));
        }
        let switch = last(&self.managed, "disableAllHooks").or_else(|| last(&self.own, "disableAllHooks"));
        if let Some((path, true)) = switch {
            let message = format!("{} switches all hooks off (`disableAllHooks`)", path.display());
            found.add(Error, "HOOKS_DISABLED", message, in_editor(&path));
        }
        let plugins = switched(self.all());
        let ours = plugins.iter().find(|(name, _)| name.starts_with(PLUGIN_ANYWHERE));
        if let Some((name, (_, path))) = ours.filter(|_| !is_ours_on(&plugins)) {
            let message = format!("{} switches the plugin off", path.display());
            found.add(Error, "PLUGIN_DISABLED", message, format!("claude plugin enable {}", line(name)));
        }
    }

    /// Findings about hooks and mods beside ours.
    pub(crate) fn neighbours(&self, folders: &InstallFolders, found: &mut Findings) {
        for (path, settings) in self.all() {
            of_hooks(&path.display().to_string(), &in_editor(path), events(settings), found);
        }
        for (name, root) in self.plugins(folders) {
            of_plugin(&name, &root, found);
        }
    }

    /// The other plugins that are switched on, and their folders.
    fn plugins(&self, folders: &InstallFolders) -> Vec<(String, PathBuf)> {
        let switched = switched(self.all());
        let on = switched.iter().filter(|(name, (is_on, _))| *is_on && !name.starts_with(PLUGIN_ANYWHERE));
        let root = |name: &str| root(&folders.client_plugins(), name);
        let mut plugins: Vec<_> =
            on.filter_map(|(name, _)| Some(((*name).to_owned(), root(name)?))).collect();
        // A folder of skills with a manifest is a plugin too.
        let here = std::env::current_dir().map(|here| here.join(".claude")).ok();
        for skills in [folders.client_settings().parent(), here.as_deref()].into_iter().flatten() {
            for root in entries(&skills.join("skills")) {
                let name = format!("{}@skills-dir", root.file_name().unwrap_or_default().display());
                let is_off = switched.get(name.as_str()).is_some_and(|(is_on, _)| !is_on);
                if root.join(MANIFEST).is_file() && !is_off {
                    plugins.push((name, root));
                }
            }
        }
        plugins
    }
}

/// The plugins that files of settings switch on or off, each with the file that decides.
fn switched<'s>(files: impl Iterator<Item = &'s (PathBuf, Value)>) -> BTreeMap<&'s str, (bool, &'s Path)> {
    let plugins = files.flat_map(|(path, settings)| {
        let plugins = settings["enabledPlugins"].as_object().into_iter().flatten();
        plugins.filter_map(|(name, on)| Some((name.as_str(), (on.as_bool()?, path.as_path()))))
    });
    plugins.collect()
}

/// Whether our plugin is switched on.
fn is_ours_on(switched: &BTreeMap<&str, (bool, &Path)>) -> bool {
    switched.iter().any(|(name, (is_on, _))| *is_on && name.starts_with(PLUGIN_ANYWHERE))
}

/// Findings about another plugin, in the folder `root`.
fn of_plugin(name: &str, root: &Path, found: &mut Findings) {
    let name = format!("the plugin {}", line(name));
    let remedy = format!("claude plugin validate {}", quoted(root));
    let file = read(&root.join("hooks/hooks.json"));
    let mods = file["modules"].as_array().into_iter().flatten();
    let mods: Vec<String> = mods.filter_map(|path| path.as_str().map(line)).collect();
    let mut events = events(&file);
    // The manifest may hold hooks, or name the files that do.
    let manifest = read(&root.join(MANIFEST));
    let hooks = &manifest["hooks"];
    for hooks in hooks.as_array().map_or(std::slice::from_ref(hooks), Vec::as_slice) {
        let of_file = hooks.as_str().map(|path| read(&root.join(path)));
        events.extend(self::events(&of_file.unwrap_or_else(|| json!({ "hooks": hooks }))));
    }
    events.sort();
    events.dedup();
    if !mods.is_empty() {
        let message = format!(
            "{name} has a mod ({}), which can drop what hooks answer: a call that a lesson blocks would run, and no \
             reminder arrive",
            mods.join(", ")
        );
        found.add(Warning, "OTHER_MOD", message, &remedy);
    }
    of_hooks(&name, &remedy, events, found);
}

/// Findings about the hooks of a plugin or a file, by the events at which it has some and we too, and
/// [`PERMISSION_REQUEST`]. `remedy` is the command that shows or changes what it does.
fn of_hooks(name: &str, remedy: &str, mut events: Vec<String>, found: &mut Findings) {
    if events.iter().any(|event| event == PERMISSION_REQUEST) {
        events.retain(|event| event != PERMISSION_REQUEST);
        let message = format!(
            "a {PERMISSION_REQUEST} hook in {name} can answer Claude Code's questions for you: what an agent asks to change \
             may be approved without you"
        );
        found.add(Warning, "PERMISSION_HOOK", message, remedy);
    }
    if !events.is_empty() {
        let before = if events.iter().any(|event| event == "PreToolUse") {
            "refuse a call, or change it after Lessons has looked at it, and "
        } else {
            ""
        };
        let message = format!(
            "{name} has hooks where Lessons has some ({}): they can {before}add to what the model reads",
            events.join(", ")
        );
        found.add(Note, "OTHER_HOOKS", message, remedy);
    }
}

/// The events at which these settings have hooks that concern us, and are not ours.
fn events(settings: &Value) -> Vec<String> {
    let is_ours = |hook: &Value| hook["command"].as_str().is_some_and(is_our_command);
    let is_foreign = |group: &Value| {
        group["hooks"].as_array().is_some_and(|hooks| !hooks.iter().all(is_ours) && !hooks.is_empty())
    };
    let concerned = lessons_client::events(Client::ClaudeCode).chain([PERMISSION_REQUEST]);
    let has_hooks = |event: &&str| {
        settings["hooks"][*event].as_array().is_some_and(|groups| groups.iter().any(is_foreign))
    };
    concerned.filter(has_hooks).map(str::to_owned).collect()
}

/// The folder from which Claude Code reads a plugin: that of its marketplace where that is a folder, else a copy.
fn root(plugins: &Path, name: &str) -> Option<PathBuf> {
    let (plugin, marketplace) = name.rsplit_once('@')?;
    let known = &read(&plugins.join("known_marketplaces.json"))[marketplace];
    if known["source"]["source"] == "directory" {
        let folder = Path::new(known["installLocation"].as_str()?);
        let manifest = read(&folder.join(".claude-plugin/marketplace.json"));
        let entry = manifest["plugins"].as_array()?.iter().find(|entry| entry["name"] == plugin)?;
        let source = entry["source"].as_str()?;
        return Some(folder.join(source.strip_prefix("./").unwrap_or(source)));
    }
    let installed = read(&plugins.join("installed_plugins.json"));
    Some(installed["plugins"][name].as_array()?.last()?["installPath"].as_str()?.into())
}

/// What is in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = files::entries(folder).unwrap_or_default();
    let mut paths: Vec<_> = found.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// What a file of JSON holds; null where it cannot be read.
fn read(path: &Path) -> Value {
    let bytes = files::read_foreign(path, LIMIT).ok().flatten().unwrap_or_default();
    serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(own: &[&Value], managed: &[&Value]) -> Vec<String> {
        let named = |name: &str, all: &[&Value]| {
            all.iter()
                .enumerate()
                .map(|(at, it)| (PathBuf::from(format!("{name}{at}")), (*it).clone()))
                .collect()
        };
        let settings = ClientSettings { own: named("own", own), managed: named("managed", managed) };
        let mut found = Findings::default();
        settings.switched_off(&mut found);
        found
            .0
            .iter()
            .map(|it| format!("{} {}", it.code, it.message.split(' ').next().unwrap_or_default()))
            .collect()
    }

    #[test]
    fn the_last_file_that_says_anything_decides() {
        let (off, on) = (json!({"disableAllHooks": true}), json!({"disableAllHooks": false}));
        let nothing = json!({});
        assert_eq!(codes(&[&off, &nothing], &[]), ["HOOKS_DISABLED own0"]);
        assert_eq!(codes(&[&off, &nothing, &on], &[]), [""; 0]);
        assert_eq!(codes(&[&nothing, &off], &[&nothing]), ["HOOKS_DISABLED own1"]);
        assert_eq!(codes(&[&off], &[&on]), [""; 0]);
        assert_eq!(codes(&[&on], &[&off]), ["HOOKS_DISABLED managed0"]);
    }

    #[test]
    fn managed_hooks_alone_are_ours_too_where_the_plugin_is_managed() {
        let only = json!({"allowManagedHooksOnly": true});
        assert_eq!(codes(&[], &[&only]), ["HOOKS_DISABLED managed0"]);
        assert_eq!(codes(&[&only], &[]), [""; 0], "it means nothing in the user's own");
        let plugin = json!({"enabledPlugins": {"lessons@team": true}});
        assert_eq!(codes(&[&plugin], &[&only]), ["HOOKS_DISABLED managed0"]);
        assert_eq!(codes(&[], &[&only, &plugin]), [""; 0]);
    }

    #[test]
    fn the_plugin_is_off_only_where_it_is_on_nowhere() {
        let plugin = |name: &str, on: bool| json!({"enabledPlugins": {name: on}});
        let [on, off, other] =
            [plugin("lessons@a", true), plugin("lessons@a", false), plugin("lessons@b", true)];
        assert_eq!(codes(&[&off], &[]), ["PLUGIN_DISABLED own0"]);
        assert_eq!(codes(&[&on, &off], &[]), ["PLUGIN_DISABLED own1"]);
        assert_eq!(codes(&[&off, &other], &[]), [""; 0]);
        assert_eq!(codes(&[&plugin("other@a", false)], &[]), [""; 0]);
    }
}
