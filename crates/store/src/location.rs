//! The stores that a person changes: their own, and the store of a project.

use std::path::{Path, PathBuf};

use lessons_home::home::Home;
use lessons_lesson::id::{Layer, ProjectHash};

use crate::graph::{Graph, Origin};
use crate::load::{self, LoadError, Stored};
use crate::trust::{self, PROJECT_STORE, TrustError};

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
    path: String,
    /// The root at which the store is approved: that of the main work tree where this is a linked one, since both are
    /// the same project.
    approval: String,
}

impl ProjectRoot {
    /// Takes the root of a project. A path with a line break is refused: the journal names things by line.
    pub fn new(root: &Path) -> Result<Self, TrustError> {
        let name = root.to_str().filter(|name| root.is_absolute() && !name.contains('\n'));
        let path = name.ok_or_else(|| TrustError::Root { root: root.to_owned() })?.to_owned();
        Ok(Self { approval: path.clone(), path })
    }

    /// Returns the same root, whose store is approved at the root `main`.
    #[must_use]
    pub fn approved_at(self, main: &str) -> Self {
        Self { approval: main.to_owned(), ..self }
    }

    /// Returns the path.
    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// Returns the root at which the store is approved.
    pub fn approval(&self) -> &str {
        &self.approval
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
            Self::Project(root) => Layer::Project(ProjectHash::of_root(root.approval())),
        }
    }

    /// Returns how strictly its file is read.
    pub fn origin(&self) -> Origin {
        match self {
            Self::User => Origin::Own,
            Self::Project(_) => Origin::Project,
        }
    }

    /// Returns the path of its file.
    pub fn file(&self, home: &Home) -> PathBuf {
        match self {
            Self::User => home.lessons(),
            Self::Project(root) => root.store(),
        }
    }

    /// Reads the store with its bytes; no file means no lessons.
    pub fn read(&self, home: &Home) -> Result<Stored, LoadError> {
        let Self::Project(root) = self else { return load::stored(home) };
        let refused = |error: TrustError| LoadError::Project(Box::new(error));
        match trust::read_store(Path::new(root.as_str())) {
            Err(TrustError::Missing { path }) => Ok(Stored { graph: Graph::empty(path), bytes: None }),
            Err(error) => Err(refused(error)),
            Ok((path, bytes)) => {
                let graph = Graph::parse(&path, &bytes, Origin::Project)
                    .map_err(|source| refused(TrustError::Unreadable { path, source }))?;
                Ok(Stored { graph, bytes: Some(bytes) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
