//! The recording of incidents by verbs, and what is published of them for hooks, which open no database: the index, beside the
//! manifest, and the incidents that the user is asked about at the start of a session.
//!
//! Recording never stops anything else: an error is left to the next scan or to `doctor`.

use lessons_context::{Authority, Context, Error, Result, lesson_difference};
use lessons_home::files;
use lessons_incident::index::{MOST_BYTES, Row};
use lessons_incident::{
    CheckSettings, IncidentIndex, IncidentType, Origin, Pattern, Sketch, SourceKind, Standing, Trust,
};
use lessons_ledger::incidents::IncidentRecorder;
use lessons_ledger::{Database, DatabaseError, KnownIncident};
use lessons_lesson::Lesson;
use lessons_lesson::waiting::WithheldNotice;
use lessons_store::{DecidedIncidents, DecisionsError, Incident, IncidentDetails, Lock, durable};
use lessons_text::neutral::line;

use crate::check::{rules, settings};
use crate::memory;

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
    let (lock, mut database) = context.lock_database()?;
    let mut recorder = IncidentRecorder::new(&mut database, &DecidedIncidents::read(&context.home)?, rules)?;
    work(&mut recorder, &mut database)?;
    publish(context, &lock, &database)
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
        let text = lesson_difference::text_of(lesson);
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

/// Writes the index of the incidents, or removes it where they are switched off. A corrupt `decisions.json`, which
/// may hold decisions, leaves the index as it was.
pub fn publish(context: &Context, _lock: &Lock, database: &Database) -> Result<()> {
    let path = context.home.incident_index();
    let bytes = match index(context, database) {
        Ok(Some(index)) => index.to_bytes(),
        Ok(None) => return Ok(durable::remove(&path)?),
        Err(Error::Decisions(DecisionsError::Corrupt { .. } | DecisionsError::Version { .. })) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if files::read(&path, MOST_BYTES).ok().flatten().as_deref() != Some(&bytes) {
        durable::replace(&path, &bytes)?;
    }
    Ok(())
}

/// Publishes what a scan found, and looks at the files with instructions for the agent that changed. An error is left to the next build, and to `doctor`.
pub fn after_scan(context: &Context) {
    let publish_all =
        || -> Result<()> { publish(context, &context.lock()?, &Database::open(&context.home)?) };
    let _ = publish_all();
    publish_notices(context);
    memory::look_at_changed(context);
}

/// The index that belongs to what is known. `None` where incidents are switched off.
pub fn index(context: &Context, database: &Database) -> Result<Option<IncidentIndex>> {
    let settings = settings(context);
    if !settings.enabled {
        return Ok(None);
    }
    let known = database.known_incidents(&DecidedIncidents::read(&context.home)?)?;
    let settings = CheckSettings { local: settings.local, threshold: settings.similarity };
    Ok(Some(IncidentIndex::new(settings, known.iter().map(row).collect())))
}

fn standing(known: &KnownIncident) -> Standing {
    match (known.is_active(), known.is_confirmed()) {
        (false, _) => Standing::Retired,
        (true, true) => Standing::Confirmed,
        (true, false) => Standing::Active,
    }
}

fn row(known: &KnownIncident) -> Row {
    let incident = &known.incident;
    Row {
        id: incident.id,
        kind: incident.incident_type,
        severity: known.severity(),
        standing: standing(known),
        last_seen: incident.last_seen / 1000,
        source_kind: incident.source_kind,
        source: incident.source.clone(),
        sketch: Sketch::of(incident.pattern.text()),
    }
}

/// The most incidents that are published.
const MOST_NOTICES: usize = 20;
/// The largest published list that is read, in bytes.
const NOTICES_LIMIT: u64 = 64 << 10;

/// Publishes the withheld incidents that wait for a decision, if they changed. An error is ignored: `lessons incidents`
/// lists them.
pub fn publish_notices(context: &Context) {
    let Ok(bytes) = undecided(context).and_then(|notices| Ok(serde_json::to_vec(&notices)?)) else { return };
    let path = context.home.withheld_notices();
    let published = files::read(&path, NOTICES_LIMIT).ok().flatten();
    let is_published = published.as_deref().unwrap_or(b"[]") == bytes;
    if !is_published && files::ensure_folder(&context.home.log()).is_ok() {
        let _ = durable::replace(&path, &bytes);
    }
}

/// The withheld incidents that nobody has confirmed or retired, the newest first.
fn undecided(context: &Context) -> Result<Vec<WithheldNotice>> {
    if !crate::check::settings(context).enabled {
        return Ok(Vec::new());
    }
    let known = crate::check::known(context)?.into_iter();
    let is_undecided = |known: &KnownIncident| known.is_active() && !known.is_confirmed();
    let undecided = known.filter(|known| known.entry.withheld.is_some() && is_undecided(known));
    let notices = undecided.map(|known| WithheldNotice {
        id: known.incident.id.to_string(),
        source: line(&known.incident.source),
        rules: known.incident.details.rules.iter().map(|rule| rule.name().to_owned()).collect(),
        at: known.incident.created_at,
    });
    Ok(notices.take(MOST_NOTICES).collect())
}
