//! Every change of `lessons.json`.
//!
//! Load, change, validate; then the journal's row, the store, the row's mark. All of it under the
//! [`Lock`], which the caller takes, so that a build can follow before anybody else gets in.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use lessons_core::digest;
use lessons_core::files::{self, FileError};
use lessons_core::home::Home;
use lessons_core::id::LessonId;
use lessons_core::validate;

use crate::database::{Database, DatabaseError};
use crate::durable::{self, WriteError};
use crate::graph::{Exactness, Graph, Origin, UnreadableGraph};
use crate::journal::{Deed, Difference, Snapshot, State};
use crate::load::{self, LoadError};
use crate::lock::Lock;
use crate::problem::{Node, Problem};

/// How many copies of stores that could not be kept exactly are held.
const MAX_BACKUPS: usize = 20;

/// Why a change did not take place. The store is as it was.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// The store cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The change itself said no.
    #[error("{0}")]
    Edit(Box<dyn std::error::Error + Send + Sync>),
    /// It would break something that was whole.
    #[error("nothing was saved: {}", sentences(.0))]
    Invalid(Vec<Problem>),
    /// What would be written could not be read again.
    #[error("nothing was saved, the result would not be readable: {0}")]
    Unreadable(#[from] UnreadableGraph),
    /// The database said no.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The file system said no.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<FileError> for TransactionError {
    fn from(error: FileError) -> Self {
        Self::Write(error.into())
    }
}

/// What a change came to.
#[derive(Debug)]
pub struct Changed<T> {
    /// What the closure returned.
    pub value: T,
    /// The lessons as they stand now.
    pub graph: Graph,
    /// The number of the change in the journal; `None` where no byte changed.
    pub change: Option<u64>,
}

/// Runs one change. `edit` may refuse with an error of its own.
///
/// A change may not introduce a new error; one that was there before does not stand in its way.
pub fn run<T, E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    edit: impl FnOnce(&mut Graph) -> Result<T, E>,
) -> Result<Changed<T>, TransactionError> {
    recover(lock, database)?;
    let home = lock.home();
    let stored = load::stored(home)?;
    let before = stored.graph;
    let mut edited = before.clone();
    let value = edit(&mut edited).map_err(|error| TransactionError::Edit(error.into()))?;
    let bytes = edited.to_bytes();
    let differences = differences(&before, &edited);
    if differences.is_empty() && bytes == before.to_bytes() {
        return Ok(Changed { value, graph: before, change: None });
    }
    // What is judged is what will be read.
    let after = Graph::parse(home.lessons(), &bytes, Origin::Own)?;
    let new = new_errors(&before, &after, &differences);
    if !new.is_empty() {
        return Err(TransactionError::Invalid(new));
    }
    if let (Exactness::Lossy, Some(bytes)) = (before.exactness(), &stored.bytes) {
        back_up(home, bytes)?;
    }
    let change = database.announce(deed, &differences)?;
    if let Err(error) = durable::replace(&home.lessons(), &bytes) {
        // The rename may have happened all the same. If this cannot be settled now, the next start
        // does it; what went wrong first is what the person must know.
        let _ = settle(home, database);
        return Err(error.into());
    }
    database.mark(change, State::Done)?;
    Ok(Changed { value, graph: after, change: Some(change) })
}

/// Finishes or undoes what a process left that died in a change.
pub fn recover(lock: &Lock, database: &mut Database) -> Result<(), TransactionError> {
    durable::sweep(lock.home().root())?;
    durable::sweep(&lock.home().backups())?;
    settle(lock.home(), database)
}

/// Marks pending changes by what the store says of them. One write changed all lessons of a change
/// or none, so any lesson that tells tells for all.
fn settle(home: &Home, database: &mut Database) -> Result<(), TransactionError> {
    let mut pending: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    for entry in database.pending()? {
        pending.entry(entry.change).or_default().push(entry);
    }
    if pending.is_empty() {
        return Ok(());
    }
    let graph = load::lessons(home)?;
    for (change, entries) in pending {
        let took_place = entries.iter().all(|entry| Snapshot::of(&graph, &entry.lesson) == entry.after);
        database.mark(change, if took_place { State::Done } else { State::Undone })?;
    }
    Ok(())
}

/// The lessons that differ.
fn differences(before: &Graph, after: &Graph) -> Vec<Difference> {
    let ids: BTreeSet<&str> = before.ids().chain(after.ids()).collect();
    ids.into_iter()
        .filter(|id| before.raw(id) != after.raw(id))
        .map(|id| Difference {
            lesson: id.to_owned(),
            before: Snapshot::of(before, id),
            after: Snapshot::of(after, id),
        })
        .collect()
}

/// Errors of `after` that `before` did not have: more of one code at one node.
fn new_errors(before: &Graph, after: &Graph, differences: &[Difference]) -> Vec<Problem> {
    let mut had: BTreeMap<(Option<Node>, &'static str), usize> = BTreeMap::new();
    for problem in errors(before, differences) {
        *had.entry((problem.node, problem.flaw.code)).or_default() += 1;
    }
    errors(after, differences)
        .filter(|problem| match had.get_mut(&(problem.node.clone(), problem.flaw.code)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

/// The errors of a graph, those of lessons that did not change left out.
fn errors<'a>(graph: &'a Graph, differences: &'a [Difference]) -> impl Iterator<Item = Problem> + 'a {
    let changed =
        differences.iter().filter_map(|difference| graph.get(&LessonId::new(&difference.lesson).ok()?));
    let of_lessons = changed.flat_map(|lesson| {
        validate::flaws(lesson).into_iter().map(|flaw| Problem {
            file: graph.file().to_owned(),
            node: Some(Node::Lesson(lesson.id.as_str().to_owned())),
            flaw,
        })
    });
    graph.problems().iter().cloned().chain(of_lessons).filter(Problem::is_error)
}

/// Keeps bytes that a write would not keep exactly. Named by content, so the same once.
fn back_up(home: &Home, bytes: &[u8]) -> Result<(), TransactionError> {
    let folder = home.backups();
    files::ensure_folder(&folder)?;
    durable::replace(&folder.join(format!("lessons-{}.json", digest::hex(bytes, 12))), bytes)?;
    let mut copies: Vec<_> = std::fs::read_dir(&folder)
        .map_err(|source| FileError::Io { path: folder.clone(), source })?
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_backup))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    copies.sort();
    for (_, path) in copies.iter().rev().skip(MAX_BACKUPS) {
        durable::remove(path)?;
    }
    Ok(())
}

/// `lessons-<hash>.json`.
fn is_backup(name: &str) -> bool {
    name.strip_prefix("lessons-").and_then(|name| name.strip_suffix(".json")).is_some()
}

fn sentences(problems: &[Problem]) -> String {
    let mut out = String::new();
    for problem in problems.iter().take(5) {
        let _ = write!(out, "\n  {problem}");
    }
    if problems.len() > 5 {
        let _ = write!(out, "\n  and {} more", problems.len() - 5);
    }
    out
}

#[cfg(test)]
mod tests;
