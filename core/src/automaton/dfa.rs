//! The table: one look-up for each byte of the text.

use super::{Damaged, FIRST_ROW, MATCHED, UNSURE};

/// A deterministic automaton that may not know everything.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    /// The class of each byte.
    pub(super) classes: &'a [u8; 256],
    /// The state after a byte: for each class a column, for each row a byte. Columns, because where one
    /// starts depends on the text alone: only an addition and a load wait for the state before.
    pub(super) cells: &'a [u8],
    pub(super) rows: usize,
    /// The state at the start of a text.
    pub(super) start: u8,
    /// The first state that is no match where the text ends.
    pub(super) open: u8,
}

impl Table<'_> {
    /// Whether the pattern matches anywhere in `text`. `None`: the program must say.
    pub fn is_match(&self, text: &[u8]) -> Result<Option<bool>, Damaged> {
        let mut state = self.start;
        for &byte in text {
            let Some(row) = state.checked_sub(FIRST_ROW) else { break };
            let class = self.classes[usize::from(byte)];
            let start = usize::from(class) * self.rows;
            let column = self.cells.get(start..start + self.rows).ok_or(Damaged)?;
            state = *column.get(usize::from(row)).ok_or(Damaged)?;
        }
        if usize::from(state) >= self.rows + usize::from(FIRST_ROW) {
            return Err(Damaged);
        }
        Ok(match state {
            UNSURE => None,
            state => Some(state == MATCHED || (FIRST_ROW..self.open).contains(&state)),
        })
    }
}
