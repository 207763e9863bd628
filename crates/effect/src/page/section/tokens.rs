//! Is it worth its tokens? What each lesson took, and from when on that pays off.

use crate::statistics::summary::{LessonEffect, Mending, Summary};
use maud::{Markup, html};

use crate::page::chart::bar::{Part, bar};
use crate::page::chart::rows::{self, Row, Says};
use crate::page::chart::{Ink, end_of_scale, scale};
use crate::page::figure::{Column, Figure, Section, Table, waiting};
use crate::page::wording::{counted, duration, number};

const ID: &str = "tokens";
const TITLE: &str = "Is it worth its tokens?";

/// The section.
pub(crate) fn section(summary: &Summary) -> Section {
    let mut lessons: Vec<_> = summary.lessons.iter().filter(|lesson| lesson.cost > 0).collect();
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.cost));
    let body = if lessons.is_empty() {
        waiting(ID, TITLE, &html! { "This shows what each lesson took, from the first reminder on." })
    } else {
        figure(summary.mending, &lessons).section()
    };
    Section { id: ID, short: "Tokens", body }
}

fn figure(mending: Option<Mending>, lessons: &[&LessonEffect]) -> Figure {
    let end = end_of_scale(lessons.iter().map(|lesson| lesson.cost).max().unwrap_or(0));
    let shown: Vec<Row> = lessons.iter().take(rows::MOST).map(|lesson| row(lesson, mending, end)).collect();
    Figure {
        id: ID,
        title: TITLE,
        before: None,
        description: html! {
            p {
                "What the text of each lesson took while it stood in the context, and blocked calls with it, as fresh input tokens: "
                "what is written to the cache counts a quarter more, what is read from it a tenth. " (price(mending))
            }
        },
        picture: rows::rows(&shown, Some(&scale(end)), lessons.len()),
        table: table(mending, lessons),
        note: None,
    }
}

/// The price of putting a repeat right.
fn price(mending: Option<Mending>) -> Markup {
    html! {
        @if let Some(mending) = mending {
            "Putting a repeat right takes " b { (number(mending.tokens)) " tokens and " (duration(mending.seconds)) }
            " (median of " (number(mending.repeats)) "). So a lesson pays off from so many repeats avoided; whether it avoided "
            "them is not known."
        } @else { "What it takes to put a repeat right is said from ten repeats on." }
    }
}

/// The sessions in which a lesson was told or refused a call.
fn sessions(lesson: &LessonEffect) -> u64 {
    lesson.followed.sessions() + lesson.refused.sessions
}

/// The repeats from which on a lesson pays off: by its own price where that is known, else by that of all lessons.
fn pays_off_from(lesson: &LessonEffect, mending: Option<Mending>) -> Option<u64> {
    let price = lesson.mending.or(mending)?.tokens;
    (price > 0).then(|| lesson.cost.div_ceil(price))
}

fn row(lesson: &LessonEffect, mending: Option<Mending>, end: u64) -> Row {
    let parts = [Part { ink: Ink::Other, meaning: "tokens", count: lesson.cost }];
    let told = counted(sessions(lesson), "session");
    let rest = match pays_off_from(lesson, mending) {
        Some(repeats) => format!("{told} · pays off from {}", counted(repeats, "repeat")),
        None => told,
    };
    Row {
        name: rows::name(lesson),
        picture: Some(bar(&format!("{}: tokens", lesson.id.id), &parts, end)),
        says: Says::Known(counted(lesson.cost, "token"), rest),
    }
}

fn table(mending: Option<Mending>, lessons: &[&LessonEffect]) -> Table {
    let rows = lessons.iter().map(|lesson| {
        vec![
            lesson.id.id.to_string(),
            number(lesson.cost),
            number(sessions(lesson)),
            lesson
                .mending
                .or(mending)
                .map_or_else(|| "not known yet".into(), |mending| number(mending.tokens)),
            pays_off_from(lesson, mending).map_or_else(|| "not known yet".into(), number),
        ]
    });
    Table {
        caption: "Tokens that lessons took, and the repeats from which on that pays off".into(),
        columns: vec![
            Column::Words("Lesson"),
            Column::Numbers("Tokens"),
            Column::Numbers("Sessions"),
            Column::Numbers("Tokens for a repeat"),
            Column::Numbers("Pays off from"),
        ],
        rows: rows.collect(),
    }
}
