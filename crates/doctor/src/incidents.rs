//! Checks about incidents: the index that hooks read, lessons in force that are like one, and files with instructions for
//! the agent that hold such a text.

use lessons_home::files;
use lessons_incident::index::MOST_BYTES;
use lessons_incident::{IncidentIndex, Severity};
use lessons_incident_check::check::{self, INCIDENT_MATCH, IncidentChecker};
use lessons_incident_check::{memory, record};
use lessons_review::project_names;
use lessons_store::DecidedIncidents;
use lessons_store::config::in_editor;
use lessons_text::neutral::line;

use crate::finding::{CheckResult, DoctorFinding, Examined, FindingSeverity, Fix};

/// The code of findings about the index of incidents.
const INCIDENT_INDEX: &str = "INCIDENT_INDEX";

pub(crate) fn check(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let context = examined.context;
    if !check::settings(context).enabled {
        return Ok(Vec::new());
    }
    if let Err(error) = DecidedIncidents::read(&context.home) {
        let remedy = error.remedy();
        return Ok(vec![DoctorFinding::of("INCIDENTS_UNREADABLE", &error, remedy, "lessons incidents")]);
    }
    let mut found: Vec<DoctorFinding> = index(examined)?.into_iter().collect();
    let Some(checker) = IncidentChecker::of(context) else {
        return Ok(found);
    };
    for (id, lesson) in examined.in_force() {
        let Some(matched) = checker.about(lesson).into_iter().next() else { continue };
        let message = format!("{id} is in force and is like {}", matched.words());
        found.push(DoctorFinding::warning(INCIDENT_MATCH, message, format!("lessons show {id}")));
    }
    let roots: Vec<_> = project_names::here().into_iter().collect();
    let mut files: Vec<_> = memory::files(&roots).collect();
    // In projects elsewhere.
    files.extend(
        memory::last_found(context).into_iter().filter(|held| !files.contains(held)).collect::<Vec<_>>(),
    );
    found.extend(memory::find(&checker, files).iter().map(|held| {
        let remedy = line(&in_editor(&held.file.path));
        let found = DoctorFinding::error("INCIDENT_IN_MEMORY", line(&held.words()), remedy);
        let severity = if held.is_critical() { found.severity } else { FindingSeverity::Warning };
        DoctorFinding { severity, ..found }
    }));
    Ok(found)
}

/// The finding that hooks check nothing, or not against what is known.
fn index(examined: &Examined<'_>) -> CheckResult<Option<DoctorFinding>> {
    let context = examined.context;
    let path = context.home.incident_index();
    let finding =
        |message: String| DoctorFinding::error(INCIDENT_INDEX, message, "lessons build").fixed_by(Fix::Build);
    let Some(bytes) = files::read(&path, MOST_BYTES)? else {
        // Where nothing was built yet, that is what is said.
        let message = "the index of incidents is missing, so no text is checked".to_owned();
        return Ok(context.home.index().exists().then(|| finding(message)));
    };
    let Some(index) = IncidentIndex::read(&bytes) else {
        let message = format!("{} is corrupt, so no text is checked", path.display());
        return Ok(Some(finding(message)));
    };
    let Some(database) = &examined.database else { return Ok(None) };
    let is_current = record::index(context, database)?.is_none_or(|wanted| wanted == index);
    Ok((!is_current).then(|| {
        let critical = index.rows().iter().filter(|row| row.severity == Severity::Critical).count();
        finding(format!("the index of incidents ({critical} critical) is not what is known now"))
    }))
}
