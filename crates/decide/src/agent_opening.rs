//! What a sub-agent gets at its start.

use std::cmp::Reverse;

use crate::answer::{Advice, in_force};
use crate::claims::{Claim, Memory};
use lessons_index::matching::holds_at;
use lessons_index::{Corrupt, Index};
use lessons_lesson::{InLot, ProjectLocation, QualifiedId, Terms, protocol, render};

/// The agent types of the client that only read. They make few mistakes of their own, so they are told the protocol only
/// where a lesson names them.
const READERS: [&str; 2] = ["Explore", "Plan"];

/// What a sub-agent is told at its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentOpening {
    /// The lessons, then the protocol.
    pub text: String,
    /// The lessons in it.
    pub lessons: Vec<QualifiedId>,
    /// The lessons that the lot left out: recorded as if they were told.
    pub held: Vec<QualifiedId>,
}

/// The text for the start of a sub-agent of this type, `None` where nothing is to be said: the lessons that name the
/// type, newest first, then the protocol. Each lesson is claimed, so that no tool call of the sub-agent repeats it.
pub fn agent_opening(
    index: &Index<'_>,
    agent: &str,
    place: &ProjectLocation<'_>,
    advice: &Advice,
    now: u64,
    memory: &mut dyn Memory,
) -> Result<Option<AgentOpening>, Corrupt> {
    if advice.silenced || !in_force(index.settings(), &now) {
        return Ok(None);
    }
    let settings = &index.settings().agents;
    let mut lessons = Vec::new();
    index.each_agent_lesson(|found| lessons.push((found.lesson, found.text.to_owned())))?;
    let mut own: Vec<(Terms, String)> = Vec::new();
    for (lesson, text) in lessons {
        let terms = index.terms(lesson)?;
        if terms.agents.iter().any(|named| named == agent)
            && !terms.is_off(&now)
            && advice.allows(&terms.id)
            && holds_at(&terms, place)
            && !memory.is_off(&terms.id)
        {
            own.push((terms, text));
        }
    }
    own.sort_by(|(a, _), (b, _)| newest_first(a).cmp(&newest_first(b)));
    let leaves_out = advice.leaves_out(index.settings());
    // What is left out takes its room as if it were told: else more would be left out than is told elsewhere.
    let claimed = claimed(own, settings.lessons, settings.bytes, memory);
    let (held, told): (Vec<_>, Vec<_>) =
        claimed.into_iter().partition(|(terms, _)| leaves_out && terms.in_lot == InLot::Yes);
    let held: Vec<QualifiedId> = held.into_iter().map(|(terms, _)| terms.id).collect();
    let (texts, lessons): (Vec<String>, Vec<QualifiedId>) =
        told.into_iter().map(|(terms, text)| (text, terms.id)).unzip();
    let has_own = !texts.is_empty();
    let told = has_own.then(|| render::agent_opening(&texts));
    let is_due = settings.protocol && (has_own || !READERS.contains(&agent));
    let protocol = is_due.then(|| protocol::FOR_AGENTS.to_owned());
    let parts: Vec<String> = [told, protocol].into_iter().flatten().collect();
    let has_any = !parts.is_empty() || !held.is_empty();
    Ok(has_any.then(|| AgentOpening { text: parts.join("\n"), lessons, held }))
}

fn newest_first(terms: &Terms) -> impl Ord {
    (Reverse(terms.created_at.as_str()), &terms.id)
}

/// Claims the first lessons, as many as fit, and gives them with their texts. One that does not fit is left whole.
fn claimed(
    own: Vec<(Terms, String)>,
    most: usize,
    bytes: usize,
    memory: &mut dyn Memory,
) -> Vec<(Terms, String)> {
    let mut claimed = Vec::new();
    let mut left = bytes.saturating_sub(render::agent_heading(most).len());
    for (terms, text) in own {
        let length = render::numbered_lesson(claimed.len() + 1, &text).len();
        if claimed.len() == most {
            break;
        }
        if length > left || memory.tell(&terms.id) == Claim::Taken {
            continue;
        }
        left -= length;
        claimed.push((terms, text));
    }
    claimed
}
