//! Our entries in a file of settings that holds more than them: JSON, with comments where its owner wrote some.
//!
//! ```text
//! { "hooks": { EVENT: [ …, { "hooks": [ { "type": "command", "command": OURS, "timeout": N } ] } ] } }
//! ```

use anyhow::{Context, Result, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::{PROGRAM, State};

/// The entries that belong into a file of settings.
pub(super) struct Entries {
    pub(super) events: Vec<&'static str>,
    pub(super) command: String,
    /// In the client's unit.
    pub(super) timeout: u32,
    /// The name of a hook, where the client has names.
    pub(super) name: Option<&'static str>,
}

impl Entries {
    /// The settings with one entry of ours at each event, behind all others. Unchanged where that is so already: a moved
    /// entry would lose the trust that Codex has in it.
    pub(super) fn added_to(&self, text: &str) -> Result<String> {
        let root = parse(if text.trim().is_empty() { "{}\n" } else { text })?;
        let object = root.object_value_or_create().context("it holds no object")?;
        let hooks = object.object_value_or_create("hooks").context("`hooks` is no object")?;
        for event in &self.events {
            let Some(groups) = hooks.array_value_or_create(event) else {
                bail!("`hooks.{event}` is no list")
            };
            let ours = ours(&groups);
            if !matches!(ours.as_slice(), [one] if self.is_current(&one.hook)) {
                strip(ours);
                groups.append(self.group());
            }
        }
        Ok(root.to_string())
    }

    /// What of the entries a file has.
    pub(super) fn state(&self, text: &str) -> State {
        let Ok(root) = parse(text) else { return State::Unreadable };
        let hooks = root.object_value().and_then(|object| object.object_value("hooks"));
        let groups = |event: &&str| hooks.as_ref()?.array_value(event);
        let found: Vec<Vec<Ours>> = self
            .events
            .iter()
            .map(|event| groups(event).map(|groups| ours(&groups)).unwrap_or_default())
            .collect();
        if found.iter().all(Vec::is_empty) {
            State::Absent
        } else if found.iter().any(|ours| ours.len() > 1) {
            State::Twice
        } else if found.iter().all(|ours| ours.iter().any(|one| self.is_current(&one.hook))) {
            State::Installed
        } else {
            State::Differs
        }
    }

    /// A person may have given it another timeout, which stays.
    fn is_current(&self, hook: &CstNode) -> bool {
        hook.to_string().contains(&serde_json::Value::from(self.command.as_str()).to_string())
    }

    fn group(&self) -> CstInputValue {
        let text = |text: &str| CstInputValue::String(text.to_owned());
        let mut hook = vec![("type".to_owned(), text("command"))];
        hook.extend(self.name.map(|name| ("name".to_owned(), text(name))));
        hook.push(("command".to_owned(), text(&self.command)));
        hook.push(("timeout".to_owned(), self.timeout.into()));
        let hooks = CstInputValue::Array(vec![CstInputValue::Object(hook)]);
        CstInputValue::Object(vec![("hooks".to_owned(), hooks)])
    }
}

/// The settings without any entry of ours. `None` where nothing is left.
pub(super) fn removed_from(text: &str) -> Result<Option<String>> {
    let root = parse(text)?;
    let object = root.object_value().context("it holds no object")?;
    let hooks = object.object_value("hooks").context("`hooks` is no object")?;
    for property in hooks.properties() {
        let Some(groups) = property.array_value() else { continue };
        let ours = ours(&groups);
        if !ours.is_empty() {
            strip(ours);
            if groups.elements().is_empty() {
                property.remove();
            }
        }
    }
    if hooks.properties().is_empty()
        && let Some(property) = object.get("hooks")
    {
        property.remove();
    }
    let left = root.to_string();
    let is_nothing = left.split_whitespace().collect::<String>() == "{}";
    Ok((!is_nothing).then_some(left))
}

/// Where our entries are: event, group and hook, as Codex counts them.
pub(super) fn positions(text: &str) -> Vec<(String, usize, usize)> {
    let hooks = parse(text).ok().and_then(|root| root.object_value()?.object_value("hooks"));
    let properties = hooks.map(|hooks| hooks.properties()).unwrap_or_default().into_iter();
    let named = properties.filter_map(|property| Some((property.decoded_name()?, property.array_value()?)));
    named
        .flat_map(|(event, groups)| {
            ours(&groups).into_iter().map(move |one| (event.clone(), one.at.0, one.at.1))
        })
        .collect()
}

/// A hook of ours.
struct Ours {
    hook: CstNode,
    /// The group that it is in.
    group: CstObject,
    /// The positions of the group and of the hook in it.
    at: (usize, usize),
}

/// The hooks of ours at an event.
fn ours(groups: &CstArray) -> Vec<Ours> {
    let mut found = Vec::new();
    for (number, group) in groups.elements().into_iter().enumerate() {
        let Some(group) = group.as_object() else { continue };
        let hooks = group.array_value("hooks").map(|hooks| hooks.elements()).unwrap_or_default();
        for (place, hook) in hooks.into_iter().enumerate() {
            let text = hook.to_string();
            if text.contains(PROGRAM) && text.contains("--client") {
                found.push(Ours { hook, group: group.clone(), at: (number, place) });
            }
        }
    }
    found
}

/// Removes hooks, and groups that hold nothing else.
fn strip(ours: Vec<Ours>) {
    for Ours { hook, group, .. } in ours {
        hook.remove();
        if group.array_value("hooks").is_some_and(|hooks| hooks.elements().is_empty()) {
            group.remove();
        }
    }
}

fn parse(text: &str) -> Result<CstRootNode> {
    // Only what the clients themselves read.
    let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    CstRootNode::parse(text, &options).context("it is no JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Entries {
        let command = "sh -c '[ -x /b/lessons-hook ] || exit 0; exec /b/lessons-hook --client codex'".into();
        Entries { events: vec!["PreToolUse", "SessionStart"], command, timeout: 5, name: None }
    }

    /// Settings as people have them. What is installed and removed again leaves each as it was.
    const SETTINGS: [&str; 7] = [
        "{\n  // mine\n  \"theme\": \"dark\", /* why */\n  \"a\": [1, 2]\n}\n",
        "{\"z\":1,\"a\":{\"b\":[ ]}}",
        "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"x\", \"hooks\": [{ \"type\": \"command\", \"command\": \"other\" }] }\n\t\t]\n\t}\n}\n",
        "{\n  \"hooks\": {\n    // first\n    \"Stop\": [\n      {\"hooks\": []}, // kept\n    ],\n  },\n  \"last\": true,\n}",
        "{\r\n  \"x\": 1\r\n}\r\n",
        "// only a comment\n{\n  \"x\": \"\\u00e9\"\n}\n// end",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": [\n          { \"command\": \"other\" }\n        ]\n      }\n    ]\n  }\n}\n",
    ];

    #[test]
    fn what_is_installed_and_removed_again_leaves_every_byte_as_it_was() {
        let entries = entries();
        for settings in SETTINGS {
            let with = entries.added_to(settings).unwrap();
            assert_eq!(entries.state(&with), State::Installed, "{with}");
            assert_eq!(entries.added_to(&with).unwrap(), with, "installed twice is installed once");
            assert_eq!(removed_from(&with).unwrap().as_deref(), Some(settings), "{with}");
        }
    }

    #[test]
    fn a_file_that_held_nothing_else_is_gone() {
        let with = entries().added_to("").unwrap();
        insta::assert_snapshot!(with, @r#""#);
        assert_eq!(removed_from(&with).unwrap(), None);
    }

    #[test]
    fn an_older_entry_is_replaced_and_a_foreign_hook_in_its_group_stays() {
        let old = r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"/old/lessons-hook --client codex"},{"command":"mine"}]},{"hooks":[{"command":"/old/lessons-hook --client codex"}]}]}}"#;
        assert_eq!(entries().state(old), State::Twice);
        let new = entries().added_to(old).unwrap();
        assert!(!new.contains("/old/") && new.contains("mine"), "{new}");
        assert_eq!(entries().state(&new), State::Installed);
        assert_eq!(positions(&new), [("PreToolUse".to_owned(), 1, 0), ("SessionStart".to_owned(), 0, 0)]);
        assert!(removed_from(&new).unwrap().is_some_and(|left| left.contains("mine")));
    }

    #[test]
    fn what_is_no_settings_is_an_error_and_not_touched() {
        for bad in ["[", "[]", "7", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}", "{\"a\" 1}", "x"]
        {
            assert!(entries().added_to(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_timeout_of_the_user_stays() {
        let with = entries().added_to("{}").unwrap().replace("\"timeout\": 5", "\"timeout\": 9");
        assert!(with.contains("\"timeout\": 9"));
        assert_eq!(entries().added_to(&with).unwrap(), with);
    }
}
