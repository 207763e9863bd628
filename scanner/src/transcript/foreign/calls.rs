//! The calls of other clients in Claude Code's names.

use serde_json::{Map, Value, json};

/// The tools, by the names that clients give them.
const TOOLS: [(&str, &[&str]); 7] = [
    ("Bash", &["bash", "shell", "run_shell_command", "exec_command"]),
    ("Read", &["read", "view", "read_file"]),
    ("Edit", &["edit", "replace", "str_replace"]),
    ("Write", &["write", "create", "write_file"]),
    ("Glob", &["glob"]),
    ("Grep", &["grep", "grep_search", "search_file_content"]),
    ("WebFetch", &["webfetch", "web_fetch", "fetch"]),
];
/// Their parameters.
const PARAMETERS: [(&str, &[&str]); 5] = [
    ("command", &["command", "cmd"]),
    ("file_path", &["file_path", "filePath", "path"]),
    ("old_string", &["old_string", "oldString", "old_str", "oldText"]),
    ("new_string", &["new_string", "newString", "new_str", "newText"]),
    ("content", &["content", "file_text"]),
];
/// How a line of a patch begins that names a file, and the tool that stands for it.
const IN_PATCH: [(&str, &str); 3] =
    [("*** Update File: ", "Edit"), ("*** Delete File: ", "Edit"), ("*** Add File: ", "Write")];

/// The call, or the calls, for which one of another client stands: a patch is one for each file.
pub(super) fn calls(tool: &str, input: &Value) -> Vec<(String, Value)> {
    if tool == "apply_patch" {
        let text = input.as_str().or_else(|| input.get("patchText").or_else(|| input.get("input"))?.as_str());
        return text.map(of_patch).unwrap_or_default();
    }
    let Some((name, _)) = TOOLS.iter().find(|(_, names)| names.contains(&tool)) else {
        return vec![(tool.to_owned(), input.clone())];
    };
    let mut given = Map::new();
    // pi gives an edit as a list.
    let edits = input.get("edits").and_then(Value::as_array);
    for (parameter, names) in PARAMETERS {
        let in_list = |name: &str| {
            let texts: Vec<&str> = edits?.iter().filter_map(|edit| edit.get(name)?.as_str()).collect();
            (!texts.is_empty()).then(|| Value::from(texts.join("\n")))
        };
        let value = names.iter().find_map(|name| input.get(*name).cloned().or_else(|| in_list(name)));
        // A folder to search is no file.
        if let Some(value) = value.filter(|_| parameter != "file_path" || !matches!(*name, "Glob" | "Grep")) {
            given.insert(parameter.to_owned(), value);
        }
    }
    for parameter in ["pattern", "url", "path"] {
        if let Some(value) = input.get(parameter).filter(|_| matches!(*name, "Glob" | "Grep" | "WebFetch")) {
            given.insert(parameter.to_owned(), value.clone());
        }
    }
    vec![((*name).to_owned(), Value::Object(given))]
}

/// The ids of the calls for which one call stands.
pub(super) fn id_of(call: &str, number: usize) -> String {
    if number == 0 { call.to_owned() } else { format!("{call}-{number}") }
}

/// The changes of a patch, one for each file.
fn of_patch(patch: &str) -> Vec<(String, Value)> {
    let mut found: Vec<(&str, String, String, String)> = Vec::new();
    for line in patch.lines() {
        let named = IN_PATCH.iter().find_map(|(start, tool)| Some((*tool, line.strip_prefix(start)?.trim())));
        if let Some((tool, path)) = named {
            found.push((tool, path.to_owned(), String::new(), String::new()));
        } else if let Some((_, _, old, new)) = found.last_mut() {
            for (text, sign) in [(old, '-'), (new, '+')] {
                if let Some(rest) = line.strip_prefix(sign) {
                    text.push_str(rest);
                    text.push('\n');
                }
            }
        }
    }
    found
        .into_iter()
        .map(|(tool, path, old, new)| (tool.to_owned(), change(tool, &path, &old, &new)))
        .collect()
}

/// The input of an edit, or of a file that is written.
pub(super) fn change(tool: &str, path: &str, old: &str, new: &str) -> Value {
    if tool == "Write" {
        json!({"file_path": path, "content": new})
    } else {
        json!({"file_path": path, "old_string": old, "new_string": new})
    }
}
