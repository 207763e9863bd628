//! Our entries in a file of settings that holds more than them: JSON, with comments where its owner wrote some.
//!
//! ```text
//! { "hooks": { EVENT: [ …, { "hooks": [ { "type": "command", "command": OURS, "timeout": N } ] } ] } }
//! ```

use anyhow::{Context, Result};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};

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
        let mut text = if text.trim().is_empty() { "{\n}\n".to_owned() } else { text.to_owned() };
        if list(&text, None)?.is_none() {
            let (open, close) = if text.contains('\n') { ("\n    ", "\n  ") } else { ("", "") };
            let lists = self.events.iter().map(|event| format!("{open}\"{event}\": [{}]", self.group()));
            let hooks = format!("\"hooks\": {{{}{close}}}", lists.collect::<Vec<_>>().join(","));
            return Ok(root(&text)?.with(&text, &hooks));
        }
        for event in &self.events {
            let ours: Vec<Ours> = ours(&text)?.into_iter().filter(|one| one.event == *event).collect();
            if matches!(ours.as_slice(), [one] if self.is_current(one)) {
                continue;
            }
            for one in ours.iter().rev() {
                text = one.cut(&text)?;
            }
            let (list, item) = match list(&text, Some(event))? {
                Some(groups) => (groups, self.group()),
                None => {
                    (list(&text, None)?.context("no `hooks`")?, format!("\"{event}\": [{}]", self.group()))
                }
            };
            text = list.with(&text, &item);
        }
        Ok(text)
    }

    /// What of the entries a file has.
    pub(super) fn state(&self, text: &str) -> State {
        let Ok(found) = ours(text) else { return State::Unreadable };
        let at = |event: &str| found.iter().filter(|one| one.event == event).collect::<Vec<_>>();
        let lists: Vec<Vec<&Ours>> = self.events.iter().map(|event| at(event)).collect();
        if found.is_empty() {
            State::Absent
        } else if lists.iter().any(|ours| ours.len() > 1) {
            State::Twice
        } else if lists.iter().all(|ours| ours.iter().any(|one| self.is_current(one))) {
            State::Installed
        } else {
            State::Differs
        }
    }

    /// A person may have given it another timeout, which stays.
    fn is_current(&self, ours: &Ours) -> bool {
        ours.text.contains(&serde_json::Value::from(self.command.as_str()).to_string())
    }

    /// One entry, in one line.
    fn group(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let name = self.name.map(|name| format!("\"name\": {}, ", text(name))).unwrap_or_default();
        format!(
            r#"{{ "hooks": [{{ "type": "command", {name}"command": {}, "timeout": {} }}] }}"#,
            text(&self.command),
            self.timeout
        )
    }
}

/// The settings without any entry of ours, and without the lists that held nothing else. `None` where nothing is left.
pub(super) fn removed_from(text: &str) -> Result<Option<String>> {
    let mut text = text.to_owned();
    while let Some(one) = ours(&text)?.pop() {
        text = one.cut(&text)?;
        // A comment in it is somebody's.
        let holds_nothing =
            |list: &Items, text: &str| part(text, list.start + 1, list.end - 1).trim().is_empty();
        let is_empty = |text: &str, event| {
            list(text, event).ok().flatten().is_some_and(|list| holds_nothing(&list, text))
        };
        if is_empty(&text, Some(&one.event)) {
            text = property(&text, &["hooks", &one.event])?;
            if is_empty(&text, None) {
                text = property(&text, &["hooks"])?;
            }
        }
    }
    let is_nothing = text.split_whitespace().collect::<String>() == "{}";
    Ok((!is_nothing).then_some(text))
}

/// Where our entries are: event, group and hook, as Codex counts them.
pub(super) fn positions(text: &str) -> Vec<(String, usize, usize)> {
    ours(text).unwrap_or_default().into_iter().map(|one| (one.event, one.group, one.hook)).collect()
}

/// A hook of ours, and where it is.
struct Ours {
    event: String,
    group: usize,
    hook: usize,
    text: String,
}

impl Ours {
    /// The settings without it, and without its group where that holds nothing else.
    fn cut(&self, text: &str) -> Result<String> {
        let root = parse(text)?;
        let groups = hooks(&root)?.and_then(|hooks| hooks.get_array(&self.event)).context("no list")?;
        let group = groups.elements.get(self.group).and_then(Value::as_object).context("no group")?;
        let hooks = Items::of_array(group.get_array("hooks").context("no hooks")?);
        Ok(match hooks.places.len() {
            1 => Items::of_array(groups).without(text, self.group),
            _ => hooks.without(text, self.hook),
        })
    }
}

/// Every hook of ours.
fn ours(text: &str) -> Result<Vec<Ours>> {
    let root = parse(text)?;
    let mut found = Vec::new();
    for property in hooks(&root)?.map(|hooks| hooks.properties.as_slice()).unwrap_or_default() {
        let groups = property.value.as_array().map(|groups| groups.elements.as_slice()).unwrap_or_default();
        for (group, value) in groups.iter().enumerate() {
            let hooks = value.as_object().and_then(|group| group.get_array("hooks"));
            for (hook, value) in hooks.iter().flat_map(|hooks| hooks.elements.iter().enumerate()) {
                let text = value.text(text).to_owned();
                if text.contains(PROGRAM) && text.contains("--client") {
                    found.push(Ours { event: property.name.as_str().to_owned(), group, hook, text });
                }
            }
        }
    }
    Ok(found)
}

/// The settings without a property, which is named with the objects around it.
fn property(text: &str, path: &[&str]) -> Result<String> {
    let root = parse(text)?;
    let mut object = root.as_object().context("it holds no object")?;
    let (last, outer) = path.split_last().context("no name")?;
    for name in outer {
        object = object.get_object(name).context("no object")?;
    }
    let index = object.properties.iter().position(|property| property.name.as_str() == *last);
    Ok(Items::of_object(object).without(text, index.context("no property")?))
}

/// The items of the object `hooks`, or of its list for an event. `None` where there is none.
fn list(text: &str, event: Option<&str>) -> Result<Option<Items>> {
    let root = parse(text)?;
    let Some(hooks) = hooks(&root)? else { return Ok(None) };
    let Some(event) = event else { return Ok(Some(Items::of_object(hooks))) };
    let Some(property) = hooks.get(event) else { return Ok(None) };
    let groups = property.value.as_array().with_context(|| format!("`hooks.{event}` is no list"))?;
    Ok(Some(Items::of_array(groups)))
}

/// The items of the outermost object.
fn root(text: &str) -> Result<Items> {
    let root = parse(text)?;
    Ok(Items::of_object(root.as_object().context("it holds no object")?))
}

fn hooks<'v, 't>(root: &'v Value<'t>) -> Result<Option<&'v Object<'t>>> {
    let object = root.as_object().context("it holds no object")?;
    let Some(property) = object.get("hooks") else { return Ok(None) };
    property.value.as_object().context("`hooks` is no object").map(Some)
}

fn parse(text: &str) -> Result<Value<'_>> {
    // No more than the clients read themselves.
    let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options);
    parsed.context("it is no JSON")?.value.context("it holds no object")
}

/// The places of an object or list and of its items. What is added is removed again to the byte.
struct Items {
    start: usize,
    end: usize,
    places: Vec<(usize, usize)>,
}

impl Items {
    fn of_object(object: &Object<'_>) -> Self {
        let places = object.properties.iter().map(|property| (property.start(), property.end())).collect();
        Self { start: object.start(), end: object.end(), places }
    }

    fn of_array(array: &Array<'_>) -> Self {
        let places = array.elements.iter().map(|element| (element.start(), element.end())).collect();
        Self { start: array.start(), end: array.end(), places }
    }

    /// The text with an item behind the others: in a line of its own, where the others are.
    fn with(&self, text: &str, item: &str) -> String {
        let inside = part(text, self.start + 1, self.end - 1);
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (at, comma, indent) = match self.places.last() {
            Some((start, end)) => (*end, ",", indent(text, *start)),
            None => (self.start + 1, "", format!("{}  ", indent(text, self.start))),
        };
        let space = match (inside.contains('\n'), comma) {
            (true, _) => format!("{newline}{indent}"),
            (false, "") => String::new(),
            (false, _) => " ".to_owned(),
        };
        let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
        format!("{before}{comma}{space}{item}{behind}")
    }

    /// The text without an item and the comma that belongs to it. Comments stay.
    fn without(&self, text: &str, index: usize) -> String {
        let Some(&(start, end)) = self.places.get(index) else { return text.to_owned() };
        let before = index.checked_sub(1).and_then(|index| self.places.get(index)).map(|before| before.1);
        let from = before.unwrap_or(self.start + 1);
        let gap = part(text, from, start);
        let is_plain = gap.chars().all(|c| c == ',' || c.is_whitespace());
        let rest = part(text, end, text.len());
        // The comma behind it goes where there is none before it.
        let comma = rest.len() - rest.trim_start().len();
        let has_comma = rest.trim_start().starts_with(',');
        match before {
            Some(_) if is_plain => format!("{}{rest}", part(text, 0, from)),
            None if !has_comma && is_plain => format!("{}{rest}", part(text, 0, from)),
            _ if has_comma => format!("{}{}", part(text, 0, start), part(rest, comma + 1, rest.len())),
            _ => format!("{}{}{rest}", part(text, 0, from), gap.replacen(',', "", 1)),
        }
    }
}

/// The space in front of what begins its line at `at`, or of the line.
fn indent(text: &str, at: usize) -> String {
    let line = part(text, 0, at).rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| *c == ' ' || *c == '\t').collect()
}

fn part(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Entries {
        let command = "sh -c '[ -x /b/lessons-hook ] || exit 0; exec /b/lessons-hook --client codex'".into();
        Entries { events: vec!["PreToolUse", "SessionStart"], command, timeout: 5, name: None }
    }

    /// Settings as people have them. What is installed and removed again leaves each as it was.
    const SETTINGS: [&str; 11] = [
        "{\"hooks\":{\"PreToolUse\":[ /* mine */ ]}}",
        "{\n  \"hooks\": {\n    // none yet\n  }\n}\n",
        "{\n  // mine\n  \"theme\": \"dark\", /* why */\n  \"a\": [1, 2]\n}\n",
        "{\"z\":1,\"a\":{\"b\":[ ]}}",
        "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"x\", \"hooks\": [{ \"type\": \"command\", \"command\": \"other\" }] }\n\t\t]\n\t}\n}\n",
        "{\n  \"hooks\": {\n    // first\n    \"Stop\": [\n      {\"hooks\": []}, // kept\n    ],\n  },\n  \"last\": true,\n}",
        "{\r\n  \"x\": 1\r\n}\r\n",
        "// only a comment: é\n{\n  \"x\": \"é\"\n}\n// end",
        "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"other\"}]}]},\"b\":2}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] } // kept\n      // and this\n    ]\n  }\n}\n",
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
        insta::assert_snapshot!(with, @r#"
        {
          "hooks": {
            "PreToolUse": [{ "hooks": [{ "type": "command", "command": "sh -c '[ -x /b/lessons-hook ] || exit 0; exec /b/lessons-hook --client codex'", "timeout": 5 }] }],
            "SessionStart": [{ "hooks": [{ "type": "command", "command": "sh -c '[ -x /b/lessons-hook ] || exit 0; exec /b/lessons-hook --client codex'", "timeout": 5 }] }]
          }
        }
        "#);
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
