//! Reading the user's own store.

use std::path::PathBuf;

use lessons_home::files::{self, FileError};
use lessons_home::home::Home;

use crate::graph::usable::Usable;
use crate::graph::{Graph, Origin, UnreadableGraph};
use crate::trust::TrustError;

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
    Project(Box<TrustError>),
}

/// Reads the lessons of `home`; no file means no lessons.
pub fn lessons(home: &Home) -> Result<Graph, LoadError> {
    Ok(stored(home)?.graph)
}

/// Reads the usable lessons of `home`, for a caller that changes none.
pub fn usable(home: &Home) -> Result<Usable, LoadError> {
    parsed(home, files::read(&home.lessons(), MAX_BYTES)?.as_deref())
}

/// The usable lessons in the bytes of the store of `home`; `None` is no file, and no lessons.
pub(crate) fn parsed(home: &Home, bytes: Option<&[u8]>) -> Result<Usable, LoadError> {
    let path = home.lessons();
    match bytes {
        None => Ok(Graph::empty(&path).into()),
        Some(bytes) => Usable::parse(&path, bytes).map_err(|source| LoadError::Unreadable { path, source }),
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
    let path = home.lessons();
    let bytes = files::read(&path, MAX_BYTES)?;
    let graph = match &bytes {
        None => Graph::empty(&path),
        Some(bytes) => Graph::parse(&path, bytes, Origin::Own)
            .map_err(|source| LoadError::Unreadable { path, source })?,
    };
    Ok(Stored { graph, bytes })
}
