//! The questions that the page answers, each in a section.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lessons_lesson::{Layer, QualifiedId};
use lessons_text::{listed, neutral};
use maud::{Markup, html};

use super::PageInput;
use crate::join::lessons::Measure;
use crate::statistics::comparison::Comparison;
use crate::statistics::summary::{ClientEffect, LessonEffect, Summary, Verdict, retirement};

/// The most proposals that are listed: what a person does in one sitting.
const MOST_PROPOSALS: usize = 3;

/// A section.
pub(super) struct Section {
    /// Its anchor.
    pub(super) id: &'static str,
    /// Its question.
    pub(super) title: &'static str,
    /// What stands below.
    pub(super) body: Markup,
}

/// All sections, in the order in which they are read.
pub(super) fn sections(input: &PageInput<'_>) -> Vec<Section> {
    let summary = input.summary;
    vec![
        Section { id: "do", title: "What waits for you?", body: decisions(input) },
        Section { id: "help", title: "Which lessons help?", body: lessons(summary) },
        Section { id: "slips", title: "What slips through?", body: slips(summary) },
        Section { id: "blocks", title: "What is blocked?", body: blocks(summary) },
        Section { id: "unused", title: "What is never told?", body: unused(input) },
        Section { id: "tokens", title: "What does it cost?", body: tokens(summary) },
    ]
}

/// The candidates that wait, and the proposals of lessons, each with its command.
fn decisions(input: &PageInput<'_>) -> Markup {
    let proposals =
        || input.summary.lessons.iter().filter_map(|lesson| Some((lesson, lesson.proposal.as_ref()?)));
    let more = proposals().count().saturating_sub(MOST_PROPOSALS);
    html! {
        @if input.waiting == 0 && proposals().next().is_none() { p { "Nothing." } }
        ol {
            @if input.waiting > 0 {
                li {
                    p { b { (counted(input.waiting, "candidate")) } (if input.waiting == 1 { " waits" } else { " wait" }) " for your decision." }
                    (command("lessons review"))
                }
            }
            @for (lesson, proposal) in proposals().take(MOST_PROPOSALS) {
                li {
                    p { b { (lesson.id.id) } ": " (lesson.verdict) ", " (foreign(&proposal.reason)) "." }
                    (command(&foreign(&proposal.command)))
                }
            }
        }
        @if more > 0 { p.more { "and " (number(more as u64)) " more: " code { "lessons effect" } } }
    }
}

/// What is known of each lesson that came up, and the next step.
fn lessons(summary: &Summary) -> Markup {
    let unmeasured = summary.lessons.iter().filter(|lesson| lesson.measure == Measure::None).count() as u64;
    let is_told =
        |lesson: &&LessonEffect| lesson.sessions > 0 && !matches!(lesson.verdict, Verdict::NotComeUp { .. });
    let came_up = summary.lessons.iter().filter(is_told);
    let rows = came_up.map(|lesson| {
        let next = lesson.proposal.as_ref().map_or_else(String::new, |proposal| proposal.command.clone());
        let verdict = match &lesson.verdict {
            Verdict::NotEnough { data } => data.to_string(),
            verdict => verdict.to_string(),
        };
        [
            name(lesson),
            Cell::Words(verdict),
            Cell::Words(by_lot(&lesson.comparison)),
            Cell::Words(lesson.observed()),
            Cell::Command(next),
        ]
    });
    html! {
        p {
            "Only sessions that the lot left out say what a lesson changes; the rest is what followed, not what it caused. Of thirty "
            "lessons, half of them useless, about one verdict “helps” in twenty is wrong."
        }
        (table(["Lesson", "Verdict", "By lot", "What followed", "Next step"], rows.collect()))
        @if summary.clients.len() > 1 { (clients(&summary.clients)) }
        @if unmeasured > 0 {
            p.more { (counted(unmeasured, "lesson")) (if unmeasured == 1 { " has" } else { " have" }) " no trigger, so no call can show what follows." }
        }
    }
}

/// The same by agent, where there are several.
fn clients(clients: &[ClientEffect]) -> Markup {
    let row = |effect: &ClientEffect| {
        let [sessions, calls, told, refused] =
            [effect.sessions, effect.calls, effect.told, effect.refused].map(Cell::Number);
        let title = Cell::Words(effect.client.title().to_owned());
        [title, sessions, calls, told, refused, Cell::Words(by_lot(&effect.comparison))]
    };
    let heads = ["Agent", "Sessions", "Calls", "Reminders", "Blocked calls", "By lot"];
    html! {
        p { "The lessons are the same in every agent." }
        (table(heads, clients.iter().map(row).collect()))
    }
}

/// The comparison by lot, or what is missing for it.
fn by_lot(comparison: &Comparison) -> String {
    if comparison.sessions == 0 { "–".to_owned() } else { comparison.to_string() }
}

/// All calls that went wrong, and what lessons had to do with them.
fn slips(summary: &Summary) -> Markup {
    let reach = summary.reach;
    let row = |what: &str, count, next: &str| {
        [Cell::Words(what.to_owned()), Cell::Number(count), Cell::Command(next.to_owned())]
    };
    let review = if reach.waiting > 0 { "lessons review" } else { "" };
    let rows = vec![
        row("a lesson was told or blocked it, there or before", reach.told, ""),
        row("a lesson fires there, and said nothing", reach.kept_quiet, ""),
        row("a candidate about it waits for you", reach.waiting, review),
        row("you rejected a candidate about it", reach.rejected, ""),
        row("nobody has noticed it", reach.unnoticed(), ""),
    ];
    html! {
        p {
            b { (counted(reach.calls, "call")) } " failed for a reason that is not the answer of a test, or you refused or corrected "
            "them. Not every failure is worth a lesson: many are how an agent finds its way."
        }
        (table(["What lessons did", "Calls", "Next step"], rows))
    }
}

/// What the agent did after blocked calls.
fn blocks(summary: &Summary) -> Markup {
    let mut lessons: Vec<_> = summary.lessons.iter().filter(|lesson| lesson.refused.calls() > 0).collect();
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.refused.calls()));
    if lessons.is_empty() {
        return html! { p { "No call was blocked." } };
    }
    let row = |lesson: &LessonEffect| {
        let after = lesson.refused;
        let [all, changed, again, given_up, corrected] =
            [after.calls(), after.changed, after.overruled, after.given_up, lesson.corrected]
                .map(Cell::Number);
        [name(lesson), all, changed, again, given_up, corrected]
    };
    let heads =
        ["Lesson", "Blocked calls", "Made another way", "Made again", "Given up", "Sessions you corrected"];
    html! {
        p { "A blocked call that was made again unchanged was probably right: " b { "many of these mean that the trigger is too wide." } }
        (table(heads, lessons.into_iter().map(row).collect()))
    }
}

/// The lessons that came up in no session, or no more.
fn unused(input: &PageInput<'_>) -> Markup {
    let row = |lesson: &LessonEffect| {
        let why = match &lesson.verdict {
            Verdict::NotComeUp { sessions, model, last } => format!(
                "not in {} of {}, last on {}",
                counted(*sessions, "session"),
                foreign(model),
                date(day(*last, input.zone))
            ),
            Verdict::NoLongerNeeded => {
                let models = listed(lesson.untold.iter().map(|it| foreign(&it.model)));
                let get = if lesson.untold.len() == 1 { "gets" } else { "get" };
                format!("{models} {get} it right untold")
            }
            _ if lesson.sessions == 0 && lesson.measure != Measure::None => "in no session".to_owned(),
            _ => return None,
        };
        Some([name(lesson), Cell::Words(why), Cell::Command(retirement(&lesson.id))])
    };
    let rows: Vec<_> = input.summary.lessons.iter().filter_map(row).collect();
    if rows.is_empty() {
        return html! { p { "Every lesson has come up." } };
    }
    html! {
        p { "A lesson that does not come up costs nothing while nothing matches it. Retire what you no longer believe in." }
        (table(["Lesson", "Came up", "To retire it"], rows))
    }
}

/// What each lesson took.
fn tokens(summary: &Summary) -> Markup {
    let told = |lesson: &LessonEffect| lesson.followed.sessions() + lesson.refused.sessions;
    let mut lessons: Vec<_> =
        summary.lessons.iter().filter(|lesson| lesson.cost > 0 || told(lesson) > 0).collect();
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.cost));
    if lessons.is_empty() {
        return html! { p { "Nothing so far: no lesson was told." } };
    }
    let row = |lesson: &LessonEffect| {
        // A session without counts of tokens does not say what it cost.
        let cost =
            if lesson.cost > 0 { Cell::Number(lesson.cost) } else { Cell::Words("not known".to_owned()) };
        [name(lesson), cost, Cell::Number(told(lesson))]
    };
    html! {
        p {
            "What the text of each lesson took while it stood in the context, and blocked calls with it, as fresh input tokens: "
            "what is written to the cache counts a quarter more, what is read from it a tenth."
        }
        (table(["Lesson", "Tokens", "Sessions"], lessons.into_iter().map(row).collect()))
    }
}

/// The name of a lesson, with where it comes from and what it is about.
fn name(lesson: &LessonEffect) -> Cell {
    let origin = origin(&lesson.id).map_or_else(String::new, |origin| format!(" ({origin})"));
    Cell::Words(format!("{}{origin}: {}", lesson.id.id, foreign(&lesson.title)))
}

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

/// A number with commas between thousands: `31,840`.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let thousands = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    thousands.collect::<Vec<_>>().join(",")
}

/// A number with its noun: `1 session`, `1,200 sessions`. The plural of `noun` must take an `s`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(count))
}

/// The day of a time in milliseconds since 1970, in a time zone.
pub(super) fn day(milliseconds: u64, zone: &TimeZone) -> Date {
    let time = i64::try_from(milliseconds).ok().and_then(|it| Timestamp::from_millisecond(it).ok());
    time.unwrap_or(Timestamp::MAX).to_zoned(zone.clone()).date()
}

/// A day with its year: `8 June 2026`.
pub(super) fn date(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

/// From one day to another, with one year where it is the same.
pub(super) fn span(first: Date, last: Date) -> String {
    if first == last {
        return date(first);
    }
    let format = if first.year() == last.year() { "%-d %B" } else { "%-d %B %Y" };
    format!("{} to {}", first.strftime(format), date(last))
}

/// A text of somebody else in one line, without characters that hide, reorder or control.
pub(super) fn foreign(text: &str) -> String {
    neutral::shortened(&neutral::line(text), LONGEST)
}

/// The longest foreign text on the page, in characters. A reader of the page needs no more to know which lesson it is.
const LONGEST: usize = 160;

/// Where a lesson comes from, unless it is the user's own.
pub(super) fn origin(id: &QualifiedId) -> Option<&'static str> {
    match id.layer {
        Layer::User => None,
        Layer::Seed => Some("built-in"),
        Layer::Project(_) => Some("from a project"),
        Layer::Peer(_) => Some("shared"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: u64 = 1_795_176_000_000; // 2026-11-20, 12:00 UTC

    #[test]
    fn numbers_have_commas_and_nouns() {
        assert_eq!(
            [0, 999, 1_000, 31_840, 1_234_567].map(number),
            ["0", "999", "1,000", "31,840", "1,234,567"]
        );
        assert_eq!(counted(1, "session"), "1 session");
    }

    #[test]
    fn a_span_of_days_has_as_few_years_as_it_needs() {
        let noon = |days: i64| day(NOON.saturating_add_signed(days * 86_400_000), &TimeZone::UTC);
        assert_eq!(span(noon(0), day(NOON + 1, &TimeZone::UTC)), "20 November 2026");
        assert_eq!(span(noon(-1), noon(0)), "19 November to 20 November 2026");
        assert_eq!(span(noon(0), noon(60)), "20 November 2026 to 19 January 2027");
    }

    #[test]
    fn a_day_is_that_of_the_readers_calendar() {
        let of = |zone: &str| day(NOON, &TimeZone::posix(zone).unwrap()).to_string();
        assert_eq!([of("<+13>-13"), of("<-11>11")], ["2026-11-21", "2026-11-20"]);
    }

    #[test]
    fn a_foreign_text_is_one_neutral_line() {
        assert_eq!(foreign("a\u{202e}b\nc\u{1b}[2J"), "ab c[2J");
        assert_eq!(foreign(&"x".repeat(500)).chars().count(), LONGEST);
    }
}
