//! Reading the user's own store.

use std::path::PathBuf;

use lessons_home::files::{self, FileError};
use lessons_home::home::Home;

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
