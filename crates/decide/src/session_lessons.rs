//! The lessons for the start of sessions: which are due in the main thread here, and in which order.

use std::cmp::Reverse;

use crate::advice::Advice;
use crate::claims::Memory;
use lessons_index::matching::holds_at;
use lessons_index::{Corrupt, Index};
use lessons_lesson::compiled::{Clock, LateLesson, Terms};
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::MAIN;
use lessons_lesson::project::ProjectLocation;

/// Whether a lesson may be told to the main thread of a session here and now.
pub(crate) fn is_due(
    terms: &Terms,
    place: &ProjectLocation<'_>,
    advice: &Advice,
    clock: &dyn Clock,
    memory: &dyn Memory,
) -> bool {
    let for_main = terms.agents.is_empty() || terms.agents.iter().any(|agent| agent == MAIN);
    !terms.is_off(clock)
        && for_main
        && advice.allows(&terms.id)
        && holds_at(terms, place)
        && !memory.is_off(&terms.id)
}

/// The order in which they are told: layer, priority, quality, newest, id.
pub(crate) fn rank(terms: &Terms) -> impl Ord {
    let worth = (terms.priority, terms.quality);
    (&terms.id.layer, Reverse(worth), Reverse(terms.created_at.as_str()), &terms.id)
}

/// The lessons that came into force lately and are due at a call of the main thread, best first. It tells those that its
/// session was not told at its start; the claims know which these are.
pub(crate) fn late(
    index: &Index<'_>,
    place: &ProjectLocation<'_>,
    advice: &Advice,
    clock: &dyn Clock,
    memory: &dyn Memory,
) -> Result<Vec<(u32, QualifiedId)>, Corrupt> {
    let mut due: Vec<(u32, Terms)> = Vec::new();
    for (lesson, at) in index.late_lessons()? {
        let terms = index.terms(lesson)?;
        let late = LateLesson { id: terms.id.clone(), at };
        if late.is_due(clock.now()) && is_due(&terms, place, advice, clock, memory) {
            due.push((lesson, terms));
        }
    }
    due.sort_by(|(_, a), (_, b)| rank(a).cmp(&rank(b)));
    Ok(due.into_iter().map(|(lesson, terms)| (lesson, terms.id)).collect())
}
