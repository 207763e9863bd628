//! Checks about incidents: the index that hooks read, lessons in force that are like one, and files with instructions for
//! the agent that hold such a text.

use anyhow::Result;
use lessons_home::files;
use lessons_incident::index::{IncidentIndex, MOST_BYTES};
use lessons_incident::kind::Severity;
use lessons_incident_check::check::{INCIDENT_MATCH, IncidentChecker};
use lessons_incident_check::{memory, memory_look, publish, state};
use lessons_review::project_names;
use lessons_store::config::in_editor;
use lessons_store::incidents::DecidedIncidents;
use lessons_text::neutral::line;

use super::fix::Fix;
use super::{DoctorContext, DoctorFinding, FindingSeverity};

/// The code of findings about the index of incidents.
const INCIDENT_INDEX: &str = "INCIDENT_INDEX";

pub(super) fn check(context: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let app = context.app;
    if !state::settings(app).enabled {
        return Ok(Vec::new());
    }
    if let Err(error) = DecidedIncidents::read(&app.home) {
        let remedy = error.remedy();
        return Ok(vec![DoctorFinding::of("INCIDENTS_UNREADABLE", &error, remedy, "lessons incidents")]);
    }
    let mut found: Vec<DoctorFinding> = index(context)?.into_iter().collect();
    let Some(checker) = IncidentChecker::of(app) else {
        return Ok(found);
    };
    for (id, lesson) in context.in_force() {
        let Some(matched) = checker.about(lesson).into_iter().next() else { continue };
        let message = format!("{id} is in force and is like {}", matched.words());
        found.push(DoctorFinding::warning(INCIDENT_MATCH, message, format!("lessons show {id}")));
    }
    let roots: Vec<_> = project_names::here().into_iter().collect();
    let mut files: Vec<_> = memory::files(&roots).collect();
    // In projects elsewhere.
    files.extend(memory_look::held(app).into_iter().filter(|held| !files.contains(held)).collect::<Vec<_>>());
    found.extend(memory::find(&checker, files).iter().map(|held| {
        let remedy = line(&in_editor(&held.file.path));
        let found = DoctorFinding::error("INCIDENT_IN_MEMORY", line(&held.words()), remedy);
        let severity = if held.is_critical() { found.severity } else { FindingSeverity::Warning };
        DoctorFinding { severity, ..found }
    }));
    Ok(found)
}

/// The finding that hooks check nothing, or not against what is known.
fn index(context: &DoctorContext<'_>) -> Result<Option<DoctorFinding>> {
    let app = context.app;
    let path = app.home.incident_index();
    let finding =
        |message: String| DoctorFinding::error(INCIDENT_INDEX, message, "lessons build").fixed_by(Fix::Build);
    let Some(bytes) = files::read(&path, MOST_BYTES)? else {
        // Where nothing was built yet, that is what is said.
        let message = "the index of incidents is missing, so no text is checked".to_owned();
        return Ok(app.home.index().exists().then(|| finding(message)));
    };
    let Some(index) = IncidentIndex::read(&bytes) else {
        let message = format!("{} is corrupt, so no text is checked", path.display());
        return Ok(Some(finding(message)));
    };
    let Some(database) = &context.database else { return Ok(None) };
    let is_current = publish::index(app, database)?.is_none_or(|wanted| wanted == index);
    Ok((!is_current).then(|| {
        let critical = index.rows().iter().filter(|row| row.severity == Severity::Critical).count();
        finding(format!("the index of incidents ({critical} critical) is not what is known now"))
    }))
}
