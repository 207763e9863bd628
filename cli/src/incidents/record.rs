//! The recording of incidents by verbs. It never stops anything else: an error is left to the next scan or to `doctor`.

use anyhow::Result;
use lessons_incident::kind::{IncidentType, SourceKind};
use lessons_incident::pattern::Pattern;
use lessons_incident::trust::{Origin, Trust};
use lessons_ledger::database::Database;
use lessons_ledger::incidents::{IncidentRecorder, NewIncident};
use lessons_lesson::lesson::Lesson;
use lessons_store::incidents::{DecidedIncidents, IncidentDetails};

use super::{publish, rules, text};
use crate::app::App;
use crate::authority::Authority;

/// Records incidents that a verb met. A plan records nothing.
pub(crate) fn record(app: &App, met: &[NewIncident]) {
    if !met.is_empty() && !matches!(app.authority, Authority::Planning(_)) {
        // What was asked for is done, and is said without this.
        let _ = try_record(app, met);
    }
}

/// Judges the candidates that were not judged yet, and records those that cannot be trusted.
pub(crate) fn judge(app: &App) {
    // The next scan judges them otherwise.
    let _ = try_judge(app);
}

fn try_judge(app: &App) -> Result<()> {
    let Some(rules) = rules(app) else { return Ok(()) };
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let mut recorder = IncidentRecorder::new(&mut database, &DecidedIncidents::read(&app.home)?, rules)?;
    database.judge_candidates(&mut recorder)?;
    publish::publish(app, &lock, &database)
}

fn try_record(app: &App, met: &[NewIncident]) -> Result<()> {
    let Some(rules) = rules(app) else { return Ok(()) };
    let lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let mut recorder = IncidentRecorder::new(&mut database, &DecidedIncidents::read(&app.home)?, rules)?;
    recorder.record(&mut database, met)?;
    publish::publish(app, &lock, &database)
}

/// The lessons of an import or a project that cannot be trusted, as incidents.
pub(crate) fn untrusted<'l>(
    app: &App,
    origin: Origin,
    (source_kind, source): (SourceKind, &str),
    lessons: impl Iterator<Item = &'l Lesson>,
) -> Vec<NewIncident> {
    let Some(rules) = rules(app) else { return Vec::new() };
    let untrusted = lessons.filter_map(|lesson| {
        let text = text::text_of(lesson);
        let trust = Trust::of(origin, &text);
        let severity = trust.severity(rules.minimum_trust)?;
        Some(NewIncident {
            source_ids: vec![format!("{source_kind}:{source}:{}", lesson.id)],
            details: IncidentDetails {
                trust: Some(trust.score()),
                rules: trust.rules,
                ..IncidentDetails::default()
            },
            ..NewIncident::new(
                IncidentType::TrustViolation,
                severity,
                Pattern::of(&text),
                (source_kind, source.to_owned()),
                app.now_ms(),
            )
        })
    });
    untrusted.collect()
}
