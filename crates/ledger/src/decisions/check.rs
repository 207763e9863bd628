//! Which `decisions.json` counts: what the journal recorded, or, where it knows less, what an index was made of.
//!
//! The database holds the digest of the file as the last change left it, and during a change that of the file that it
//! writes. A file with another digest was written by other means:
//!
//! - A file of which the manifest in force was made, and which the journal never knew, is believed: the journal is older, as
//!   after a restored backup, lost, or that of another home.
//! - Where the journal is as new as the file, it says what was decided, and the file is made anew from it.
//! - Otherwise the refusals of both stay in force, and nothing new is until `lessons accept`.
//!
//! Either way what replaces the file is recorded, the old file is kept in `backups/`, and the next session start says so.

use std::collections::BTreeSet;

use lessons_home::{Home, files};
use lessons_index::{Manifest, TrustedRoot, manifest};
use lessons_lesson::{Layer, Lesson, QualifiedId, Status, render};
use lessons_pattern::Trigger;
use lessons_store::decisions::trust::{copy_of, sha256};
use lessons_store::{
    ConfigFile, Decisions, DecisionsError, Graph, IncidentEntry, NodeKind, Refusals, Snapshot, TrustedStore,
    decisions, load,
};

use crate::backup::back_up;
use crate::database::Database;
use crate::error::Result;
use crate::journal::rows::{self, DecisionsBytes};
use crate::journal::{Deed, Difference, RESTORE_STORE, SELF, State};
use crate::transaction::follow::follow;
use crate::{decisions::takeover, journal::entries, notice};

/// What the person is told of decisions that were written by other means.
const RESTORED: &str = "decisions.json was changed, restored or lost outside of `lessons`; what the log (lessons.db) says \
                        you decided stays in force";
/// What the person is told of a file that the journal does not know.
const BELIEVED: &str = "the log (lessons.db) was older than decisions.json, or from another home; decisions.json is in \
                        force, and the log was updated from it";
/// What the person is told where neither the journal nor the manifest knows the file.
const REFUSALS: &str = "nothing tells whether decisions.json is as you left it: what blocks stays in force, and nothing \
                        else of it until `lessons accept`, which takes lessons and settings; projects and peers are to \
                        be trusted again";

/// Makes sure that `decisions.json` is what was decided, and takes a home of the version before over. Nothing is read of
/// the file before this.
pub(crate) fn check(home: &Home, database: &mut Database) -> Result<()> {
    let path = home.decisions();
    let bytes = files::read(&path, decisions::MAX_BYTES)?;
    let expected = database.expected_decisions()?;
    let digest = bytes.as_deref().map(sha256);
    if digest.as_ref().is_some_and(|digest| expected.contains(digest)) {
        return takeover::clean_up(home);
    }
    if takeover::is_due(&expected) {
        return takeover::take_over(home, database);
    }
    // The manifest in force; `None` where there is none that can be read.
    let manifest = files::read(&home.manifest(), manifest::MAX_BYTES)?;
    let manifest = manifest.and_then(|bytes| Manifest::parse(&bytes));
    let manifest = manifest.as_ref();
    let file = match bytes.as_deref().map(|bytes| Decisions::parse(&path, bytes)).transpose() {
        Ok(file) => file,
        Err(DecisionsError::Corrupt { .. }) if !expected.is_empty() || manifest.is_some() => None,
        Err(error) => return Err(error.into()),
    };
    if expected.is_empty() && bytes.is_none() {
        return found(home, database, &first(home, manifest)?);
    }
    let digest = digest.unwrap_or_default();
    let mut sources = manifest.iter().filter_map(|manifest| manifest.sources.as_ref()).flatten();
    let is_in_force = sources.any(|source| source.file == decisions::FILE && source.sha256 == digest);
    let is_of_journal = database.knows_decisions(&digest)?;
    let (last_change, last_time) = database.last_change()?;
    let recorded = recorded(home, database, file.as_ref())?;
    let (next, told) = match file {
        Some(file) if is_in_force && !is_of_journal => (file, BELIEVED),
        Some(file) if expected.is_empty() || file.change > last_change => {
            (with_refusals(home, recorded, &file, manifest), REFUSALS)
        }
        None if expected.is_empty() => (first(home, manifest)?, REFUSALS),
        Some(_) | None => (recorded, RESTORED),
    };
    // A process died between the first rows of the journal and the file.
    let is_beginning = bytes.is_none() && !expected.is_empty() && last_change == 0;
    if let Some(bytes) = bytes.filter(|_| told != BELIEVED) {
        back_up(home, &bytes)?;
    }
    if expected.is_empty() {
        found(home, database, &next)?;
    } else {
        record(home, database, next, last_time)?;
    }
    if is_beginning { Ok(()) } else { notice::leave(home, told) }
}

/// What was decided according to the journal. What came from peers and is not in force is nowhere else than in the file.
fn recorded(home: &Home, database: &Database, file: Option<&Decisions>) -> Result<Decisions> {
    let mut decisions = Decisions::none(home);
    if let Some(file) = file {
        decisions.received = file.received.without_lessons();
    }
    for entry in database.journal_of_decisions()? {
        if entry.thing.kind.is_decision() {
            entries::put(&mut decisions, entry.thing.kind, &entry.thing.name, entry.after.as_deref());
        } else if entry.action != RESTORE_STORE {
            follow(&mut decisions.accepted, [entry.changed()]);
        }
        decisions.change = decisions.change.max(entry.change);
    }
    // The journal records topics with the store only.
    if let Ok(store) = load::lessons(home) {
        decisions.accepted.graph.add_topics_of(&store);
    }
    Ok(decisions)
}

/// Adds the lessons of a file that refuse calls, are in force by the manifest where there is one, and are not among the
/// decisions or refuse none there; the projects whose lessons may refuse calls, in the same way, if the copy that was
/// approved is there; and its incidents, but for those that it lets pass.
fn with_refusals(
    home: &Home,
    mut decisions: Decisions,
    file: &Decisions,
    manifest: Option<&Manifest>,
) -> Decisions {
    for (id, entry) in &file.incidents.entries {
        let add = |kept: &mut IncidentEntry| {
            *kept = IncidentEntry { retired: kept.retired.take(), ..entry.clone() };
        };
        decisions.incidents.change(*id, add);
    }
    let is_in_force = |store: &TrustedStore| {
        let is_it = |root: &TrustedRoot| root.root == store.root && root.sha256 == store.sha256;
        manifest.is_none_or(|manifest| manifest.trusted.iter().any(is_it))
    };
    let is_approved = |store: &TrustedStore| copy_of(home, &store.sha256).exists() && is_in_force(store);
    let refusing = file.trusted.0.values().filter(|store| store.refusals == Refusals::Allowed);
    for store in refusing.filter(|store| is_approved(store)) {
        decisions.trusted.0.entry(store.root.clone()).or_insert_with(|| store.clone());
    }
    let refuses = |lesson: &Lesson| lesson.mode.refuses() && lesson.status == Status::Active;
    let is_new = |lesson: &Lesson, known: Option<&Lesson>| {
        refuses(lesson)
            && !known.is_some_and(refuses)
            && manifest.is_none_or(|manifest| is_compiled(lesson, manifest))
    };
    let accepted = &mut decisions.accepted.graph;
    let added = copies(&file.accepted.graph, |lesson| is_new(lesson, accepted.get(&lesson.id)));
    for id in file.accepted.graph.node_ids(NodeKind::Topic) {
        accepted.set_node(NodeKind::Topic, id, file.accepted.graph.node(NodeKind::Topic, id).cloned());
    }
    accepted.place(added);
    if let (Some(_), Ok(store)) = (manifest, load::lessons(home)) {
        let is_missing = |lesson: &Lesson| accepted.get(&lesson.id).is_none() && is_new(lesson, None);
        let compiled = copies(&store, is_missing);
        accepted.place(compiled);
    }
    decisions
}

/// Copies of lessons, as they are placed.
fn copies(graph: &Graph, is_meant: impl Fn(&Lesson) -> bool) -> Vec<(String, Option<Snapshot>)> {
    let meant = graph.lessons().filter(|lesson| is_meant(lesson));
    meant.map(|lesson| (lesson.id.to_string(), Snapshot::of(graph, lesson.id.as_str()))).collect()
}

/// What counts as decided where neither file nor journal says anything: the lessons of the store that are in force to the
/// word. In a home in which nothing of ours was ever used, the settings that somebody has written there.
fn first(home: &Home, manifest: Option<&Manifest>) -> Result<Decisions> {
    let mut decisions = Decisions::none(home);
    let Some(manifest) = manifest else {
        let config = ConfigFile::read(&home.config());
        decisions.accepted.settings = config.map(|config| config.deciding()).unwrap_or_default();
        return Ok(decisions);
    };
    // Without settings each is at its default, and no default takes anything out of force.
    let store = load::lessons(home)?;
    decisions.accepted.graph.place(copies(&store, |lesson| is_compiled(lesson, manifest)));
    decisions.accepted.graph.add_topics_of(&store);
    Ok(decisions)
}

/// Writes the first file that a journal knows, with a row for each entry. They are change 0, which was made by nobody and
/// which nothing undoes.
pub(crate) fn found(home: &Home, database: &mut Database, decisions: &Decisions) -> Result<()> {
    let rows = Difference::of_decisions(&Decisions::none(home), decisions);
    let file = DecisionsBytes::of(decisions);
    database.begin_journal(&rows, &file.digest)?;
    file.write(home)?;
    Ok(database.follow_incidents(&decisions.incidents)?)
}

/// Writes decisions of which no recorded entry changed.
pub(crate) fn write_unrecorded(home: &Home, database: &mut Database, decisions: &Decisions) -> Result<()> {
    let file = DecisionsBytes::of(decisions);
    database.in_full_sync(|change| rows::expect(change, &file.digest))?;
    file.write(home)?;
    Ok(database.in_full_sync(|change| rows::expect_alone(change, &file.digest))?)
}

/// Writes decisions and records what of them the journal does not say, as of `now`.
fn record(home: &Home, database: &mut Database, mut decisions: Decisions, now: u64) -> Result<()> {
    let recorded = recorded(home, database, Some(&decisions))?;
    let rows = Difference::of_decisions(&recorded, &decisions);
    if rows.is_empty() {
        return write_unrecorded(home, database, &decisions);
    }
    let deed = Deed::new(SELF, "recorded again", now);
    let (change, file) = database.announce(&deed, &rows, Some(&mut decisions))?;
    let Some(file) = file else { return Ok(()) };
    file.write(home)?;
    Ok(database.mark(change, State::Done, Some(&file.digest))?)
}

/// Whether a lesson of the user says, in a manifest, what it says here: in the same words, at the same triggers.
pub(crate) fn is_compiled(lesson: &Lesson, manifest: &Manifest) -> bool {
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    let Some(entry) = manifest.lessons.iter().find(|entry| entry.terms.id == id) else { return false };
    let terms = &entry.terms;
    let are_same = |places: &[u32], triggers: &[Trigger]| {
        let compiled = places.iter().filter_map(|place| manifest.triggers.get(*place as usize));
        let compiled: BTreeSet<_> = compiled.map(|it| (it.kind, it.pattern.as_str())).collect();
        compiled == triggers.iter().map(|it| (it.kind, it.pattern.as_str())).collect()
    };
    entry.full == render::lesson(&id, lesson).full
        && terms.mode == lesson.mode
        && are_same(&terms.triggers, &lesson.triggers)
        && are_same(&terms.also, &lesson.also)
        && are_same(&terms.unless, &lesson.unless)
}
