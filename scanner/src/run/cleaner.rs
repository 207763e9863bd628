//! The cleaning of texts before they are stored: without secrets and hidden characters, and with the doubts that these
//! raise.

use lessons_ledger::Proposal;
use lessons_lesson::flags;
use lessons_text::neutral;
use lessons_text::redact::{holds_marker, redact};

/// The doubt that a text held a secret: its name, and what it means.
pub const HAD_SECRET: (&str, &str) = ("had-secret", "held a secret, which was replaced");

/// A cleaner, which remembers what it met.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    pub(crate) had_secret: bool,
    /// Whether there were hidden characters.
    pub(crate) hid: bool,
}

impl Cleaner {
    /// The text without secrets and hidden characters.
    pub(crate) fn clean(&mut self, text: &str) -> String {
        let spaced = text.replace(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\t'), " ");
        let visible = neutral::visible(&spaced);
        self.hid |= visible != spaced;
        self.redacted(&visible)
    }

    /// The text without secrets.
    pub(crate) fn redacted(&mut self, text: &str) -> String {
        let redacted = redact(text);
        self.had_secret |= !redacted.kinds.is_empty();
        redacted.text
    }

    /// The doubts about the texts, each a name and what it means.
    pub(crate) fn doubts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let hidden = (flags::HIDDEN_CHARACTERS.name, flags::HIDDEN_CHARACTERS.meaning);
        [self.had_secret.then_some(HAD_SECRET), self.hid.then_some(hidden)].into_iter().flatten()
    }
}

/// A proposal without what is made of a marker, which would match nothing.
pub(crate) fn without_markers(mut proposal: Proposal) -> Proposal {
    for triggers in [&mut proposal.triggers, &mut proposal.also, &mut proposal.unless] {
        triggers.retain(|trigger| !trigger.pattern.is_empty() && !holds_marker(&trigger.pattern));
    }
    proposal
}
