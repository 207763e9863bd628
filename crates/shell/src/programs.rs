//! The one table of programs that are known by name.
//!
//! Readers of command lines, the approval check, the detectors of mistakes, proposals of triggers,
//! replays, and the checks of patterns all ask here. A program that is not listed has no role. For the
//! detectors a missing name costs precision, and a name too many costs recall.

mod options;
mod table;

use super::known::{KnownProgram, ProgramRole};
use table::ROWS;

/// The names of all known programs, each with its row, in their order.
pub(crate) static PROGRAMS: [(&str, &KnownProgram); 376] = by_name();

/// The known program of this name, which is without its folder.
pub fn known(name: &str) -> Option<&'static KnownProgram> {
    let at = PROGRAMS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    PROGRAMS.get(at).map(|(_, program)| *program)
}

/// Whether the program of this name has a role.
pub fn has_role(name: &str, role: ProgramRole) -> bool {
    known(name).is_some_and(|program| program.is(role))
}

/// Puts each name of the table in its place, when this is compiled.
const fn by_name() -> [(&'static str, &'static KnownProgram); 376] {
    let mut sorted = [("", &ROWS[0]); 376];
    let (mut row, mut count) = (0, 0);
    while row < ROWS.len() {
        let mut names = ROWS[row].names;
        while !names.is_empty() {
            let (name, rest) = first_of(names);
            let mut at = count;
            while at > 0 && is_before(name, sorted[at - 1].0) {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = (name, &ROWS[row]);
            count += 1;
            names = rest;
        }
        row += 1;
    }
    sorted
}

/// The first name of a list, and the list behind it.
const fn first_of(names: &str) -> (&str, &str) {
    let mut end = 0;
    while end < names.len() && names.as_bytes()[end] != b',' {
        end += 1;
    }
    let (name, rest) = names.split_at(end);
    (name, if rest.is_empty() { rest } else { rest.split_at(", ".len()).1 })
}

const fn is_before(name: &str, other: &str) -> bool {
    let (name, other) = (name.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < name.len() && at < other.len() && name[at] == other[at] {
        at += 1;
    }
    at < other.len() && (at == name.len() || name[at] < other[at])
}

#[cfg(test)]
mod tests;
