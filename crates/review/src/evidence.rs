//! Reasons that a person gives, as entries in the evidence of a lesson.

use lessons_text::neutral::{line, shortened};

use crate::cleaning;

/// The longest stored reason, in characters.
const MOST: usize = 150;

/// A reason in the form that is stored: one line, redacted, then shortened (in that order, or half a secret would stay).
pub fn reason(text: &str) -> String {
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
