//! A tool call, reduced to the parts that lessons look at.

use std::borrow::Cow;

use crate::lesson::SampleCall;
use lessons_text::content::Content;
use lessons_text::path;

/// A tool call. Text is borrowed from the payload unless it had to be unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call<'a> {
    /// The tool's name; `Task` is stored as `Agent`.
    pub tool: Cow<'a, str>,
    /// The command of a Bash call.
    pub command: Option<Cow<'a, str>>,
    /// The paths in the call, as given, and the address that `WebFetch` asks for.
    pub paths: Vec<Cow<'a, str>>,
    /// Every text in the input of an MCP call, where they are asked for.
    pub texts: Vec<Cow<'a, str>>,
    /// The contents that an edit writes into a file, and the texts of an MCP call.
    pub contents: Vec<Content<'a>>,
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

impl Call<'_> {
    /// The root of the project in examples.
    pub const SAMPLE_ROOT: &'static str = "/p";

    /// The call that an example describes.
    pub fn of_sample(sample: &SampleCall) -> Call<'_> {
        Call {
            tool: tool_name(&sample.tool).into(),
            command: sample.command.as_deref().map(Cow::from),
            paths: sample.file.as_deref().map(Cow::from).into_iter().collect(),
            texts: Vec::new(),
            contents: sample.content.as_deref().map(Content::from).into_iter().collect(),
            error: sample.error.as_deref().map(Cow::from),
            cwd: Some(sample.cwd.as_deref().unwrap_or(Self::SAMPLE_ROOT).into()),
        }
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
    fn a_path_is_made_absolute_on_the_text() {
        let call = Call {
            paths: vec!["a/../b.ts".into(), "/x/./y".into(), "".into()],
            cwd: Some("/srv/app".into()),
            ..Call::default()
        };
        assert_eq!(call.absolute_paths(), ["/srv/app/b.ts", "/x/y"]);
    }
}
