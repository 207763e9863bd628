//! The smallest table of the same meaning.

use std::collections::BTreeMap;

use lessons_core::automaton::{FIRST_ROW, MATCHED, NEVER, UNSURE};

use super::low_byte;
use super::table::{Row, Table};

/// `table` with states that nothing tells apart made one, and classes too. Rows at whose state a text may
/// end come first.
pub(super) fn smallest(table: &Table) -> Table {
    merge_columns(&merge_rows(table))
}

/// One column for all classes that lead to the same states from every row.
fn merge_columns(table: &Table) -> Table {
    let mut numbers: BTreeMap<Vec<u8>, u8> = BTreeMap::new();
    let mut kept = Vec::new();
    let mut merged = Vec::new();
    for column in 0..table.columns() {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column).copied()).collect();
        let fresh = low_byte(kept.len());
        merged.push(*numbers.entry(cells).or_insert_with(|| {
            kept.push(column);
            fresh
        }));
    }
    let of = |class: u8| merged.get(usize::from(class)).copied().unwrap_or_default();
    let cells = |row: &Row| kept.iter().filter_map(|&column| row.cells.get(column).copied()).collect();
    Table {
        classes: table.classes.map(of),
        start: table.start,
        rows: table.rows.iter().map(|row| Row { cells: cells(row), ends: row.ends }).collect(),
    }
}

/// One row for all states that no text tells apart (Moore's algorithm): states are the same as long as
/// nothing parts them, and are parted until nothing more does.
fn merge_rows(table: &Table) -> Table {
    // A state that decides at once stays where it is whatever comes. One that is left to the program is
    // like no other.
    let decided = [(NEVER, false), (MATCHED, true), (UNSURE, false)]
        .map(|(state, ends)| Row { cells: vec![state; table.columns()], ends });
    let all: Vec<&Row> = decided.iter().chain(&table.rows).collect();
    let mut groups: Vec<u8> = all.iter().map(|row| u8::from(row.ends)).collect();
    groups[usize::from(UNSURE)] = UNSURE;
    let mut count = 3;
    loop {
        // A state that is alone stays alone, so its cells need not be looked at.
        let mut sizes = [0_u16; 256];
        for &group in &groups {
            sizes[usize::from(group)] += 1;
        }
        let mut led_to: Vec<u8> = Vec::with_capacity(all.len() * table.columns());
        for row in &all {
            led_to.extend(row.cells.iter().map(|&cell| groups[usize::from(cell)]));
        }
        let mut numbers: BTreeMap<(u8, &[u8]), u8> = BTreeMap::new();
        let mut parted = Vec::with_capacity(all.len());
        for (cells, &group) in led_to.chunks(table.columns()).zip(&groups) {
            let cells = if sizes[usize::from(group)] == 1 { &[] } else { cells };
            let fresh = low_byte(numbers.len());
            parted.push(*numbers.entry((group, cells)).or_insert(fresh));
        }
        let parts = numbers.len();
        groups = parted;
        if parts == count {
            break;
        }
        count = parts;
    }
    // Groups are numbered as they come, those of the three above first. Of each other one the first row
    // stays, those at whose state a text may end before the others.
    let mut kept: Vec<(u8, &Row)> = Vec::new();
    for (&row, &group) in all.iter().zip(&groups) {
        if usize::from(group) == kept.len() + decided.len() {
            kept.push((group, row));
        }
    }
    kept.sort_by_key(|(_, row)| !row.ends);
    let mut states: [u8; 256] = std::array::from_fn(low_byte);
    for (row, (group, _)) in kept.iter().enumerate() {
        states[usize::from(*group)] = low_byte(row) + FIRST_ROW;
    }
    let of = |state: u8| states[usize::from(groups[usize::from(state)])];
    let rows = kept
        .iter()
        .map(|(_, row)| Row { cells: row.cells.iter().map(|&cell| of(cell)).collect(), ends: row.ends })
        .collect();
    Table { classes: table.classes, start: of(table.start), rows }
}
