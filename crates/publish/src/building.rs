//! Building what a person has accepted: load, compile and publish, under the lock; and again where hooks cannot use the last
//! build, or an incident that became known later takes lessons of peers out.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use lessons_context::{Context, Result};
use lessons_home::{Home, ThisMachine};
use lessons_index::{Manifest, TrustedRoot};
use lessons_ledger::projects::key_of;
use lessons_ledger::{Database, DatabaseError, transaction};
use lessons_lesson::{AcceptedSource, BuildNotes, Layer, QualifiedId, find_roots};
use lessons_manifest_builder::compile::{self, Built, Input};
use lessons_manifest_builder::layers::{LayerInput, Off};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::report::{Noted, Reason, Report};
use lessons_manifest_builder::seeds;
use lessons_store::config::BadSetting;
use lessons_store::load::CopiesWithStore;
use lessons_store::{
    Accepted, Config, ConfigFile, Graph, LessonChange, LoadError, Lock, Problem, Unaccepted, accepted,
    decisions, decisions::trust,
};
use lessons_text::path::lexical;

use crate::peer_lessons::{self, AutoPeer};
use crate::{in_force, news, publishing};

/// The result of a build, with problems that do not stop it.
#[derive(Debug)]
pub struct Outcome {
    /// The lessons that were compiled and left out.
    pub report: Report,
    /// Problems of the store.
    pub problems: Vec<Problem>,
    /// The reason why the store is unreadable. The accepted copies are in force all the same.
    pub unreadable: Option<String>,
    /// The problems of the settings.
    pub settings: Vec<String>,
}

/// The version of this program, as manifests record it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Builds and publishes what a person has accepted.
pub fn build(context: &Context) -> Result<Outcome> {
    build_holding(context, &context.lock()?)
}

/// [`build`] for a hook that waits. It fails at once if another command holds the lock, since that command publishes.
pub fn build_if_free(context: &Context) -> Result<Outcome> {
    build_holding(context, &Lock::acquire(&context.home, Duration::ZERO)?)
}

fn build_holding(context: &Context, lock: &Lock) -> Result<Outcome> {
    let mut database = match Database::open(&context.home) {
        // It decides nothing, so it must not keep the accepted lessons from coming into force where nothing is.
        Err(DatabaseError::Corrupt { .. })
            if publishing::index_in_force(&context.home).is_none()
                && accepted::settings(&context.home)?.is_some() =>
        {
            Database::in_memory()?
        }
        opened => opened?,
    };
    transaction::recover(lock, &mut database)?;
    build_locked(context, lock, &database)
}

/// Takes over a home of the version before, and makes decisions anew that were lost, so that commands that only read find
/// them. Where nothing was ever decided or built there is nothing to find. An error is left to the commands that need them.
pub fn find_decisions(context: &Context) {
    let home = &context.home;
    let expects = |database: Database| database.expects_decisions().unwrap_or_default();
    let were_there = || {
        home.manifest().exists()
            || Database::existing(home).is_ok_and(|database| database.is_some_and(expects))
    };
    if !home.decisions().exists() && home.database().exists() && were_there() {
        let _ = recover(context);
    }
}

/// Finishes or undoes a change during which a command died, so that a comparison of the store with the accepted copies
/// sees the whole change or nothing of it. Errors are ignored here; `doctor` reports them.
pub fn settle(context: &Context) {
    let is_unsettled = |database: Database| database.is_unsettled().unwrap_or_default();
    if Database::existing(&context.home).is_ok_and(|database| database.is_some_and(is_unsettled)) {
        let _ = recover(context);
    }
}

fn recover(context: &Context) -> Result<()> {
    let lock = context.lock()?;
    Ok(transaction::recover(&lock, &mut Database::open(&context.home)?)?)
}

/// The differences between the accepted copies and the files of store and settings.
pub fn differing(context: &Context) -> Result<Unaccepted> {
    let copies = CopiesWithStore::read(&context.home)?;
    Ok(unaccepted(&copies, Some(&ConfigFile::read(&context.home.config())?)))
}

/// [`build`] for a caller that holds the lock. No other command can save between loading and publishing, so an older
/// build never overwrites a newer one.
pub fn build_locked(context: &Context, lock: &Lock, database: &Database) -> Result<Outcome> {
    publish(context, lock, database, draft(context, database, None)?)
}

/// [`build_locked`] that takes nothing over from the build before of lessons that a person forgets, by their ids.
pub fn build_forgetting(
    context: &Context,
    lock: &Lock,
    database: &Database,
    forgets: &dyn Fn(&str) -> bool,
) -> Result<Outcome> {
    publish(context, lock, database, draft(context, database, Some(forgets))?)
}

fn publish(context: &Context, lock: &Lock, database: &Database, draft: Draft) -> Result<Outcome> {
    let Draft { mut built, accepted, auto_peers, unreceived, store, previous, trusted, settings, patterns } =
        draft;
    // Without a readable index it is unknown which lessons are new, and which have refused calls.
    if let Some(previous) = &previous {
        built.manifest.news =
            news::news(context, database, previous, &built.manifest, &accepted, &auto_peers);
        built.manifest.late = news::late_lessons(previous, &built.manifest, context.now_ms());
        let lost = news::lost_refusals(previous, &built, &accepted, &trusted, database)?;
        built.manifest.lost_refusals.extend(lost);
        let is_off = |id: &QualifiedId| {
            let is_off = |noted: &Noted| noted.id == *id && matches!(noted.reason, Reason::Off { .. });
            built.report.left_out.iter().any(is_off)
        };
        built.manifest.weakened = news::weakened(context, previous, &built.manifest, &is_off);
    }
    publishing::write(&context.home, lock, &built.manifest, &patterns)?.publish()?;
    lessons_incident_check::record::publish(context, lock, database)?;
    let of_store = store.as_ref().ok().and_then(Option::as_ref);
    let mut problems = of_store.map_or_else(Vec::new, |store| store.problems().to_vec());
    problems.extend(trusted.into_iter().flat_map(|approved| approved.problems));
    let unreadable = store.err().map(|error| error.to_string()).or(unreceived);
    Ok(Outcome { report: built.report, problems, unreadable, settings })
}

/// The report of a build that is not published.
pub fn preview(context: &Context) -> Result<Report> {
    Ok(draft(context, &Database::open(&context.home)?, None)?.built.report)
}

/// A compiled manifest before it is published, and its inputs.
struct Draft {
    built: Built,
    accepted: Graph,
    auto_peers: Vec<AutoPeer>,
    /// Why nothing of what was received is in force.
    unreceived: Option<String>,
    /// The lessons of the store where they differ from the accepted ones.
    store: Result<Option<Graph>, LoadError>,
    previous: Option<Manifest>,
    trusted: Vec<trust::Approved>,
    settings: Vec<String>,
    patterns: Patterns,
}

/// Compiles what a person has accepted. `forgets` says which lessons a person forgets, if any, by their ids.
fn draft(context: &Context, database: &Database, forgets: Option<&dyn Fn(&str) -> bool>) -> Result<Draft> {
    let sources = [context.home.lessons(), context.home.config(), context.home.decisions()]
        .map(|path| publishing::source(&path));
    let copies = CopiesWithStore::read(&context.home)?;
    let file = ConfigFile::read(&context.home.config());
    let unaccepted = unaccepted(&copies, file.as_ref().ok());
    let CopiesWithStore { accepted: Accepted { graph: accepted, settings: accepted_settings }, store } =
        copies;
    // What was changed by other means does not count, and neither does what cannot be read.
    let read = [
        store.is_ok() && unaccepted.lessons.is_empty(),
        file.is_ok() && unaccepted.settings.is_empty(),
        true,
    ];
    let unreadable = file.as_ref().err().map(ToString::to_string);
    let file = file.unwrap_or_else(|_| ConfigFile::empty(context.home.config()));
    let (config, bad) = context.settings_of(file.with_accepted(&accepted_settings));
    let settings = bad.iter().map(BadSetting::to_string).chain(unreadable).collect();
    let index = publishing::index_in_force(&context.home);
    let mut previous = news::previous_manifest(&context.home, index.as_ref());
    if let (Some(previous), Some(forgets)) = (&mut previous, forgets) {
        news::forget(previous, forgets);
    }
    // The database can be lost, but what a person forgets must not come back. Whose key a root has stands in its repository:
    // each is asked once, and only where the database does not know.
    let others = LazyCell::new(|| match forgets {
        None => roots_without_database(previous.as_ref()),
        Some(_) => BTreeMap::new(),
    });
    let roots_of = |key: &str| {
        let known = database.roots_of(key).unwrap_or_default();
        if known.is_empty() { others.get(key).cloned().unwrap_or_default() } else { known }
    };
    let trusted = trust::approved(&context.home)?;
    let (mut auto_peers, unreceived) = match peer_lessons::of(context) {
        Ok(auto_peers) => (auto_peers, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let withheld = peer_lessons::withhold(context, database, &mut auto_peers);
    let seeds = seeds::lessons();
    let mut layers =
        vec![LayerInput::of(Layer::User, accepted.lessons()), LayerInput::of(Layer::Seed, &seeds)];
    layers.extend(
        trusted.iter().map(|approved| LayerInput::project(approved.store.root.clone(), &approved.lessons)),
    );
    layers.extend(auto_peers.iter().map(|it| LayerInput::of(Layer::Peer(it.prefix.clone()), &it.lessons)));
    let patterns = index.and_then(|index| index.patterns().ok()).unwrap_or_default();
    let roots = trusted.iter().map(|approved| TrustedRoot {
        root: approved.store.root.clone(),
        sha256: approved.store.sha256.clone(),
        settings: approved.store.settings.as_ref().map(|settings| settings.sha256.clone()),
    });
    let sources = sources.into_iter().zip(read).filter(|(_, is)| *is).map(|(source, _)| source);
    let input = Input {
        layers,
        manifest: Manifest {
            trusted: roots.collect(),
            sources: Some(sources.collect()),
            ..Manifest::new(config.for_hooks(), VERSION)
        },
        minimum_priority: config.minimum_priority,
        minimum_confidence: config.minimum_confidence,
        off: off(&config.lessons_off()),
        roots_of: &roots_of,
        patterns: &patterns,
    };
    let mut built = compile::compile(&input);
    note(&mut built.report, &unaccepted);
    built.report.left_out.extend(withheld);
    Ok(Draft { built, accepted, auto_peers, unreceived, store, previous, trusted, settings, patterns })
}

/// The roots of projects by their keys: those that the build before knew, and the one around the working folder.
fn roots_without_database(previous: Option<&Manifest>) -> BTreeMap<String, Vec<String>> {
    let before =
        previous.into_iter().flat_map(|it| &it.lessons).flat_map(|it| it.terms.roots.iter().flatten());
    let folder = std::env::current_dir().ok();
    let here = folder.map(|folder| find_roots(&lexical(&folder.to_string_lossy()), &ThisMachine));
    let all: BTreeSet<String> =
        before.cloned().chain(here.map(|roots| roots.main.unwrap_or(roots.root))).collect();
    let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for root in all {
        by_key.entry(key_of(Path::new(&root)).key).or_default().push(root);
    }
    by_key
}

/// Whether the journal knows of a change that is brought into force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    /// It has its rows.
    Recorded,
    /// The database cannot be opened.
    Unusable,
}

/// Applies the switches of `config` to the manifest in force and leaves the rest as it is. Switching off must work even
/// with a store that cannot be compiled. A lesson that is not in the manifest comes back with the next build.
///
/// Decisions that are written without a journal count as those that the manifest was made of: nothing else could tell.
pub fn switch_in_force(context: &Context, lock: &Lock, config: &Config, journal: Journal) -> Result<()> {
    let Some(index) = in_force::index(context)? else {
        // Without a manifest, hooks have nothing to say.
        return Ok(());
    };
    let corrupt = |error| in_force::cannot_be_read(context, error);
    let (mut manifest, patterns) = (index.manifest().map_err(corrupt)?, index.patterns().map_err(corrupt)?);
    if let (Journal::Unusable, Some(sources)) = (journal, &mut manifest.sources) {
        sources.retain(|source| source.file != decisions::FILE);
        sources.push(publishing::source(&context.home.decisions()));
    }
    let wanted = config.for_hooks();
    manifest.settings.enabled = wanted.enabled;
    manifest.settings.off_until = wanted.off_until;
    let off = config.lessons_off();
    let is_off = |id: &QualifiedId| off.get(&id.to_string()) == Some(&None);
    manifest.lessons.retain(|lesson| !is_off(&lesson.terms.id));
    for terms in manifest.lessons.iter_mut().map(|lesson| &mut lesson.terms) {
        terms.off_until = off.get(&terms.id.to_string()).copied().flatten();
    }
    let previous = news::previous_manifest(&context.home, Some(&index));
    manifest.weakened =
        previous.map_or_else(Vec::new, |previous| news::weakened(context, &previous, &manifest, &is_off));
    publishing::write(&context.home, lock, &manifest, &patterns)?.publish()
}

/// The differences from the accepted copies. A store that is not there or cannot be read, and settings that are not given, count
/// as unchanged.
fn unaccepted(copies: &CopiesWithStore, file: Option<&ConfigFile>) -> Unaccepted {
    let Accepted { graph, settings } = &copies.accepted;
    let store = copies.store.as_ref().ok().and_then(Option::as_ref).unwrap_or(graph);
    let stored_settings = file.map_or_else(|| settings.clone(), ConfigFile::deciding);
    Unaccepted::between((graph.lessons(), settings), (store.lessons(), &stored_settings))
}

/// Adds lessons that are not accepted to the report.
fn note(report: &mut Report, unaccepted: &Unaccepted) {
    for (id, change) in &unaccepted.lessons {
        let id = QualifiedId { layer: Layer::User, id: id.clone() };
        match change {
            LessonChange::New | LessonChange::Changed => {
                report.left_out.push(Noted { id, reason: Reason::NotAccepted });
            }
            LessonChange::Removed => {
                report.warnings.push(Noted { id, reason: Reason::NotAcceptedAsGone });
            }
        }
    }
}

fn off(lessons: &BTreeMap<String, Option<u64>>) -> BTreeMap<String, Off> {
    lessons.iter().map(|(id, until)| (id.clone(), until.map_or(Off::ForEver, Off::Until))).collect()
}

/// Whether hooks can use the index in force: it is readable, made by this version of the program and of what is decided now, and
/// belongs to the manifest beside it. A build that died between the renames of the two leaves an index that does not belong.
pub fn is_current(context: &Context) -> bool {
    in_force::readable_index(context).is_some_and(|index| {
        let notes = index.ask().and_then(|index| index.build_notes());
        notes.is_ok_and(|notes| notes.made_by == VERSION && is_of_decisions(&notes, &context.home))
            && publishing::is_of_manifest(&index, &context.home)
    })
}

/// Whether an index was made of the decisions that are there now. Their size and time are compared first.
fn is_of_decisions(notes: &BuildNotes, home: &Home) -> bool {
    let made_of = notes.sources.iter().flatten().find(|source| source.file == decisions::FILE);
    let path = home.decisions();
    made_of.is_some_and(|made_of| {
        made_of.state == AcceptedSource::state_of(&path) || made_of.sha256 == publishing::source(&path).sha256
    })
}

/// Builds again where something was built before and hooks cannot use it, or a build ended between its two renames. It brings
/// nothing into force that a person has not accepted. A change in which a command died is finished or undone first. Where it cannot be done, whoever reads the index says so.
pub fn repair(context: &Context) {
    settle(context);
    let was_built = context.home.index().exists() || context.home.decisions().exists();
    if was_built && !is_current(context) {
        // The error is ignored here: the command that reads the index reports it, and so does `doctor`.
        let _ = build(context);
    }
}

/// Builds where the lessons of peers that are in force are not those that the incidents of now leave.
pub fn settle_peer_lessons(context: &Context) -> Result<()> {
    let mut auto_peers = peer_lessons::of(context).unwrap_or_default();
    if auto_peers.is_empty() {
        return Ok(());
    }
    let in_force = in_force::lessons(context);
    let withheld = peer_lessons::withhold(context, &Database::open(&context.home)?, &mut auto_peers);
    let is_due = withheld.iter().any(|noted| in_force.contains_key(&noted.id));
    if is_due {
        build(context)?;
    }
    Ok(())
}

/// Builds where peers have lessons in force: a decision about incidents may take some out, or bring some back.
pub fn after_decision_about_incidents(context: &Context) -> Result<()> {
    if peer_lessons::of(context).is_ok_and(|auto_peers| !auto_peers.is_empty()) {
        build(context)?;
    }
    Ok(())
}
