//! The words that say nothing.

/// Short words of English that stand in every sentence, in alphabetical order. `no` and `not` are
/// none of them: `--no-verify` is about the `no`.
const STOP_WORDS: [&str; 42] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "do", "does", "for", "from", "has", "have", "if",
    "in", "into", "is", "it", "its", "of", "on", "or", "so", "such", "than", "that", "the", "their", "then",
    "there", "these", "they", "this", "to", "was", "were", "will", "with", "you", "your",
];

/// The longest of them, in bytes.
pub(super) const LONGEST_STOP_WORD: usize = 5;

/// Whether a word, in lower case, says nothing about what a text is about.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Whether a word counts: it is no stop word and has more than one character.
pub(crate) fn counts(word: &str) -> bool {
    word.chars().nth(1).is_some() && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(STOP_WORDS.iter().map(|word| word.len()).max(), Some(LONGEST_STOP_WORD));
        assert!(is_stop_word("the") && is_stop_word("you") && !is_stop_word("not") && !is_stop_word("git"));
    }

    #[test]
    fn a_single_character_does_not_count() {
        assert!(!counts("a") && !counts("é") && counts("ab") && !counts("of"));
    }
}
