//! The words that say nothing.

/// Short words of English that stand in every sentence, in alphabetical order. `no` and `not` are
/// none of them: `--no-verify` is about the `no`.
const STOP_WORDS: [&str; 62] = [
    "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how",
    "if", "in", "into", "is", "it", "its", "may", "me", "my", "of", "on", "or", "our", "she", "should", "so",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we",
    "were", "will", "with", "you",
];

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
        assert!(is_stop_word("the") && is_stop_word("you") && !is_stop_word("not") && !is_stop_word("git"));
    }

    #[test]
    fn a_single_character_does_not_count() {
        assert!(!counts("a") && !counts("é") && counts("ab") && !counts("of"));
    }
}
