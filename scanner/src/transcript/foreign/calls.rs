//! The calls of other clients in Claude Code's names.

use lessons_client::patch::{self, FilePatch};
use lessons_client::tools;
use serde_json::{Map, Value, json};

/// The parameters of the tools for commands and files, by the names that clients give them.
const PARAMETERS: [(&str, &[&str]); 5] = [
    ("command", &["command", "cmd"]),
    ("file_path", &["file_path", "filePath", "path"]),
    ("old_string", &["old_string", "oldString", "old_str", "oldText"]),
    ("new_string", &["new_string", "newString", "new_str", "newText"]),
    ("content", &["content", "file_text"]),
];

/// The call, or the calls, for which one of another client stands: a patch is one for each file.
pub(super) fn calls(tool: &Value, input: &Value) -> Vec<(String, Value)> {
    let tool = tool.as_str().unwrap_or_default();
    if tool == "apply_patch" {
        let text = input.as_str().or_else(|| input.get("patchText").or_else(|| input.get("input"))?.as_str());
        let of_file = |file: FilePatch<'_>| {
            let path = file.paths.first().copied().unwrap_or_default();
            change(file.tool, path, &file.removed, &file.content)
        };
        return patch::files(text.unwrap_or_default()).into_iter().map(of_file).collect();
    }
    let name = tools::ours(tool);
    // What searches or fetches has names that nothing here looks at.
    if !matches!(name.as_str(), "Bash" | "Read" | "Edit" | "Write") {
        return vec![(name, input.clone())];
    }
    let mut given = Map::new();
    // pi gives an edit as a list.
    let edits = input.get("edits").and_then(Value::as_array);
    for (parameter, names) in PARAMETERS {
        let in_list = |name: &str| {
            let texts: Vec<&str> = edits?.iter().filter_map(|edit| edit.get(name)?.as_str()).collect();
            (!texts.is_empty()).then(|| Value::from(texts.join("\n")))
        };
        let value = names.iter().find_map(|name| input.get(*name).cloned().or_else(|| in_list(name)));
        if let Some(value) = value {
            given.insert(parameter.to_owned(), value);
        }
    }
    vec![(name, Value::Object(given))]
}

/// An edit, or a file that is written.
pub(super) fn change(tool: &str, path: &str, old: &str, new: &str) -> (String, Value) {
    let input = if tool == "Write" {
        json!({"file_path": path, "content": new})
    } else {
        json!({"file_path": path, "old_string": old, "new_string": new})
    };
    (tool.to_owned(), input)
}
