//! The one table of programs that are known by name.
//!
//! Readers of command lines, the approval check, the detectors of mistakes, proposals of triggers,
//! replays, and the checks of patterns all ask here. A program that is not listed has no role. For the
//! detectors a missing name costs precision, and a name too many costs recall.

mod table;

use super::known::{KnownProgram, ProgramRole};
pub(crate) use table::PROGRAMS;

/// The known program of this name, which is without its folder.
pub fn known(name: &str) -> Option<&'static KnownProgram> {
    let at = PROGRAMS.binary_search_by(|program| program.name.cmp(name)).ok()?;
    PROGRAMS.get(at)
}

/// Whether the program of this name has a role.
pub fn has_role(name: &str, role: ProgramRole) -> bool {
    known(name).is_some_and(|program| program.is(role))
}

#[cfg(test)]
mod tests;
