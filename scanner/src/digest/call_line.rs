//! A call on one line, and whether another is the same with another form.

use lessons_lesson::advised::is_assignment;
use lessons_lesson::call::is_shell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::text::{clean, cut};
use crate::transcript::spoken::SpokenCall;

/// The names of the inputs that tell most, where there is no command and no file.
const TELLING: [&str; 6] = ["pattern", "skill", "url", "query", "subagent_type", "description"];
/// The longest string of an input that is kept, in bytes.
const MAX_KEPT: usize = 8 << 10;
/// How many of the last parts of a path are shown.
const PARTS: usize = 3;

impl SpokenCall {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.input.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// The command of a shell.
    pub(super) fn command(&self) -> Option<&str> {
        if is_shell(&self.tool) { self.text("command") } else { None }
    }

    /// The file that it works on, with forward slashes.
    pub(super) fn file(&self) -> Option<String> {
        let path = self.text("file_path").or_else(|| self.text("notebook_path"))?;
        Some(path.replace('\\', "/"))
    }

    /// The call on one line: the tool and what tells most. The folders that a command goes to first are left out.
    pub(super) fn line(&self, most: usize) -> String {
        self.written(most, self.command().map(without_folder))
    }

    /// The same with the folders.
    pub(super) fn whole_line(&self, most: usize) -> String {
        self.written(most, self.command())
    }

    fn written(&self, most: usize, command: Option<&str>) -> String {
        let file = || Some(end_of(&self.file()?, PARTS).to_owned());
        let telling = || TELLING.iter().find_map(|name| self.text(name)).map(str::to_owned);
        let whole =
            || self.input.as_object().filter(|input| !input.is_empty()).map(|_| self.input.to_string());
        let what = command.map(str::to_owned).or_else(file).or_else(telling).or_else(whole);
        let tool = clean(self.tool.strip_prefix("mcp__").unwrap_or(&self.tool));
        cut(format!("{tool} {}", clean(&what.unwrap_or_default())).trim(), most, 0)
    }

    /// The program of a command, or the tool.
    pub(super) fn program(&self) -> &str {
        let Some(command) = self.command() else { return &self.tool };
        let mut words = without_folder(command).split_whitespace();
        let is_wrapper =
            |word: &&str| matches!(*word, "sudo" | "nohup" | "time" | "timeout") || is_assignment(word);
        words.find(|word| !is_wrapper(word)).unwrap_or_default()
    }

    /// The words of its input.
    pub(super) fn words(&self) -> BTreeSet<String> {
        let text = self.input.to_string();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
        text.split(|c| !is_part(c)).filter(|word| word.len() >= 3).map(str::to_owned).collect()
    }
}

/// A command without `cd X &&` in front.
fn without_folder(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some(after) = rest.strip_prefix("cd ").map(str::trim_start) {
        let end = match after.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map(|end| end + 2),
            None => after.find(char::is_whitespace),
        };
        let Some(next) = end.and_then(|end| after.get(end..)).map(str::trim_start) else { break };
        match next.strip_prefix("&&").or_else(|| next.strip_prefix(';')) {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    rest
}

/// The last parts of a path.
pub(super) fn end_of(path: &str, parts: usize) -> &str {
    path.rmatch_indices('/').nth(parts - 1).map_or(path, |(at, _)| &path[at + 1..])
}

/// Cuts the long strings of an input.
pub(super) fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => text.truncate(text.floor_char_boundary(MAX_KEPT)),
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, input: Value) -> SpokenCall {
        SpokenCall { id: "t".into(), tool: tool.into(), input }
    }

    #[test]
    fn a_call_is_one_line_with_what_tells_most() {
        let bash = call("Bash", json!({"command": "cd /a/b && cd \"c d\";npm  test\n-- x"}));
        assert_eq!(bash.line(70), "Bash npm test -- x");
        assert_eq!(bash.whole_line(12), "Bash cd /a/…");
        assert_eq!(bash.program(), "npm");
        assert_eq!(call("Edit", json!({"file_path": "C:\\a\\b\\c\\d.rs"})).line(70), "Edit b/c/d.rs");
        assert_eq!(call("mcp__db__query", json!({"sql": "x"})).line(70), "db__query {\"sql\":\"x\"}");
        assert_eq!(call("Bash", json!({"command": "A=1 sudo make"})).program(), "make");
    }
}
