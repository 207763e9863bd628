//! The words that say nothing.

/// Short words of English that stand in every sentence, in alphabetical order. `no` and `not` are
/// none of them: `--no-verify` is about the `no`.
const STOP_WORDS: [&str; 42] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "do", "does", "for", "from", "has", "have", "if",
    "in", "into", "is", "it", "its", "of", "on", "or", "so", "such", "than", "that", "the", "their", "then",
    "there", "these", "they", "this", "to", "was", "were", "will", "with", "you", "your",
];

/// The longest of them, in bytes.
const LONGEST: usize = 5;

/// The same words as numbers in their order: ten thousand rules are gone through for one question.
const NUMBERS: [u64; STOP_WORDS.len()] = {
    let mut numbers = [0; STOP_WORDS.len()];
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = number(STOP_WORDS[at].as_bytes());
        at += 1;
    }
    numbers
};

/// The bytes of a short word, the first one highest, behind them zeros, and last how many they are.
const fn number(word: &[u8]) -> u64 {
    let mut number = 0;
    let mut at = 0;
    while at < LONGEST {
        let byte = if at < word.len() { word[at].to_ascii_lowercase() } else { 0 };
        number = number << 8 | byte as u64;
        at += 1;
    }
    number << 8 | word.len() as u64
}

/// Whether a word, in ASCII in whatever case, says nothing about what a text is about.
pub fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST && NUMBERS.binary_search(&number(word.as_bytes())).is_ok()
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
        assert!(NUMBERS.is_sorted());
        assert_eq!(STOP_WORDS.iter().map(|word| word.len()).max(), Some(LONGEST));
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        let others = ["", "not", "git", "theirs", "the\0", "th", "\u{e9}s"];
        assert_eq!(others.map(is_stop_word), [false; 7]);
    }

    #[test]
    fn a_single_character_does_not_count() {
        assert!(!counts("a") && !counts("é") && counts("ab") && !counts("of"));
    }
}
