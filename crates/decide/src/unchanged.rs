//! What an edit leaves as it was: no reason to refuse it.
//!
//! An edit carries what stands around the place that it changes. A lesson about a text that stood there before, and that the
//! edit does not add once more, is told and refuses nothing.

use lessons_index::{Corrupt, Match};
use lessons_lesson::{Call, Mode};
use lessons_text::Content;

/// Lets the lessons advise that would refuse an edit for what it leaves as it was. `matches` says whether one matches a call.
pub(crate) fn let_pass(
    call: &Call<'_>,
    found: &mut [Match],
    matches: impl Fn(&Match, &Call<'_>) -> Result<bool, Corrupt>,
) -> Result<(), Corrupt> {
    if call.replaced.is_empty() || found.iter().all(|found| found.mode == Mode::Advise) {
        return Ok(());
    }
    let with_contents = |contents| Call { contents, ..call.clone() };
    let (before, after) = (with_contents(call.replaced.clone()), with_contents(added(call)));
    for found in found.iter_mut().filter(|found| found.mode != Mode::Advise) {
        if matches(found, &before)? && !matches(found, &after)? {
            found.mode = Mode::Advise;
        }
    }
    Ok(())
}

/// The lines that a call writes and that were not there.
fn added<'a>(call: &Call<'_>) -> Vec<Content<'a>> {
    let was_there =
        |line: &&str| call.replaced.iter().any(|text| text.text().lines().any(|old| old == *line));
    let new = |content: &Content<'_>| {
        let lines: Vec<&str> = content.text().lines().filter(|line| !was_there(line)).collect();
        Content::from(lines.join("\n"))
    };
    call.contents.iter().map(new).collect()
}
