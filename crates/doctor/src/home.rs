//! Checks of the data folder itself, and of what a person has accepted in it.

use lessons_context::context::Context;
use lessons_home::files::{self, FileError};
use lessons_home::home;
use lessons_publish::building;
use lessons_store::accepted::{Accepted, LessonChange, Unaccepted};
use lessons_text::neutral::line;
use lessons_text::shell_word::quoted_path as quoted;
use lessons_text::wording::counted;

use crate::examined::{CheckResult, Examined};
use crate::finding::DoctorFinding;
use crate::fix::Fix;

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
