//! Repair: a new build when hooks cannot use the last one.

use crate::app::App;
use crate::building::{self, VERSION};
use crate::{in_force, publishing};

/// Whether hooks can use the index in force: it is readable, made by this version of the program, and belongs to the manifest
/// beside it. A build that died between the renames of the two leaves an index that does not belong.
pub fn is_current(app: &App) -> bool {
    in_force::readable_index(app).is_some_and(|index| {
        let made_by = index.ask().and_then(|index| index.build_notes()).map(|notes| notes.made_by);
        made_by.is_ok_and(|made_by| made_by == VERSION) && publishing::is_of_manifest(&index, &app.home)
    })
}

/// Builds again where something was built before and hooks cannot use it, or a build ended between its two renames. It brings
/// nothing into force that a person has not accepted. A change in which a command died is finished or undone first. Where it cannot be done, whoever reads the index says so.
pub fn repair(app: &App) {
    building::settle(app);
    let was_built = app.home.index().exists() || app.home.accepted().exists();
    if was_built && !is_current(app) {
        // The error is ignored here: the command that reads the index reports it, and so does `doctor`.
        let _ = building::build(app);
    }
}
