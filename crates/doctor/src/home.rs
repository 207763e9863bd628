//! Checks of the data folder itself, and of what a person has accepted in it.

use bytes::Bytes;
use lessons_context::Context;
use lessons_home::files::{self, FileError};
use lessons_home::home;
use lessons_index::manifest;
use lessons_lesson::Layer;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_manifest_builder::report::{Noted, Reason};
use lessons_publish::building::{self, VERSION};
use lessons_publish::publishing::{self, INDEX_LIMIT};
use lessons_review::lookup;
use lessons_store::{Accepted, LessonChange, Unaccepted, mapped};
use lessons_text::digest;
use lessons_text::neutral::line;
use lessons_text::shell_word::quoted_path as quoted;
use lessons_text::wording::counted;

use crate::finding::{CheckResult, DoctorFinding, Examined, Fix};

/// The command that puts lessons.json back.
const RESTORE: &str = "lessons restore --store";
/// The command that shows what is not accepted.
const SHOW: &str = "lessons accept --dry-run";

/// The finding that no command can use the data folder, after which nothing else can be checked.
pub(crate) fn unusable(context: &Context) -> Option<DoctorFinding> {
    let root = context.home.root();
    let error = files::check_folder(root).err()?;
    let found =
        DoctorFinding::of("HOME_UNUSABLE", &error, error.remedy(), &format!("ls -ld {}", quoted(root)));
    match error {
        FileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => None,
        FileError::Writable { .. } => Some(found.fixed_by(Fix::Permissions)),
        _ => Some(found),
    }
}

pub(crate) fn check(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let mut found = Vec::new();
    found.extend(moved(examined.context)?);
    found.extend(lost_refusals(examined)?);
    let accepted = match Accepted::read(&examined.context.home) {
        Ok(accepted) => accepted,
        Err(error) => {
            found.push(DoctorFinding::of("DECISIONS_UNREADABLE", &error, error.remedy(), SHOW));
            return Ok(found);
        }
    };
    let is_gone = examined.context.home.lessons().symlink_metadata().is_err();
    if is_gone && accepted.graph.ids().next().is_some() {
        let message = "lessons.json is gone; the lessons that you accepted stay in force";
        found.push(DoctorFinding::warning("STORE_GONE", message, RESTORE).fixed_by(Fix::Store));
    } else if let Ok(unaccepted) = building::differing(examined.context) {
        found.extend(not_accepted(&unaccepted));
    }
    Ok(found)
}

/// The finding that the folder does not name itself, so that hooks do not accept it as `LESSONS_HOME`.
fn moved(context: &Context) -> CheckResult<Option<DoctorFinding>> {
    let marker = context.home.marker();
    if marker.symlink_metadata().is_err() || home::names_itself(&context.home)? {
        return Ok(None);
    }
    let message = format!(
        "{} names another folder than its own: this one was moved or copied, so hooks do not accept it as LESSONS_HOME",
        marker.display()
    );
    Ok(Some(DoctorFinding::error("HOME_MOVED", message, "lessons doctor --fix").fixed_by(Fix::Marker)))
}

/// Findings about accepted refusals that the last build lost.
fn lost_refusals(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let Some(index) = &examined.index else { return Ok(Vec::new()) };
    let lost = index.ask()?.build_notes()?.lost_refusals;
    let finding = |id: String, reason: &str| {
        DoctorFinding::error("REFUSAL_LOST", line(&format!("{id} blocks nothing at present: {reason}")), SHOW)
    };
    Ok(lost.into_iter().map(|lost| finding(lost.id.to_string(), &lost.reason)).collect())
}

/// Findings about what was taken out of the files, or set in them, by other means than a command. What is new or changed is
/// named lesson by lesson with what a build leaves out.
fn not_accepted(unaccepted: &Unaccepted) -> Vec<DoctorFinding> {
    let mut found = Vec::new();
    let gone: Vec<_> =
        unaccepted.lessons.iter().filter(|(_, change)| *change == LessonChange::Removed).collect();
    if let Some((first, _)) = gone.first() {
        let message = format!(
            "{} gone from lessons.json and in force until you accept that, such as user/{first}",
            counted(gone.len(), "lesson")
        );
        found.push(DoctorFinding::warning("GONE_FROM_STORE", message, RESTORE));
    }
    if !unaccepted.settings.is_empty() {
        let message = format!(
            "changed in config.toml outside of `lessons`, and not in force: {}",
            line(&unaccepted.settings.join(", "))
        );
        found.push(DoctorFinding::warning("SETTING_NOT_ACCEPTED", message, "lessons accept"));
    }
    found
}

/// The command that writes the manifest and the index again.
const BUILD: &str = "lessons build";
/// The command that accepts lessons and settings that were changed in the files.
const ACCEPT: &str = "lessons accept";

pub(crate) fn published(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let path = examined.context.home.index();
    let broken = |code, message: String| DoctorFinding::error(code, message, BUILD).fixed_by(Fix::Build);
    let bytes = match mapped::read(&path, INDEX_LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            return Ok(vec![broken("INDEX_MISSING", "nothing is compiled, so the hooks do nothing".into())]);
        }
        Err(error) => {
            let found =
                broken("INDEX_UNREADABLE", format!("{}; the hooks do nothing", line(&error.to_string())));
            // A build replaces a file, and no folder.
            let folder = matches!(error, FileError::Kind { .. }).then(|| error.remedy()).flatten();
            return Ok(vec![match folder {
                Some(remedy) => DoctorFinding { remedy, fix: None, ..found },
                None => found,
            }]);
        }
    };
    let Some(index) = whole(bytes) else {
        let message =
            format!("{} cannot be read: the index is corrupt; the hooks do nothing", path.display());
        return Ok(vec![broken("INDEX_DAMAGED", message)]);
    };
    let mut found = Vec::new();
    if index.ask()?.build_notes()?.made_by != VERSION {
        let message = format!("the lessons in force were compiled by another version, not {VERSION}");
        found.push(DoctorFinding::warning("MANIFEST_OLD", message, BUILD).fixed_by(Fix::Build));
    }
    found.extend(manifest(examined, &index));
    found.extend(not_in_force(examined, &index)?);
    Ok(found)
}

/// The index in these bytes; `None` if any part of it is unreadable.
fn whole(bytes: Bytes) -> Option<LoadedIndex> {
    LoadedIndex::parse_whole(bytes).ok().filter(|index| index.manifest().is_ok() && index.patterns().is_ok())
}

/// A finding if the manifest is not, byte by byte, the file that was written with the index.
fn manifest(examined: &Examined<'_>, index: &LoadedIndex) -> Option<DoctorFinding> {
    let home = &examined.context.home;
    let path = home.manifest();
    let bytes = match mapped::read(&path, manifest::MAX_BYTES) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => return Some(DoctorFinding::of("MANIFEST_UNREADABLE", &error, error.remedy(), BUILD)),
    };
    let is_its = publishing::is_of_manifest(index, home)
        && digest::hex_of(&index.header().digest, 64) == digest::hex(&bytes, 64);
    let message = format!("{} is not the manifest of the index that the hooks ask", path.display());
    (!is_its).then(|| DoctorFinding::warning("INDEX_STALE", message, BUILD).fixed_by(Fix::Build))
}

/// Findings about lessons that a build would leave out, with the reasons, and about lessons that no build has compiled yet.
fn not_in_force(examined: &Examined<'_>, index: &LoadedIndex) -> CheckResult<Vec<DoctorFinding>> {
    let left_out = building::preview(examined.context)?.left_out;
    let mut found: Vec<DoctorFinding> =
        left_out.iter().filter(|noted| noted.reason.is_finding()).map(of_left_out).collect();
    let mut saved = lookup::lessons_not_in_force(examined.context, index);
    saved.retain(|id| !left_out.iter().any(|noted| noted.id == *id));
    if let Some(first) = saved.first() {
        let message = format!("{} saved and not in force, such as {first}", counted(saved.len(), "lesson"));
        found.push(DoctorFinding::warning("NOT_IN_FORCE", message, BUILD).fixed_by(Fix::Build));
    }
    Ok(found)
}

fn of_left_out(noted: &Noted) -> DoctorFinding {
    let id = &noted.id;
    let what = if matches!(noted.reason, Reason::NotAccepted) { "" } else { " is not in force" };
    let message = line(&format!("{id}{what}: {}", noted.reason));
    let fix = match id.layer {
        Layer::User => format!("lessons edit {}", id.id),
        Layer::Seed | Layer::Project(_) | Layer::Peer(_) => format!("lessons show {id}"),
    };
    match noted.reason {
        Reason::Example { .. } => DoctorFinding::error("EXAMPLE_FAILS", message, fix),
        // A person has to accept changes made by hand, so this is no safe fix.
        Reason::NotAccepted => DoctorFinding::warning("NOT_ACCEPTED", message, ACCEPT),
        Reason::Withheld { .. } => DoctorFinding::warning("WITHHELD", message, "lessons incidents"),
        Reason::UnknownProject { .. } => DoctorFinding::note("UNKNOWN_PROJECT", message, fix),
        _ => DoctorFinding::error("LEFT_OUT", message, fix),
    }
}
