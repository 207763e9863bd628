//! The timestamps in a transcript.

/// A point in time: milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Before everything that a transcript can hold.
    pub const START: Self = Self(0);

    /// After everything that a transcript can hold.
    pub const END: Self = Self(u64::MAX);

    /// So many milliseconds since 1970.
    pub fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> u64 {
        self.0
    }

    /// Reads the one form that the client writes, `2026-01-31T12:00:00.123Z`, with up to nine digits
    /// of a second or none. `None` for every other form, and for what is no time or before 1970.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let form = b"0000-00-00T00:00:00";
        let (start, rest) = bytes.split_at_checked(form.len())?;
        let fits =
            |(found, form): (&u8, &u8)| if *form == b'0' { found.is_ascii_digit() } else { found == form };
        let fraction = rest.strip_suffix(b"Z")?;
        let fraction = fraction.strip_prefix(b".").unwrap_or(fraction);
        if !start.iter().zip(form).all(fits) || fraction.len() > 9 || !fraction.iter().all(u8::is_ascii_digit)
        {
            return None;
        }
        let number =
            |digits: &[u8]| digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        let (year, month, day) = (number(&start[..4]), number(&start[5..7]), number(&start[8..10]));
        let (hour, minute, second) = (number(&start[11..13]), number(&start[14..16]), number(&start[17..19]));
        // A leap second is 60.
        if year < 1970
            || !(1..=12).contains(&month)
            || !(1..=31).contains(&day)
            || hour > 23
            || minute > 59
            || second > 60
        {
            return None;
        }
        let millis = fraction.iter().copied().chain([b'0'; 3]).take(3).collect::<Vec<u8>>();
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
        Some(Self(seconds * 1000 + number(&millis)))
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, by counting years from March, so that
/// the leap day is the last of its year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before_year = year * 365 + year / 4 - year / 100 + year / 400;
    let before_month = (month * 153 + 2) / 5;
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    before_year + before_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<u64> {
        Timestamp::parse(text).map(Timestamp::millis)
    }

    #[test]
    fn the_clients_form_is_read_to_the_millisecond() {
        assert_eq!(millis("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(millis("2000-03-01T00:00:00Z"), Some(951_868_800_000));
        assert_eq!(millis("2026-11-20T17:34:48.637Z"), Some(1_795_196_088_637));
        assert_eq!(millis("2024-02-29T23:59:59.5Z"), Some(1_709_251_199_500));
        assert_eq!(millis("2026-01-01T00:00:00.123456Z"), millis("2026-01-01T00:00:00.123Z"));
    }

    #[test]
    fn nothing_else_is_a_time() {
        for bad in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01T00:00:00.Zx",
            "1969-12-31T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "日026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.0000000000Z",
        ] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn containsy_day_follows_the_one_before() {
        let mut last = days(1970, 1, 1);
        assert_eq!(last, 0);
        for year in 1970..2400 {
            for month in 1..=12 {
                let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                let length = match month {
                    2 => 28 + u64::from(leap),
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                for day in 1..=length {
                    let today = days(year, month, day);
                    assert!(today == last + 1 || today == 0, "{year}-{month}-{day}");
                    last = today;
                }
            }
        }
    }
}
