//! From a pattern to the bytes of its [automaton](super::Automaton).
//!
//! `regex-automata` compiles the expression to a program for one search; what is kept of that are its
//! positions ([`positions`]), with everything between two bytes worked out: ways that take nothing, and
//! assertions. Where the pattern allows it, that is an expression about kinds of units ([`kinds`]).
//!
//! The dense automata of `regex-automata` are not used: they are whole or nothing, which at 256 KiB leaves
//! two in five of the shipped patterns without one. Nor are tables that stop growing somewhere: an
//! ordinary command led out of most tables of 96 states.

mod alphabet;
mod built;
mod bytes;
mod layout;
mod positions;
mod side;

use alphabet::{Item, over_kinds};
pub use built::Built;
use positions::Positions;
use regex_automata::nfa::thompson::{self, BuildError, NFA, WhichCaptures};
use regex_syntax::hir::Hir;

use super::Alphabet;
use crate::pattern::{MAX_AUTOMATON_BYTES, PatternError};

/// The most bytes of one automaton.
pub const MAX_BYTES: usize = 1 << 20;

/// Why a pattern has no automaton.
#[derive(Debug, thiserror::Error)]
pub enum AutomatonError {
    /// It asserts something that is not supported.
    #[error("the compiled pattern is damaged: {0}")]
    Program(Box<BuildError>),
    /// It is larger than [`MAX_AUTOMATON_BYTES`] as a program, or than [`MAX_BYTES`] as an automaton.
    #[error("the pattern is too large once compiled; use smaller repetition counts or fewer alternatives")]
    TooLarge,
    /// It asserts something of words of other scripts.
    #[error("the compiled pattern is damaged: it looks at words of other scripts")]
    UnicodeWord,
}

impl From<AutomatonError> for PatternError {
    fn from(error: AutomatonError) -> Self {
        match error {
            AutomatonError::TooLarge => Self::not_safe(error.to_string()),
            _ => Self::invalid(error.to_string()),
        }
    }
}

/// The automaton of an expression about characters, as [`crate::pattern::expression_of`] gives it.
pub fn build(expression: &Hir) -> Result<Built, AutomatonError> {
    Source::of_characters(expression.clone()).automaton()
}

/// An expression, ready to become an automaton.
#[derive(Debug)]
pub(crate) struct Source {
    /// About texts of `alphabet`.
    pub(crate) expression: Hir,
    pub(crate) alphabet: Alphabet,
}

impl Source {
    /// That of an expression about characters.
    pub(crate) fn of_characters(characters: Hir) -> Self {
        match over_kinds(characters.clone(), Item::Character) {
            Some(expression) => Self { expression, alphabet: Alphabet::Kinds },
            None => Self { expression: characters, alphabet: Alphabet::Utf8 },
        }
    }

    /// That of an expression about UTF-16 units. `None` where units are not enough to tell.
    pub(crate) fn of_units(units: Hir) -> Option<Self> {
        let expression = over_kinds(units, Item::Unit)?;
        Some(Self { expression, alphabet: Alphabet::Kinds })
    }

    /// Its automaton.
    pub(crate) fn automaton(&self) -> Result<Built, AutomatonError> {
        let positions = Positions::of(&program(&self.expression)?, self.alphabet)?;
        Ok(Built::new(layout::bytes(&positions, self.alphabet)?.into()))
    }
}

fn program(expression: &Hir) -> Result<NFA, AutomatonError> {
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(MAX_AUTOMATON_BYTES));
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(expression).map_err(|error| {
        if error.size_limit().is_some() {
            AutomatonError::TooLarge
        } else {
            AutomatonError::Program(Box::new(error))
        }
    })?;
    if nfa.look_set_any().contains_word_unicode() { Err(AutomatonError::UnicodeWord) } else { Ok(nfa) }
}
