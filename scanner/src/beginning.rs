//! The line with which a session began. A fork copies it, so it tells which sessions are copies.

use std::io::Read;
use std::path::Path;

use memchr::memmem::Finder;

use crate::line::{Limits, LineSearch, Part};
use crate::resume::Transcript;
use crate::transcript;

/// How much of a transcript is searched for it, in bytes. What comes before the first prompt are the
/// texts of hooks and the lists of tools.
const LOOK_LIMIT: u64 = 4 << 20;
/// The longest line that can be it, in bytes. Whoever stays small must see the same line as everybody.
const LONGEST_LINE: usize = 1 << 20;

/// The id of the first line of the user in a transcript: what comes before it is written anew when a
/// session is forked.
pub(crate) fn of(path: &Path) -> Option<String> {
    let transcript = Transcript::open(path).ok()?;
    let limits = Limits { line: LONGEST_LINE, ..Limits::default() };
    let mut search = LineSearch::with_limits(transcript.file.take(LOOK_LIMIT), 0, limits);
    let wanted = Finder::new("\"user\"");
    while let Ok(Some(part)) = search.next_with(&wanted) {
        if let Part::Line(line) = part
            && let Some(uuid) = transcript::prompt(line.bytes)
        {
            return Some(uuid);
        }
    }
    None
}
