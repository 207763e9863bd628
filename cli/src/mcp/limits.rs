//! Limits of what a client sends.

use anyhow::{Result, bail};

use crate::app::Refused;

/// The most tags of a note.
pub(super) const MOST_TAGS: usize = 8;

/// Refuses a text that is longer than it may be.
pub(super) fn at_most(name: &str, text: &str, most: usize) -> Result<()> {
    if text.len() > most && text.chars().count() > most {
        bail!(Refused(format!("`{name}` has more than {most} characters")));
    }
    Ok(())
}
