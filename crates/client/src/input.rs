//! The input of a tool, under whatever names a client gives its parts.

use lessons_lesson::Call;
use lessons_lesson::call::{FETCH, MCP, MCP_PATHS, may_run_commands, writes_files};
use lessons_text::Content;
use serde_json::Value;

use crate::patch;

/// The names of the path of a file.
const PATHS: [&str; 4] = ["file_path", "path", "filePath", "notebook_path"];
/// The names of what is written into it.
const CONTENTS: [&str; 7] =
    ["new_string", "content", "new_str", "newString", "file_text", "new_source", "newText"];
/// The names of what it takes the place of.
const REPLACED: [&str; 4] = ["old_string", "old_str", "oldString", "oldText"];
/// The tool whose input is a patch, and the names of the patch in it, if it has one.
const PATCH: &str = "apply_patch";
const PATCHES: [&str; 3] = ["command", "patchText", "input"];

/// The calls that a tool with this input makes: a patch is one for each of its files.
pub(crate) fn calls(tool: String, input: &Value) -> Vec<Call<'static>> {
    let named = PATCHES.into_iter().filter(|_| tool == PATCH).find_map(|name| input[name].as_str());
    let patch = named.or_else(|| input.as_str());
    if let Some(patch) = patch {
        let call = |file: patch::FilePatch<'_>| Call {
            tool: file.tool.into(),
            paths: file.paths.iter().map(|path| (*path).to_owned().into()).collect(),
            contents: vec![Content::from(file.content)],
            ..Call::default()
        };
        return patch::files(patch).into_iter().map(call).collect();
    }
    let text = |key: &str| input[key].as_str().map(str::to_owned);
    let is_of_server = tool.starts_with(MCP);
    let of_server = MCP_PATHS.iter().filter(|name| is_of_server && !PATHS.contains(name));
    let mut paths: Vec<String> = PATHS.iter().chain(of_server).filter_map(|name| text(name)).collect();
    paths.extend(text("url").filter(|_| tool == FETCH));
    let texts = if is_of_server { all_texts(input) } else { Vec::new() };
    let contents = if writes_files(&tool) { parts(input, &CONTENTS) } else { texts.clone() };
    vec![Call {
        command: text("command").filter(|_| may_run_commands(&tool)).map(Into::into),
        paths: paths.into_iter().map(Into::into).collect(),
        texts: texts.into_iter().map(Into::into).collect(),
        contents: contents.into_iter().map(Content::from).collect(),
        replaced: parts(input, &REPLACED).into_iter().map(Content::from).collect(),
        tool: tool.into(),
        ..Call::default()
    }]
}

/// The texts under these names in an edit, in itself and in its `edits`.
fn parts(input: &Value, names: &[&str]) -> Vec<String> {
    let edits = input["edits"].as_array().map_or(&[][..], Vec::as_slice);
    let parts = std::iter::once(input).chain(edits);
    parts.flat_map(|part| names.iter().filter_map(|key| part[*key].as_str())).map(str::to_owned).collect()
}

/// Every text in the input of an MCP tool, whose form only its server knows.
fn all_texts(input: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let mut left = vec![input];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => left.extend(fields.values()),
            _ => {}
        }
    }
    texts
}
