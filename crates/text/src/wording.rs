//! Numbers with nouns, and lists.

use std::fmt::Display;

/// A number and a noun: `1 lesson`, `2 lessons`. The plural of `noun` must take an `s`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// The items of a list, with commas between them.
pub fn listed(items: impl IntoIterator<Item: Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_the_items() {
        assert_eq!(listed([""; 0]), "");
        assert_eq!(listed(["a"]), "a");
        assert_eq!(listed([1, 2, 3]), "1, 2, 3");
    }

    #[test]
    fn only_one_is_one() {
        assert_eq!(
            [0_usize, 1, 2].map(|number| counted(number, "lesson")),
            ["0 lessons", "1 lesson", "2 lessons"]
        );
    }
}
