//! What happened with this one? A dot for each session of the lessons that came up most.

use crate::join::measure::Measure;
use crate::statistics::summary::{Lane, LessonEffect, RecentSession};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use maud::{Markup, html};

use crate::page::Report;
use crate::page::chart::lanes::{self, Came, Dot};
use crate::page::figure::{Column, Figure, Section, Table, waiting};
use crate::page::wording::{counted, date, day, foreign, of, short_date};

const ID: &str = "sessions";
const TITLE: &str = "What happened, session by session?";
/// The lessons that are shown.
const MOST: usize = 3;
/// The sessions of each in the table.
const IN_TABLE: usize = 10;

/// The lanes, from above.
const LANES: [(Lane, &str); 3] =
    [(Lane::Told, "reminded"), (Lane::Refused, "blocked"), (Lane::Quiet, "nothing said")];

/// The section.
pub(crate) fn section(report: &Report<'_>) -> Section {
    let mut lessons: Vec<_> =
        report.summary.lessons.iter().filter(|lesson| !lesson.recent.is_empty()).collect();
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.sessions));
    lessons.truncate(MOST);
    let body = match Time::of(&lessons, report.zone) {
        Some(time) => figure(&lessons, &time).section(),
        None => waiting(ID, TITLE, &html! { "This shows a dot for each session in which a lesson came up." }),
    };
    Section { id: ID, short: "By session", body }
}

/// The time that is shown, in milliseconds since 1970.
struct Time<'z> {
    from: u64,
    to: u64,
    zone: &'z TimeZone,
}

impl<'z> Time<'z> {
    fn of(lessons: &[&LessonEffect], zone: &'z TimeZone) -> Option<Self> {
        let times = || lessons.iter().flat_map(|lesson| lesson.recent.iter().map(|session| session.time));
        Some(Self { from: times().min()?, to: times().max()?, zone })
    }

    /// Where a time lies in it, 0 to 1.
    fn place(&self, time: u64) -> f64 {
        crate::page::chart::share(time.saturating_sub(self.from), self.to - self.from)
    }

    fn day(&self, time: u64) -> Date {
        day(time, self.zone)
    }
}

fn figure(lessons: &[&LessonEffect], time: &Time<'_>) -> Figure {
    Figure {
        id: ID,
        title: TITLE,
        before: None,
        description: html! {
            p {
                "Each dot is a session in which the call was made, by what was said at its first time"
                @if lessons.iter().any(|lesson| lesson.measure == Measure::First) {
                    "; of a lesson that is told when a session starts, any session in which it holds"
                }
                ". The lanes are " b { "no comparison" } ": what was said was not drawn by lot."
            }
        },
        picture: html! {
            (lanes::key())
            @for lesson in lessons { (lanes_of(lesson, time)) }
            div.lane-row aria-hidden="true" { span {} (lanes::days(&short_date(time.day(time.from)), &short_date(time.day(time.to)))) }
        },
        table: table(lessons, time),
        note: None,
    }
}

fn lanes_of(lesson: &LessonEffect, time: &Time<'_>) -> Markup {
    html! {
        div.lanes {
            h3 { (lesson.id.id) span { " " (foreign(&lesson.title)) (shown(lesson)) } }
            @for (lane, name) in LANES {
                @let dots = dots(lesson, lane, time);
                @if !dots.is_empty() {
                    div.lane-row { span { (name) } (lanes::lane(&format!("{}, {name}", lesson.id.id), &in_words(lesson, &dots), &dots)) }
                }
            }
        }
    }
}

/// How many of its sessions are shown, where that is not all.
fn shown(lesson: &LessonEffect) -> String {
    let shown = lesson.recent.len() as u64;
    if lesson.sessions > shown {
        format!(" · the last {shown} of {}", counted(lesson.sessions, "session"))
    } else {
        String::new()
    }
}

fn dots(lesson: &LessonEffect, lane: Lane, time: &Time<'_>) -> Vec<Dot> {
    let sessions = lesson.recent.iter().filter(|session| session.lane == lane);
    sessions
        .map(|session| Dot {
            at: time.place(session.time),
            came: came(session),
            title: title(lesson, session, time),
        })
        .collect()
}

fn came(session: &RecentSession) -> Came {
    if session.again { Came::Again } else { Came::Once }
}

fn title(lesson: &LessonEffect, session: &RecentSession, time: &Time<'_>) -> String {
    let measure = lesson.measure;
    let again = if session.again { measure.came() } else { measure.did_not_come() };
    format!("{}, {}: {again}", date(time.day(session.time)), foreign(&session.model))
}

fn in_words(lesson: &LessonEffect, dots: &[Dot]) -> String {
    let again = dots.iter().filter(|dot| dot.came == Came::Again).count();
    format!("{} in {}", lesson.measure.came(), of(again as u64, dots.len() as u64, "session"))
}

fn table(lessons: &[&LessonEffect], time: &Time<'_>) -> Table {
    let rows = lessons.iter().flat_map(|lesson| {
        lesson.recent.iter().rev().take(IN_TABLE).map(|session| {
            let lane = LANES.iter().find(|(lane, _)| *lane == session.lane).map_or("", |(_, name)| name);
            vec![
                lesson.id.id.to_string(),
                time.day(session.time).to_string(),
                lane.to_owned(),
                if session.again { lesson.measure.came() } else { "did not" }.to_owned(),
                foreign(&session.model),
            ]
        })
    });
    Table {
        caption: format!("The last {IN_TABLE} sessions of each of these lessons"),
        columns: ["Lesson", "Day", "At the first time", "Came again", "Model"].map(Column::Words).to_vec(),
        rows: rows.collect(),
    }
}
