//! Corrections by the user, as a detector found them.

use super::calls::JoinedCall;

/// The calls before a correction that it may be about, as the detector looks at them.
const JUST_DONE: usize = 4;

/// A message of the user that corrects a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The time of the message, in milliseconds since 1970.
    pub time: u64,
    /// The corrected command, without its secrets; `None` where it was no command.
    pub command: Option<String>,
}

impl Correction {
    /// Marks the corrected call among the calls of a context: the last one before the message that fits.
    pub(super) fn mark(&self, calls: &mut [JoinedCall<'_>]) {
        let before = calls.iter_mut().rev().skip_while(|call| call.time.is_none_or(|time| time >= self.time));
        let fits = |call: &&mut JoinedCall<'_>| match (&self.command, call.command()) {
            (Some(wanted), Some(command)) => wanted.trim() == command.trim(),
            (None, None) => true,
            _ => false,
        };
        if let Some(call) = before.take(JUST_DONE).find(fits) {
            call.is_corrected = true;
        }
    }
}
