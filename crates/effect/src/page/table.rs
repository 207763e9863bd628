//! A table. On a phone its rows become blocks, in which each cell stands beside the name of its column.

use maud::{Markup, html};

use super::wording::{foreign, number};

/// The most rows that are shown.
const MOST: usize = 20;

/// A cell.
pub(super) enum Cell {
    /// Words, which begin at the left. Those of somebody else have been made neutral.
    Words(String),
    /// A number, which ends at the right.
    Number(u64),
    /// A command to type.
    Command(String),
}

/// A table with a head for each column. The first cell of a row names it.
pub(super) fn table<const N: usize>(heads: [&'static str; N], rows: Vec<[Cell; N]>) -> Markup {
    let more = rows.len().saturating_sub(MOST);
    let shown: Vec<[Cell; N]> = rows.into_iter().take(MOST).collect();
    let is_number = |at: usize| shown.first().is_some_and(|row| matches!(row[at], Cell::Number(_)));
    html! {
        table {
            thead { tr { @for (at, head) in heads.iter().enumerate() { th scope="col" class=[is_number(at).then_some("number")] { (head) } } } }
            tbody {
                @for row in &shown {
                    tr {
                        th scope="row" { (row[0].markup()) }
                        @for (cell, head) in row.iter().zip(heads).skip(1) { td data-head=(head) class=[cell.class()] { (cell.markup()) } }
                    }
                }
            }
        }
        @if more > 0 { p.more { "and " (number(more as u64)) " more: " code { "lessons effect" } } }
    }
}

impl Cell {
    fn class(&self) -> Option<&'static str> {
        matches!(self, Self::Number(_)).then_some("number")
    }

    fn markup(&self) -> Markup {
        match self {
            Self::Words(words) => html! { (words) },
            Self::Number(count) => html! { (number(*count)) },
            Self::Command(text) if text.is_empty() => html! { "–" },
            Self::Command(text) => command(&foreign(text)),
        }
    }
}

/// A command, to be copied.
pub(super) fn command(text: &str) -> Markup {
    html! { code { (text) } }
}
