//! The words of a text: the one tokenizer and the one list of stop words.
//!
//! A word is a run of letters and digits of any script. Everything else separates, so `src/cat.ts` is `src`, `cat`,
//! `ts`, and words are not split at capitals: `readOnly` is one word. Words are compared in lower case. Other needs
//! have a function each: [`significant`] leaves out the words that carry no meaning, and [`is_filler`] knows the words that
//! people say about everything.

use std::borrow::Cow;

/// Whether a character is part of a word.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric()
}

/// The words of a text in lower case.
pub fn tokens(text: &str) -> Vec<String> {
    runs(text).map(str::to_lowercase).collect()
}

/// The words of a text in lower case, in order, without stop words and single characters.
pub fn significant(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let lower = |word| {
        let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
        if str::bytes(word).all(is_lower) { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
    };
    runs(text).map(lower).filter(|word| is_significant(word))
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty())
}

/// The stop words: short English words that every sentence has, in alphabetical order. `no` and `not` are
/// not among them, since `--no-verify` is about the `no`.
const STOP_WORDS: [&str; 42] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "do", "does", "for", "from", "has", "have", "if",
    "in", "into", "is", "it", "its", "of", "on", "or", "so", "such", "than", "that", "the", "their", "then",
    "there", "these", "they", "this", "to", "was", "were", "will", "with", "you", "your",
];

/// The filler words besides the stop words: those that people say about any step, in alphabetical order.
const FILLERS: [&str; 64] = [
    "all", "any", "can", "could", "did", "done", "else", "every", "file", "first", "get", "go", "good",
    "had", "here", "how", "i", "instead", "just", "let", "like", "look", "make", "me", "more", "my", "need",
    "never", "new", "no", "not", "now", "ok", "only", "other", "our", "out", "please", "put", "run", "same",
    "see", "set", "should", "show", "some", "still", "take", "them", "too", "try", "up", "us", "use", "want",
    "we", "well", "what", "when", "where", "which", "why", "would", "yes",
];

/// The length of the longest stop word, in bytes.
const LONGEST: usize = 5;

/// The stop words as numbers, in the same order: a search over many rules compares numbers.
const NUMBERS: [u64; STOP_WORDS.len()] = {
    let mut numbers = [0; STOP_WORDS.len()];
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = number(STOP_WORDS[at].as_bytes());
        at += 1;
    }
    numbers
};

/// The number of a short word: its bytes, the first one highest, then zeros, then its length.
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

/// Whether a list of words, parted by single spaces, has a word. A word is compared as it is, case included.
pub fn lists(list: &str, word: &str) -> bool {
    // Over bytes, for it is asked of every word of a prompt.
    !word.is_empty() && list.as_bytes().split(|byte| *byte == b' ').any(|known| known == word.as_bytes())
}

/// Whether a word, in any case, is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST && NUMBERS.binary_search(&number(word.as_bytes())).is_ok()
}

/// Whether a word in lower case is a filler: a stop word, or one like `instead` and `please`.
pub fn is_filler(word: &str) -> bool {
    is_stop_word(word) || FILLERS.binary_search(&word).is_ok()
}

/// Whether a word carries meaning: it is no stop word and has more than one character.
pub fn is_significant(word: &str) -> bool {
    word.chars().nth(1).is_some() && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_searched() {
        assert!(STOP_WORDS.is_sorted() && NUMBERS.is_sorted() && FILLERS.is_sorted());
        assert_eq!(STOP_WORDS.iter().map(|word| word.len()).max(), Some(LONGEST));
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word) && is_filler(word)));
        assert!(FILLERS.iter().all(|word| is_filler(word) && !is_stop_word(word)));
        let others = ["", "not", "git", "theirs", "the\0", "th", "\u{e9}s"];
        assert_eq!(others.map(is_stop_word), [false; 7]);
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        assert_eq!(tokens("src/Über.ts, readOnly: 42"), ["src", "über", "ts", "readonly", "42"]);
    }

    #[test]
    fn significant_words_are_the_tokens_without_stop_words_and_single_characters() {
        for text in ["Run THE tests, then x: 42 `cache-key`", "ΟΔΟΣ ǅ Über/é İx", "", " a "] {
            let mut expected = tokens(text);
            expected.retain(|word| is_significant(word));
            assert_eq!(significant(text).collect::<Vec<_>>(), expected);
        }
        assert!(
            !is_significant("a") && !is_significant("é") && is_significant("ab") && !is_significant("of")
        );
    }
}
