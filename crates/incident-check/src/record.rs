//! The recording of incidents by verbs. It never stops anything else: an error is left to the next scan or to `doctor`.

use lessons_context::authority::Authority;
use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_context::lesson_text;
use lessons_incident::kind::{IncidentType, SourceKind};
use lessons_incident::pattern::Pattern;
use lessons_incident::trust::{Origin, Trust};
use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::incidents::IncidentRecorder;
use lessons_lesson::lesson::Lesson;
use lessons_store::incidents::{DecidedIncidents, Incident, IncidentDetails};

use crate::publish;
use crate::state::rules;

/// Records incidents that a verb met. A plan records nothing.
pub fn record(context: &Context, met: &[Incident]) {
    if !met.is_empty() && !matches!(context.authority, Authority::Planning(_)) {
        // What was asked for is done, and is said without this.
        let _ = recording(context, |recorder, database| recorder.record(database, met).map(drop));
    }
}

/// Judges the candidates that were not judged yet, and records those that cannot be trusted.
pub fn judge(context: &Context) {
    // The next scan judges them otherwise.
    let _ = recording(context, |recorder, database| database.judge_candidates(recorder).map(drop));
}

/// Records something and publishes what is known then; nothing where incidents are switched off.
fn recording(
    context: &Context,
    work: impl FnOnce(&mut IncidentRecorder, &mut Database) -> Result<(), DatabaseError>,
) -> Result<()> {
    let Some(rules) = rules(context) else { return Ok(()) };
    let lock = context.lock()?;
    let mut database = Database::open(&context.home)?;
    let mut recorder = IncidentRecorder::new(&mut database, &DecidedIncidents::read(&context.home)?, rules)?;
    work(&mut recorder, &mut database)?;
    publish::publish(context, &lock, &database)
}

/// The lessons of an import or a project that cannot be trusted, as incidents.
pub fn untrusted<'l>(
    context: &Context,
    origin: Origin,
    (source_kind, source): (SourceKind, &str),
    lessons: impl Iterator<Item = &'l Lesson>,
) -> Vec<Incident> {
    let Some(rules) = rules(context) else { return Vec::new() };
    let untrusted = lessons.filter_map(|lesson| {
        let text = lesson_text::text_of(lesson);
        let trust = Trust::of(origin, &text);
        let severity = trust.severity(rules.minimum_trust)?;
        Some(Incident {
            source_ids: vec![format!("{source_kind}:{source}:{}", lesson.id)],
            details: IncidentDetails {
                trust: Some(trust.score()),
                rules: trust.rules,
                ..IncidentDetails::default()
            },
            ..Incident::new(
                IncidentType::TrustViolation,
                severity,
                Pattern::of(&text),
                (source_kind, source.to_owned()),
                context.now_ms(),
            )
        })
    });
    untrusted.collect()
}
