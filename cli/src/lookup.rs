//! Looking up lessons, candidates and folders with transcripts, for every verb.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use lessons_ledger::candidates::{self, Candidate};
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, ProjectHash, QualifiedId};
use lessons_lesson::lesson::{Lesson, Status};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_manifest_builder::seeds;
use lessons_scanner::intake_marks::AgentDomains;
use lessons_scanner::roots::{self, Environment};
use lessons_scanner::scan::{ScanOptions, ScanTarget};
use lessons_scanner::timestamp::Timestamp;
use lessons_store::accepted::AcceptedCopies;
use lessons_store::config::Detectors;
use lessons_store::{load, trust};
use lessons_text::neutral;

use crate::app::{App, Coded, Refused};
use crate::building;
use crate::caught::CatchingLessons;
use crate::colleagues;
use crate::incidents;

/// The longest part of a text that a message repeats, in characters.
const LINE: usize = 90;

/// Every lesson of every layer.
pub(crate) fn every_lesson(app: &App) -> Result<Vec<(QualifiedId, Lesson)>> {
    of_every_layer(app, load::lessons(&app.home)?.lessons())
}

/// Every lesson of every layer, the user's own as a person accepted them.
pub(crate) fn accepted_lessons(app: &App) -> Result<Vec<(QualifiedId, Lesson)>> {
    of_every_layer(app, AcceptedCopies::read(&app.home)?.lessons.lessons())
}

/// The user's own lessons and those of every other layer.
fn of_every_layer<'l>(
    app: &App,
    own: impl Iterator<Item = &'l Lesson>,
) -> Result<Vec<(QualifiedId, Lesson)>> {
    let with = |layer: Layer| {
        move |lesson: Lesson| (QualifiedId { layer: layer.clone(), id: lesson.id.clone() }, lesson)
    };
    let mut all: Vec<_> = own.cloned().map(with(Layer::User)).collect();
    all.extend(seeds::lessons().into_iter().map(with(Layer::Seed)));
    for approved in trust::approved(&app.home)? {
        let layer = Layer::Project(ProjectHash::of_root(&approved.store.root));
        all.extend(approved.lessons.into_iter().map(with(layer)));
    }
    // One that cannot be read is not in force, and the build says so.
    for colleague in colleagues::of(app).unwrap_or_default() {
        let ids: Vec<_> = colleague.lessons.iter().map(|lesson| colleague.id_of(lesson)).collect();
        all.extend(ids.into_iter().zip(colleague.lessons));
    }
    Ok(all)
}

/// Finds the lesson of any layer that `text` names: its id with or without its layer, or the start of either.
/// An exact name comes before the start of one, the user's own before others of the same name.
pub(crate) fn find_lesson(app: &App, text: &str) -> Result<(QualifiedId, Lesson)> {
    let mut every = every_lesson(app)?;
    every.sort_by(|(a, _), (b, _)| a.cmp(b));
    let exact = every.iter().position(|(id, _)| id.id.as_str() == text || id.to_string() == text);
    if let Some(at) = exact {
        return Ok(every.swap_remove(at));
    }
    let starts = |id: &QualifiedId| {
        !text.is_empty() && (id.id.as_str().starts_with(text) || id.to_string().starts_with(text))
    };
    every.retain(|(id, _)| starts(id));
    if every.len() > 1 {
        bail!(Refused(ambiguous(text, every.iter().map(|(id, _)| id))));
    }
    every.pop().ok_or_else(|| {
        let text = neutral::shortened(&neutral::line(text), LINE);
        Coded::refused(
            "UNKNOWN_ID",
            format!("there is no lesson `{text}`; `lessons list --all` shows all of them"),
        )
        .into()
    })
}

/// The message for an abbreviated id that several items share; names the first few.
pub(crate) fn ambiguous(text: &str, ids: impl ExactSizeIterator<Item = impl ToString>) -> String {
    const NAMED: usize = 3;
    let more = ids.len().saturating_sub(NAMED);
    let names: Vec<_> = ids.take(NAMED).map(|id| id.to_string()).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{}` could be {}{more}; type more of it", neutral::line(text), names.join(", "))
}

/// The user's own lessons that are active, accepted and wanted by the settings, and yet not compiled.
pub(crate) fn lessons_not_in_force(app: &App, index: &LoadedIndex) -> Vec<QualifiedId> {
    let (Ok(graph), Ok((config, _))) = (load::lessons(&app.home), app.settings()) else { return Vec::new() };
    let unaccepted = building::differing(app).unwrap_or_default();
    let compiled: HashSet<QualifiedId> = index.ids().unwrap_or_default().into_iter().collect();
    let off = config.lessons_off();
    graph
        .lessons()
        .filter(|lesson| {
            lesson.status == Status::Active
                && lesson.priority.get() >= config.minimum_priority
                && lesson.confidence.get() >= config.minimum_confidence
        })
        .map(|lesson| QualifiedId { layer: Layer::User, id: lesson.id.clone() })
        .filter(|id| !compiled.contains(id) && !off.contains_key(&id.to_string()))
        .filter(|id| !unaccepted.lessons.iter().any(|(known, _)| *known == id.id))
        .collect()
}

/// Candidates that wait for a decision, are no lesson yet, and whose mistake no lesson in force catches.
pub(crate) fn waiting_candidates(app: &App) -> Result<Vec<Candidate>> {
    let promoted = promoted_candidates(app)?;
    let mut waiting = Database::open(&app.home)?.candidates(&[candidates::CandidateStatus::New])?;
    let lessons = CatchingLessons::of(app);
    waiting.retain(|candidate| !promoted.contains(&candidate.id) && !lessons.catch(candidate));
    Ok(waiting)
}

/// Ids of the candidates that some lesson, active or not, of the user or of a trusted project has as evidence.
pub(crate) fn promoted_candidates(app: &App) -> Result<HashSet<String>> {
    let graph = load::lessons(&app.home)?;
    // A corrupt list of trusted stores is the doctor's business.
    let approved = trust::approved(&app.home).unwrap_or_default();
    let lessons = graph.lessons().chain(approved.iter().flat_map(|approved| &approved.lessons));
    let evidence = lessons.flat_map(|lesson| &lesson.evidence);
    Ok(evidence.filter_map(|source| source.strip_prefix("candidate:")).map(str::to_owned).collect())
}

/// How a scan is done on this machine, from the settings.
pub(crate) fn scan_settings(app: &App) -> Result<ScanOptions> {
    let (config, _) = app.settings()?;
    let wanted = match config.scan_detectors {
        Detectors::On => ScanTarget::Everything,
        Detectors::Off => ScanTarget::Tags,
    };
    let options = ScanOptions::at(Timestamp::from_millis(app.now_ms()), config.scan_proposals);
    Ok(ScanOptions {
        hidden_proposals: hidden_proposals(app)?,
        domains: AgentDomains::new(config.agents.domains),
        ..options.looking_for(wanted).recording(incidents::rules(app))
    })
}

/// The number of proposals whose mistake a lesson in force catches, so that [`waiting_candidates`] leaves them out.
fn hidden_proposals(app: &App) -> Result<u64> {
    let proposals = Database::open(&app.home)?.new_proposals()?;
    if proposals.is_empty() {
        return Ok(0);
    }
    let lessons = CatchingLessons::of(app);
    Ok(proposals.iter().filter(|proposal| lessons.catch(proposal)).count() as u64)
}

/// The folders with transcripts: the client's, the configured ones, and those in `typed`.
pub(crate) fn transcript_folders(app: &App, typed: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (config, _) = app.settings()?;
    let environment = Environment {
        claude_config: std::env::var_os("CLAUDE_CONFIG_DIR"),
        home: std::env::var_os("HOME").map(PathBuf::from),
    };
    let mut more = config.scan_roots;
    for folder in typed {
        more.push(std::path::absolute(folder)?);
    }
    Ok(roots::roots(&environment, &more))
}
