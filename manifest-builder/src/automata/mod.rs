//! From a pattern to the bytes that a hook matches with, as [`lessons_core::automaton`] lays them out.
//!
//! The expression is compiled to a program by `regex-automata` ([`program`]). Following that program on
//! every text at once gives the table ([`table`]), up to a bound on rows and on work, and then the
//! smallest one of the same meaning ([`smaller`]). What lies beyond the bound is left to the program, so
//! no pattern is too large for a table and none takes long to build: nearly every text is decided within
//! the first states, even where the whole table would have millions. ASCII comes first, since that is
//! what commands and paths are made of.
//!
//! The dense automata of `regex-automata` are not used: they are whole or nothing, which at 256 KiB leaves
//! two in five of the shipped patterns without one, and they take seven times the instructions to make.

mod classes;
mod program;
mod smaller;
mod table;

use lessons_core::automaton::nfa::Instruction;
use lessons_core::automaton::{FIRST_ROW, FORM, UNSURE};
use lessons_core::pattern::{MAX_AUTOMATON_BYTES, syntax_config};
use regex_automata::nfa::thompson::{self, BuildError, WhichCaptures};
use regex_automata::util::syntax;
use table::Table;

/// Why a pattern has no automaton. [`lessons_core::pattern::Regex::new`] refuses all of these too.
#[derive(Debug, thiserror::Error)]
pub enum AutomatonError {
    /// It is no expression.
    #[error("the expression cannot be read: {0}")]
    Syntax(#[from] Box<regex_syntax::Error>),
    /// It is larger than [`MAX_AUTOMATON_BYTES`] once compiled, or asserts what is not supported.
    #[error("the expression cannot be compiled: {0}")]
    Program(#[from] Box<BuildError>),
    /// It asserts something of characters beyond ASCII.
    #[error("the expression looks at words of other scripts")]
    UnicodeWord,
}

/// The automaton of `regex`, an expression as [`lessons_core::pattern::translated`] writes it.
pub fn build(regex: &str) -> Result<Vec<u8>, AutomatonError> {
    let hir = syntax::parse_with(regex, &syntax_config()).map_err(Box::new)?;
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(MAX_AUTOMATON_BYTES));
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir).map_err(Box::new)?;
    let instructions = program::instructions(&nfa)?;
    let table = smaller::smallest(&table::table(&instructions));
    Ok(bytes(&table, &instructions))
}

/// Lays out `table`, and `program` if the table can be unsure.
fn bytes(table: &Table, program: &[Instruction]) -> Vec<u8> {
    let closed = table.rows.iter().filter(|row| row.ends).count();
    let mut bytes = vec![
        FORM,
        low_byte(table.columns() - 1),
        low_byte(table.rows.len()),
        table.start,
        low_byte(closed) + FIRST_ROW,
    ];
    bytes.extend(table.classes);
    for column in 0..table.columns() {
        bytes.extend(table.rows.iter().map(|row| row.cells.get(column).copied().unwrap_or(UNSURE)));
    }
    if table.is_unsure() {
        bytes.extend(program.iter().flat_map(Instruction::to_bytes));
    }
    bytes
}

/// `number`, which its owner keeps below 256.
fn low_byte(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}
