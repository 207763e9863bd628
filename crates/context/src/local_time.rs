//! Times as a person reads them: in the time zone of their machine.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lessons_text::neutral;

/// The time zone of this machine. It takes milliseconds to find, so only a command that shows a time looks for it.
static OF_MACHINE: LazyLock<TimeZone> = LazyLock::new(|| TimeZone::try_system().unwrap_or(TimeZone::UTC));

/// The time zone in which times are shown to a person; `None` is that of this machine: that of the variable `TZ`, or else of
/// `/etc/localtime`, and UTC where neither can be read, as in a container without time zones. Programs get UTC.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LocalTime(Option<TimeZone>);

impl LocalTime {
    /// This time zone.
    pub const fn of(zone: TimeZone) -> Self {
        Self(Some(zone))
    }

    /// The zone.
    pub fn zone(&self) -> &TimeZone {
        self.0.as_ref().unwrap_or_else(|| &OF_MACHINE)
    }

    /// A time in milliseconds since 1970, to the minute: `2026-11-20 13:00`. UTC is named, because a reader expects the time
    /// of their own clock.
    pub fn time(&self, milliseconds: u64) -> String {
        self.time_of(timestamp(milliseconds))
    }

    /// The same of a time.
    pub fn time_of(&self, time: Timestamp) -> String {
        let info = self.zone().to_offset_info(time);
        let is_utc = info.offset().is_zero() && info.abbreviation() == "UTC";
        let format = if is_utc { "%Y-%m-%d %H:%M UTC" } else { "%Y-%m-%d %H:%M" };
        time.to_zoned(self.zone().clone()).strftime(format).to_string()
    }

    /// The same of a time that is recorded as text; a text of another form, such as a day, as it is.
    pub fn time_of_text(&self, text: &str) -> String {
        text.parse().map_or_else(|_| neutral::line(text), |time| self.time_of(time))
    }

    /// The day of a time in milliseconds since 1970.
    pub fn day(&self, milliseconds: u64) -> Date {
        timestamp(milliseconds).to_zoned(self.zone().clone()).date()
    }

    /// The first moment of the day of a time, both in milliseconds since 1970.
    pub fn day_start(&self, milliseconds: u64) -> u64 {
        let start = timestamp(milliseconds).to_zoned(self.zone().clone()).start_of_day();
        start.map_or(0, |start| u64::try_from(start.timestamp().as_millisecond()).unwrap_or(0))
    }
}

/// A time in milliseconds since 1970; the last that there is for one out of range.
fn timestamp(milliseconds: u64) -> Timestamp {
    let time = i64::try_from(milliseconds).ok().and_then(|it| Timestamp::from_millisecond(it).ok());
    time.unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-20, 23:30 UTC.
    const LATE: u64 = 1_795_217_400_000;
    const HOUR: u64 = 3_600_000;

    fn posix(zone: &str) -> LocalTime {
        LocalTime::of(TimeZone::posix(zone).unwrap())
    }

    #[test]
    fn a_time_is_that_of_the_persons_clock_and_only_utc_is_named() {
        assert_eq!(LocalTime::of(TimeZone::UTC).time(LATE), "2026-11-20 23:30 UTC");
        let berlin = posix("CET-1CEST,M3.5.0,M10.5.0/3");
        assert_eq!(berlin.time(LATE), "2026-11-21 00:30");
        assert_eq!(berlin.time(LATE - 120 * 24 * HOUR), "2026-07-24 01:30", "summer time");
        let london = posix("GMT0BST,M3.5.0/1,M10.5.0");
        assert_eq!(london.time(LATE), "2026-11-20 23:30");
    }

    #[test]
    fn a_recorded_time_is_shown_like_every_other() {
        let tokyo = posix("JST-9");
        assert_eq!(tokyo.time_of_text("2026-11-20T23:30:00Z"), "2026-11-21 08:30");
        assert_eq!(tokyo.time_of_text("2026-11-20"), "2026-11-20");
    }

    #[test]
    fn a_day_begins_at_the_persons_midnight() {
        let new_york = posix("EST5EDT,M3.2.0,M11.1.0");
        assert_eq!(new_york.day(LATE).to_string(), "2026-11-20");
        assert_eq!(new_york.day_start(LATE), LATE - 18 * HOUR - HOUR / 2);
        let tokyo = posix("JST-9");
        assert_eq!(tokyo.day(LATE).to_string(), "2026-11-21");
        assert_eq!(tokyo.day_start(LATE), LATE - 8 * HOUR - HOUR / 2);
        assert_eq!(LocalTime::of(TimeZone::UTC).day_start(LATE), LATE - 23 * HOUR - HOUR / 2);
    }

    #[test]
    fn a_time_out_of_range_is_shown_as_the_last_one() {
        assert!(LocalTime::of(TimeZone::UTC).time(u64::MAX).starts_with("9999-12-3"));
    }
}
