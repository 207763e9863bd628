//! Numbers as the tables show them.

use std::time::Duration;

/// Formats a time as whole microseconds. Fractions of one mean nothing here.
pub(crate) fn micros(time: Duration) -> String {
    thousands(usize::try_from(time.as_micros()).unwrap_or(usize::MAX))
}

/// Formats a number with commas between groups of three digits.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 12, 123, 1234, 1_234_567].map(thousands), ["0", "12", "123", "1,234", "1,234,567"]);
    }
}
