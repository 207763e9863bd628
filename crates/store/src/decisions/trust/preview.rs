//! Previews: a project's store as a person sees it before they decide.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use lessons_home::{Home, files};
use lessons_lesson::flags::Flag;
use lessons_lesson::{Lesson, LessonId, validate};
use lessons_text::shell_word::quoted_path;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode as FileMode;

use super::{
    MAX_BYTES, PROJECT_SETTINGS, PROJECT_STORE, TrustError, TrustList, TrustedSettings, copy_of, flags_of,
    kept_copy, sha256,
};
use crate::accepted::LessonChange;
use crate::config::Tuning;
use crate::graph::problem::{Level, Node, NodeKind, Problem};
use crate::graph::{Graph, Origin, Snapshot};

/// The largest file of a project's settings that is read, in bytes.
const SETTINGS_LIMIT: u64 = 64 << 10;
/// The flags with which a project's files are opened.
const FLAGS: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_NOFOLLOW).union(OFlag::O_NONBLOCK).union(OFlag::O_CLOEXEC);

/// A project's store, read once.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The project's root.
    pub root: String,
    /// The SHA-256 of the bytes, 64 hex digits.
    pub sha256: String,
    /// The lessons that would be in force.
    pub lessons: Vec<Lesson>,
    /// The lessons that need to be accepted by id, as their text instructs rather than teaches, with the flags that it raises.
    pub flagged: Vec<(LessonId, BTreeSet<Flag>)>,
    /// The difference from what was approved before, by id; without an approved copy every lesson is new.
    pub differences: Vec<LessonDifference>,
    /// Whether there is a copy of what was approved before.
    pub was_approved: bool,
    /// Lessons of the project that another tool keeps, which nothing reads: the path of their file or index.
    pub foreign_store: Option<PathBuf>,
    /// The problems of the store, and what keeps its active lessons out of force.
    pub problems: Vec<Problem>,
    /// The settings of the project.
    pub settings: Option<TrustedSettings>,
    /// The flaws of the settings.
    pub settings_flaws: Vec<String>,
    /// Whether the settings differ from those that were approved before.
    pub settings_differ: bool,
    /// The bytes that were read, and that an approval keeps.
    pub bytes: Vec<u8>,
}

/// A lesson that the file and the approved copy do not have in the same form.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonDifference {
    /// The id of the lesson.
    pub id: String,
    /// How it differs.
    pub change: LessonChange,
    /// The lesson of the copy, if that has one that can be used.
    pub before: Option<Lesson>,
    /// The lesson of the file, if that has one that can be used.
    pub after: Option<Lesson>,
}

/// Reads the store of the project at `root`, an absolute path with its links resolved.
pub fn preview(home: &Home, root: &Path) -> Result<Preview, TrustError> {
    let name = root.to_str().filter(|_| root.is_absolute());
    let name = name.ok_or_else(|| TrustError::Root(root.to_owned()))?.to_owned();
    let (path, bytes) = read_store(root)?;
    let (settings, settings_flaws) = settings(root)?;
    let graph = Graph::parse(&path, &bytes, Origin::Project)
        .map_err(|source| TrustError::Unreadable { path, source })?;
    let trusted = TrustList::read(home)?;
    let trusted = trusted.0.get(&name);
    let settings_before = trusted.and_then(|store| store.settings.as_ref());
    // A copy that cannot be used any more is nothing to compare with.
    let before = trusted.and_then(|store| kept_copy(&copy_of(home, &store.sha256), store).ok());
    let was_approved = before.is_some();
    let before = before.unwrap_or_else(|| Graph::empty(graph.file()));
    let flagged = graph.active().map(|lesson| (lesson.id.clone(), flags_of(lesson)));
    Ok(Preview {
        root: name,
        sha256: sha256(&bytes),
        lessons: graph.active().cloned().collect(),
        flagged: flagged.filter(|(_, flags)| !flags.is_empty()).collect(),
        differences: differences(&before, &graph),
        was_approved,
        foreign_store: foreign_store(root),
        problems: problems(&graph),
        settings_differ: settings_before != settings.as_ref(),
        settings,
        settings_flaws,
        bytes,
    })
}

/// Reads the bytes of the store of the project at `root`, and returns them with its path.
pub(crate) fn read_store(root: &Path) -> Result<(PathBuf, Vec<u8>), TrustError> {
    let (folder, path) = open(root, PROJECT_STORE[1])?;
    let bytes = read(&folder, &path, MAX_BYTES)?;
    Ok((path, bytes))
}

/// Reads the settings of the project at `root`; without a file it sets nothing.
fn settings(root: &Path) -> Result<(Option<TrustedSettings>, Vec<String>), TrustError> {
    let (folder, path) = open(root, PROJECT_SETTINGS)?;
    let bytes = match read(&folder, &path, SETTINGS_LIMIT) {
        Err(TrustError::Missing(_)) => return Ok((None, Vec::new())),
        bytes => bytes?,
    };
    let (values, flaws) = Tuning::parse(&bytes);
    Ok((Some(TrustedSettings { sha256: sha256(&bytes), values }), flaws))
}

/// Opens the folder of a project's store, and returns the path of `file` in it. It may not be a link: what lies
/// elsewhere is not the project's.
fn open(root: &Path, file: &str) -> Result<(File, PathBuf), TrustError> {
    let folder = root.join(PROJECT_STORE[0]);
    let path = folder.join(file);
    let opened = files::open_folder(&folder).map_err(|error| refusal(&path, error))?;
    Ok((opened, path))
}

/// Reads a file of the folder. It may be no link either.
fn read(folder: &File, path: &Path, limit: u64) -> Result<Vec<u8>, TrustError> {
    let name = path.file_name().unwrap_or_default();
    let file = openat(folder, name, FLAGS, FileMode::empty()).map_err(|error| refusal(path, error.into()))?;
    let io = |source| TrustError::Io { path: path.to_owned(), source };
    let file = File::from(file);
    if !file.metadata().map_err(io)?.is_file() {
        return Err(TrustError::NotInside(path.to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > limit {
        return Err(TrustError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

fn refusal(path: &Path, error: std::io::Error) -> TrustError {
    let path = path.to_owned();
    match error.raw_os_error().map(nix::errno::Errno::from_raw) {
        Some(nix::errno::Errno::ENOENT) => TrustError::Missing(path),
        Some(nix::errno::Errno::ELOOP | nix::errno::Errno::ENOTDIR | nix::errno::Errno::ENXIO) => {
            TrustError::NotInside(path)
        }
        _ => TrustError::Io { path, source: error },
    }
}

/// The problems of the graph, and the errors of its active lessons.
fn problems(graph: &Graph) -> Vec<Problem> {
    let errors = graph.active().flat_map(|lesson| {
        let errors = validate::flaws(lesson).into_iter().filter(|flaw| flaw.level == Level::Error);
        let node = Node { kind: NodeKind::Lesson, id: lesson.id.to_string() };
        errors.map(move |flaw| graph.problem(Some(node.clone()), flaw))
    });
    graph.problems().iter().cloned().chain(errors).collect()
}

fn differences(before: &Graph, after: &Graph) -> Vec<LessonDifference> {
    let ids: BTreeSet<&str> = before.ids().chain(after.ids()).collect();
    let difference = |id: &str| {
        let change = LessonChange::between(Snapshot::of(before, id), Snapshot::of(after, id))?;
        let (before, after) = (before.usable(id).cloned(), after.usable(id).cloned());
        Some(LessonDifference { id: id.to_owned(), change, before, after })
    };
    ids.into_iter().filter_map(difference).collect()
}

/// Where `AgentsMesh` keeps the lessons of a project: in one file, or in its older layout with an index.
const FOREIGN_STORES: [&str; 3] =
    [".agentsmesh/lessons/lessons.json", ".agentsmesh/lessons/index.yaml", ".lessons/index.yaml"];

/// The command that takes over the lessons that another tool keeps in this file or index.
pub fn import_of(store: &Path) -> String {
    let is_older = store.extension().is_some_and(|extension| extension == "yaml");
    format!("lessons import {}", quoted_path(store.parent().filter(|_| is_older).unwrap_or(store)))
}

/// Returns the path of the lessons that another tool keeps in the project at `root`, if there are any.
pub fn foreign_store(root: &Path) -> Option<PathBuf> {
    let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
    FOREIGN_STORES.iter().map(|store| root.join(store)).find(is_file)
}
