//! The phase of work in which a tag was written, where it does not say so itself.

use std::io;
use std::os::unix::fs::FileExt as _;

use memchr::memmem;

use crate::tag::Block;
use crate::tag::lines::PlacedBlock;
use crate::transcript::resume::Transcript;

/// The key of the permission mode in a prompt's line. In a quotation its quotes would be escaped.
const PERMISSION_MODE: &[u8] = b"\"permissionMode\":\"";
/// The length of the text before a line that is searched for the last prompt, in bytes.
const CONTEXT: u64 = 1 << 20;

/// Gives each tag that names no phase the one in which it was written.
pub(crate) fn add_phases(blocks: &mut [PlacedBlock], file: &Transcript) -> io::Result<()> {
    for block in blocks {
        if let Block::Lesson(tag) = &mut block.found.block
            && tag.finding.insight.phase.is_none()
        {
            tag.finding.insight.phase = Some(phase_at(file, block.offset)?.to_owned());
        }
    }
    Ok(())
}

/// The phase at an offset of a transcript: `plan` where the last prompt before it was typed in plan mode.
fn phase_at(file: &Transcript, offset: u64) -> io::Result<&'static str> {
    let start = offset.saturating_sub(CONTEXT);
    let mut before = vec![0; usize::try_from(offset - start).unwrap_or_default()];
    file.file.read_exact_at(&mut before, start)?;
    let mode =
        memmem::rfind(&before, PERMISSION_MODE).and_then(|at| before.get(at + PERMISSION_MODE.len()..));
    let plans = mode.is_some_and(|mode| mode.starts_with(b"plan\""));
    Ok(if plans { "plan" } else { "execute" })
}
