//! Limits of what a client sends.

use anyhow::{Result, bail};
use lessons_context::error::Refused;

/// The most tags of a note.
pub(super) const MOST_TAGS: usize = 8;

/// Refuses a text that is longer than it may be.
pub(super) fn at_most(name: &str, text: &str, most: usize) -> Result<()> {
    if text.len() > most && text.chars().count() > most {
        bail!(Refused(format!("`{name}` has more than {most} characters")));
    }
    Ok(())
}

/// Refuses a number that is not from 1 to `most`.
pub(super) fn within(name: &str, number: Option<usize>, most: usize) -> Result<()> {
    if number.is_some_and(|number| !(1..=most).contains(&number)) {
        bail!(Refused(format!("`{name}` has to be from 1 to {most}")));
    }
    Ok(())
}
