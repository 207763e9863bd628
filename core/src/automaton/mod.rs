//! Whether one pattern matches a text, answered from bytes that a builder wrote before.
//!
//! An [`Automaton`] is used where it lies: nothing is parsed, copied or allocated for the common
//! pattern. It has two parts. The *table* ([`Table`]) is a deterministic automaton, one look-up for each
//! byte of the text; it is bounded, so it may say that it does not know. The *program* ([`Program`])
//! knows everything and is slower: linear in the text times its own size. It is there only if the table
//! can fail to know.
//!
//! The bytes, all numbers little-endian:
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 1 | the form of what follows, [`FORM`] |
//! | 1 | 1 | the number of classes, less one |
//! | 2 | 1 | the number of rows |
//! | 3 | 1 | the state at the start of a text |
//! | 4 | 1 | the first state that is no match where the text ends |
//! | 5 | 256 | the class of each byte |
//! | 261 | classes × rows | the state after a byte: for each class a column, for each row a byte |
//! | then | 6 × n | the instructions of the program, the first one first |
//!
//! A state is a number: [`NEVER`], [`MATCHED`] and [`UNSURE`] decide at once, state [`FIRST_ROW`] is the
//! first row of the table. An instruction is what it does (see [`nfa`]), two bytes for it, and in three
//! bytes which instruction follows.
//!
//! Any bytes at all are safe: what lies outside is [`Damaged`], never a panic, and no bytes make the
//! search longer than linear. Other bytes than a builder's may give other answers, so who reads them
//! from a file compares a digest first.

pub mod dfa;
pub mod nfa;

use dfa::Table;
use nfa::Program;

/// The form that is written and read. Raised when the layout or the meaning of a byte changes.
pub const FORM: u8 = 1;
/// The state in which no match can come any more.
pub const NEVER: u8 = 0;
/// The state in which a match was found.
pub const MATCHED: u8 = 1;
/// The state in which only the program can tell.
pub const UNSURE: u8 = 2;
/// The state of the first row.
pub const FIRST_ROW: u8 = 3;
/// The most rows of a table.
pub const MAX_ROWS: usize = 256 - FIRST_ROW as usize;

/// The bytes of an automaton are not what a builder writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the automaton of a pattern is damaged")]
pub struct Damaged;

/// A pattern, ready to match.
#[derive(Debug, Clone, Copy)]
pub struct Automaton<'a> {
    table: Table<'a>,
    program: Program<'a>,
}

impl<'a> Automaton<'a> {
    /// The automaton that `bytes` hold, all of them. Takes the same time however many they are; whether
    /// states and instructions are in range is checked when they are used.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let (&[form, last_class, rows, start, open], rest) = bytes.split_first_chunk().ok_or(Damaged)?;
        if form != FORM {
            return Err(Damaged);
        }
        let (classes, rest) = rest.split_first_chunk().ok_or(Damaged)?;
        let cells = (usize::from(last_class) + 1) * usize::from(rows);
        let (cells, program) = rest.split_at_checked(cells).ok_or(Damaged)?;
        Ok(Self {
            table: Table { classes, cells, rows: usize::from(rows), start, open },
            program: Program::parse(program)?,
        })
    }

    /// Whether the pattern matches anywhere in `text`. The search ends at the first match.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, Damaged> {
        match self.table.is_match(text)? {
            Some(answer) => Ok(answer),
            None => self.program.is_match(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nfa::{Do, Instruction};
    use super::*;

    /// A table for `ab`, and for a text that ends in `a`; a `?` leads to the program.
    fn table() -> Vec<u8> {
        let mut bytes = vec![FORM, 3, 2, 4, 4];
        let mut classes = [0; 256];
        classes[usize::from(b'a')] = 1;
        classes[usize::from(b'b')] = 2;
        classes[usize::from(b'?')] = 3;
        bytes.extend(classes);
        bytes.extend([4, 4, 3, 3, MATCHED, 4, UNSURE, UNSURE]);
        bytes
    }

    /// A program that finds a `!`.
    fn program() -> Vec<u8> {
        [
            Instruction { act: Do::Byte(0, 255), next: 0, or_following: true },
            Instruction { act: Do::Byte(b'!', b'!'), next: 2, or_following: false },
            Instruction { act: Do::Match, next: 0, or_following: false },
        ]
        .iter()
        .flat_map(Instruction::to_bytes)
        .collect()
    }

    fn is_match(bytes: &[u8], text: &str) -> Result<bool, Damaged> {
        Automaton::parse(bytes)?.is_match(text.as_bytes())
    }

    #[test]
    fn the_table_decides_by_itself_where_it_can() {
        for (text, expected) in [("", false), ("xabx", true), ("xa", true), ("ax", false), ("aab", true)] {
            assert_eq!(is_match(&table(), text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn where_it_cannot_the_program_starts_from_the_beginning() {
        let bytes = [table(), program()].concat();
        assert_eq!(is_match(&bytes, "!x?"), Ok(true));
        assert_eq!(is_match(&bytes, "x?"), Ok(false));
        assert_eq!(is_match(&table(), "x?"), Err(Damaged), "there is none");
    }

    #[test]
    fn what_does_not_fit_is_damaged() {
        let whole = [table(), program()].concat();
        for length in 0..table().len() {
            assert!(Automaton::parse(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(Automaton::parse(&whole[..whole.len() - 1]).is_err(), "half an instruction");
        let with = |at: usize, byte: u8| {
            let mut bytes = table();
            bytes[at] = byte;
            bytes
        };
        assert_eq!(is_match(&with(0, 2), "a"), Err(Damaged), "another form");
        assert_eq!(is_match(&with(3, 5), "a"), Err(Damaged), "no such row");
        assert_eq!(is_match(&with(5 + 97, 4), "a"), Err(Damaged), "no such class");
    }
}
