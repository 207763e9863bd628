//! Which lessons help? What it would take to know, and where there is room for it.

use crate::join::measure::Measure;
use crate::statistics::summary::{LessonEffect, Summary};
use lessons_replay::bounds::wilson_lower;
use maud::{Markup, html};

use crate::page::chart::range;
use crate::page::chart::rows::{self, Row, Says};
use crate::page::figure::{Column, Figure, Section, Table, waiting};
use crate::page::wording::{counted, of, origin};

const ID: &str = "help";
const TITLE: &str = "Which lessons help?";

/// The section.
pub(crate) fn section(summary: &Summary) -> Section {
    let mut lessons: Vec<_> =
        summary.lessons.iter().filter(|lesson| !lesson.mode.refuses() && lesson.room.n > 0).collect();
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.room.n));
    let body = if lessons.is_empty() {
        waiting(
            ID,
            TITLE,
            &html! {
                (needed(summary)) " What can be known without that, where a reminder has room to help, stands here when a call that a "
                "lesson matches was made without a reminder."
            },
        )
    } else {
        figure(summary, &lessons).section()
    };
    Section { id: ID, short: "What helps", body }
}

/// What it would take to know which lessons help.
fn needed(summary: &Summary) -> Markup {
    let unmeasured = summary.lessons.iter().filter(|lesson| lesson.measure == Measure::None).count() as u64;
    html! {
        b { "That is not known yet." } " To find out, a lesson has to be left out of some sessions by lot, and the sessions with "
        "and without it compared. Lessons does not do that yet, so nothing on this page says that a lesson helps."
        @if unmeasured > 0 {
            " " (counted(unmeasured, "lesson")) (if unmeasured == 1 { " has" } else { " have" })
            " no trigger, so no call can show what follows."
        }
    }
}

fn figure(summary: &Summary, lessons: &[&LessonEffect]) -> Figure {
    let shown: Vec<Row> = lessons.iter().take(rows::MOST).map(|lesson| row(lesson)).collect();
    Figure {
        id: ID,
        title: TITLE,
        before: Some(html! { p { (needed(summary)) } }),
        description: html! {
            h3 { "Where a reminder has room to help" }
            p {
                "A reminder comes after the call, so it can only prevent the next one. The dot is the share of sessions "
                b { "without a reminder" } " in which the call came again, the line is what is possible (90 %)."
                @if lessons.iter().any(|lesson| lesson.measure == Measure::First) {
                    " What is told when a session starts comes before every call: there it is the share in which the call came up."
                }
            }
        },
        picture: rows::rows(&shown, Some(&range::axis()), lessons.len()),
        table: table(lessons),
        note: Some(comparison()),
    }
}

fn row(lesson: &LessonEffect) -> Row {
    let room = lesson.room;
    let says = of(room.k, room.n, "session");
    let (picture, says) = match possible(lesson) {
        Some((low, high)) => {
            let came = lesson.measure.came();
            let rest = format!("{came}; {low} to {high} % possible");
            let share = crate::page::chart::share(room.k, room.n);
            let title = format!("{}: the call {came}", lesson.id.id);
            let description = format!("in {says}; {low} to {high} % possible");
            (
                range::range(&title, &description, share, (f64::from(low) / 100.0, f64::from(high) / 100.0)),
                Says::Known(says, rest),
            )
        }
        None => (range::nothing(), Says::Unknown(not_enough(lesson))),
    };
    Row { name: rows::name(lesson), picture: Some(picture), says }
}

fn not_enough(lesson: &LessonEffect) -> String {
    lesson.room.percent().err().map(|too_few| too_few.to_string()).unwrap_or_default()
}

/// What is possible, in whole per cent; `None` where there are too few sessions.
fn possible(lesson: &LessonEffect) -> Option<(u8, u8)> {
    let room = lesson.room;
    room.percent().ok()?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is 0 to 1")]
    let percent = |share: f64| (share * 100.0).round() as u8;
    Some((percent(wilson_lower(room.k, room.n)), percent(1.0 - wilson_lower(room.n - room.k, room.n))))
}

fn table(lessons: &[&LessonEffect]) -> Table {
    let rows = lessons.iter().map(|lesson| {
        let possible =
            possible(lesson).map_or_else(|| not_enough(lesson), |(low, high)| format!("{low} to {high} %"));
        let origin = origin(&lesson.id).unwrap_or("yours");
        vec![
            lesson.id.id.to_string(),
            origin.to_owned(),
            lesson.room.k.to_string(),
            lesson.room.n.to_string(),
            possible,
            lesson.verdict.to_string(),
        ]
    });
    Table {
        caption: "Sessions without a reminder in which the call came again".into(),
        columns: vec![
            Column::Words("Lesson"),
            Column::Words("From"),
            Column::Numbers("Came again"),
            Column::Numbers("Of sessions"),
            Column::Words("Possible"),
            Column::Words("Verdict"),
        ],
        rows: rows.collect(),
    }
}

/// What a comparison by lot could show, by the number of sessions in which a lesson comes up, a third of them without it.
fn comparison() -> Markup {
    let rows = [
        ("under 12 sessions", "nothing"),
        ("12 to 40 sessions", "only giant effects: repeats in 8 of 10 sessions against 3 of 10"),
        ("about 60 sessions", "differences of about 30 points"),
        ("about 200 sessions", "differences of about 16 points; less is never shown of one lesson alone"),
    ];
    html! {
        h3.apart { "What a comparison could show of one lesson" }
        dl.scale { @for (sessions, shows) in rows { div { dt { (sessions) } dd { (shows) } } } }
    }
}
