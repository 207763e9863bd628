//! Tracers: observers of how an answer comes about.
//!
//! Whoever wants to know why a lesson was told, or was not, passes a tracer to [`crate::matching::matches`] or
//! `answer_traced`. The hook passes `()`, which observes nothing and costs nothing: its methods are empty and disappear
//! when they are compiled.

use crate::matching::matched::{Match, Mismatch};
use lessons_lesson::{QualifiedId, Terms};

/// The outcome for a lesson that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The lesson is told, in its full text.
    Told,
    /// The lesson is told, in its short text: the full one does not fit.
    ToldBriefly,
    /// The lesson refuses the call.
    Refuses,
    /// The lesson refused this very call before, and now lets it pass.
    Passes,
    /// The lesson refused before in this context, and is settled.
    Settled,
    /// The lesson is switched off for this session.
    OffForSession,
    /// The lesson was told before.
    Taken,
    /// The lot leaves reminders out of this session: it counts as told, and nothing is said.
    Held,
    /// Lessons that come first have used up the number of lessons that a call may get.
    NoPlace,
    /// Neither text of the lesson fits into the bytes that are left.
    NoRoom {
        /// The bytes of the shorter text.
        needed: usize,
        /// The bytes that are left.
        left: usize,
    },
    /// Advice is silenced, or the lesson was told by other means.
    Silenced,
    /// Another lesson refuses the call, and a refusal carries no advice.
    Refusal,
    /// The person is asked about the call, which carries no advice, or the call is denied.
    Question,
}

/// An observer of matching and answering.
pub trait Tracer {
    /// Whether the tracer observes anything at all.
    const ENABLED: bool = true;

    /// A lesson that the index proposed does not match, for this first reason. Lessons of which the index knows that
    /// none of their triggers matches are not reported.
    #[inline]
    fn mismatch(&mut self, _lesson: u32, _terms: &Terms, _why: Mismatch) {}

    /// A lesson matches; `rank` is the number of matching lessons that come before it.
    #[inline]
    fn matched(&mut self, _found: &Match, _rank: usize) {}

    /// The outcome for a lesson that matches.
    #[inline]
    fn outcome(&mut self, _lesson: &QualifiedId, _outcome: Outcome) {}
}

/// The tracer that observes nothing.
impl Tracer for () {
    const ENABLED: bool = false;
}
