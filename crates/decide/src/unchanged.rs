//! What an edit leaves as it was: no reason to refuse it.
//!
//! An edit carries what stands around the place that it changes. A lesson about a text that stood there before, and that the
//! edit does not add once more, is told and refuses nothing.

use std::collections::HashMap;

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

/// The lines that a call writes and that were not there: each line of the old text counts once.
fn added<'a>(call: &Call<'_>) -> Vec<Content<'a>> {
    let mut old: HashMap<&str, usize> = HashMap::new();
    for line in call.replaced.iter().flat_map(|text| text.text().lines()) {
        *old.entry(line).or_default() += 1;
    }
    let mut new = Vec::new();
    for line in call.contents.iter().flat_map(|text| text.text().lines()) {
        match old.get_mut(line) {
            Some(left) if *left > 0 => *left -= 1,
            _ => new.push(line),
        }
    }
    vec![Content::from(new.join("\n"))]
}
