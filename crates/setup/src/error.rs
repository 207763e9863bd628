//! Why something of an installation could not be read, written or started.

use std::error::Error;
use std::fmt::Display;

use lessons_home::files::FileError;
use lessons_store::WriteError;

/// An error of an installation, in words for a person.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Something stands in the way. The text says what, and what to do.
    #[error("{0}")]
    InTheWay(String),
    /// Something failed, and its cause.
    #[error("{what}")]
    Failed {
        /// What was being done, or with which file.
        what: String,
        /// The cause.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
    /// A file that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder that cannot be listed, or a file whose times cannot be read or set.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl SetupError {
    /// Fails with these words, unless a condition holds.
    pub(crate) fn unless(holds: bool, words: impl FnOnce() -> String) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::InTheWay(words())) }
    }
}

/// A result that is missing gets words for what it would have been.
pub(crate) trait OrSay<T> {
    /// The same result, with these words in front of its cause.
    fn or_say<D: Display>(self, words: impl FnOnce() -> D) -> Result<T, SetupError>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> OrSay<T> for Result<T, E> {
    fn or_say<D: Display>(self, words: impl FnOnce() -> D) -> Result<T, SetupError> {
        self.map_err(|cause| SetupError::Failed { what: words().to_string(), cause: cause.into() })
    }
}

impl<T> OrSay<T> for Option<T> {
    fn or_say<D: Display>(self, words: impl FnOnce() -> D) -> Result<T, SetupError> {
        self.ok_or_else(|| SetupError::InTheWay(words().to_string()))
    }
}
