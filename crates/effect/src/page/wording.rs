//! Numbers, times and names, as the page says them.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_text::neutral;

/// A number with commas between thousands: `31,840`.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
