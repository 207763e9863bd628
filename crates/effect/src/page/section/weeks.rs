//! Are there fewer mistakes? Matching calls by week and topic.

use crate::statistics::summary::{NewModel, Summary, TopicWeek, Week};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lessons_lesson::id::TopicId;
use maud::html;

use crate::page::Report;
use crate::page::chart::columns::{self, Columns, Mark};
use crate::page::chart::{Ink, end_of_scale, key};
use crate::page::figure::{Column, Figure, Section, Table, waiting};
use crate::page::wording::{counted, date, day, foreign, number, short_date};

const ID: &str = "weeks";
const TITLE: &str = "Are there fewer mistakes?";
/// The weeks that are shown: half a year.
const MOST_WEEKS: usize = 26;
/// The topics that are shown.
const MOST_TOPICS: usize = 4;
/// The fewest calls of a week from which a rate is made.
const FEWEST_CALLS: u64 = 100;
/// The calls to which rates refer.
const RATE: f64 = 1_000.0;

/// The section.
pub(crate) fn section(report: &Report<'_>) -> Section {
    let summary = report.summary;
    let weeks = newest(&summary.weeks);
    let topics = topics(weeks);
    let has_rates = topics.iter().any(|topic| weeks.iter().any(|week| total(week, topic) > 0.0));
    let body = if weeks.len() < 2 || !has_rates {
        waiting(
            ID,
            TITLE,
            &html! { "This shows the calls that lessons match, week by week, from the second week on, for weeks of at least 100 calls." },
        )
    } else {
        figure(report, weeks, &topics).section()
    };
    Section { id: ID, short: "Mistakes", body }
}

/// The Monday on which a week begins. Weeks are counted by UTC, so it is a Monday everywhere.
fn monday(week: &Week) -> Date {
    day(week.start, &TimeZone::UTC)
}

fn newest(weeks: &[Week]) -> &[Week] {
    weeks.get(weeks.len().saturating_sub(MOST_WEEKS)..).unwrap_or_default()
}

/// The topics with the number of their calls, the most frequent first.
fn topics(weeks: &[Week]) -> Vec<&TopicId> {
    let mut topics: Vec<(&TopicId, u64)> = Vec::new();
    for topic in weeks.iter().flat_map(|week| &week.topics) {
        let calls = topic.first + topic.again + topic.stopped;
        match topics.iter_mut().find(|(known, _)| *known == &topic.topic) {
            Some((_, sum)) => *sum += calls,
            None => topics.push((&topic.topic, calls)),
        }
    }
    topics.retain(|(_, calls)| *calls > 0);
    topics.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    topics.into_iter().map(|(topic, _)| topic).collect()
}

fn figure(report: &Report<'_>, weeks: &[Week], topics: &[&TopicId]) -> Figure {
    let shown = topics.get(..MOST_TOPICS).unwrap_or(topics);
    let largest =
        shown.iter().flat_map(|topic| weeks.iter().map(|week| total(week, topic))).fold(1.0, f64::max);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is at most 1,000 times a few lessons"
    )]
    let end = end_of_scale(largest.ceil() as u64);
    Figure {
        id: ID,
        title: TITLE,
        before: None,
        description: html! {
            p {
                "Calls that lessons match, for each 1,000 calls, by week. A reminder comes after the call, so it cannot lower "
                b { "first times" } ", only repeats. Blocking stops a call before it runs."
            }
        },
        picture: html! {
            (key(&[
                (Ink::Once, "first time in its session or sub-agent"),
                (Ink::Again, "again there"),
                (Ink::Right, "stopped before it ran"),
            ]))
            div.multiples {
                @for topic in shown {
                    div { h3 { (foreign(topic.as_str())) } (columns(report, weeks, topic, end).picture()) }
                }
            }
            @if topics.len() > shown.len() { p.more { "and " (counted((topics.len() - shown.len()) as u64, "more topic")) ", in the table" } }
        },
        table: table(weeks),
        note: Some(html! {
            p.note {
                b { "Not a proof." } " A lesson is recorded when things go badly, so things would often have become better "
                "without it."
            }
        }),
    }
}

/// The rates of first times, repeats and stopped calls of a topic. A week with few calls has none.
fn rates(week: &Week, topic: &TopicId) -> Option<[f64; 3]> {
    #[allow(clippy::cast_precision_loss, reason = "a week has fewer than 2^52 calls")]
    let rate = |calls: u64| calls as f64 * RATE / week.calls as f64;
    let found = week.topics.iter().find(|found| &found.topic == topic)?;
    (week.calls >= FEWEST_CALLS).then(|| [found.first, found.again, found.stopped].map(rate))
}

fn total(week: &Week, topic: &TopicId) -> f64 {
    rates(week, topic).map_or(0.0, |rates| rates.iter().sum())
}

fn columns(report: &Report<'_>, weeks: &[Week], topic: &TopicId, end: u64) -> Columns {
    let found = |week: &Week| week.topics.iter().find(|found| &found.topic == topic).cloned();
    let all = weeks.iter().map(|week| {
        let rates = rates(week, topic).unwrap_or_default();
        let title = match found(week) {
            Some(found) => format!("Week of {}: {}", date(monday(week)), in_words(&found, week.calls)),
            None => format!("Week of {}: none of {}", date(monday(week)), counted(week.calls, "call")),
        };
        columns::Column { title, parts: [Ink::Once, Ink::Again, Ink::Right].into_iter().zip(rates).collect() }
    });
    let sum = |count: fn(&TopicWeek) -> u64| weeks.iter().filter_map(found).map(|it| count(&it)).sum::<u64>();
    let ends = (weeks.first(), weeks.last());
    Columns {
        title: format!("{}, by week", foreign(topic.as_str())),
        description: format!(
            "{} first times, {} again, {} stopped, in {}",
            number(sum(|it| it.first)),
            number(sum(|it| it.again)),
            number(sum(|it| it.stopped)),
            counted(weeks.len() as u64, "week")
        ),
        weeks: all.collect(),
        end,
        ends: (
            ends.0.map_or_else(String::new, |week| short_date(monday(week))),
            ends.1.map_or_else(String::new, |week| short_date(monday(week))),
        ),
        marks: marks(report.summary, weeks, topic),
        below: new_model(report, weeks),
    }
}

fn in_words(found: &TopicWeek, calls: u64) -> String {
    format!(
        "{} first times, {} again, {} stopped, of {}",
        number(found.first),
        number(found.again),
        number(found.stopped),
        counted(calls, "call")
    )
}

/// The first lesson of the topic, where it was recorded in this time.
fn marks(summary: &Summary, weeks: &[Week], topic: &TopicId) -> Vec<Mark> {
    let of_topic = summary.lessons.iter().filter(|lesson| lesson.topics.first() == Some(topic));
    let first = of_topic.filter_map(|lesson| lesson.recorded).min();
    let place = first.and_then(|time| place(weeks, time));
    place.map(|at| Mark { at, what: "first lesson recorded".into() }).into_iter().collect()
}

/// The first session of the newest model.
fn new_model(report: &Report<'_>, weeks: &[Week]) -> Option<Mark> {
    let NewModel { model, since } = report.summary.newest_model.as_ref()?;
    let what = format!("{} since {}", foreign(model), date(day(*since, report.zone)));
    place(weeks, *since).map(|at| Mark { at, what })
}

/// Where a time lies between the first and the last week, as a share of the width.
fn place(weeks: &[Week], time: u64) -> Option<f64> {
    let position = weeks.iter().rposition(|week| week.start <= time)?;
    #[allow(clippy::cast_precision_loss, reason = "there are few weeks")]
    let at = |position: usize| position as f64 / weeks.len().max(columns::MIN_WEEKS) as f64;
    Some(at(position))
}

fn table(weeks: &[Week]) -> Table {
    let rows = weeks.iter().rev().flat_map(|week| {
        week.topics.iter().map(|topic| {
            vec![
                monday(week).to_string(),
                foreign(topic.topic.as_str()),
                number(topic.first),
                number(topic.again),
                number(topic.stopped),
                number(week.calls),
            ]
        })
    });
    Table {
        caption: "Calls that lessons match, by week and topic, the newest first".into(),
        columns: vec![
            Column::Words("Week of"),
            Column::Words("Topic"),
            Column::Numbers("First times"),
            Column::Numbers("Again"),
            Column::Numbers("Stopped"),
            Column::Numbers("All calls"),
        ],
        rows: rows.collect(),
    }
}
