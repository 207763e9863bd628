//! The lessons for the start of sessions: which are due to an agent here, and in which order.

use std::cmp::Reverse;

use crate::advice::Advice;
use crate::claims::Memory;
use lessons_index::matching::holds_at;
use lessons_index::{Corrupt, Index};
use lessons_lesson::{Clock, LateLesson, MAIN, ProjectLocation, Terms};

/// Those of some lessons that may be told to an agent here and now, best first: by layer, priority, quality, newest, id.
pub(crate) fn due(
    index: &Index<'_>,
    lessons: impl IntoIterator<Item = u32>,
    agent: &str,
    place: &ProjectLocation<'_>,
    advice: &Advice,
    clock: &dyn Clock,
    memory: &dyn Memory,
) -> Result<Vec<(u32, Terms)>, Corrupt> {
    let mut due = Vec::new();
    for lesson in lessons {
        let terms = index.terms(lesson)?;
        let is_for_agent = terms.agents.is_empty() || terms.agents.iter().any(|named| named == agent);
        if !terms.is_off(clock)
            && is_for_agent
            && advice.allows(&terms.id)
            && holds_at(&terms, place)
            && !memory.is_off(&terms.id)
        {
            due.push((lesson, terms));
        }
    }
    due.sort_by(|(_, a), (_, b)| rank(a).cmp(&rank(b)));
    Ok(due)
}

fn rank(terms: &Terms) -> impl Ord {
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
) -> Result<Vec<(u32, Terms)>, Corrupt> {
    let late = index.late_lessons()?.into_iter().filter(|(_, at)| LateLesson::is_due(*at, clock.now()));
    due(index, late.map(|(lesson, _)| lesson), MAIN, place, advice, clock, memory)
}
