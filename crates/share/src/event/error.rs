//! Why bytes are no event, and why an event is not what it claims to be.

use super::MAX_BYTES;

/// An error of bytes that are no event, or of a text that cannot become one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The event is too large.
    #[error("it has {bytes} bytes, and an event may have {MAX_BYTES}")]
    TooLarge {
        /// The number of bytes.
        bytes: usize,
    },
    /// The bytes are not an event's JSON.
    #[error("it is no event: {reason}")]
    Malformed {
        /// The fault, neutral.
        reason: String,
    },
    /// The date is after the year 9999.
    #[error("its date is after the year 9999")]
    Date,
    /// A tag has not even a name.
    #[error("it has an empty tag")]
    EmptyTag,
    /// A text has a control character.
    #[error("it holds a control character, which programs write in different ways")]
    ControlCharacter,
    /// The key could not sign.
    #[error("it cannot be signed")]
    Signing,
}

/// The reason why an event is not its author's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forged {
    /// The id is not that of what the event says.
    #[error("its id is not the hash of what it says: it was changed")]
    Id,
    /// The signature is not the author's.
    #[error("its signature is not its author's")]
    Signature,
}
