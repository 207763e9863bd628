//! The changes that a hook of Claude Code approved in place of a person, as the person is told of them.

use anyhow::Result;
use lessons_index::manifest::HookApproval;
use lessons_ledger::database::Database;
use lessons_ledger::journal::Change;
use lessons_manifest_builder::index::LoadedIndex;
use serde::Serialize;

use crate::app::App;
use crate::in_force;
use crate::verbs::log::{Names, Width};

/// The time for which a change is told of, in milliseconds: 30 days.
const KEPT: u64 = 30 * 24 * 3600 * 1000;
/// The most changes that are told of.
const MOST: usize = 20;

/// A change that a hook approved and that stands.
#[derive(Debug, Serialize)]
pub(crate) struct HookApproved {
    /// The number that `lessons undo` takes.
    pub(crate) number: u64,
    /// The time of the change, in milliseconds since 1970.
    pub(crate) time: u64,
    /// The change in words.
    pub(crate) what: String,
}

/// The changes of the last 30 days that stand, newest first.
pub(crate) fn standing(app: &App, database: &Database) -> Result<Vec<HookApproved>> {
    let changes = database.changes_approved_by_hook(app.now_ms().saturating_sub(KEPT), MOST)?;
    let names = Names::of(app);
    let approved = |change: &Change| HookApproved {
        number: change.number,
        time: change.time,
        what: names.what(change, Width::SHORT),
    };
    Ok(changes.iter().map(approved).collect())
}

/// The changes for a build to publish. One that the build before did not publish is new now. Where that build cannot be
/// read, `known` is `None`, and the user is not told again.
pub(crate) fn to_publish(
    app: &App,
    database: &Database,
    known: Option<&[HookApproval]>,
) -> Result<Vec<HookApproval>> {
    let since = |number: u64| {
        known.map_or(0, |known| {
            known.iter().find(|known| known.change == number).map_or_else(|| app.now_ms(), |known| known.at)
        })
    };
    let publish =
        |HookApproved { number, what, .. }| HookApproval { change: number, at: since(number), what };
    Ok(standing(app, database)?.into_iter().map(publish).collect())
}

/// Whether the index in force lacks a change, so that a build is due.
pub(crate) fn are_unpublished(app: &App) -> Result<bool> {
    let standing = standing(app, &Database::open(&app.home)?)?;
    if standing.is_empty() {
        return Ok(false);
    }
    let known = |index: &LoadedIndex| index.ask()?.build_notes().map(|notes| notes.hook_approvals);
    let known = in_force::readable_index(app).and_then(|index| known(&index).ok()).unwrap_or_default();
    Ok(standing.iter().any(|change| known.iter().all(|known| known.change != change.number)))
}
