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
use lessons_text::line;

use crate::finding::FindingSeverity::{Error, Warning};
use crate::finding::{CheckResult, Examined, Findings, Fix};

pub(crate) fn check(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let context = examined.context;
    if !check::settings(context).enabled {
        return Ok(());
    }
    if let Err(error) = DecidedIncidents::read(&context.home) {
        found.add_error("INCIDENTS_UNREADABLE", &error, error.remedy(), "lessons incidents");
        return Ok(());
    }
    if let Some(message) = wrong_index(examined)? {
        found.add(Error, "INCIDENT_INDEX", message, "lessons build").fix = Some(Fix::Build);
    }
    let Some(checker) = IncidentChecker::of(context) else { return Ok(()) };
    for (id, lesson) in examined.in_force() {
        let Some(matched) = checker.about(lesson).into_iter().next() else { continue };
        let message = format!("{id} is in force and is like {}", matched.words());
        found.add(Warning, INCIDENT_MATCH, message, format!("lessons show {id}"));
    }
    let roots: Vec<_> = project_names::here().into_iter().collect();
    let mut files: Vec<_> = memory::files(&roots).collect();
    // In projects elsewhere.
    files.extend(
        memory::last(context).held.into_iter().filter(|held| !files.contains(held)).collect::<Vec<_>>(),
    );
    for held in memory::find(&checker, files) {
        let severity = if held.is_critical() { Error } else { Warning };
        let remedy = line(&in_editor(&held.file.path));
        found.add(severity, "INCIDENT_IN_MEMORY", line(&held.words()), remedy);
    }
    Ok(())
}

/// That hooks check nothing, or not against what is known, in a sentence.
fn wrong_index(examined: &Examined<'_>) -> CheckResult<Option<String>> {
    let context = examined.context;
    let path = context.home.incident_index();
    let Some(bytes) = files::read(&path, MOST_BYTES)? else {
        // Where nothing was built yet, that is what is said.
        let message = "the index of incidents is missing, so no text is checked".to_owned();
        return Ok(context.home.index().exists().then_some(message));
    };
    let Some(index) = IncidentIndex::read(&bytes) else {
        return Ok(Some(format!("{} is corrupt, so no text is checked", path.display())));
    };
    let Some(database) = &examined.database else { return Ok(None) };
    let is_current = record::index(context, database)?.is_none_or(|wanted| wanted == index);
    Ok((!is_current).then(|| {
        let critical = index.rows().iter().filter(|row| row.severity == Severity::Critical).count();
        format!("the index of incidents ({critical} critical) is not what is known now")
    }))
}
