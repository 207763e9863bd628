//! Numbers with nouns.

use std::fmt::Display;

/// A number and a noun: `1 lesson`, `2 lessons`. The plural of `noun` must take an `s`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_one() {
        assert_eq!(
            [0_usize, 1, 2].map(|number| counted(number, "lesson")),
            ["0 lessons", "1 lesson", "2 lessons"]
        );
    }
}
