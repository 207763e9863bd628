//! Repair: a new build when hooks cannot use the last one.

use lessons_context::context::Context;
use lessons_home::home::Home;
use lessons_lesson::compiled::AcceptedSource;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_store::decisions;

use crate::building::{self, VERSION};
use crate::{in_force, publishing};

/// Whether hooks can use the index in force: it is readable, made by this version of the program and of what is decided now, and
/// belongs to the manifest beside it. A build that died between the renames of the two leaves an index that does not belong.
pub fn is_current(context: &Context) -> bool {
    in_force::readable_index(context).is_some_and(|index| {
        let made_by = index.ask().and_then(|index| index.build_notes()).map(|notes| notes.made_by);
        made_by.is_ok_and(|made_by| made_by == VERSION)
            && publishing::is_of_manifest(&index, &context.home)
            && is_of_decisions(&index, &context.home)
    })
}

/// Whether an index was made of the decisions that are there now. Their size and time are compared first.
fn is_of_decisions(index: &LoadedIndex, home: &Home) -> bool {
    let Ok(notes) = index.ask().and_then(|index| index.build_notes()) else { return false };
    let made_of = notes.sources.into_iter().flatten().find(|source| source.file == decisions::FILE);
    let path = home.decisions();
    made_of.is_some_and(|made_of| {
        made_of.state == AcceptedSource::state_of(&path) || made_of.sha256 == publishing::source(&path).sha256
    })
}

/// Builds again where something was built before and hooks cannot use it, or a build ended between its two renames. It brings
/// nothing into force that a person has not accepted. A change in which a command died is finished or undone first. Where it cannot be done, whoever reads the index says so.
pub fn repair(context: &Context) {
    building::settle(context);
    let was_built = context.home.index().exists() || context.home.decisions().exists();
    if was_built && !is_current(context) {
        // The error is ignored here: the command that reads the index reports it, and so does `doctor`.
        let _ = building::build(context);
    }
}
