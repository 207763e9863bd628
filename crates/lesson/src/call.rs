//! A tool call, reduced to the parts that lessons look at.

use std::borrow::Cow;

use crate::lesson::SampleCall;
use lessons_text::{Content, path};

/// A tool call. Text is borrowed from the payload unless it had to be unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call<'a> {
    /// The tool's name; `Task` is stored as `Agent`.
    pub tool: Cow<'a, str>,
    /// The command line of a call that [`may run`](may_run_commands) one.
    pub command: Option<Cow<'a, str>>,
    /// The paths in the call, as given, and the address that `WebFetch` asks for.
    pub paths: Vec<Cow<'a, str>>,
    /// Every text in the input of an MCP call, where they are asked for.
    pub texts: Vec<Cow<'a, str>>,
    /// The contents that an edit writes into a file, and the texts of an MCP call.
    pub contents: Vec<Content<'a>>,
    /// The texts in whose place an edit puts its contents.
    pub replaced: Vec<Content<'a>>,
    /// The error text of a call that has failed; `None` before a call.
    pub error: Option<Cow<'a, str>>,
    /// The working folder, against which relative paths are resolved.
    pub cwd: Option<Cow<'a, str>>,
}

/// The tool that asks for an address.
pub const FETCH: &str = "WebFetch";

/// The name that the client uses today for a tool: `Task` is now `Agent`.
pub fn tool_name(name: &str) -> &str {
    if name == "Task" { "Agent" } else { name }
}

/// Whether a tool writes into files, so that its contents are matched.
pub fn writes_files(tool: &str) -> bool {
    matches!(tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
}

/// The name that stands for every shell in a lesson's `tools`.
pub const SHELL: &str = "Bash";

/// Whether a tool is a shell: one of the client, or that of an editor.
pub fn is_shell(tool: &str) -> bool {
    matches!(tool, SHELL | "PowerShell" | "Monitor" | "mcp__acp__Bash")
}

/// Whether the `command` in a tool's input is a command line: that of a shell, or of a tool of an MCP server.
pub fn may_run_commands(tool: &str) -> bool {
    is_shell(tool) || tool.starts_with(MCP)
}

/// The names in `tools` that stand for everything that reads or writes a file: what a lesson about reading is for.
pub const FILE_TOOLS: [&str; 10] =
    [SHELL, "Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LSP", "mcp__*"];

/// The start of the name of every tool of an MCP server.
pub const MCP: &str = "mcp__";

/// The names under which an MCP tool is given a file, besides those that editors use.
pub const MCP_PATHS: [&str; 6] = ["file", "filePath", "filepath", "relative_path", "source", "destination"];

/// The words with which the last part of an MCP tool's name begins if it only reads.
const READING: [&str; 5] = ["read", "get", "list", "search", "stat"];
/// The words in such a name that say that it does more.
const WRITING: [&str; 12] = [
    "append", "create", "delete", "edit", "insert", "move", "patch", "remove", "replace", "set", "update",
    "write",
];

/// Whether a tool is one of an MCP server whose name does not say that it only reads.
pub fn is_writing_mcp(tool: &str) -> bool {
    let Some(name) = tool.strip_prefix(MCP) else { return false };
    let words = words(name.rsplit("__").next().unwrap_or(name));
    let reads = words.first().is_some_and(|first| READING.contains(&first.as_str()));
    !reads || words.iter().any(|word| WRITING.contains(&word.as_str()))
}

/// The words of a name: `readFile` and `read_file` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Call<'_> {
    /// The root of the project in examples.
    pub const SAMPLE_ROOT: &'static str = "/p";

    /// The call that an example describes.
    pub fn of_sample(sample: &SampleCall) -> Call<'_> {
        Call {
            tool: tool_name(&sample.tool).into(),
            command: sample.command.as_deref().map(Cow::from),
            paths: sample.file.as_deref().map(Cow::from).into_iter().collect(),
            contents: sample.content.as_deref().map(Content::from).into_iter().collect(),
            error: sample.error.as_deref().map(Cow::from),
            cwd: Some(sample.cwd.as_deref().unwrap_or(Self::SAMPLE_ROOT).into()),
            ..Call::default()
        }
    }

    /// Whether the call may change the files that it is about.
    pub fn writes(&self) -> bool {
        self.command.is_some() || writes_files(&self.tool) || is_writing_mcp(&self.tool)
    }

    /// Whether a name in a lesson's `tools` stands for the tool of this call.
    pub fn is_of_tool(&self, name: &str) -> bool {
        name == self.tool
            || name == SHELL && self.command.is_some()
            || name.strip_suffix('*').is_some_and(|start| self.tool.starts_with(start))
    }

    /// The call's paths as absolute paths, without `.` and `..`. A relative path is joined to the working
    /// folder; without one it stays relative. The address of a fetch stays as it is.
    pub fn absolute_paths(&self) -> Vec<String> {
        let folder = self.cwd.as_deref().unwrap_or_default();
        let is_address = self.tool == FETCH;
        let absolute = |path: &Cow<'_, str>| {
            if is_address { path.to_string() } else { path::lexical(&path::join(folder, path)) }
        };
        self.paths.iter().filter(|path| !path.is_empty()).map(absolute).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_stands_for_every_shell_and_a_star_for_the_rest_of_a_name() {
        let call = |tool: &'static str, command: Option<&'static str>| Call {
            tool: tool.into(),
            command: command.map(Into::into),
            ..Call::default()
        };
        assert!(
            call("PowerShell", Some("ls")).is_of_tool("Bash")
                && call("mcp__acp__Bash", Some("")).is_of_tool("Bash")
        );
        assert!(
            !call("mcp__acp__x", None).is_of_tool("Bash")
                && !call("Bash", Some("ls")).is_of_tool("PowerShell")
        );
        assert!(
            call("mcp__fs__write", None).is_of_tool("mcp__fs__*") && !call("Edit", None).is_of_tool("mcp__*")
        );
    }

    #[test]
    fn a_path_is_made_absolute_on_the_text() {
        let call = Call {
            paths: vec!["a/../b.ts".into(), "/x/./y".into(), "".into()],
            cwd: Some("/srv/app".into()),
            ..Call::default()
        };
        assert_eq!(call.absolute_paths(), ["/srv/app/b.ts", "/x/y"]);
    }
}
