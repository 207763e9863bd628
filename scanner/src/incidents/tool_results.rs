//! The result of one call of a tool, looked up in all transcripts by the id of the call.

use std::path::PathBuf;

use lessons_incident::kind::Source;
use lessons_text::neutral::is_hidden;
use memchr::memmem::Finder;

use crate::transcript::line::LineSearch;
use crate::transcript::{self, foreign, walk};

/// The longest id that is looked for, in bytes.
const LONGEST_ID: usize = 200;

/// A result, and the source of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundResult {
    /// The text.
    pub text: String,
    /// The source.
    pub source: Source,
}

/// The result of the call of this id in the transcripts under `roots`. `None` if there is none.
pub fn find(roots: &[PathBuf], id: &str) -> Option<FoundResult> {
    if id.is_empty() || id.len() > LONGEST_ID || id.contains(|c: char| is_hidden(c) || c == '"' || c == '\\')
    {
        return None;
    }
    let walked = walk::walk(roots);
    walked.files().find_map(|path| {
        let mut search = LineSearch::new(foreign::open(path).ok()?, 0);
        let id_in_line = Finder::new(id);
        let mut source = None;
        let found = search.find_map(&id_in_line, |line| {
            let results = transcript::tool_results(line.bytes).ok().flatten();
            let result = results.and_then(|all| all.results.into_iter().find(|result| result.id == id));
            if result.is_none() {
                source = super::source_of_call(line.bytes, id).or(source.take());
            }
            result
        });
        let text = found.ok()??.text;
        Some(FoundResult { text, source: source.unwrap_or_else(super::unknown_source) })
    })
}
