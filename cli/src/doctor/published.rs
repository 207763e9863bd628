//! What the hooks read: the manifest and its index, looked at whole.

use anyhow::Result;
use lessons_core::digest;
use lessons_core::id::Layer;
use lessons_core::manifest::{self, Manifest};
use lessons_core::neutral::line;
use lessons_core::wording::counted;
use lessons_manifest_builder::index::whole::Whole;
use lessons_manifest_builder::report::{Noted, Reason};
use lessons_store::mapped;

use super::fix::Fix;
use super::{Finding, Machine};
use crate::building::{self, VERSION};
use crate::lookup;
use crate::publishing::{self, INDEX_LIMIT};

/// The command that makes both anew.
const BUILD: &str = "lessons build";
/// The command that accepts what was changed by other means.
const ACCEPT: &str = "lessons accept";

pub(super) fn check(machine: &Machine<'_>) -> Result<Vec<Finding>> {
    let app = machine.app;
    let mut found = Vec::new();
    let broken = |code, message: String| Finding::error(code, message, BUILD).fixed_by(Fix::Build);
    match building::manifest(app) {
        Err(why) => found.push(broken("MANIFEST_UNREADABLE", format!("{why}; the hooks say nothing"))),
        Ok(None) => {
            found.push(broken("MANIFEST_MISSING", "nothing is compiled, so the hooks say nothing".into()));
        }
        Ok(Some(manifest)) => {
            if manifest.made_by != VERSION {
                let message = format!("the lessons in force were compiled by another version, not {VERSION}");
                found.push(Finding::warning("MANIFEST_OLD", message, BUILD).fixed_by(Fix::Build));
            }
            found.extend(index(machine)?);
            found.extend(not_in_force(machine, &manifest)?);
        }
    }
    Ok(found)
}

/// The index belongs to the manifest, byte by byte.
fn index(machine: &Machine<'_>) -> Result<Option<Finding>> {
    let home = &machine.app.home;
    let slow = |code, what: &str| {
        let message = format!("{what}, so every call reads the whole manifest instead");
        Some(Finding::warning(code, message, BUILD).fixed_by(Fix::Build))
    };
    let Some(bytes) = mapped::read(&home.index(), INDEX_LIMIT)? else {
        return Ok(slow("INDEX_MISSING", "there is no index beside the manifest"));
    };
    let whole = Whole::of(bytes).ok().filter(|whole| whole.patterns().is_ok() && whole.former().is_ok());
    let Some(whole) = whole else {
        return Ok(slow("INDEX_DAMAGED", "the index beside the manifest is damaged"));
    };
    let manifest = mapped::read(&home.manifest(), manifest::MAX_BYTES)?.unwrap_or_default();
    let is_its = publishing::is_of_manifest(&whole, home)
        && digest::hex_of(&whole.header().digest, 64) == digest::hex(&manifest, 64);
    Ok(if is_its { None } else { slow("INDEX_STALE", "the index was made of another manifest") })
}

/// Lessons that a build would leave out, each with why, and those that only nobody has built yet.
fn not_in_force(machine: &Machine<'_>, manifest: &Manifest) -> Result<Vec<Finding>> {
    let left_out = building::preview(machine.app)?.left_out;
    let mut found: Vec<Finding> =
        left_out.iter().filter(|noted| noted.reason.is_finding()).map(of_left_out).collect();
    let mut saved = lookup::lessons_not_in_force(machine.app, manifest);
    saved.retain(|id| !left_out.iter().any(|noted| noted.id == *id));
    if let Some(first) = saved.first() {
        let message = format!("{} saved and not in force, such as {first}", counted(saved.len(), "lesson"));
        found.push(Finding::warning("NOT_IN_FORCE", message, BUILD).fixed_by(Fix::Build));
    }
    Ok(found)
}

fn of_left_out(noted: &Noted) -> Finding {
    let id = &noted.id;
    let what = if matches!(noted.reason, Reason::NotAccepted) { "" } else { " is not in force" };
    let message = line(&format!("{id}{what}: {}", noted.reason));
    let fix = match id.layer {
        Layer::User => format!("lessons edit {}", id.id),
        Layer::Seed | Layer::Project(_) => format!("lessons show {id}"),
    };
    match noted.reason {
        Reason::Example { .. } => Finding::error("EXAMPLE_FAILS", message, fix),
        // What somebody changed by hand is for a person to accept, and no safe thing to mend.
        Reason::NotAccepted => Finding::warning("NOT_ACCEPTED", message, ACCEPT),
        Reason::UnknownProject { .. } => Finding::note("UNKNOWN_PROJECT", message, fix),
        _ => Finding::error("LEFT_OUT", message, fix),
    }
}
