//! The reasons that a person gives, as they stand among the evidence of a lesson.

use lessons_core::neutral::{line, shortened};

use crate::cleaning;

/// The most of a reason that is kept, in characters: it is one entry.
const MOST: usize = 150;

/// A reason as it is kept: in one line, without secrets. Those go before it is cut, or a part of one would stay.
pub(crate) fn reason(text: &str) -> String {
    shortened(line(&cleaning::cleaned(text)).trim(), MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_goes_also_where_the_reason_is_cut() {
        let token = ["gh", "p_", &"c".repeat(36)].concat();
        for before in [0, 120, 140, 149] {
            let kept = reason(&format!("{} {token}", "a ".repeat(before / 2)));
            assert!(!kept.contains("cc") && kept.chars().count() <= MOST, "{kept}");
        }
        assert_eq!(reason(" a \u{1b}reason\nof two lines "), "a reason of two lines");
    }
}
