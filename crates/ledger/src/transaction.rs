//! Every change of `lessons.json`, and how a change of any file is carried out.
//!
//! A change is loaded, edited and validated; then come the journal's rows, the file, and the mark of the rows. All of
//! it happens under the [`Lock`], which the caller takes, so that a build can follow before anybody else gets in.
//!
//! ```
//! use lessons_home::home::Home;
//! use lessons_lesson::id::{LessonId, TopicId};
//! use lessons_lesson::lesson::{Lesson, Status};
//! use lessons_pattern::trigger::{Trigger, TriggerKind};
//! use lessons_ledger::database::Database;
//! use lessons_ledger::journal::Deed;
//! use lessons_ledger::transaction;
//! use lessons_store::{load, durable::lock};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().join("lessons");
//! let home = Home::at(folder);
//! let lock = lock::Lock::acquire(&home, lock::PATIENCE)?;
//! let mut database = Database::open(&home)?;
//! let deed = Deed::new("a program", "added", 1_769_817_600_000);
//! let id = LessonId::new("say-why")?;
//! let mut lesson = Lesson::new(id.clone(), "Say why in the message.", TopicId::new("git")?, "2026-01-31");
//! lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, r"\bgit\s+commit\b")];
//! transaction::run(&lock, &mut database, &deed, |graph| graph.put(&lesson))?;
//!
//! let retired = Lesson { status: Status::Deprecated, ..lesson };
//! let ((), change) = transaction::run(&lock, &mut database, &deed, |graph| graph.put(&retired))?;
//! assert_eq!(change, Some(2));
//! assert_eq!(load::lessons(&home)?.get(&id), Some(&retired));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod follow;
pub mod shared_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lessons_home::{Home, files};
use lessons_lesson::{Label, LessonId, validate};
use lessons_store::decisions::trust::sha256;
use lessons_store::{
    Decisions, Graph, Lock, Node, NodeKind, Problem, StoreLocation, WriteError, decisions, durable,
};

use crate::backup::back_up;
use crate::candidates::{CandidateStatus, status_json};
use crate::database::Database;
use crate::error::{LedgerError, Result};
use crate::journal::current::{CurrentState, in_graph};
use crate::journal::row_changes::{self, label_thing};
use crate::journal::{Deed, Difference, JournalEntry, RESTORE_STORE, State, Thing, ThingKind};
use crate::transaction::follow::follow;
use crate::transaction::project::Rewrite;
pub use crate::transaction::project::sweep_copies;
pub(crate) use crate::transaction::project::{ApprovalAfter, drop_unused_copies};
use crate::{decisions::check, journal::entries};

mod project;

/// Runs one change. `edit` may refuse with an error of its own. Returns its value, and the number of the change in the
/// journal: `None` where no byte changed.
///
/// A change may not introduce a new error; one that was there before does not stand in its way.
pub fn run<T, E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    edit: impl FnOnce(&mut Graph) -> Result<T, E>,
) -> Result<(T, Option<u64>)> {
    run_in(&StoreLocation::User, lock, database, deed, |graph, _| edit(graph))
}

/// Changes of rows in the database that belong to a change of the store.
#[derive(Debug, Default)]
pub struct RowChanges {
    /// The new state of each thing, as the journal stores it.
    pub(crate) changes: Vec<(Thing, Option<String>)>,
    /// What becomes of the approval of a project's store, if that is what changes.
    pub(crate) approval: ApprovalAfter,
    /// Whether the change that is undone created the store of its project.
    pub(crate) undoes_creation: bool,
}

impl RowChanges {
    /// Sets the status of a candidate.
    pub fn put(&mut self, candidate: &str, standing: CandidateStatus, reason: Option<&str>) {
        self.changes.push((Thing::new(ThingKind::Candidate, candidate), Some(status_json(standing, reason))));
    }

    /// Records a person's answer about a call at which a lesson fires.
    pub fn label(&mut self, lesson: &LessonId, call: &str, label: Label) {
        self.changes.push((label_thing(lesson, call), Some(label.name().to_owned())));
    }
}

/// Runs one change of a store together with changes of rows: all of it takes place, or nothing.
///
/// What is in force follows by exactly what changed: the accepted copies where the store is the user's, the approved
/// copy where it is a project's. A project that has no lessons yet is trusted with the first one that a person writes.
pub fn run_in<T, E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    store: &StoreLocation,
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    edit: impl FnOnce(&mut Graph, &mut RowChanges) -> Result<T, E>,
) -> Result<(T, Option<u64>)> {
    recover(lock, database)?;
    let home = lock.home();
    let stored = store.read(home)?;
    let before = &stored.graph;
    let mut edited = before.clone();
    let mut rows = RowChanges::default();
    let value = edit(&mut edited, &mut rows).map_err(|error| LedgerError::Edit(error.into()))?;
    let Some((mut differences, bytes)) = judge(store, before, &edited)? else {
        return Ok((value, database.change_rows(&rows.changes, deed)?));
    };
    if let Some(bytes) = stored.bytes.as_ref().filter(|_| before.is_lossy()) {
        back_up(home, bytes)?;
    }
    differences.extend(database.read(|it| row_changes::differences(it, &rows.changes))?);
    let change = match store {
        StoreLocation::User => {
            let mut decisions = Decisions::read(home)?;
            follow(&mut decisions.accepted, differences.iter().map(Difference::changed));
            let decisions = Some(&mut decisions).filter(|_| deed.action != RESTORE_STORE);
            let write = || durable::replace(&home.lessons(), &bytes);
            carry_out(home, database, deed, &differences, decisions, write)?
        }
        StoreLocation::Project(root) => {
            let rewrite = Rewrite { root, stored: &stored, bytes: &bytes };
            project::carry_out(lock, database, deed, &rewrite, rows, differences)?
        }
    };
    Ok((value, Some(change)))
}

/// Checks whether a change could be saved: it may not introduce a new error. Returns what it makes different, and the bytes
/// of the store after it; `None` where no byte changes.
pub fn judge(
    store: &StoreLocation,
    before: &Graph,
    after: &Graph,
) -> Result<Option<(Vec<Difference>, Vec<u8>)>> {
    let bytes = after.to_bytes();
    let differences = differences(store, before, after);
    if differences.is_empty() && bytes == before.to_bytes() {
        return Ok(None);
    }
    // As it will be read from the file.
    let after = Graph::parse(after.file(), &bytes, store.origin())?;
    let new = new_errors(before, &after, &differences);
    if new.is_empty() { Ok(Some((differences, bytes))) } else { Err(LedgerError::Invalid(new)) }
}

/// Carries out a change of files: announces it, has it written, then the decisions, and says that it is done. What the
/// change does in the database is done with that last step.
pub(crate) fn carry_out(
    home: &Home,
    database: &mut Database,
    deed: &Deed,
    differences: &[Difference],
    decisions: Option<&mut Decisions>,
    write: impl FnOnce() -> Result<(), WriteError>,
) -> Result<u64> {
    let (change, decided) = database.announce(deed, differences, decisions)?;
    let decide = || decided.as_ref().map_or(Ok(()), |decided| decided.write(home));
    if let Err(error) = write().and_then(|()| decide()) {
        // The rename may have happened all the same. If this cannot be settled now, the next start
        // does it; what went wrong first is what the person must know.
        settle_what_can_be(home, database);
        return Err(error.into());
    }
    database.mark(change, State::Done, decided.as_ref().map(|decided| decided.digest.as_str()))?;
    Ok(change)
}

/// Finishes or undoes what a process left that died in a change.
pub fn recover(lock: &Lock, database: &mut Database) -> Result<()> {
    durable::sweep(lock.home().root())?;
    durable::sweep(&lock.home().backups())?;
    check::check(lock.home(), database)?;
    settle(lock.home(), database)
}

/// Recovers as far as possible: a corrupt store must not keep anybody from switching a lesson
/// off. The rest is settled once the store is fixed.
pub(crate) fn settle_what_can_be(home: &Home, database: &mut Database) {
    let _ = settle(home, database);
}

/// Marks pending changes by what the files say of them. One write changed all things of a change that stand
/// in its file or none. The accepted copies follow before the mark, candidates with it.
fn settle(home: &Home, database: &mut Database) -> Result<()> {
    let mut pending: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    for entry in database.pending()? {
        pending.entry(entry.change).or_default().push(entry);
    }
    let mut judged = Vec::new();
    let mut followed = Vec::new();
    let mut unsettled = None;
    let present = CurrentState::of(home, database);
    for (change, entries) in pending {
        let mut took_place = Some(State::Done);
        let is_of_project = entries.iter().any(|entry| entry.thing.kind.is_of_a_project());
        // The approval is written after the store of its project, which says whether the change took place.
        let follows =
            |kind: ThingKind| kind.is_of_the_database() || is_of_project && kind == ThingKind::Trust;
        for entry in entries.iter().filter(|entry| !follows(entry.thing.kind)) {
            match present.text_of(&entry.thing) {
                Ok(now) if now == entry.after => {}
                Err(error) if !is_of_project => {
                    unsettled = Some(error);
                    took_place = None;
                    break;
                }
                // A project that is gone, or that git is merging, keeps nobody from changing anything else.
                _ => took_place = Some(State::Undone),
            }
        }
        if is_of_project {
            project::sweep(&entries);
        }
        // What a process that died left beside its shared files.
        let shared = entries.iter().filter(|entry| entry.thing.kind == ThingKind::Shared);
        for folder in shared.filter_map(|entry| Path::new(&entry.thing.name).parent()) {
            // A folder that is gone keeps nobody from changing anything else.
            let _ = durable::sweep(folder);
        }
        if took_place == Some(State::Done) {
            followed.extend(entries.into_iter().filter(|entry| entry.action != RESTORE_STORE));
        }
        judged.extend(took_place.map(|state| (change, state)));
    }
    if !judged.is_empty() {
        let digest = follow_all(home, database, &followed)?;
        judged.into_iter().try_for_each(|(change, state)| database.mark(change, state, Some(&digest)))?;
    }
    unsettled.map_or(Ok(()), Err)
}

/// Lets the decisions follow these entries, and returns the digest of their file. Following them again changes nothing.
fn follow_all(home: &Home, database: &mut Database, entries: &[JournalEntry]) -> Result<String> {
    let mut decisions = Decisions::read(home)?;
    let before = decisions.to_bytes();
    follow(&mut decisions.accepted, entries.iter().map(JournalEntry::changed));
    let of_projects = entries.iter().filter(|entry| {
        entries.iter().any(|it| it.change == entry.change && it.thing.kind.is_of_a_project())
    });
    for entry in of_projects.filter(|entry| entry.thing.kind == ThingKind::Trust) {
        entries::put(&mut decisions, ThingKind::Trust, &entry.thing.name, entry.after.as_deref());
    }
    if decisions.to_bytes() != before {
        decisions.change = entries.iter().map(|entry| entry.change).fold(decisions.change, u64::max);
        check::write_unrecorded(home, database, &decisions)?;
    }
    Ok(files::read(&home.decisions(), decisions::MAX_BYTES)?.as_deref().map(sha256).unwrap_or_default())
}

/// Returns the lessons and topics that differ, and the triggers that none of those lessons names.
fn differences(store: &StoreLocation, before: &Graph, after: &Graph) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut named = BTreeSet::new();
    for kind in NodeKind::ALL {
        let ids: BTreeSet<&str> = before.node_ids(kind).chain(after.node_ids(kind)).collect();
        for id in ids.into_iter().filter(|id| before.node(kind, id) != after.node(kind, id)) {
            if kind == NodeKind::Lesson {
                let triggers = [before, after].map(|graph| graph.raw_triggers_of(id));
                named.extend(triggers.into_iter().flatten().map(|(trigger, _)| trigger));
            }
            if kind != NodeKind::Trigger || !named.contains(id) {
                let thing = Thing::of(store, kind, id);
                let (before, after) = (in_graph(before, &thing), in_graph(after, &thing));
                differences.push(Difference { thing, before, after });
            }
        }
    }
    differences
}

/// Errors of `after` that `before` did not have: more of one code at one node.
fn new_errors(before: &Graph, after: &Graph, differences: &[Difference]) -> Vec<Problem> {
    let mut had: BTreeMap<(Option<Node>, &'static str), usize> = BTreeMap::new();
    for problem in errors(before, differences) {
        *had.entry((problem.node, problem.flaw.code)).or_default() += 1;
    }
    errors(after, differences)
        .filter(|problem| {
            let count = had.entry((problem.node.clone(), problem.flaw.code)).or_default();
            let is_new = *count == 0;
            *count = count.saturating_sub(1);
            is_new
        })
        .collect()
}

/// The errors of a graph, those of lessons that did not change left out.
fn errors<'a>(graph: &'a Graph, differences: &'a [Difference]) -> impl Iterator<Item = Problem> + 'a {
    let changed = differences.iter().filter_map(|difference| match difference.thing.node()? {
        (NodeKind::Lesson, id) => graph.usable(id),
        _ => None,
    });
    let of_lessons = changed.flat_map(move |lesson| {
        let node = Node { kind: NodeKind::Lesson, id: lesson.id.to_string() };
        validate::flaws(lesson).into_iter().map(move |flaw| graph.problem(Some(node.clone()), flaw))
    });
    graph.problems().iter().cloned().chain(of_lessons).filter(Problem::is_error)
}

#[cfg(test)]
mod tests;
