//! From a pattern to the bytes of its [automaton](super::Automaton).
//!
//! `regex-automata` compiles the expression to a program for one search; what is kept of that are its
//! positions ([`positions`]), with everything between two bytes worked out: ways that take nothing, and
//! assertions. Where the pattern allows it, the expression is one about [code-point classes](super::alphabet).
//!
//! The dense automata of `regex-automata` are not used: they are whole or nothing, which at 256 KiB leaves
//! two in five of the shipped patterns without one. Nor are tables that stop growing somewhere: an
//! ordinary command led out of most tables of 96 states.

mod built;
mod bytes;
mod code_points;
mod context;
mod layout;
mod positions;

pub use built::Built;
use code_points::over_classes;
use context::is_known;
use positions::Positions;
use regex_automata::nfa::thompson::{self, BuildError, NFA, WhichCaptures};
use regex_syntax::hir::Hir;

use super::Alphabet;
use crate::pattern::{MAX_PROGRAM_BYTES, PatternError};

/// The most bytes of one automaton.
pub const MAX_BYTES: usize = 1 << 20;

/// Why a pattern has no automaton.
#[derive(Debug, thiserror::Error)]
pub enum AutomatonError {
    /// It asserts something that is not supported.
    #[error("the compiled pattern is damaged: {0}")]
    Program(Box<BuildError>),
    /// It is larger than [`MAX_PROGRAM_BYTES`] as a program, or than [`MAX_BYTES`] as an automaton.
    #[error("the pattern is too large once compiled; use smaller repetition counts or fewer alternatives")]
    TooLarge,
    /// It asserts something of lines, or of words of other scripts.
    #[error("the compiled pattern is damaged: it looks at lines, or at words of other scripts")]
    Assertion,
}

impl From<AutomatonError> for PatternError {
    fn from(error: AutomatonError) -> Self {
        match error {
            AutomatonError::TooLarge => Self::not_safe(error.to_string()),
            _ => Self::invalid(error.to_string()),
        }
    }
}

/// The automaton of an expression about characters, as [`crate::pattern`] reads it.
pub fn compile(expression: &Hir) -> Result<Built, AutomatonError> {
    let over_classes = over_classes(expression.clone());
    let (expression, alphabet) = match &over_classes {
        Some(over_classes) => (over_classes, Alphabet::CodePointClasses),
        None => (expression, Alphabet::Utf8),
    };
    let positions = Positions::of(&program(expression)?, alphabet)?;
    Ok(Built::new(layout::bytes(&positions, alphabet)?.into()))
}

fn program(expression: &Hir) -> Result<NFA, AutomatonError> {
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(MAX_PROGRAM_BYTES));
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(expression).map_err(|error| {
        if error.size_limit().is_some() {
            AutomatonError::TooLarge
        } else {
            AutomatonError::Program(Box::new(error))
        }
    })?;
    if nfa.look_set_any().iter().all(is_known) { Ok(nfa) } else { Err(AutomatonError::Assertion) }
}
