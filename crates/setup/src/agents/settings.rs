//! Our entries in a file of settings that holds more than them: JSON, with comments where its owner wrote some.
//!
//! ```text
//! { "hooks": { EVENT: [ …, { "hooks": [ { "type": "command", "command": OURS, "timeout": N } ] } ] } }
//! ```
//!
//! What was empty before stays when ours goes: the one space in front of ours tells it from what was made for ours.

use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions};

use super::{State, is_our_command};
use crate::error::{OrSay, Result};

/// The entries that belong into a file of settings.
pub(super) struct Entries {
    pub(super) events: Vec<&'static str>,
    pub(super) command: String,
    /// In the client's unit.
    pub(super) timeout: u32,
    /// The name of a hook, where the client has names.
    pub(super) name: Option<&'static str>,
    /// The version of the form, where the client wants one in the file.
    pub(super) version: Option<u8>,
}

impl Entries {
    /// The settings with one entry of ours at each event, behind all others. Unchanged where that is so already: a moved
    /// entry would lose the trust that Codex has in it.
    pub(super) fn added_to(&self, text: &str) -> Result<String> {
        let (mark, text) = after_mark(text);
        if text.trim().is_empty() {
            let version = self.version.map(|version| format!("  \"version\": {version},\n"));
            let (version, hooks) = (version.unwrap_or_default(), self.hooks("\n    ", "\n  "));
            return Ok(format!("{mark}{{\n{version}  {hooks}\n}}\n"));
        }
        let mut text = text.to_owned();
        loop {
            let there = ours(&text)?;
            let is_first =
                |at: usize, one: &Ours| !there.iter().take(at).any(|other| other.event == one.event);
            let is_right = |(at, one): &(usize, &Ours)| one.command == self.command && is_first(*at, one);
            let Some((_, wrong)) = there.iter().enumerate().find(|one| !is_right(one)) else { break };
            text = wrong.cut(&text);
        }
        if hooks(&parse(&text)?)?.is_none() {
            let (open, close) = if text.contains('\n') { ("\n    ", "\n  ") } else { ("", "") };
            text = Items::of(&parse(&text)?).with(&text, &self.hooks(open, close));
        }
        let there = ours(&text)?;
        for event in self.events.iter().filter(|event| !there.iter().any(|one| one.event == **event)) {
            text = self.with_event(&text, event)?;
        }
        Ok(format!("{mark}{text}"))
    }

    fn with_event(&self, text: &str, event: &str) -> Result<String> {
        let root = parse(text)?;
        let hooks = hooks(&root)?.or_say(|| "no `hooks`")?;
        let Some(list) = hooks.as_object().and_then(|hooks| hooks.get(event)) else {
            return Ok(Items::of(hooks).with(text, &self.list(event)));
        };
        list.value.as_array().or_say(|| format!("`hooks.{event}` is no list"))?;
        Ok(Items::of(&list.value).with(text, &self.group()))
    }

    /// The settings without any entry of ours. `None` where nothing else was in the file.
    pub(super) fn removed_from(&self, text: &str) -> Result<Option<String>> {
        let (mark, text) = after_mark(text);
        let was_empty = Items::of(&parse(text)?).was_empty(text);
        let mut text = text.to_owned();
        while let Some(one) = ours(&text)?.pop() {
            text = one.cut(&text);
        }
        // With a comment in it, it is no plain JSON, and somebody's.
        let left: Option<serde_json::Map<_, _>> = serde_json::from_str(&text).ok();
        let is_ours = |name: &String| name == "version" && self.version.is_some();
        let is_nothing = !was_empty && left.is_some_and(|left| left.keys().all(is_ours));
        Ok((!is_nothing).then(|| format!("{mark}{text}")))
    }

    /// What of the entries a file has.
    pub(super) fn state(&self, text: &str) -> State {
        let Ok(found) = ours(after_mark(text).1) else { return State::Unreadable };
        let is_twice = |event: &&str| found.iter().filter(|one| one.event == **event).count() > 1;
        if found.is_empty() {
            State::Absent
        } else if self.events.iter().any(is_twice) {
            State::Twice
        } else if self.added_to(text).is_ok_and(|right| right == text) {
            State::Installed
        } else {
            State::Differs
        }
    }

    /// All entries.
    fn hooks(&self, open: &str, close: &str) -> String {
        let lists: Vec<_> = self.events.iter().map(|event| format!("{open}{}", self.list(event))).collect();
        format!("\"hooks\": {{{}{close}}}", lists.join(","))
    }

    fn list(&self, event: &str) -> String {
        format!("\"{event}\": [{}]", self.group())
    }

    /// One entry, in one line.
    fn group(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let name = self.name.map(|name| format!("\"name\": {}, ", text(name))).unwrap_or_default();
        let (command, timeout) = (text(&self.command), self.timeout);
        format!(
            r#"{{ "hooks": [{{ "type": "command", {name}"command": {command}, "timeout": {timeout} }}] }}"#
        )
    }
}

/// Where our entries are: event, group and hook, as Codex counts them.
pub(super) fn positions(text: &str) -> Vec<(String, usize, usize)> {
    let ours = ours(after_mark(text).1).unwrap_or_default();
    ours.into_iter().map(|one| (one.event, one.path[2].1, one.path[3].1)).collect()
}

/// A hook of ours.
struct Ours {
    event: String,
    command: String,
    /// The lists and objects around it, the outermost first, and its place in each.
    path: [(Items, usize); 4],
}

impl Ours {
    /// The settings without it, and without the lists and objects that were made for it.
    fn cut(&self, text: &str) -> String {
        let [root, hooks, groups, group] = &self.path;
        let (items, index) = match group.0.places.len() {
            1 if hooks.0.is_made_for_one(text) && groups.0.is_made_for_one(text) => root,
            1 if groups.0.is_made_for_one(text) => hooks,
            1 => groups,
            _ => group,
        };
        items.without(text, *index)
    }
}

/// Every hook of ours.
fn ours(text: &str) -> Result<Vec<Ours>> {
    let root = parse(text)?;
    let mut found = Vec::new();
    let Some(hooks) = hooks(&root)? else { return Ok(found) };
    let at_root =
        root.as_object().and_then(|root| root.properties.iter().position(|it| it.name.as_str() == "hooks"));
    let events = hooks.as_object().map(|hooks| hooks.properties.as_slice()).unwrap_or_default();
    for (at_event, event) in events.iter().enumerate() {
        for (at_group, group) in elements(&event.value).iter().enumerate() {
            let list = group.as_object().and_then(|group| group.get("hooks")).map(|list| &list.value);
            for (at_hook, hook) in list.map(elements).unwrap_or_default().iter().enumerate() {
                let command = hook.as_object().and_then(|hook| hook.get_string("command"));
                let command = command.map(|command| command.value.clone().into_owned());
                let (Some(command), Some(list)) = (command.filter(|it| is_our_command(it)), list) else {
                    continue;
                };
                let path = [
                    (Items::of(&root), at_root.unwrap_or_default()),
                    (Items::of(hooks), at_event),
                    (Items::of(&event.value), at_group),
                    (Items::of(list), at_hook),
                ];
                found.push(Ours { event: event.name.as_str().to_owned(), command, path });
            }
        }
    }
    Ok(found)
}

fn elements<'v, 't>(list: &'v Value<'t>) -> &'v [Value<'t>] {
    list.as_array().map(|list| list.elements.as_slice()).unwrap_or_default()
}

/// The object `hooks`.
fn hooks<'v, 't>(root: &'v Value<'t>) -> Result<Option<&'v Value<'t>>> {
    let object = root.as_object().or_say(|| "it holds no object")?;
    let Some(property) = object.get("hooks") else { return Ok(None) };
    property.value.as_object().or_say(|| "`hooks` is no object")?;
    Ok(Some(&property.value))
}

/// What a text of settings holds.
pub(super) fn parse(text: &str) -> Result<Value<'_>> {
    // No more than the clients read themselves.
    let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options);
    parsed.or_say(|| "it is no JSON")?.value.or_say(|| "it holds no object")
}

/// The byte order mark of a text, and the text behind it.
fn after_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// The places of an object or list and of its items. What is added is removed again to the byte.
struct Items {
    whole: Range,
    places: Vec<Range>,
}

impl Items {
    fn of(value: &Value<'_>) -> Self {
        let places = match value {
            Value::Object(object) => object.properties.iter().map(Ranged::range).collect(),
            _ => elements(value).iter().map(Ranged::range).collect(),
        };
        Self { whole: value.range(), places }
    }

    /// Whether it was there, and empty, before the item in it was.
    fn was_empty(&self, text: &str) -> bool {
        self.places.first().is_some_and(|first| part(text, self.whole.start + 1, first.start) == " ")
    }

    /// Whether it was made for the one item in it. A comment in it is somebody's.
    fn is_made_for_one(&self, text: &str) -> bool {
        let [one] = self.places.as_slice() else { return false };
        let (before, behind) =
            (part(text, self.whole.start + 1, one.start), part(text, one.end, self.whole.end - 1));
        before != " " && before.trim().is_empty() && behind.trim().is_empty()
    }

    /// The text with an item behind the others: in a line of its own, where the others are.
    fn with(&self, text: &str, item: &str) -> String {
        let (start, end) = (self.whole.start + 1, self.whole.end - 1);
        let inside = part(text, start, end);
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (at, comma, indent) = match self.places.last() {
            Some(last) => (last.end, ",", indent(text, last.start)),
            None => (start, "", format!("{}  ", indent(text, start))),
        };
        // A comment may end the line.
        let space = if inside.contains('\n') && !inside.trim().is_empty() {
            format!("{newline}{indent}")
        } else {
            " ".to_owned()
        };
        let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
        format!("{before}{comma}{space}{item}{behind}")
    }

    /// The text without an item and the comma that belongs to it. Comments stay.
    fn without(&self, text: &str, index: usize) -> String {
        let Some(&Range { start, end }) = self.places.get(index) else { return text.to_owned() };
        let before = index.checked_sub(1).and_then(|index| self.places.get(index)).map(|before| before.end);
        let from = before.unwrap_or(self.whole.start + 1);
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
        Entries { events: vec!["PreToolUse", "SessionStart"], command, timeout: 5, name: None, version: None }
    }

    /// Settings as people have them. What is installed and removed again leaves each as it was.
    const SETTINGS: [&str; 19] = [
        "{}",
        "{}\n",
        "{\"hooks\":{}}",
        "{ \"hooks\": { } }\n",
        "{\n  \"theme\": \"dark\",\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"SessionStart\": [\n    ]\n  }\n}\n",
        "\u{feff}{\n  \"theme\": \"dark\"\n}\n",
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
            assert_eq!(entries.removed_from(&with).unwrap().as_deref(), Some(settings), "{with}");
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
        assert_eq!(entries().removed_from(&with).unwrap(), None);
    }

    #[test]
    fn an_older_entry_is_replaced_and_a_foreign_hook_in_its_group_stays() {
        let old = r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"/old/lessons-hook --client codex"},{"command":"mine"}]},{"hooks":[{"command":"/old/lessons-hook --client codex"}]}]}}"#;
        assert_eq!(entries().state(old), State::Twice);
        let new = entries().added_to(old).unwrap();
        assert!(!new.contains("/old/") && new.contains("mine"), "{new}");
        assert_eq!(entries().state(&new), State::Installed);
        assert_eq!(positions(&new), [("PreToolUse".to_owned(), 1, 0), ("SessionStart".to_owned(), 0, 0)]);
        assert!(entries().removed_from(&new).unwrap().is_some_and(|left| left.contains("mine")));
    }

    #[test]
    fn what_is_no_settings_is_an_error_and_not_touched() {
        for bad in ["[", "[]", "7", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}", "{\"a\" 1}", "x"]
        {
            assert!(entries().added_to(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_a_command_of_our_own_form_is_ours() {
        let foreign = [
            "log lessons-hook --client codex",
            "sh -c 'tee log | /b/lessons-hook --client codex'",
            "/b/my-lessons-hook --client codex",
            "/b/lessons-hook --client mine",
            "/b/lessons-hook --client codex --verbose",
        ];
        for command in foreign {
            let hooks = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [{"command": command}]}]}});
            let settings = hooks.to_string();
            assert_eq!(entries().state(&settings), State::Absent, "{command}");
            let with = entries().added_to(&settings).unwrap();
            assert_eq!(entries().state(&with), State::Installed, "{with}");
            assert_eq!(entries().removed_from(&with).unwrap(), Some(settings), "{command}");
        }
        let words = r#"{"hooks":{"Stop":[{"hooks":[{"prompt":"sh -c /b/lessons-hook --client codex"}]}]}}"#;
        assert_eq!(entries().state(words), State::Absent);
    }

    #[test]
    fn a_timeout_of_the_user_stays() {
        let with = entries().added_to("{}").unwrap().replace("\"timeout\": 5", "\"timeout\": 9");
        assert!(with.contains("\"timeout\": 9"));
        assert_eq!(entries().added_to(&with).unwrap(), with);
    }
}
