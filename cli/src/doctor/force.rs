//! What the hooks read: the manifest and its index, looked at whole.

use std::os::unix::fs::MetadataExt;

use anyhow::Result;
use lessons_core::digest;
use lessons_core::files;
use lessons_core::index::header::Header;
use lessons_core::manifest;
use lessons_core::wording::counted;
use lessons_manifest_builder::examples;
use lessons_manifest_builder::patterns::Patterns;

use super::fix::Fix;
use super::{Finding, Machine};
use crate::building::{self, VERSION};
use crate::publishing::known_patterns;
use crate::verbs;

/// The command that makes both anew.
const BUILD: &str = "lessons build";
/// The largest index that is looked at.
const INDEX_LIMIT: u64 = 4 << 30;

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
            let saved = verbs::not_in_force(app, &manifest);
            if let Some(first) = saved.first() {
                let message =
                    format!("{} saved and not in force, such as {first}", counted(saved.len(), "lesson"));
                found.push(Finding::warning("NOT_IN_FORCE", message, BUILD).fixed_by(Fix::Build));
            }
        }
    }
    found.extend(failing_examples(machine));
    Ok(found)
}

/// The index belongs to the manifest, byte by byte.
fn index(machine: &Machine<'_>) -> Result<Option<Finding>> {
    let home = &machine.app.home;
    let slow = |code, what: &str| {
        let message = format!("{what}, so every call reads the whole manifest instead");
        Some(Finding::warning(code, message, BUILD).fixed_by(Fix::Build))
    };
    let Some(bytes) = files::read(&home.index(), INDEX_LIMIT)? else {
        return Ok(slow("INDEX_MISSING", "there is no index beside the manifest"));
    };
    let header = Header::decode(bytes.get(..bytes.len().min(4096)).unwrap_or_default(), bytes.len() as u64);
    let (Ok(header), Ok(_)) = (header, Patterns::of_index(&bytes)) else {
        return Ok(slow("INDEX_DAMAGED", "the index beside the manifest is damaged"));
    };
    let manifest = files::read(&home.manifest(), manifest::MAX_BYTES)?.unwrap_or_default();
    let stands = home.manifest().symlink_metadata()?;
    let is_its = header.manifest.inode == stands.ino()
        && header.manifest.size == stands.size()
        && header.manifest.seconds == stands.mtime()
        && digest::hex_of(&header.digest, 64) == digest::hex(&manifest, 64);
    Ok(if is_its { None } else { slow("INDEX_STALE", "the index was made of another manifest") })
}

/// Lessons that fail the examples they bring.
fn failing_examples(machine: &Machine<'_>) -> Vec<Finding> {
    let patterns = known_patterns(&machine.app.home);
    let tried = machine.in_force().filter(|(_, lesson)| !lesson.examples.is_empty());
    tried
        .filter_map(|(id, lesson)| Some((id, examples::try_lesson(id, lesson, &patterns).err()?)))
        .map(|(id, why)| {
            Finding::error("EXAMPLE_FAILS", format!("{id}: {why}"), format!("lessons edit {id}"))
        })
        .collect()
}
