//! Named values, one a row: how the fields of a thing are shown, in print and on the screen of a review.

use std::fmt;

use lessons_context::proposal::NO_TRIGGER;
use lessons_ledger::{Candidate, Doubt};
use lessons_pattern::Trigger;
use lessons_text::line;

/// The name of a row, and its text.
pub(crate) type Row = (&'static str, String);

/// Named values in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    /// Adds a row.
    pub fn add(&mut self, name: &'static str, text: impl Into<String>) {
        self.0.push((name, text.into()));
    }

    /// Adds a row for each of the texts.
    pub fn add_each(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<String>>) {
        self.0.extend(texts.into_iter().map(|text| (name, text.into())));
    }

    /// Adds a row for each trigger, the first of which are called `name`.
    pub fn add_triggers(&mut self, name: &'static str, [any, also, unless]: [&[Trigger]; 3]) {
        for (name, triggers) in [(name, any), ("and", also), ("unless", unless)] {
            self.add_each(name, triggers.iter().map(ToString::to_string));
        }
        if any.is_empty() {
            self.add(name, NO_TRIGGER);
        }
    }

    /// What speaks against a candidate.
    pub fn doubts(candidate: &Candidate) -> Self {
        let mut rows = Self::default();
        let words = |doubt: &Doubt| format!("{}: it {}", doubt.name, doubt.meaning);
        rows.add_each("flag", candidate.finding.flags.iter().map(words));
        rows.add_each("mark", candidate.finding.marks.iter().map(words));
        rows
    }

    /// Adds a row with a list, unless it is empty.
    pub fn add_list(&mut self, name: &'static str, list: &[String]) {
        self.add_each(name, (!list.is_empty()).then(|| list.join(", ")));
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, text)| writeln!(f, "  {name:9} {}", line(text)))
    }
}
