//! Named values, one a row: how the fields of a thing are shown, in print and on the screen of a review.

use std::fmt;

use lessons_text::neutral::line;

/// A named value. The text may be recorded text: it is made neutral where it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The name, of at most nine characters; empty where the row goes on with the one above.
    pub name: &'static str,
    /// The value.
    pub text: String,
}

/// Named values in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    /// Adds a row.
    pub fn add(&mut self, name: &'static str, text: impl Into<String>) {
        self.0.push(Row { name, text: text.into() });
    }

    /// Adds a row for each of the texts.
    pub fn add_each(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<String>>) {
        self.0.extend(texts.into_iter().map(|text| Row { name, text: text.into() }));
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|Row { name, text }| writeln!(f, "  {name:9} {}", line(text)))
    }
}
