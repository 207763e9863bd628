//! Why work for a person could not be done: refusals, errors with a stable code, and the exit status that goes with them.

use std::error::Error as StdError;
use std::io;

use lessons_home::file_error::FileError;
use lessons_ledger::journal::ConsentRefused;
use lessons_ledger::{DatabaseError, LedgerError, UndoError};
use lessons_lesson::id::InvalidId;
use lessons_store::curate::CurateError;
use lessons_store::durable::lock::LockError;
use lessons_store::graph::PutError;
use lessons_store::{ConfigError, DecisionsError, LoadError, TrustError, WriteError};

/// The exit status of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Status 0: the program did what was asked.
    Done,
    /// Status 1: it found problems, or could not do everything.
    Findings,
    /// Status 2: wrong usage, or a refused lesson.
    Refused,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Findings => Self::from(1),
            Exit::Refused => Self::from(2),
        }
    }
}

/// An error that ends the program with [`Exit::Refused`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// An error with a stable code for programs.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct Coded {
    /// The code, such as `UNKNOWN_LESSON`. A code never changes its meaning.
    pub code: &'static str,
    /// The exit status that goes with it.
    pub exit: Exit,
    /// The message for a person.
    pub text: String,
}

impl Coded {
    /// An error for wrong usage or a refused lesson.
    pub fn refused(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, exit: Exit::Refused, text: text.into() }
    }

    /// An error for work that failed.
    pub fn failed(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, exit: Exit::Findings, text: text.into() }
    }
}

/// Why work for a person could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// It has a code.
    #[error(transparent)]
    Coded(#[from] Coded),
    /// What was being done, and why it failed.
    #[error("{doing}")]
    Doing {
        /// What was being done: a file, or a sentence without a full stop.
        doing: String,
        /// Why it failed.
        source: Box<Self>,
    },
    /// It failed for the reason that this sentence gives.
    #[error("{0}")]
    Failed(String),
    /// A change cannot be undone.
    #[error(transparent)]
    Undo(#[from] UndoError),
    /// The decisions cannot be read.
    #[error(transparent)]
    Decisions(#[from] DecisionsError),
    /// Another part failed, and nobody needs to know how.
    #[error(transparent)]
    Other(Box<dyn StdError + Send + Sync>),
}

/// The result of work for a person.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! others {
    ($($kind:ty),+) => {
        $(impl From<$kind> for Error {
            fn from(error: $kind) -> Self {
                Self::of(error)
            }
        })+
    };
}

others!(LedgerError, DatabaseError, ConsentRefused, LoadError, InvalidId, TrustError, CurateError);
others!(PutError, ConfigError, LockError, WriteError, FileError, serde_json::Error, io::Error);

impl Error {
    /// The error of another part.
    pub fn of(error: impl StdError + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// The error of another part, if it is of this kind.
    ///
    /// # Errors
    ///
    /// Any other error.
    pub fn downcast<T: StdError + 'static>(self) -> Result<T> {
        match self {
            Self::Other(error) => error.downcast().map(|error| *error).map_err(Self::Other),
            error => Err(error),
        }
    }

    /// Whether another command held the lock.
    pub fn is_of_busy_lock(&self) -> bool {
        matches!(self, Self::Other(error) if matches!(error.downcast_ref(), Some(LockError::Busy(_))))
    }

    /// Its code and its exit status, if it has a code.
    pub fn coded(&self) -> Option<&Coded> {
        match self {
            Self::Coded(coded) => Some(coded),
            Self::Doing { source, .. } => source.coded(),
            _ => None,
        }
    }

    /// The exit status of a program that ends with it.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Refused(_) => Exit::Refused,
            Self::Coded(coded) => coded.exit,
            Self::Doing { source, .. } => source.exit(),
            _ => Exit::Findings,
        }
    }
}

/// A refusal in these words.
pub fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(Refused(text.into()).into())
}

/// A refusal in these words, with a stable code.
pub fn refused_as<T>(code: &'static str, text: impl Into<String>) -> Result<T> {
    Err(Coded::refused(code, text).into())
}

impl AsRef<dyn StdError + Send + Sync> for Error {
    fn as_ref(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }
}

/// Says what was being done when an error came.
pub trait WhileDoing<T> {
    /// The result, whose error begins with what was being done.
    ///
    /// # Errors
    ///
    /// Its own.
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Error>> WhileDoing<T> for Result<T, E> {
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Error::Doing { doing: doing(), source: Box::new(error.into()) })
    }
}

/// An error with its causes, each mentioned once: some errors already contain the sentence of their cause.
pub fn sentence(error: &impl AsRef<dyn StdError + Send + Sync>) -> String {
    let error = error.as_ref();
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        next = cause.source();
    }
    text
}
