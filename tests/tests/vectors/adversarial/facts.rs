//! What an adapter found out.

use std::collections::BTreeMap;
use std::fmt;

/// Named things that are so or are not, and what helps to understand a failure.
#[derive(Debug, Default)]
pub(super) struct Facts {
    facts: BTreeMap<&'static str, bool>,
    details: Vec<String>,
}

impl Facts {
    /// Notes that something is so, or is not. Noted twice, it is so if it ever was.
    pub(super) fn note(&mut self, name: &'static str, is_so: bool) {
        *self.facts.entry(name).or_default() |= is_so;
    }

    /// Notes something that must be so each time it is looked at.
    pub(super) fn note_every(&mut self, name: &'static str, is_so: bool) {
        *self.facts.entry(name).or_insert(true) &= is_so;
    }

    /// Keeps something for the message of a failure.
    pub(super) fn detail(&mut self, detail: impl Into<String>) {
        let mut text = detail.into();
        if text.len() > 2000 {
            text = text.chars().take(2000).collect();
        }
        self.details.push(text);
    }

    /// Whether something is so; `None` where nobody looked.
    pub(super) fn get(&self, name: &str) -> Option<bool> {
        self.facts.get(name).copied()
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n  {}", self.facts, self.details.join("\n  "))
    }
}
