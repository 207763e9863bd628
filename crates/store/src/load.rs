//! The stores that a person changes, their own and the store of a project, as they are read; and the accepted copies beside
//! the person's own. Right after a change both hold the same lessons, and comparing their bytes takes a fraction of the time
//! that parsing them twice would take.

use std::path::{Path, PathBuf};

use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_lesson::{Layer, ProjectHash};
use lessons_text::find::memchr_iter;

use crate::accepted::Accepted;
use crate::decisions::trust::{self, PROJECT_STORE, TrustError};
use crate::decisions_file::{DecisionsError, DecisionsFile};
use crate::graph::{Graph, Origin, UnreadableGraph};

/// The largest `lessons.json` that is read, in bytes: as much as a manifest may have.
pub const MAX_BYTES: u64 = 512 << 20;

/// An error that keeps the store from being read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file holds no lessons graph.
    #[error("{path}: {source}; `lessons restore --store` restores what you accepted")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: UnreadableGraph,
    },
    /// The store of a project cannot be used.
    #[error(transparent)]
    Project(#[from] TrustError),
}

/// Reads the lessons of `home`; no file means no lessons.
pub fn lessons(home: &Home) -> Result<Graph, LoadError> {
    Ok(stored(home)?.graph)
}

/// The lessons in the bytes of the store of `home`; `None` is no file, and no lessons.
pub(crate) fn parsed(home: &Home, bytes: Option<&[u8]>) -> Result<Graph, LoadError> {
    let path = home.lessons();
    match bytes {
        None => Ok(Graph::empty(&path)),
        Some(bytes) => {
            Graph::parse(&path, bytes, Origin::Own).map_err(|source| LoadError::Unreadable { path, source })
        }
    }
}

/// The lessons with the bytes that they were read from.
pub struct Stored {
    /// The lessons.
    pub graph: Graph,
    /// The bytes of the file; `None` without a file.
    pub bytes: Option<Vec<u8>>,
}

/// Reads the store of `home` with its bytes.
pub fn stored(home: &Home) -> Result<Stored, LoadError> {
    let bytes = files::read(&home.lessons(), MAX_BYTES)?;
    Ok(Stored { graph: parsed(home, bytes.as_deref())?, bytes })
}

/// The indentation that the graph of `decisions.json` has more than that of `lessons.json`.
const INDENTATION: &[u8] = b"  ";

/// The accepted copies and the user's own store.
#[derive(Debug)]
pub struct CopiesWithStore {
    /// The accepted copies.
    pub accepted: Accepted,
    /// The lessons of the store; `None` where they are those of the copies to the byte and have no problem.
    pub store: Result<Option<Graph>, LoadError>,
}

impl CopiesWithStore {
    /// Reads both files of `home`. Only the copies have to be readable.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        let stored = files::read(&home.lessons(), MAX_BYTES);
        let bytes = stored.as_ref().ok().and_then(Option::as_deref);
        let file = DecisionsFile::read(home)?;
        let graph = file.as_ref().map(|file| file.graph.get().as_bytes());
        let is_same = graph.zip(bytes).is_some_and(|(graph, bytes)| is_copy(graph, bytes));
        let accepted = Accepted::of(home, file)?;
        let store = if is_same && accepted.graph.problems().is_empty() {
            Ok(None)
        } else {
            stored.map_err(LoadError::from).and_then(|bytes| parsed(home, bytes.as_deref())).map(Some)
        };
        Ok(Self { accepted, store })
    }
}

/// Whether a graph within `decisions.json` is that of `store`, line by line.
fn is_copy(graph: &[u8], store: &[u8]) -> bool {
    let mut copied = lines(graph);
    let mut stored = lines(store.trim_ascii_end());
    copied.next() == stored.next() && copied.map(|line| line.strip_prefix(INDENTATION)).eq(stored.map(Some))
}

/// The lines of a text, without their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr_iter(b'\n', text).chain([text.len()]).map(move |end| {
        let line = text.get(start..end).unwrap_or_default();
        start = end + 1;
        line
    })
}

/// The store to which a change is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// The user's own store, in their data folder.
    User,
    /// The store that a project carries.
    Project(ProjectRoot),
}

/// The root of a project that may have a store: an absolute path in UTF-8 with its links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRoot {
    /// The path.
    pub path: String,
    /// The root at which the store is approved: that of the main work tree where this is a linked one, since both are
    /// the same project.
    pub approval: String,
}

impl ProjectRoot {
    /// Takes the root of a project. A path with a line break is refused: the journal names things by line.
    pub fn new(root: &Path) -> Result<Self, TrustError> {
        let name = root.to_str().filter(|name| root.is_absolute() && !name.contains('\n'));
        let path = name.ok_or_else(|| TrustError::Root(root.to_owned()))?.to_owned();
        Ok(Self { approval: path.clone(), path })
    }

    /// Returns the same root, whose store is approved at the root `main`.
    #[must_use]
    pub fn approved_at(self, main: &str) -> Self {
        Self { approval: main.to_owned(), ..self }
    }

    /// Returns the folder that holds the store.
    pub fn folder(&self) -> PathBuf {
        Path::new(&self.path).join(PROJECT_STORE[0])
    }

    /// Returns the path of the store.
    pub fn store(&self) -> PathBuf {
        self.folder().join(PROJECT_STORE[1])
    }
}

impl StoreLocation {
    /// Returns the layer of its lessons.
    pub fn layer(&self) -> Layer {
        match self {
            Self::User => Layer::User,
            Self::Project(root) => Layer::Project(ProjectHash::of_root(&root.approval)),
        }
    }

    /// Returns how strictly its file is read.
    pub fn origin(&self) -> Origin {
        match self {
            Self::User => Origin::Own,
            Self::Project(_) => Origin::Project,
        }
    }

    /// Reads the store with its bytes; no file means no lessons.
    pub fn read(&self, home: &Home) -> Result<Stored, LoadError> {
        let Self::Project(root) = self else { return stored(home) };
        match trust::read_store(Path::new(&root.path)) {
            Err(TrustError::Missing(path)) => Ok(Stored { graph: Graph::empty(path), bytes: None }),
            Err(error) => Err(error.into()),
            Ok((path, bytes)) => {
                let graph = Graph::parse(&path, &bytes, Origin::Project)
                    .map_err(|source| TrustError::Unreadable { path, source })?;
                Ok(Stored { graph, bytes: Some(bytes) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        files::ensure_folder(home.root()).unwrap();
        (dir, home)
    }

    /// A home with accepted copies, and with `store` for its store.
    fn home(store: impl FnOnce(String) -> String) -> (tempfile::TempDir, Home) {
        let (dir, home) = scratch();
        std::fs::write(home.decisions(), crate::decisions::GOLDEN).unwrap();
        let graph = Accepted::read(&home).unwrap().graph;
        std::fs::write(home.lessons(), store(String::from_utf8(graph.to_bytes()).unwrap())).unwrap();
        (dir, home)
    }

    #[test]
    fn a_store_equal_to_the_copies_is_not_parsed_again() {
        let (_dir, home) = home(|same| same);
        let read = CopiesWithStore::read(&home).unwrap();
        assert!(read.accepted.graph.lessons().len() > 0 && matches!(read.store, Ok(None)));
    }

    #[test]
    fn a_store_that_differs_in_a_word_is_parsed() {
        let (_dir, home) = home(|store| store.replace("Never wipe", "Always wipe"));
        let store = CopiesWithStore::read(&home).unwrap().store.unwrap().unwrap();
        assert_eq!(store.lessons().next().unwrap().rule, "Always wipe the frob.");
    }

    #[test]
    fn problems_are_those_of_the_store() {
        let (_dir, home) = home(|store| store);
        let unknown_status = |text: String| text.replace("\"status\": \"active\"", "\"status\": \"unheard\"");
        for file in [home.decisions(), home.lessons()] {
            std::fs::write(&file, unknown_status(std::fs::read_to_string(&file).unwrap())).unwrap();
        }
        let store = CopiesWithStore::read(&home).unwrap().store.unwrap().unwrap();
        let problems: Vec<_> = store.problems().iter().map(ToString::to_string).collect();
        assert!(problems[0].contains("lessons.json"), "{problems:?}");
    }

    #[test]
    fn a_missing_store_is_an_empty_one_and_an_unreadable_one_an_error() {
        let (_dir, home) = home(|_| "{".to_owned());
        assert!(CopiesWithStore::read(&home).unwrap().store.is_err());
        std::fs::remove_file(home.lessons()).unwrap();
        let store = CopiesWithStore::read(&home).unwrap().store.unwrap().unwrap();
        assert_eq!(store.lessons().len(), 0);
    }

    #[test]
    fn only_the_same_lines_are_a_copy() {
        assert!(is_copy(b"{\n    \"a\": 1\n  }", b"{\n  \"a\": 1\n}\n"));
        for other in ["{\n  \"a\": 2\n}\n", "{\n  \"a\": 1\n", "{\n  \"a\": 1\n}\n}\n", "", "{"] {
            assert!(!is_copy(b"{\n    \"a\": 1\n  }", other.as_bytes()), "{other:?}");
        }
        assert!(!is_copy(b"{\n\"a\": 1\n}", b"{\n\"a\": 1\n}"));
    }
}

#[cfg(test)]
mod location_tests {
    use super::*;

    #[test]
    fn a_project_without_a_store_has_no_lessons_and_a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let location = StoreLocation::Project(ProjectRoot::new(dir.path()).unwrap());
        let stored = location.read(&home).unwrap();
        assert!(stored.bytes.is_none() && stored.graph.ids().next().is_none());
        std::os::unix::fs::symlink("/etc", dir.path().join(".lessons")).unwrap();
        let error = location.read(&home).map(drop).unwrap_err();
        assert!(matches!(error, LoadError::Project(_)), "{error}");
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }

    #[test]
    fn a_root_that_a_line_of_the_journal_cannot_name_is_refused() {
        for bad in ["relative", "/a\nb"] {
            assert!(ProjectRoot::new(Path::new(bad)).is_err(), "{bad}");
        }
        assert_eq!(
            ProjectRoot::new(Path::new("/a b")).unwrap().store(),
            Path::new("/a b/.lessons/lessons.json")
        );
    }
}
