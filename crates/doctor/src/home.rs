//! Checks of the data folder itself, and of what a person has accepted in it.

use bytes::Bytes;
use lessons_context::Context;
use lessons_home::files::{self, FileError};
use lessons_home::{Environment, home};
use lessons_index::manifest;
use lessons_lesson::Layer;
use lessons_manifest_builder::LoadedIndex;
use lessons_manifest_builder::report::{Noted, Reason};
use lessons_publish::building::{self, VERSION};
use lessons_publish::publishing::{self, INDEX_LIMIT};
use lessons_review::lookup;
use lessons_store::{Accepted, LessonChange, Unaccepted, durable::mapped};
use lessons_text::{counted, digest, line, quoted_path as quoted};

use crate::finding::FindingSeverity::{Error, Note, Warning};
use crate::finding::{CheckResult, Examined, Findings, Fix};

/// The command that puts lessons.json back.
const RESTORE: &str = "lessons restore --store";
/// The command that shows what is not accepted.
const SHOW: &str = "lessons accept --dry-run";

/// The finding that no command can use the data folder, after which nothing else can be checked.
pub(crate) fn usable(context: &Context, found: &mut Findings) {
    let root = context.home.root();
    let Err(error) = files::check_folder(root) else { return };
    let is_missing =
        matches!(&error, FileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound);
    if !is_missing {
        let otherwise = format!("ls -ld {}", quoted(root));
        found.add_error("HOME_UNUSABLE", &error, error.remedy(), &otherwise).fix =
            matches!(error, FileError::Writable { .. }).then_some(Fix::Permissions);
    }
}

pub(crate) fn check(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let home = &examined.context.home;
    let marker = home.marker();
    // Hooks do not accept a folder that does not name itself as `LESSONS_HOME`. Of the machine's own they do not ask it.
    let is_named = Environment::of_process().names_folder();
    if is_named && marker.symlink_metadata().is_ok() && !home::names_itself(home)? {
        let message = format!(
            "{} names another folder than its own: this one was moved or copied, so hooks do not accept it as LESSONS_HOME",
            marker.display()
        );
        found.add(Error, "HOME_MOVED", message, "lessons doctor --fix").fix = Some(Fix::Marker);
    }
    if let Some(index) = &examined.index {
        for lost in index.ask()?.build_notes()?.lost_refusals {
            let message = format!("{} blocks nothing at present: {}", lost.id, lost.reason);
            found.add(Error, "REFUSAL_LOST", line(&message), SHOW);
        }
    }
    let accepted = match Accepted::read(home) {
        Ok(accepted) => accepted,
        Err(error) => {
            found.add_error("DECISIONS_UNREADABLE", &error, error.remedy(), SHOW);
            return Ok(());
        }
    };
    let is_gone = home.lessons().symlink_metadata().is_err();
    if is_gone && accepted.graph.ids().next().is_some() {
        let message = "lessons.json is gone; the lessons that you accepted stay in force";
        found.add(Warning, "STORE_GONE", message, RESTORE).fix = Some(Fix::Store);
    } else if let Ok(unaccepted) = building::differing(examined.context) {
        not_accepted(&unaccepted, found);
    }
    Ok(())
}

/// Findings about what was taken out of the files, or set in them, by other means than a command. What is new or changed is
/// named lesson by lesson with what a build leaves out.
fn not_accepted(unaccepted: &Unaccepted, found: &mut Findings) {
    let gone: Vec<_> =
        unaccepted.lessons.iter().filter(|(_, change)| *change == LessonChange::Removed).collect();
    if let Some((first, _)) = gone.first() {
        let message = format!(
            "{} gone from lessons.json and in force until you accept that, such as user/{first}",
            counted(gone.len(), "lesson")
        );
        found.add(Warning, "GONE_FROM_STORE", message, RESTORE);
    }
    if !unaccepted.settings.is_empty() {
        let settings = line(&unaccepted.settings.join(", "));
        let message = format!("changed in config.toml outside of `lessons`, and not in force: {settings}");
        found.add(Warning, "SETTING_NOT_ACCEPTED", message, ACCEPT);
    }
}

/// The command that writes the manifest and the index again.
const BUILD: &str = "lessons build";
/// The command that accepts lessons and settings that were changed in the files.
const ACCEPT: &str = "lessons accept";

pub(crate) fn published(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let path = examined.context.home.index();
    let bytes = match mapped::read(&path, INDEX_LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            let message = "nothing is compiled, so the hooks do nothing";
            found.add(Error, "INDEX_MISSING", message, BUILD).fix = Some(Fix::Build);
            return Ok(());
        }
        Err(error) => {
            let message = format!("{}; the hooks do nothing", line(&error.to_string()));
            // A build replaces a file, and no folder.
            let folder = matches!(error, FileError::Kind { .. }).then(|| error.remedy()).flatten();
            let fix = folder.is_none().then_some(Fix::Build);
            let remedy = folder.unwrap_or_else(|| BUILD.to_owned());
            found.add(Error, "INDEX_UNREADABLE", message, remedy).fix = fix;
            return Ok(());
        }
    };
    let Some(index) = whole(bytes) else {
        let message =
            format!("{} cannot be read: the index is corrupt; the hooks do nothing", path.display());
        found.add(Error, "INDEX_DAMAGED", message, BUILD).fix = Some(Fix::Build);
        return Ok(());
    };
    if index.ask()?.build_notes()?.made_by != VERSION {
        let message = format!("the lessons in force were compiled by another version, not {VERSION}");
        found.add(Warning, "MANIFEST_OLD", message, BUILD).fix = Some(Fix::Build);
    }
    manifest(examined, &index, found);
    not_in_force(examined, &index, found)
}

/// The index in these bytes; `None` if any part of it is unreadable.
fn whole(bytes: Bytes) -> Option<LoadedIndex> {
    LoadedIndex::parse_whole(bytes).ok().filter(|index| index.manifest().is_ok() && index.patterns().is_ok())
}

/// A finding if the manifest is not, byte by byte, the file that was written with the index.
fn manifest(examined: &Examined<'_>, index: &LoadedIndex, found: &mut Findings) {
    let home = &examined.context.home;
    let path = home.manifest();
    let bytes = match mapped::read(&path, manifest::MAX_BYTES) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => {
            found.add_error("MANIFEST_UNREADABLE", &error, error.remedy(), BUILD);
            return;
        }
    };
    let is_its = publishing::is_of_manifest(index, home)
        && digest::hex_of(&index.header().digest, 64) == digest::hex(&bytes, 64);
    if !is_its {
        let message = format!("{} is not the manifest of the index that the hooks ask", path.display());
        found.add(Warning, "INDEX_STALE", message, BUILD).fix = Some(Fix::Build);
    }
}

/// Findings about lessons that a build would leave out, with the reasons, and about lessons that no build has compiled yet.
fn not_in_force(examined: &Examined<'_>, index: &LoadedIndex, found: &mut Findings) -> CheckResult<()> {
    let left_out = building::preview(examined.context)?.left_out;
    for noted in left_out.iter().filter(|noted| noted.reason.is_finding()) {
        of_left_out(noted, found);
    }
    let mut saved = lookup::lessons_not_in_force(examined.context, index);
    saved.retain(|id| !left_out.iter().any(|noted| noted.id == *id));
    if let Some(first) = saved.first() {
        let message = format!("{} saved and not in force, such as {first}", counted(saved.len(), "lesson"));
        found.add(Warning, "NOT_IN_FORCE", message, BUILD).fix = Some(Fix::Build);
    }
    Ok(())
}

fn of_left_out(noted: &Noted, found: &mut Findings) {
    let id = &noted.id;
    let what = if matches!(noted.reason, Reason::NotAccepted) { "" } else { " is not in force" };
    let edit = match id.layer {
        Layer::User => format!("lessons edit {}", id.id),
        Layer::Seed | Layer::Project(_) | Layer::Peer(_) => format!("lessons show {id}"),
    };
    let (severity, code, remedy) = match noted.reason {
        Reason::Example { .. } => (Error, "EXAMPLE_FAILS", edit),
        // A person has to accept changes made by hand, so this is no safe fix.
        Reason::NotAccepted => (Warning, "NOT_ACCEPTED", ACCEPT.to_owned()),
        Reason::Withheld { .. } => (Warning, "WITHHELD", "lessons incidents".to_owned()),
        Reason::UnknownProject { .. } => (Note, "UNKNOWN_PROJECT", edit),
        _ => (Error, "LEFT_OUT", edit),
    };
    found.add(severity, code, line(&format!("{id}{what}: {}", noted.reason)), remedy);
}
