//! The origin of a block: the queries about it, and what their answers say.

use crate::echo::{ComparedInputs, Question};
use crate::run::echo_check::PlacedQuery;
use crate::run::packages;
use crate::tag::Block;
use crate::tag::lines::PlacedBlock;

/// The queries about a block: whether its text was read before, then whether the name of each of its packages was.
pub(super) fn queries(file: usize, block: &PlacedBlock) -> impl Iterator<Item = PlacedQuery> {
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
        inputs: ComparedInputs::All,
    };
    std::iter::once(question).chain(names).map(placed)
}

/// The packages that the fix of a block installs.
pub(super) fn packages_of(block: &PlacedBlock) -> Vec<&str> {
    match &block.found.block {
        Block::Lesson(tag) => packages::installed(&tag.fix),
        Block::Cancel(_) => Vec::new(),
    }
}
