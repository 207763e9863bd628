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
        let form = b"0000-00-00T00:00:00";
        let (start, rest) = text.as_bytes().split_at_checked(form.len())?;
        let fits =
            |(found, form): (&u8, &u8)| if *form == b'0' { found.is_ascii_digit() } else { found == form };
        let is_fraction = rest == b"Z" || rest.starts_with(b".") && rest.ends_with(b"Z");
        if !start.iter().zip(form).all(fits) || !is_fraction {
            return None;
        }
        let moment: jiff::Timestamp = text.parse().ok()?;
        u64::try_from(moment.as_millisecond()).ok().map(Self)
    }
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
}
