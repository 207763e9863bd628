//! Words for what of an installation could not be read, written or started.

use std::error::Error as StdError;
use std::fmt::Display;

use lessons_context::Error;
pub(crate) use lessons_context::Result;

/// Fails with these words: what stands in the way, and what to do.
pub(crate) fn failed<T>(words: impl Into<String>) -> Result<T> {
    Err(Error::Failed(words.into()))
}

/// A result that is missing gets words for what it would have been.
pub(crate) trait OrSay<T> {
    /// The same result, with these words in front of its cause.
    fn or_say<D: Display>(self, words: impl FnOnce() -> D) -> Result<T>;
}

impl<T, E: Into<Box<dyn StdError + Send + Sync>>> OrSay<T> for Result<T, E> {
    fn or_say<D: Display>(self, words: impl FnOnce() -> D) -> Result<T> {
        let why = |cause: E| Box::new(Error::Other(cause.into()));
        self.map_err(|cause| Error::Doing { doing: words().to_string(), source: why(cause) })
    }
}

impl<T> OrSay<T> for Option<T> {
    fn or_say<D: Display>(self, words: impl FnOnce() -> D) -> Result<T> {
        self.map_or_else(|| failed(words().to_string()), Ok)
    }
}
