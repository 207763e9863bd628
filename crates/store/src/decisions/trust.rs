//! Project stores that the user has trusted.
//!
//! A project's `.lessons/lessons.json` is untrusted until a person approves it. What is approved is
//! bytes, not a path: they are read once, shown, hashed and kept under their hash, and only that
//! copy is ever used, also after the project's file has changed. A lesson whose text instructs the
//! agent rather than teaches it is left out unless it was accepted by its id; a mode that refuses
//! becomes advice unless refusals were allowed; a scope is that project, whatever the lesson says.
//!
//! In reading order: [`Preview`] is what a person looks at before they decide, [`TrustList`] what they
//! decided, a part of `decisions.json` (see [`crate::decisions`]), [`approved`] what a build takes. The crate above changes the list.

mod preview;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lessons_home::{Home, files};
use lessons_lesson::flags::Flag;
use lessons_lesson::{Lesson, LessonId, Mode, Status, flags};
use lessons_text::{digest, path};
use serde::{Deserialize, Serialize};

use crate::config::Tuning;
pub(crate) use crate::decisions::trust::preview::read_store;
pub use crate::decisions::trust::preview::{LessonDifference, Preview, foreign_store, import_of, preview};
use crate::decisions_file::{self, DecisionsError};
use crate::graph::problem::{Flaw, Node, NodeKind, Problem};
use crate::graph::{Graph, Origin, UnreadableGraph};

/// Where a project keeps its store, below its root.
pub const PROJECT_STORE: [&str; 2] = [".lessons", "lessons.json"];

/// Where a project keeps its settings, beside its store.
pub const PROJECT_SETTINGS: &str = "config.toml";

/// The code of the problem that an approved copy cannot be used any more.
pub const COPY_UNUSABLE: &str = "TRUSTED_COPY_UNUSABLE";

/// The largest project store that is read, in bytes. Somebody else wrote it; it is read whole.
pub const MAX_BYTES: u64 = 16 << 20;

/// A trusted store as a build takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Approved {
    /// The approval.
    pub store: TrustedStore,
    /// Its lessons, with what the approval leaves of them.
    pub lessons: Vec<Lesson>,
    /// The problems of the store, and the lessons left out for being flagged.
    pub problems: Vec<Problem>,
}

/// Reads the trusted stores.
pub fn trusted(home: &Home) -> Result<Vec<TrustedStore>, DecisionsError> {
    Ok(TrustList::read(home)?.0.into_values().collect())
}

/// Returns the settings of the innermost trusted project around `root`.
pub fn tuning_at(home: &Home, root: &str) -> Result<Tuning, DecisionsError> {
    // Each has a copy there. Most people trust none, and the file of decisions is as large as all of their lessons.
    let list = if home.trusted_copies().exists() { TrustList::read(home)? } else { TrustList::default() };
    let around = list.0.values().filter(|store| path::below(root, &store.root).is_some());
    let innermost = around.max_by_key(|store| store.root.len());
    let settings = innermost.and_then(|store| store.settings.as_ref());
    Ok(settings.map(|settings| settings.values.clone()).unwrap_or_default())
}

/// Reads the lessons of the trusted stores from the kept copies and nothing else. A copy that is gone or no longer
/// has its hash gives no lessons and a problem.
pub fn approved(home: &Home) -> Result<Vec<Approved>, DecisionsError> {
    Ok(TrustList::read(home)?.0.into_values().map(|store| resolve(home, store)).collect())
}

fn resolve(home: &Home, store: TrustedStore) -> Approved {
    let path = copy_of(home, &store.sha256);
    let problem = |node, flaw| Problem { file: path.clone(), node, flaw };
    let graph = match kept_copy(&path, &store) {
        Ok(graph) => graph,
        Err(what) => {
            let hint = format!("run `lessons trust` in {} again", store.root);
            let problems = vec![problem(None, Flaw::error(COPY_UNUSABLE, what, hint))];
            return Approved { store, lessons: Vec::new(), problems };
        }
    };
    let (mut lessons, mut problems) = (Vec::new(), graph.problems().to_vec());
    for lesson in graph.lessons() {
        let raised = flags_of(lesson);
        if raised.is_empty() || store.accepted.contains(&lesson.id) {
            lessons.push(confined(lesson, store.refusals));
            continue;
        }
        let names: Vec<&str> = raised.iter().map(|flag| flag.name).collect();
        let what = format!("it is left out: {}", names.join(", "));
        let hint = format!("if you want it, run `lessons trust --accept {}` in {}", lesson.id, store.root);
        let node = Node { kind: NodeKind::Lesson, id: lesson.id.to_string() };
        problems.push(problem(Some(node), Flaw::warning("FLAGGED_LESSON", what, hint)));
    }
    Approved { store, lessons, problems }
}

/// Returns the path of the approved bytes with this hash.
pub fn copy_of(home: &Home, sha256: &str) -> PathBuf {
    home.trusted_copies().join(format!("{sha256}.json"))
}

/// Returns the approved lessons of a store. `None` where their copy is gone or is not what was approved.
pub fn approved_lessons(home: &Home, store: &TrustedStore) -> Option<Graph> {
    kept_copy(&copy_of(home, &store.sha256), store).ok()
}

fn kept_copy(path: &Path, store: &TrustedStore) -> Result<Graph, String> {
    let bytes = files::read(path, MAX_BYTES).map_err(|error| error.to_string())?.ok_or("the copy is gone")?;
    if sha256(&bytes) != store.sha256 {
        return Err("the copy is not what was approved".into());
    }
    Graph::parse(path, &bytes, Origin::Project).map_err(|error| error.to_string())
}

/// Returns a project's lesson as it may be used: in its project only, and refusing only if that was allowed.
fn confined(lesson: &Lesson, refusals: Refusals) -> Lesson {
    let mut lesson = lesson.clone();
    lesson.scope.projects.clear();
    if lesson.mode.refuses() && refusals == Refusals::BecomeAdvice {
        // It keeps looking at the subject that it was written for.
        lesson.subject = Some(lesson.effective_subject());
        lesson.mode = Mode::Advise;
    }
    lesson
}

/// Returns the flags that any text of an active lesson raises, each once.
fn flags_of(lesson: &Lesson) -> BTreeSet<Flag> {
    if lesson.status != Status::Active {
        return BTreeSet::new();
    }
    let words = lesson.phase.iter().chain(&lesson.tags).chain(&lesson.evidence).chain(&lesson.tools);
    let words = words.chain(&lesson.scope.agents).map(String::as_str);
    lesson.texts().map(|(_, text)| text).chain(words).flat_map(flags::flags).collect()
}

/// Whether the lessons of a store may refuse calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusals {
    /// Lessons that would refuse calls advise instead.
    BecomeAdvice,
    /// Lessons may refuse calls.
    Allowed,
}

/// A store that the user trusts. Its fields stand in the order of its form in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TrustedStore {
    /// The project's root, which names it in the list and in the journal.
    #[serde(skip)]
    pub root: String,
    /// Flagged lessons that were accepted by id.
    #[serde(rename = "acceptedFlags")]
    pub accepted: BTreeSet<LessonId>,
    /// The person who approved it.
    pub actor: String,
    /// The time of the approval, RFC 3339.
    pub approved_at: String,
    /// Whether its lessons may refuse calls.
    pub refusals: Refusals,
    /// The settings of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<TrustedSettings>,
    /// The SHA-256 of the approved bytes, 64 hex digits.
    pub sha256: String,
}

/// The settings of a project, as they were approved: they count as they are here, whatever becomes of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TrustedSettings {
    /// The SHA-256 of the file, 64 hex digits.
    pub sha256: String,
    /// The settings.
    pub values: Tuning,
}

/// The trusted stores, by root.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, TrustedStore>")]
pub struct TrustList(pub BTreeMap<String, TrustedStore>);

/// The error for a text that is no hash, and would become the name of a file.
#[derive(Debug, thiserror::Error)]
#[error("the `sha256` of {root} is no SHA-256")]
pub struct NoHash {
    root: String,
}

impl TryFrom<BTreeMap<String, TrustedStore>> for TrustList {
    type Error = NoHash;
    fn try_from(mut stores: BTreeMap<String, TrustedStore>) -> Result<Self, NoHash> {
        for (root, store) in &mut stores {
            if !is_sha256(&store.sha256) {
                return Err(NoHash { root: root.clone() });
            }
            store.root.clone_from(root);
        }
        Ok(Self(stores))
    }
}

impl TrustedStore {
    /// Returns its form in the journal: everything but the root, which names it there.
    pub fn journalled(&self) -> String {
        // Plain data; it cannot fail to become JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads it from its form in the journal. Returns `None` for an invalid text, as when a forgotten text was removed.
    pub fn of_journal(root: &str, text: &str) -> Option<Self> {
        let store: Self = serde_json::from_str(text).ok()?;
        is_sha256(&store.sha256).then(|| Self { root: root.to_owned(), ..store })
    }
}

impl TrustList {
    /// Reads those of `home`.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        decisions_file::part(home, |file| &file.trusted)
    }
}

/// Returns the SHA-256 of bytes in 64 hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    digest::hex(bytes, 64)
}

/// Returns whether a text is a SHA-256 in 64 lower-case hex digits.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// An error that keeps a store from being trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The project has no store, which would be at this path.
    #[error("{0} does not exist; this project brings no lessons")]
    Missing(PathBuf),
    /// The file at this path is a link, a device or otherwise no file of the project.
    #[error("{0} is not a regular file inside the project; what is trusted may not be a link")]
    NotInside(PathBuf),
    /// The file is too large.
    #[error("{path} is larger than the {} KiB that are read of it", limit >> 10)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file system failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file holds no lessons graph.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: UnreadableGraph,
    },
    /// The project at this root cannot be named in a file.
    #[error("{0} is not a full path in UTF-8, so it cannot be remembered")]
    Root(PathBuf),
    /// This id was accepted and needs no accepting.
    #[error("`{0}` is no flagged lesson of this store; accept only ids that the preview lists")]
    NotFlagged(LessonId),
    /// What is trusted cannot be read.
    #[error(transparent)]
    Decisions(#[from] DecisionsError),
}
