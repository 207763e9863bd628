//! Watching how an answer comes about.
//!
//! Whoever wants to know why a lesson was told, or was not, asks [`crate::answer::answer_seen`] with a
//! witness of its own. The hook asks with `()`, which sees nothing and costs nothing: every method of it is
//! empty and disappears when it is compiled.

use crate::compiled::Terms;
use crate::id::QualifiedId;
use crate::matching::{Match, Quiet};

/// What became of a lesson that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is told, in its full text.
    Told,
    /// It is told, in its short text: the full one does not fit.
    ToldBriefly,
    /// It refuses the call.
    Refuses,
    /// It refused this very call before, and now lets it pass.
    Passes,
    /// It refused before in this context, and is settled.
    Settled,
    /// It is switched off for this session.
    OffForSession,
    /// It was told before.
    Taken,
    /// Lessons that come first have used up the places of this call.
    NoPlace,
    /// Neither of its texts fits into the bytes that are left.
    NoRoom {
        /// The bytes of the shorter one.
        needed: usize,
        /// Those that are left.
        left: usize,
    },
    /// Advice is silenced, or the lesson was told by other means.
    Silenced,
    /// Another lesson refuses the call, and a refusal carries no advice.
    Refusal,
    /// The person is asked about the call, which carries no advice, or the call is denied.
    Question,
}

/// What watches an answer.
pub trait Witness {
    /// Whether it looks at all.
    const SEES: bool = true;

    /// A lesson does not match, for this first reason.
    #[inline]
    fn quiet(&mut self, _lesson: u32, _terms: &Terms, _why: Quiet) {}

    /// A lesson matches; `place` says how many matching lessons come before it.
    #[inline]
    fn matched(&mut self, _found: &Match, _place: usize) {}

    /// What became of a lesson that matches.
    #[inline]
    fn fate(&mut self, _lesson: &QualifiedId, _fate: Fate) {}
}

/// Nobody watches.
impl Witness for () {
    const SEES: bool = false;
}
