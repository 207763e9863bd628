//! Gemini: `~/.gemini/tmp/P/chats/session-*.jsonl`. A message is written again with more in it, so what was said of it
//! before is remembered.

use std::collections::HashSet;
use std::path::Path;

use lessons_home::files;
use serde_json::Value;

use super::calls::calls;
use super::lines::{End, Lines, Reader, cut_out, owned, text_in};

/// The file beside the chats of a project that names its folder, and the longest that is read.
const ROOT: &str = ".project_root";
const LONGEST_ROOT: u64 = 4096;
/// What the client puts before a prompt, each between two tags. The first holds what hooks said.
const BEFORE_PROMPTS: [(&str, &str); 2] =
    [("<hook_context>", "</hook_context>"), ("<session_context>", "</session_context>")];

struct Gemini {
    cwd: Option<String>,
    /// The messages and calls that were told already.
    seen: HashSet<String>,
}

/// The reader of the transcript at `path`.
pub(super) fn reader(path: &Path) -> Reader {
    let root = path.parent().and_then(Path::parent).map(|project| project.join(ROOT));
    let bytes = root.and_then(|root| files::read_foreign(&root, LONGEST_ROOT).ok().flatten());
    let cwd = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(|root| root.trim().to_owned());
    let mut gemini = Gemini { cwd: cwd.filter(|cwd| cwd.starts_with('/')), seen: HashSet::new() };
    Box::new(move |line, out| gemini.read(line, out))
}

impl Gemini {
    fn call(&mut self, call: &Value, out: &mut Lines) {
        let id = owned(&call["id"]).unwrap_or_default();
        if self.seen.insert(format!("call {id}")) {
            out.call(&id, calls(&call["name"], &call["args"]));
        }
        if let Some((end, text)) = ended(call)
            && self.seen.insert(format!("end {id}"))
        {
            out.end(&id, end, &text);
        }
    }

    fn read(&mut self, line: &Value, out: &mut Lines) {
        let id = owned(&line["id"]).unwrap_or_default();
        match (line.get("projectHash"), line["type"].as_str()) {
            // A session that is taken up again has a line more.
            (Some(_), _) if out.session.is_empty() => {
                out.session = owned(&line["sessionId"]).unwrap_or_default();
                out.cwd.clone_from(&self.cwd);
            }
            (None, Some("user")) if self.seen.insert(id.clone()) => {
                let mut prompt = text_in(&line["content"]);
                let [told, _] = BEFORE_PROMPTS.map(|(open, close)| cut_out(&mut prompt, open, close, ""));
                out.told(None, &told);
                if !prompt.trim().is_empty() {
                    out.person(prompt.trim());
                }
            }
            (None, Some("gemini")) => {
                out.speaker = owned(&line["model"]).or_else(|| out.speaker.take());
                out.model(owned(&line["content"]).filter(|_| self.seen.insert(id)));
                line["toolCalls"].as_array().into_iter().flatten().for_each(|call| self.call(call, out));
            }
            _ => {}
        }
    }
}

/// The end of a call, once it has one.
fn ended(call: &Value) -> Option<(End, String)> {
    let response = &call["result"][0]["functionResponse"]["response"];
    let text = text_in(response.get("output").or_else(|| response.get("error")).unwrap_or(&Value::Null));
    let end = match call["status"].as_str()? {
        "success" => End::of_code(exit_code(&text)),
        "error" => End::Failed(exit_code(&text)),
        "cancelled" => End::RefusedByPerson,
        _ => return None,
    };
    let text = text.replace("<untrusted_context>\n", "").replace("\n</untrusted_context>", "");
    Some((end, text.strip_prefix("Output: ").map(str::to_owned).unwrap_or(text)))
}

/// The exit code that the text of a result names.
pub(super) fn exit_code(text: &str) -> Option<i64> {
    text.lines().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok())
}
