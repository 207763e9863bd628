//! Corrections by the user, as a detector found them.

/// A message of the user that corrects a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The time of the message, in milliseconds since 1970.
    pub time: u64,
    /// The corrected command, without its secrets; `None` where it was no command.
    pub command: Option<String>,
}
