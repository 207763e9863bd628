//! What a session gets at its start.

use std::cmp::Reverse;

use crate::answer::{Advice, Advisable, Budget, Decision, advise, in_force};
use crate::claims::Memory;
use crate::compiled::Terms;
use crate::id::QualifiedId;
use crate::lesson::When;
use crate::manifest::Manifest;
use crate::matching::in_scope;
use crate::project::Place;
use crate::protocol;

/// The most bytes of lessons told at the start of a session. The protocol comes on top.
pub const MAX_LESSON_BYTES: usize = 4096;

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

/// What the model is told at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The protocol, then the lessons that are told every session.
    pub text: String,
    /// The lessons in it.
    pub lessons: Vec<QualifiedId>,
}

/// The text for the start of a session, `None` where nothing is to be said.
///
/// At a compaction the caller first lets the ledger forget: what is still claimed is not told again.
pub fn opening(
    manifest: &Manifest,
    source: Source,
    place: &Place<'_>,
    advice: &Advice,
    now: u64,
    memory: &mut dyn Memory,
) -> Option<Opening> {
    if !source.is_blank() || advice.silenced || !in_force(&manifest.settings, &now) {
        return None;
    }
    let mut candidates: Vec<(u32, &Terms)> = (0..)
        .zip(manifest.lessons.iter().map(|lesson| &lesson.terms))
        .filter(|(_, terms)| terms.when == When::Session && !terms.is_off(&now))
        .filter(|(_, terms)| terms.agents.is_empty() || terms.agents.iter().any(|agent| agent == "main"))
        .filter(|(_, terms)| advice.allows(&terms.id) && in_scope(terms, place) && !memory.is_off(&terms.id))
        .collect();
    candidates.sort_by_key(|(_, terms)| {
        (&terms.id.layer, Reverse(terms.priority), Reverse(&terms.created_at), &terms.id)
    });
    let mut budget = Budget { lessons: usize::MAX, bytes: MAX_LESSON_BYTES };
    let protocol = protocol::text();
    let candidates =
        candidates.into_iter().map(|(at, terms)| Advisable::new(manifest, at, &terms.id, terms.priority));
    let Ok(told) = advise(candidates, &mut budget, memory, &mut ());
    Some(match told {
        Decision::Advise { text, lessons } => Opening { text: format!("{protocol}\n{text}"), lessons },
        _ => Opening { text: protocol, lessons: Vec::new() },
    })
}
