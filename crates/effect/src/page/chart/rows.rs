//! Rows: a lesson's name, its picture, and what can be said in words.

use crate::statistics::summary::LessonEffect;
use maud::{Markup, html};

use crate::page::wording::{foreign, origin};

/// The most lessons that a figure shows. The table has all of them.
pub(crate) const MOST: usize = 8;

/// A row.
pub(crate) struct Row {
    /// The name at its left.
    pub(crate) name: Markup,
    /// The picture; nothing where there is too little data for one.
    pub(crate) picture: Option<Markup>,
    /// What can be said.
    pub(crate) says: Says,
}

/// What can be said of a row.
pub(crate) enum Says {
    /// A number, and what goes with it.
    Known(String, String),
    /// Why nothing can be said; what follows a colon stands below.
    Unknown(String),
}

/// Rows below each other, and the axis that they share. `all` is the number of lessons of which these are the first.
pub(crate) fn rows(rows: &[Row], axis: Option<&Markup>, all: usize) -> Markup {
    html! {
        ul.rows { @for row in rows { (row.item()) } }
        @if let Some(axis) = axis { div.axis { span {} div.plot { (axis) } span {} } }
        @if all > rows.len() { p.more { "and " (all - rows.len()) " more, in the table" } }
    }
}

/// The name of a lesson, with what it is about below.
pub(crate) fn name(lesson: &LessonEffect) -> Markup {
    let title = foreign(&lesson.title);
    html! {
        b title=(lesson.id) { (lesson.id.id) @if let Some(origin) = origin(&lesson.id) { span.tag { " " (origin) } } }
        span title=(title) { (title) }
    }
}

impl Row {
    fn item(&self) -> Markup {
        html! {
            li.row {
                div.name { (self.name) }
                div.plot { @if let Some(picture) = &self.picture { (picture) } }
                (self.says.markup())
            }
        }
    }
}

impl Says {
    fn markup(&self) -> Markup {
        match self {
            Self::Known(number, rest) => html! { div.says { b { (number) } span { (rest) } } },
            Self::Unknown(why) => {
                let (why, rest) = why.split_once(": ").unwrap_or((why, ""));
                html! { div.says.unsure { b { (why) @if !rest.is_empty() { ": " } } span { (rest) } } }
            }
        }
    }
}
