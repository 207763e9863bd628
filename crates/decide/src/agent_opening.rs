//! What a sub-agent gets at its start.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::answer::{Advice, in_force};
use crate::claims::{Claim, Memory};
use crate::opening::Opening;
use crate::session_lessons::due;
use lessons_index::{Corrupt, Index};
use lessons_lesson::{InLot, ProjectLocation, Terms, protocol, render};

/// The agent types of the client that only read. They make few mistakes of their own, so they are told the protocol only
/// where a lesson names them.
const READERS: [&str; 2] = ["Explore", "Plan"];

/// The text for the start of a sub-agent of this type, `None` where nothing is to be said: the lessons that name the
/// type, newest first, then the protocol. Each lesson is claimed, so that no tool call of the sub-agent repeats it.
pub fn agent_opening(
    index: &Index<'_>,
    agent: &str,
    place: &ProjectLocation<'_>,
    advice: &Advice,
    now: u64,
    memory: &mut dyn Memory,
) -> Result<Option<Opening>, Corrupt> {
    if advice.silenced || !in_force(index.settings(), &now) {
        return Ok(None);
    }
    let settings = &index.settings().agents;
    let mut texts = BTreeMap::new();
    index.each_agent_lesson(|found| _ = texts.insert(found.lesson, found.text.to_owned()))?;
    let mut own = due(index, texts.keys().copied(), agent, place, advice, &now, memory)?;
    own.sort_by(|(_, a), (_, b)| newest_first(a).cmp(&newest_first(b)));
    let leaves_out = advice.leaves_out(index.settings());
    let (mut told, mut lessons, mut held) = (Vec::new(), Vec::new(), Vec::new());
    let mut left = settings.bytes.saturating_sub(render::agent_heading(settings.lessons).len());
    for (lesson, terms) in own {
        // What is left out takes its room as if it were told: else more would be left out than is told elsewhere.
        let place = lessons.len() + held.len() + 1;
        if place > settings.lessons {
            break;
        }
        let text = texts.remove(&lesson).unwrap_or_default();
        let length = render::numbered_lesson(place, &text).len();
        // One that does not fit is left whole.
        if length > left || memory.tell(&terms.id) == Claim::Taken {
            continue;
        }
        left -= length;
        if leaves_out && terms.in_lot == InLot::Yes {
            held.push(terms.id);
        } else {
            told.push(text);
            lessons.push(terms.id);
        }
    }
    let has_own = !told.is_empty();
    let is_due = settings.protocol && (has_own || !READERS.contains(&agent));
    let own = has_own.then(|| render::agent_opening(&told));
    let protocol = is_due.then(|| protocol::FOR_AGENTS.to_owned());
    let parts: Vec<String> = own.into_iter().chain(protocol).collect();
    let has_any = !parts.is_empty() || !held.is_empty();
    Ok(has_any.then(|| Opening { text: parts.join("\n"), lessons, held, left_out: 0 }))
}

fn newest_first(terms: &Terms) -> impl Ord {
    (Reverse(terms.created_at.as_str()), &terms.id)
}
