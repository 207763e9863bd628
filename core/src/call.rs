//! A tool call, as far as lessons look at it.

use std::borrow::Cow;

use crate::content::Content;
use crate::lesson::SampleCall;
use crate::path;

/// A tool call. Text is borrowed from the payload where that needs no unescaping.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call<'a> {
    /// The tool's name; `Task` is called `Agent`.
    pub tool: Cow<'a, str>,
    /// What Bash is asked to run.
    pub command: Option<Cow<'a, str>>,
    /// The paths the call names, as given.
    pub paths: Vec<Cow<'a, str>>,
    /// What an edit puts into a file.
    pub contents: Vec<Content<'a>>,
    /// The working folder, for relative paths.
    pub cwd: Option<Cow<'a, str>>,
}

/// The tool's name as the client reports it today: it calls `Task` `Agent`.
pub fn tool_name(name: &str) -> &str {
    if name == "Task" { "Agent" } else { name }
}

/// Whether the tool writes into files, so that its content counts.
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
            contents: sample.content.as_deref().map(Content::from).into_iter().collect(),
            cwd: Some(Self::SAMPLE_ROOT.into()),
        }
    }

    /// The call's paths from the root, without `.` and `..`. A relative path starts at the working
    /// folder; without one it stays relative.
    pub fn absolute_paths(&self) -> Vec<String> {
        self.paths
            .iter()
            .filter(|path| !path.is_empty())
            .map(|path| path::lexical(&path::join(self.cwd.as_deref().unwrap_or_default(), path)))
            .collect()
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
