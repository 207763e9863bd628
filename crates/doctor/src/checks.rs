//! All checks, in the order of their areas.

use lessons_context::{Context, sentence};
use lessons_ledger::{Database, events};
use lessons_publish::in_force;
use lessons_review::lookup;

use crate::finding::{CheckResult, DoctorFinding, Examined, FindingSeverity, Findings};
use crate::{activity, conflict, home, incidents, install, stores};

/// The checks of one area, which add to what was found before.
type Check = fn(&Examined<'_>, &mut Findings) -> CheckResult<()>;

/// Runs all checks, the most severe finding first. A check that fails becomes a finding.
pub fn findings(context: &Context) -> Vec<DoctorFinding> {
    let mut found = Findings::default();
    home::usable(context, &mut found);
    if !found.0.is_empty() {
        return found.0;
    }
    let database = Database::open(&context.home).map_err(|error| stores::no_database(&error, &mut found));
    let mut database = database.ok();
    if let Some(database) = &mut database {
        // What cannot be read of the events is said by the next scan.
        let _ = events::take_in(&context.home, database, context.now_ms());
    }
    let examined = Examined {
        context,
        index: in_force::readable_index(context),
        lessons: lookup::every_lesson(context).unwrap_or_default(),
        database,
    };
    let checks: [(&str, Check); 9] = [
        ("the installation", install::check),
        ("the data folder", home::check),
        ("what the hooks read", home::published),
        ("your lessons and settings", stores::check),
        ("lessons against each other", conflict::check),
        ("incidents", incidents::check),
        ("what peers share", stores::received),
        ("hooks, scans and nightly runs", activity::check),
        ("lessons on past sessions", conflict::too_broad),
    ];
    let mut unchecked = Vec::new();
    for (area, check) in checks {
        let before = found.0.len();
        if let Err(error) = check(&examined, &mut found) {
            found.0.truncate(before);
            unchecked.push((area, sentence(&error)));
        }
    }
    // What kept an area from being checked is mostly a finding of another area, with a better remedy.
    let is_told = |reason: &str| found.0.iter().any(|finding| finding.message.contains(reason));
    let (same, others): (Vec<_>, Vec<_>) = unchecked.into_iter().partition(|(_, reason)| is_told(reason));
    let mut messages: Vec<String> =
        others.iter().map(|(area, reason)| format!("{area} could not be checked: {reason}")).collect();
    if !same.is_empty() {
        let areas: Vec<&str> = same.iter().map(|(area, _)| *area).collect();
        messages.push(format!("not checked for that reason: {}", areas.join("; ")));
    }
    for message in messages {
        found.add(FindingSeverity::Error, "NOT_CHECKED", message, "lessons doctor");
    }
    found.0.sort_by_key(|finding| (finding.severity, finding.code == "NOT_CHECKED"));
    found.0
}
