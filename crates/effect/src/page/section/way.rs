//! Does it get in the way? What the agent did after reminders and blocked calls.

use crate::statistics::summary::{LessonEffect, Summary};
use maud::html;

use crate::page::chart::bar::{Part, bar};
use crate::page::chart::rows::{self, Row, Says};
use crate::page::chart::{Ink, end_of_scale, key, scale};
use crate::page::figure::{Column, Figure, Section, Table, waiting};
use crate::page::wording::{counted, number, of};

const ID: &str = "way";
const TITLE: &str = "Does it get in the way?";

/// What the agent did next, in numbers.
struct Next<'a> {
    lesson: &'a LessonEffect,
    what: What,
    right: u64,
    again: u64,
    neither: u64,
}

/// What came before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Blocked calls.
    Blocked,
    /// Sessions with a reminder.
    Reminded,
}

impl<'a> Next<'a> {
    /// After a lesson's blocked calls and reminders, where there were any.
    fn of(lesson: &'a LessonEffect) -> impl Iterator<Item = Self> {
        let (refused, told) = (&lesson.refused, &lesson.followed);
        let after = |what, right, again, neither| Self { lesson, what, right, again, neither };
        let all = [
            after(What::Blocked, refused.changed, refused.overruled, refused.given_up),
            after(What::Reminded, told.followed, told.not_followed, told.no_chance),
        ];
        all.into_iter().filter(|next| next.all() > 0)
    }

    fn all(&self) -> u64 {
        self.right + self.again + self.neither
    }

    fn parts(&self) -> [Part; 3] {
        let [right, again, neither] = match self.what {
            What::Blocked => ["made another way", "made again unchanged", "given up"],
            What::Reminded => {
                ["right at the next chance", "wrong at the next chance", "without a further chance"]
            }
        };
        [
            Part { ink: Ink::Right, meaning: right, count: self.right },
            Part { ink: Ink::Again, meaning: again, count: self.again },
            Part { ink: Ink::Nothing, meaning: neither, count: self.neither },
        ]
    }

    fn row(&self, end: u64) -> Row {
        let says = match self.what {
            What::Blocked => Says::Known(
                format!("changed {} of {}", number(self.right), counted(self.all(), "call")),
                format!("{} made again, {} given up", number(self.again), number(self.neither)),
            ),
            What::Reminded if self.right + self.again == 0 => {
                Says::Unknown(format!("no further chance in {}", counted(self.neither, "session")))
            }
            What::Reminded => Says::Known(
                format!("right in {}", of(self.right, self.right + self.again, "session")),
                format!("{} had no further chance", number(self.neither)),
            ),
        };
        let title = format!("{}: what the agent did next", self.lesson.id.id);
        Row { name: rows::name(self.lesson), picture: Some(bar(&title, &self.parts(), end)), says }
    }
}

/// The section.
pub(crate) fn section(summary: &Summary) -> Section {
    let mut next: Vec<Next<'_>> = summary.lessons.iter().flat_map(Next::of).collect();
    next.sort_by_key(|next| (next.what == What::Reminded, std::cmp::Reverse(next.all())));
    let body = if next.is_empty() {
        waiting(
            ID,
            TITLE,
            &html! { "This shows what the agent did after a reminder or a blocked call, from the first one on." },
        )
    } else {
        figure(&next).section()
    };
    Section { id: ID, short: "In the way", body }
}

fn figure(next: &[Next<'_>]) -> Figure {
    let end = end_of_scale(next.iter().map(Next::all).max().unwrap_or(0));
    let shown: Vec<Row> = next.iter().take(rows::MOST).map(|next| next.row(end)).collect();
    Figure {
        id: ID,
        title: TITLE,
        before: None,
        description: html! {
            p {
                "What the agent did next: after a reminder by sessions, after a blocked call by calls. A blocked call that was made "
                "again unchanged was probably right: " b { "many of these mean that the trigger is too wide." }
            }
        },
        picture: html! {
            (key(&[
                (Ink::Right, "did it right, or another way"),
                (Ink::Again, "did the same again"),
                (Ink::Nothing, "no further chance, or given up"),
            ]))
            (rows::rows(&shown, Some(&scale(end)), next.len()))
        },
        table: table(next),
        note: None,
    }
}

fn table(next: &[Next<'_>]) -> Table {
    let rows = next.iter().map(|next| {
        let what = match next.what {
            What::Blocked => "blocked calls",
            What::Reminded => "sessions with a reminder",
        };
        let counts = [next.right, next.again, next.neither, next.lesson.corrected].map(number);
        [vec![next.lesson.id.id.to_string(), what.to_owned()], counts.to_vec()].concat()
    });
    Table {
        caption: "What the agent did after reminders and blocked calls".into(),
        columns: vec![
            Column::Words("Lesson"),
            Column::Words("Counted"),
            Column::Numbers("Right"),
            Column::Numbers("The same again"),
            Column::Numbers("Neither"),
            Column::Numbers("Sessions corrected by you"),
        ],
        rows: rows.collect(),
    }
}
