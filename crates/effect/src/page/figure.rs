//! The frame of a section and of a figure: the question that it answers, the picture, and the same as a table.

use maud::{Markup, html};

/// A section that the page's contents name.
pub(crate) struct Section {
    /// Its anchor.
    pub(crate) id: &'static str,
    /// Its question in a word or two, for the contents.
    pub(crate) short: &'static str,
    /// The section.
    pub(crate) body: Markup,
}

/// A figure. It answers one question, in a section of its own.
pub(crate) struct Figure {
    /// The anchor of its section.
    pub(crate) id: &'static str,
    /// The question.
    pub(crate) title: &'static str,
    /// What has to be said before the figure.
    pub(crate) before: Option<Markup>,
    /// What the picture shows, and how to read it.
    pub(crate) description: Markup,
    /// The picture, with its key.
    pub(crate) picture: Markup,
    /// The numbers.
    pub(crate) table: Table,
    /// What stands below.
    pub(crate) note: Option<Markup>,
}

impl Figure {
    /// The section with the figure in it.
    pub(crate) fn section(&self) -> Markup {
        let title = format!("{}-title", self.id);
        let description = format!("{}-description", self.id);
        html! {
            section id=(self.id) aria-labelledby=(title) {
                h2 id=(title) { (self.title) }
                @if let Some(before) = &self.before { (before) }
                figure aria-labelledby=(title) aria-describedby=(description) {
                    figcaption id=(description) { (self.description) }
                    (self.picture)
                    (self.table.details())
                }
                @if let Some(note) = &self.note { (note) }
            }
        }
    }
}

/// A section for which there is no data yet: the question, and when there will be an answer.
pub(crate) fn waiting(id: &'static str, title: &'static str, when: &Markup) -> Markup {
    let heading = format!("{id}-title");
    html! {
        section id=(id) aria-labelledby=(heading) {
            h2 id=(heading) { (title) }
            p.none-yet { (when) }
        }
    }
}

/// What a column of a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Words, which begin at the left.
    Words(&'static str),
    /// Numbers, which end at the right.
    Numbers(&'static str),
}

/// The numbers of a figure. The first cell of a row names it.
pub(crate) struct Table {
    /// What the table holds.
    pub(crate) caption: String,
    /// The columns.
    pub(crate) columns: Vec<Column>,
    /// The rows, with a cell for each column.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    fn details(&self) -> Markup {
        html! {
            details {
                summary { "The same as a table" span.hidden { ": " (self.caption) } }
                // A table wider than the window scrolls by itself, with the keyboard too.
                div.scroll role="region" tabindex="0" aria-label=(self.caption) {
                    table {
                        caption { (self.caption) }
                        thead { tr { @for column in &self.columns { th scope="col" class=[column.class()] { (column.head()) } } } }
                        tbody { @for row in &self.rows { (self.row(row)) } }
                    }
                }
            }
        }
    }

    fn row(&self, cells: &[String]) -> Markup {
        let mut cells = self.columns.iter().zip(cells);
        html! {
            tr {
                @if let Some((_, name)) = cells.next() { th scope="row" { (name) } }
                @for (column, cell) in cells { td class=[column.class()] { (cell) } }
            }
        }
    }
}

impl Column {
    fn head(self) -> &'static str {
        match self {
            Self::Words(head) | Self::Numbers(head) => head,
        }
    }

    fn class(self) -> Option<&'static str> {
        (matches!(self, Self::Numbers(_))).then_some("number")
    }
}
