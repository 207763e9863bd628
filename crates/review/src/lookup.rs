//! Looking up lessons, candidates and folders with transcripts, for every verb.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::path::PathBuf;

use lessons_context::{Coded, Context, Result, refused};
use lessons_home::files;
use lessons_incident_check::check;
use lessons_index::{Views, matching};
use lessons_ledger::{Candidate, Database, candidates};
use lessons_lesson::{
    Call, Layer, Lesson, ProjectHash, ProjectLocation, QualifiedId, SampleCall, WaitingCount,
};
use lessons_manifest_builder::{LoadedIndex, seeds};
use lessons_publish::{building, in_force, peer_lessons};
use lessons_scanner::run::finding::WORKED;
use lessons_scanner::run::intake_marks::AgentDomains;
use lessons_scanner::run::scan::{ScanOptions, ScanTarget};
use lessons_scanner::transcript::roots::{self, Environment};
use lessons_scanner::transcript::timestamp::Timestamp;
use lessons_store::{Accepted, Graph, LessonChange, decisions::trust, durable, load};
use lessons_text::{counted, listed, neutral};

/// The longest part of a text that a message repeats, in characters.
const LINE: usize = 90;

/// Every lesson of every layer, the user's own as a person accepted them: what may be told, shared or exported.
pub fn every_lesson(context: &Context) -> Result<Vec<(QualifiedId, Lesson)>> {
    of_every_layer(context, &Accepted::read(&context.home)?.graph)
}

/// What `lessons.json` says of lessons otherwise than a person accepted them, each with the lesson there. Only a person at a
/// terminal is shown that.
pub fn unaccepted(context: &Context) -> BTreeMap<QualifiedId, (LessonChange, Option<Lesson>)> {
    let differing = || Some((building::differing(context).ok()?, load::lessons(&context.home).ok()?));
    let Some((changes, store)) = context.is_person().then(differing).flatten() else {
        return BTreeMap::new();
    };
    let row = |(id, change)| {
        let lesson = store.get(&id).cloned();
        (QualifiedId { layer: Layer::User, id }, (change, lesson))
    };
    changes.lessons.into_iter().map(row).collect()
}

/// The user's own lessons and those of every other layer.
pub fn of_every_layer(context: &Context, own: &Graph) -> Result<Vec<(QualifiedId, Lesson)>> {
    let with = |layer: Layer| {
        move |lesson: Lesson| (QualifiedId { layer: layer.clone(), id: lesson.id.clone() }, lesson)
    };
    let mut all: Vec<_> = own.lessons().cloned().map(with(Layer::User)).collect();
    all.extend(seeds::lessons().into_iter().map(with(Layer::Seed)));
    for approved in trust::approved(&context.home)? {
        let layer = Layer::Project(ProjectHash::of_root(&approved.store.root));
        all.extend(approved.lessons.into_iter().map(with(layer)));
    }
    // One that cannot be read is not in force, and the build says so.
    for peer in peer_lessons::of(context).unwrap_or_default() {
        let ids: Vec<_> = peer.lessons.iter().map(|lesson| peer.id_of(lesson)).collect();
        all.extend(ids.into_iter().zip(peer.lessons));
    }
    Ok(all)
}

/// Finds the lesson of any layer that `text` names: its id with or without its layer, or the start of either.
/// An exact name comes before the start of one, the user's own before others.
pub fn find_lesson(context: &Context, text: &str) -> Result<(QualifiedId, Lesson)> {
    let mut every = every_lesson(context)?;
    every.sort_by(|(a, _), (b, _)| a.cmp(b));
    let exact = every.iter().position(|(id, _)| id.id.as_str() == text || id.to_string() == text);
    if let Some(at) = exact {
        return Ok(every.swap_remove(at));
    }
    // Without its slash the start of a layer's name would be the start of all its lessons.
    let starts = |id: &QualifiedId| {
        id.id.as_str().starts_with(text) || text.contains('/') && id.to_string().starts_with(text)
    };
    every.retain(|(id, _)| !text.is_empty() && starts(id));
    if every.iter().filter(|(id, _)| id.layer == Layer::User).count() == 1 {
        every.retain(|(id, _)| id.layer == Layer::User);
    }
    only_one(text, every, |(id, _)| id.to_string())?.ok_or_else(|| {
        let text = neutral::shortened(&neutral::line(text), LINE);
        let why = format!("there is no lesson `{text}`; `lessons list --all` shows all of them");
        Coded::refused("UNKNOWN_ID", why).into()
    })
}

/// The only item that an abbreviated id could mean, if there is one. Where several share it, the refusal names the first
/// few.
pub fn only_one<T>(text: &str, mut found: Vec<T>, id: impl Fn(&T) -> String) -> Result<Option<T>> {
    if found.len() > 1 {
        let names = first_few(found.iter().map(id));
        return refused(format!("`{}` could be {names}; type more of it", neutral::line(text)));
    }
    Ok(found.pop())
}

/// The first few of several names, and how many more there are.
pub fn first_few(names: impl ExactSizeIterator<Item = impl Display>) -> String {
    const NAMED: usize = 3;
    let more = names.len().saturating_sub(NAMED);
    let first = listed(names.take(NAMED));
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// The user's own lessons that are active, accepted and wanted by the settings, and yet not compiled.
pub fn lessons_not_in_force(context: &Context, index: &LoadedIndex) -> Vec<QualifiedId> {
    let (Ok(graph), Ok((config, _))) = (load::lessons(&context.home), context.settings()) else {
        return Vec::new();
    };
    let unaccepted = building::differing(context).unwrap_or_default();
    let compiled: HashSet<QualifiedId> = index.ids().unwrap_or_default().into_iter().collect();
    let off = config.lessons_off();
    let is_wanted = |lesson: &&Lesson| {
        lesson.priority.get() >= config.minimum_priority
            && lesson.confidence.get() >= config.minimum_confidence
            && !unaccepted.lessons.iter().any(|(known, _)| *known == lesson.id)
    };
    let wanted = graph.active().filter(is_wanted);
    let ids = wanted.map(Lesson::user_id);
    ids.filter(|id| !compiled.contains(id) && !off.contains_key(&id.to_string())).collect()
}

/// Candidates that wait for a decision, are no lesson yet, and whose mistake no lesson in force catches.
pub fn waiting_candidates(context: &Context) -> Result<Vec<Candidate>> {
    let promoted = promoted_candidates(context)?;
    let mut waiting = Database::open(&context.home)?.candidates(&[candidates::CandidateStatus::New])?;
    let lessons = CatchingLessons::of(context);
    waiting.retain(|candidate| !promoted.contains(&candidate.id) && !lessons.catch(candidate));
    Ok(waiting)
}

/// Ids of the candidates that some lesson, active or not, of the user or of a trusted project has as evidence.
pub fn promoted_candidates(context: &Context) -> Result<HashSet<String>> {
    let graph = load::lessons(&context.home)?;
    // A corrupt list of trusted stores is the doctor's business.
    let approved = trust::approved(&context.home).unwrap_or_default();
    let lessons = graph.lessons().chain(approved.iter().flat_map(|approved| &approved.lessons));
    let evidence = lessons.flat_map(|lesson| &lesson.evidence);
    Ok(evidence.filter_map(|source| source.strip_prefix("candidate:")).map(str::to_owned).collect())
}

/// How a scan is done on this machine, from the settings.
pub fn scan_settings(context: &Context) -> Result<ScanOptions> {
    let (config, _) = context.settings()?;
    let wanted = if config.scan_detectors { ScanTarget::Everything } else { ScanTarget::Tags };
    let options = ScanOptions::at(Timestamp::from_millis(context.now_ms()), config.scan_proposals);
    Ok(ScanOptions {
        wanted,
        incidents: check::rules(context),
        hidden_proposals: hidden_proposals(context)?,
        domains: AgentDomains(config.agent_domains),
        ..options
    })
}

/// The number of proposals whose mistake a lesson in force catches, so that [`waiting_candidates`] leaves them out.
fn hidden_proposals(context: &Context) -> Result<u64> {
    let proposals = Database::open(&context.home)?.new_proposals()?;
    if proposals.is_empty() {
        return Ok(0);
    }
    let lessons = CatchingLessons::of(context);
    Ok(proposals.iter().filter(|proposal| lessons.catch(proposal)).count() as u64)
}

/// The folders with transcripts: the client's, the configured ones, and those in `typed`.
pub fn transcript_folders(context: &Context, typed: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (config, _) = context.settings()?;
    let environment = Environment {
        claude_config: std::env::var_os("CLAUDE_CONFIG_DIR"),
        codex_home: std::env::var_os("CODEX_HOME"),
        data_home: std::env::var_os("XDG_DATA_HOME"),
        home: std::env::var_os("HOME").map(PathBuf::from),
    };
    let mut more = config.scan_roots;
    for folder in typed {
        more.push(std::path::absolute(folder)?);
    }
    Ok(roots::roots(&environment, &more))
}

/// The lessons in force, which may catch what a candidate proposes.
pub struct CatchingLessons {
    index: Option<LoadedIndex>,
    now: u64,
}

impl CatchingLessons {
    /// The lessons in force now. None catch anything where the index cannot be read.
    pub fn of(context: &Context) -> Self {
        Self { index: in_force::readable_index(context), now: context.now_ms() }
    }

    /// Whether one of them catches the mistake of a candidate.
    pub fn catch(&self, candidate: &Candidate) -> bool {
        let found = &candidate.finding;
        let worked = found.evidence.iter().find_map(|line| line.strip_prefix(WORKED));
        let (Some(failed), Some(worked)) = (found.trigger.as_deref(), worked) else { return false };
        let quiet = self.firing_on(worked);
        self.firing_on(failed).iter().any(|lesson| !quiet.contains(lesson))
    }

    /// The numbers of the lessons that fire on a command, wherever it is run.
    fn firing_on(&self, command: &str) -> Vec<u32> {
        let Some(index) = self.index.as_ref().and_then(|index| index.ask().ok()) else { return Vec::new() };
        let sample = SampleCall::bash(command);
        let call = Call::of_sample(&sample);
        let place = ProjectLocation::fixed(Call::SAMPLE_ROOT);
        let matched = matching::matches(&index, &Views::new(&call, &place), "main", &self.now, &mut ());
        matched.unwrap_or_default().into_iter().map(|matched| matched.lesson).collect()
    }
}

/// The largest published count that is read, in bytes.
const LIMIT: u64 = 256;

/// Counts the waiting candidates. Fails where the lessons cannot be read, even if no candidate is new.
pub fn waiting_count(context: &Context) -> Result<WaitingCount> {
    let waiting = waiting_candidates(context)?;
    let flagged = waiting.iter().filter(|candidate| !candidate.finding.flags.is_empty()).count();
    Ok(WaitingCount { unflagged: waiting.len() - flagged, flagged })
}

/// The count for a person, with the command that shows the candidates; `None` if none waits.
pub fn in_words(WaitingCount { unflagged, flagged }: WaitingCount) -> Option<String> {
    let all = unflagged + flagged;
    let wait = if all == 1 { "waits" } else { "wait" };
    let doubtful = if flagged > 0 { format!(", {flagged} of them flagged") } else { String::new() };
    let words =
        format!("{} {wait} for your decision{doubtful}. Next: lessons candidates", counted(all, "candidate"));
    (all > 0).then_some(words)
}

/// Publishes the count if it changed, and removes what a publication left that was interrupted. An error is ignored: the count only says how many a notice names, and `lessons
/// status` counts by itself.
pub fn publish(context: &Context) {
    if !context.home.database().exists() {
        return;
    }
    // Where none is new, the lessons, of which there may be many, need not be read.
    let is_any = Database::open(&context.home).and_then(|database| database.has_new_candidates());
    let count =
        if is_any.is_ok_and(|is_any| !is_any) { Ok(WaitingCount::default()) } else { waiting_count(context) };
    let Ok(bytes) = count.and_then(|count| Ok(serde_json::to_vec(&count)?)) else { return };
    let _ = durable::sweep(&context.home.log());
    let published = files::read(&context.home.waiting(), LIMIT).ok().flatten();
    if published.as_deref() != Some(&bytes) && files::ensure_folder(&context.home.log()).is_ok() {
        let _ = durable::replace(&context.home.waiting(), &bytes);
    }
}
