//! The compilation of a pattern to the bytes of its [automaton](super::Automaton).
//!
//! `regex-automata` compiles the expression to a program for one search. The positions of that program are kept
//! (`positions`), with everything between two bytes resolved: transitions that take no byte, and
//! assertions. If the pattern allows it, the expression is first rewritten to [code-point classes](super::alphabet).
//!
//! The dense automata of `regex-automata` are not used: they are built completely or not at all, which at 256 KiB
//! leaves two in five of the shipped patterns without one. Nor are partial tables: an
//! ordinary command leaves most tables of 96 states.

mod automaton_bytes;
mod byte_set;
mod code_points;
mod context;
mod layout;
mod positions;

pub use automaton_bytes::AutomatonBytes;
use code_points::over_classes;
use context::is_known;
use positions::Positions;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_syntax::hir::Hir;

use super::Alphabet;
use crate::{MAX_PROGRAM_BYTES, PatternError};

/// The largest automaton, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// Compiles an expression about characters, as [`crate`] reads it, to an automaton. Refused is what is larger than
/// [`MAX_PROGRAM_BYTES`] as a program or than [`MAX_BYTES`] as an automaton, and an assertion about lines, or about words
/// beyond ASCII.
pub fn compile(expression: &Hir) -> Result<AutomatonBytes, PatternError> {
    let over_classes = over_classes(expression.clone());
    let (expression, alphabet) = match &over_classes {
        Some(over_classes) => (over_classes, Alphabet::CodePointClasses),
        None => (expression, Alphabet::Utf8),
    };
    let positions = Positions::of(&program(expression)?, alphabet)?;
    Ok(AutomatonBytes::new(layout::bytes(&positions, alphabet)?.into()))
}

fn program(expression: &Hir) -> Result<NFA, PatternError> {
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(MAX_PROGRAM_BYTES));
    let nfa =
        thompson::Compiler::new().configure(config).build_from_hir(expression).map_err(
            |error| match error.size_limit() {
                Some(_) => PatternError::too_large(),
                None => PatternError::damaged(error),
            },
        )?;
    if nfa.look_set_any().iter().all(is_known) {
        Ok(nfa)
    } else {
        Err(PatternError::damaged("it looks at lines, or at words of other scripts"))
    }
}
