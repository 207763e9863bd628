//! The origins of blocks and rules: the queries about them, and what their answers say.
//!
//! What a person says outright is proposed first, and what is written down next. A page, an issue or the answer of a
//! tool that asks for the same must not get there through a person who pastes it, or an agent that copies it.

use lessons_ledger::{Doubt, Signal};

use super::gather::PlacedNote;
use crate::detect::{Detector, doubtful_text};
use crate::echo::{Provenance, Question};
use crate::run::echo_check::PlacedQuery;
use crate::run::finding::{COPIED, ECHO, NOT_COMPARED, UNCHECKED};
use crate::run::packages;
use crate::tag::Block;
use crate::tag::lines::PlacedBlock;
use crate::transcript::InputSource;
use crate::transcript::timestamp::Timestamp;

/// The queries about a block: whether its text was read before, then whether the name of each of its packages was.
pub(super) fn of_block(file: usize, block: &PlacedBlock) -> impl Iterator<Item = PlacedQuery> {
    let question = match &block.found.block {
        Block::Lesson(tag) => Question::of_lesson(tag),
        Block::Cancel(cancel) => Question::of_cancel(cancel),
    };
    let names = packages_of(block).into_iter().map(Question::of_name);
    let placed = move |question| PlacedQuery {
        file,
        offset: block.offset,
        time: block.said.time,
        question,
        sources: &InputSource::ALL,
    };
    std::iter::once(question).chain(names).map(placed)
}

/// The packages that the fix of a block installs.
pub(super) fn packages_of(block: &PlacedBlock) -> Vec<&str> {
    match &block.found.block {
        Block::Lesson(tag) => packages::installed(&tag.finding.fix),
        Block::Cancel(_) => Vec::new(),
    }
}

/// The query whether the rule of a note was read before. Only rules in somebody's words have one: what a detector saw
/// in calls is in nobody's. A search reads the whole session, so there is none for what is proposed only when it comes
/// again.
pub(super) fn of_rule(file: usize, placed: &PlacedNote) -> Option<PlacedQuery> {
    let signal = &placed.note;
    let is_worded = matches!(
        Detector::named(&signal.detector),
        Some(Detector::Asked | Detector::Correction | Detector::Written)
    );
    let question = Question::of_rule(&signal.finding.fix).filter(|_| is_worded && signal.is_strong)?;
    let time = Some(Timestamp::from_millis(signal.sighting.time));
    Some(PlacedQuery { file, offset: placed.offset, time, question, sources: &[InputSource::Others] })
}

/// The note with the doubt that its provenance raises.
pub(super) fn with_doubt(mut signal: Signal, provenance: Provenance) -> Signal {
    let (name, meaning) = match provenance {
        Provenance::Own => return signal,
        Provenance::Echo => (ECHO, COPIED),
        Provenance::Unchecked => (UNCHECKED, NOT_COMPARED),
    };
    signal.finding.flags.push(Doubt { name: name.into(), meaning: meaning.into() });
    signal.finding.basis = vec![doubtful_text()];
    signal
}
