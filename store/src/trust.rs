//! Project stores that the user has trusted.
//!
//! A project's `.lessons/lessons.json` is untrusted until a person approves it. What is approved is
//! bytes, not a path: they are read once, shown, hashed and kept under their hash, and only that
//! copy is ever used, also after the project's file has changed. A lesson whose text instructs the
//! agent rather than teaches it is left out unless it was accepted by its id; a mode that refuses
//! becomes advice unless refusals were allowed; a scope is that project, whatever the lesson says.
//!
//! In reading order: [`Preview`] is what a person looks at, [`approve`] and [`withdraw`] what they
//! decide, [`approved`] what a build takes.

mod copies;
mod list;
mod preview;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lessons_core::files::{self, FileError};
use lessons_core::flags::{self, Flag};
use lessons_core::home::Home;
use lessons_core::id::LessonId;
use lessons_core::lesson::{Lesson, Mode, Status};
use lessons_core::path;

pub use self::copies::sweep;
use self::copies::{copy_of, drop_unused};
pub(crate) use self::list::List;
use self::list::sha256;
pub use self::list::{Refusals, TrustedSettings, TrustedStore};
pub use self::preview::{Difference, Flagged, Preview, preview};
use crate::config::Tuning;
use crate::database::{Database, DatabaseError};
use crate::durable::{self, WriteError};
use crate::graph::{Graph, Origin, UnreadableGraph};
use crate::journal::{Deed, Difference as Changed, Kind, Thing};
use crate::lock::Lock;
use crate::problem::{Flaw, Node, Problem};
use crate::transaction;

/// Where a project keeps its store, below its root.
pub const PROJECT_STORE: [&str; 2] = [".lessons", "lessons.json"];

/// Where a project keeps its settings, beside its store.
pub const PROJECT_SETTINGS: &str = "config.toml";

/// The largest project store that is read, in bytes. Somebody else wrote it; it is read whole.
pub const MAX_BYTES: u64 = 16 << 20;

/// Why a store cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// One of our files cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// One of our files cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The database said no.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// There is nothing to trust.
    #[error("{path} does not exist; this project brings no lessons")]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// It is a link, a device or otherwise no file of the project.
    #[error("{path} is not a regular file inside the project; what is trusted may not be a link")]
    NotInside {
        /// The file.
        path: PathBuf,
    },
    /// It is larger than a store may be.
    #[error("{path} is larger than the {} KiB that are read of it", limit >> 10)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is read of such a file, in bytes.
        limit: u64,
    },
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It holds no graph.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: UnreadableGraph,
    },
    /// The project cannot be named in a file.
    #[error("{root} is not a full path in UTF-8, so it cannot be remembered")]
    Root {
        /// The root.
        root: PathBuf,
    },
    /// An id was accepted that needs no accepting.
    #[error("`{id}` is no flagged lesson of this store; accept only ids that the preview lists")]
    NotFlagged {
        /// The id.
        id: String,
    },
    /// `trust.json` makes no sense, so nothing is trusted.
    #[error(
        "{path}: {reason}. Until it is mended no project is trusted; or remove it and trust again: rm '{path}'"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// What a person decides about a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Who.
    pub actor: String,
    /// When, RFC 3339.
    pub at: String,
    /// The flagged lessons that are taken all the same.
    pub accept: BTreeSet<LessonId>,
    /// Whether its lessons may refuse calls.
    pub refusals: Refusals,
}

/// A trusted store as a build takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Approved {
    /// What was approved.
    pub store: TrustedStore,
    /// Its lessons, with what the approval leaves of them.
    pub lessons: Vec<Lesson>,
    /// What is wrong with it, and what is left out for being flagged.
    pub problems: Vec<Problem>,
}

/// Keeps the bytes of a preview and trusts them from now on.
pub fn approve(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    preview: &Preview,
    approval: &Approval,
) -> Result<(), TrustError> {
    let home = lock.home();
    if let Some(id) =
        approval.accept.iter().find(|id| !preview.flagged.iter().any(|flagged| flagged.id == **id))
    {
        return Err(TrustError::NotFlagged { id: id.to_string() });
    }
    // The copy first: a list that names one that is not there would trust nothing, but say it did.
    files::ensure_folder(&home.trusted_copies())?;
    durable::replace(&copy_of(home, &preview.sha256), preview.bytes())?;
    let store = TrustedStore {
        root: preview.root.clone(),
        sha256: preview.sha256.clone(),
        approved_at: approval.at.clone(),
        actor: approval.actor.clone(),
        accepted: approval.accept.iter().cloned().collect(),
        refusals: approval.refusals,
        settings: preview.settings.clone(),
    };
    let store = standing(home, &store)?.unwrap_or(store);
    set(lock, database, deed, None, &preview.root, Some(&store))?;
    Ok(())
}

/// The same approval, where it stands already: to approve once more what was approved changes nothing, not even
/// since when it is.
fn standing(home: &Home, store: &TrustedStore) -> Result<Option<TrustedStore>, TrustError> {
    let list = List::read(home)?;
    let is_same = |known: &&TrustedStore| {
        TrustedStore { approved_at: store.approved_at.clone(), ..(*known).clone() } == *store
    };
    Ok(list.stores().find(is_same).cloned())
}

/// Ends the trust in the project at `root`. `None` where there was none. Copies that one who died on the way
/// has left are removed in either case.
pub fn withdraw(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    root: &str,
) -> Result<Option<TrustedStore>, TrustError> {
    set(lock, database, deed, None, root, None).map(|(before, _)| before)
}

/// Puts `store`, or nothing, in the place of what is trusted at `root`, and writes it down. Returns what stood
/// there, and the number of the change where it is one.
pub(crate) fn set(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: Option<u64>,
    root: &str,
    store: Option<&TrustedStore>,
) -> Result<(Option<TrustedStore>, Option<u64>), TrustError> {
    let home = lock.home();
    transaction::settle_what_can_be(home, database);
    let mut list = List::read(home)?;
    let before = match store {
        Some(store) => list.insert(store.clone()),
        None => list.remove(root),
    };
    let mut number = None;
    if before.as_ref() != store {
        let changed = Changed {
            thing: Thing::new(Kind::Trust, root),
            before: before.as_ref().map(TrustedStore::journalled),
            after: store.map(TrustedStore::journalled),
        };
        number = Some(transaction::carry_out(home, database, deed, undoes, &[changed], || list.write(home))?);
    }
    drop_unused(home, database, &list)?;
    Ok((before, number))
}

/// The stores that are trusted.
pub fn trusted(home: &Home) -> Result<Vec<TrustedStore>, TrustError> {
    Ok(List::read(home)?.stores().cloned().collect())
}

/// What the project around `root` sets: of those that are trusted the innermost.
pub fn tuning_at(home: &Home, root: &str) -> Result<Tuning, TrustError> {
    let list = List::read(home)?;
    let around = list.stores().filter(|store| path::below(root, &store.root).is_some());
    let innermost = around.max_by_key(|store| store.root.len());
    let settings = innermost.and_then(|store| store.settings.as_ref());
    Ok(settings.map(|settings| settings.values.clone()).unwrap_or_default())
}

/// The trusted stores, read from the kept copies and nothing else. A copy that is gone or no longer
/// has its hash gives no lessons and a problem.
pub fn approved(home: &Home) -> Result<Vec<Approved>, TrustError> {
    Ok(List::read(home)?.stores().map(|store| resolve(home, store)).collect())
}

fn resolve(home: &Home, store: &TrustedStore) -> Approved {
    let path = copy_of(home, &store.sha256);
    let whole = |what: String| Problem {
        file: path.clone(),
        node: None,
        flaw: Flaw::error(
            "TRUSTED_COPY_UNUSABLE",
            what,
            format!("run `lessons trust` in {} again", store.root),
        ),
    };
    let nothing =
        |what: String| Approved { store: store.clone(), lessons: Vec::new(), problems: vec![whole(what)] };
    let graph = match kept_copy(&path, store) {
        Ok(graph) => graph,
        Err(what) => return nothing(what),
    };
    let mut problems = graph.problems().to_vec();
    let mut lessons = Vec::new();
    for lesson in graph.lessons() {
        let raised = flags_of(lesson);
        if !raised.is_empty() && !store.accepted.contains(&lesson.id) {
            let names: Vec<&str> = raised.iter().map(|flag| flag.name).collect();
            problems.push(Problem {
                file: path.clone(),
                node: Some(Node::Lesson(lesson.id.to_string())),
                flaw: Flaw::warning(
                    "FLAGGED_LESSON",
                    format!("it is left out: {}", names.join(", ")),
                    format!("if you want it, run `lessons trust --accept {}` in {}", lesson.id, store.root),
                ),
            });
            continue;
        }
        lessons.push(confined(lesson, store.refusals));
    }
    Approved { store: store.clone(), lessons, problems }
}

/// Whether the approved bytes of a store are still kept.
pub(crate) fn has_copy(home: &Home, store: &TrustedStore) -> bool {
    kept_copy(&copy_of(home, &store.sha256), store).is_ok()
}

fn kept_copy(path: &Path, store: &TrustedStore) -> Result<Graph, String> {
    let bytes = files::read(path, MAX_BYTES).map_err(|error| error.to_string())?.ok_or("the copy is gone")?;
    if sha256(&bytes) != store.sha256 {
        return Err("the copy is not what was approved".into());
    }
    Graph::parse(path, &bytes, Origin::Project).map_err(|error| error.to_string())
}

/// A project's lesson as it may be used: in its project only, and refusing only if that was allowed.
fn confined(lesson: &Lesson, refusals: Refusals) -> Lesson {
    let mut lesson = lesson.clone();
    lesson.scope.projects.clear();
    if lesson.mode.refuses() && refusals == Refusals::BecomeAdvice {
        // It goes on looking at what it was written for.
        lesson.subject = Some(lesson.effective_subject());
        lesson.mode = Mode::Advise;
    }
    lesson
}

/// What raises a flag in any text of a lesson that is in force, each rule once.
fn flags_of(lesson: &Lesson) -> BTreeSet<Flag> {
    if lesson.status != Status::Active {
        return BTreeSet::new();
    }
    let optional = [&lesson.mistake, &lesson.summary, &lesson.rationale, &lesson.detail];
    let lists = lesson.tags.iter().chain(&lesson.evidence).chain(&lesson.tools).chain(&lesson.scope.agents);
    std::iter::once(&lesson.rule)
        .chain(optional.into_iter().flatten())
        .chain(lists)
        .flat_map(|text| flags::flags(text))
        .collect()
}

#[cfg(test)]
mod tests;
