//! What a session gets at its start.

use crate::answer::{Advice, Budget, Told, in_force};
use crate::claims::Memory;
use crate::session_lessons::due;
use lessons_index::{Corrupt, Index};
use lessons_lesson::{MAIN, ProjectLocation, QualifiedId, protocol};

/// Why a session starts, as the client says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A new session.
    Startup,
    /// A new session after `/clear`.
    Clear,
    /// The same session, after its context was compacted.
    Compact,
    /// The same session: its old context is still there.
    Resume,
    /// A new session with a copy of the context.
    Fork,
}

impl Source {
    /// Reads the client's word. A payload without one is a start; a word that we do not know is
    /// taken for `resume`, because saying nothing twice is the safer mistake.
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            None | Some("startup") => Self::Startup,
            Some("clear") => Self::Clear,
            Some("compact") => Self::Compact,
            Some("fork") => Self::Fork,
            Some(_) => Self::Resume,
        }
    }

    /// Whether the model has nothing of ours before it.
    pub fn is_blank(self) -> bool {
        matches!(self, Self::Startup | Self::Clear | Self::Compact)
    }
}

/// What a model is told at the start of its session, or of itself where it is a sub-agent.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The lessons, then the protocol.
    pub text: String,
    /// The lessons in it.
    pub lessons: Vec<QualifiedId>,
    /// The lessons that the lot left out: recorded as if they were told.
    pub held: Vec<QualifiedId>,
    /// The number of lessons that there was no room for.
    pub left_out: usize,
}

/// The text for the start of a session, `None` where nothing is to be said.
///
/// At a compaction the caller first lets the ledger forget: what is still claimed is not told again.
pub fn opening(
    index: &Index<'_>,
    source: Source,
    place: &ProjectLocation<'_>,
    advice: &Advice,
    now: u64,
    memory: &mut dyn Memory,
) -> Result<Option<Opening>, Corrupt> {
    if !source.is_blank() || advice.silenced || !in_force(index.settings(), &now) {
        return Ok(None);
    }
    let candidates = due(index, index.session_lessons()?, MAIN, place, advice, &now, memory)?;
    let budget = Budget { lessons: usize::MAX, bytes: index.settings().session_bytes };
    let mut told = Told::new(budget, advice.leaves_out(index.settings()));
    told.add(index, candidates.iter().map(|(lesson, terms)| (*lesson, &terms.id)), memory, &mut ())?;
    let text = told.text().map_or_else(String::new, |text| text + "\n") + &protocol::text();
    let left_out = candidates.len() - told.lessons.len() - told.held.len();
    Ok(Some(Opening { text, lessons: told.lessons, held: told.held, left_out }))
}
