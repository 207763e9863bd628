//! All checks, in the order of their areas.

use lessons_context::{Context, sentence};
use lessons_ledger::{Database, events};
use lessons_publish::in_force;
use lessons_review::lookup;

use crate::finding::{CheckResult, DoctorFinding, Examined};
use crate::{activity, conflict, home, incidents, install, stores};

/// The checks of one area.
type Check = fn(&Examined<'_>) -> CheckResult<Vec<DoctorFinding>>;

/// Runs all checks, the most severe finding first. A check that fails becomes a finding.
pub fn findings(context: &Context) -> Vec<DoctorFinding> {
    if let Some(unusable) = home::unusable(context) {
        return vec![unusable];
    }
    let mut found = Vec::new();
    let database = Database::open(&context.home).map_err(|error| found.push(stores::no_database(&error)));
    let mut database = database.ok();
    if let Some(database) = &mut database {
        // What cannot be read of the events is said by the next scan.
        let _ = events::take_in(&context.home, database, context.now_ms());
    }
    let config = context.settings().map(|(config, _)| config).unwrap_or_default();
    let examined = Examined {
        context,
        config,
        index: in_force::readable_index(context),
        lessons: lookup::every_lesson(context).unwrap_or_default(),
        database,
    };
    let checks: [(&str, Check); 9] = [
        ("the installation", install::check),
        ("the data folder", home::check),
        ("what the hooks read", home::published),
        ("your lessons and settings", stores::check),
        ("lessons against each other", |examined| Ok(conflict::check(examined))),
        ("incidents", incidents::check),
        ("what peers share", stores::received),
        ("hooks, scans and nightly runs", activity::check),
        ("lessons on past sessions", conflict::too_broad),
    ];
    for (area, check) in checks {
        match check(&examined) {
            Ok(more) => found.extend(more),
            Err(error) => found.push(DoctorFinding::error(
                "NOT_CHECKED",
                format!("{area} could not be checked: {}", sentence(&error)),
                "lessons doctor",
            )),
        }
    }
    // What kept an area from being checked is mostly a finding of another area, with a better remedy.
    found.sort_by_key(|finding| (finding.severity, finding.code == "NOT_CHECKED"));
    found
}
