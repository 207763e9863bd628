//! Facts about a session that are read from the start of a transcript or from the file beside it.

use std::io::Read as _;
use std::path::Path;

use lessons_home::files;
use memchr::memmem::Finder;

use crate::transcript;
use crate::transcript::line::{Limits, LineSearch};
use crate::transcript::resume::Transcript;

/// The length of the start of a transcript that is searched for the first prompt, in bytes. Before it stand the
/// texts of hooks and the lists of tools.
const SEARCHED: u64 = 4 << 20;
/// The longest line that can be the first prompt, in bytes. A scan in little memory must find the same line as any
/// other.
const LONGEST_LINE: usize = 1 << 20;
/// The bytes per read: hardly any transcript has that much before its first prompt.
const CHUNK: usize = 32 << 10;
/// The most that is read of the metadata of a sub-agent, in bytes.
const MAX_META: u64 = 64 << 10;

/// The id of the first line of the user in a transcript. A fork copies it, so it tells which sessions are copies;
/// what comes before it is written anew when a session is forked.
pub fn first_prompt_id(path: &Path) -> Option<String> {
    let transcript = Transcript::open(path).ok()?;
    let limits = Limits { chunk: CHUNK, line: LONGEST_LINE };
    let mut search = LineSearch::with_limits(transcript.file.take(SEARCHED), 0, limits);
    search.find_map(&Finder::new("\"user\""), |line| transcript::prompt_id(line.bytes)).ok()?
}

/// The type of the sub-agent whose transcript this is, if the file that the client puts beside it
/// (`agent-….meta.json`) names one.
pub fn agent_type(transcript: &Path) -> Option<String> {
    let mut meta = Vec::new();
    let file = files::open_regular(&transcript.with_extension("meta.json")).ok()?;
    file.take(MAX_META).read_to_end(&mut meta).ok()?;
    transcript::agent_type(&meta)
}
