//! Errors of reading and trusting project stores.

use std::path::PathBuf;

use lessons_home::files::FileError;

use crate::decisions_file::DecisionsError;
use crate::durable::WriteError;
use crate::graph::UnreadableGraph;

/// An error that keeps a store from being trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// One of our files cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// One of our files cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The project has no store.
    #[error("{path} does not exist; this project brings no lessons")]
    Missing {
        /// The path of the missing file.
        path: PathBuf,
    },
    /// The file is a link, a device or otherwise no file of the project.
    #[error("{path} is not a regular file inside the project; what is trusted may not be a link")]
    NotInside {
        /// The file.
        path: PathBuf,
    },
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
    /// What is trusted cannot be read.
    #[error(transparent)]
    Decisions(#[from] DecisionsError),
}
