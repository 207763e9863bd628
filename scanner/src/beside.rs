//! The file that the client puts beside the transcript of a sub-agent.

use std::io::Read as _;
use std::path::Path;

use crate::resume::Transcript;
use crate::transcript;

/// The most that is read of it, in bytes.
const LIMIT: u64 = 64 << 10;

/// The type of the sub-agent whose transcript this is, if the file beside it (`agent-….meta.json`) names one.
pub fn agent_type(transcript: &Path) -> Option<String> {
    let mut meta = Vec::new();
    let file = Transcript::open(&transcript.with_extension("meta.json")).ok()?.file;
    file.take(LIMIT).read_to_end(&mut meta).ok()?;
    transcript::agent_type(&meta)
}
