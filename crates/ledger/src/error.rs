//! The error of the ledger.

use lessons_home::files::FileError;
use lessons_store::{
    ConfigError, DecisionsError, LoadError, Problem, TrustError, UnreadableGraph, WriteError, graph::problem,
};

use crate::database::DatabaseError;

/// An error that kept a change, a backup or a reading of events from taking place. What was there is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The store cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The decisions cannot be read.
    #[error(transparent)]
    Decisions(#[from] DecisionsError),
    /// The settings cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The list of trusted stores cannot be read, or the store of a project cannot be trusted.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The edit refused.
    #[error("{0}")]
    Edit(Box<dyn std::error::Error + Send + Sync>),
    /// The change would introduce an error.
    #[error("nothing was saved: {}", problem::listed(.0, 5))]
    Invalid(Vec<Problem>),
    /// The result could not be read again.
    #[error("nothing was saved, the result would not be readable: {0}")]
    Unreadable(#[from] UnreadableGraph),
    /// The copy of the database fails the integrity check of SQLite.
    #[error("the copy of the database is not sound ({0}), so it was thrown away")]
    Unsound(String),
    /// Another process reads the database, so old pages cannot be removed.
    #[error("another `lessons` is reading the database, so old pages of it are still there; run this again")]
    Busy,
}

/// A result of a change, a backup or a reading of events.
pub type Result<T, E = LedgerError> = std::result::Result<T, E>;
