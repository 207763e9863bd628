//! What keeps the store of a project from being read or trusted.

use std::path::PathBuf;

use lessons_home::files::FileError;

use crate::durable::WriteError;
use crate::graph::UnreadableGraph;

/// Why a store cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// One of our files cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// One of our files cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
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
