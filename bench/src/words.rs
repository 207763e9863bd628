//! Made-up words, each for one lesson alone.

const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
const VOWELS: &[u8; 5] = b"aeiou";
const SYLLABLES: usize = CONSONANTS.len() * VOWELS.len();
/// The number of words: all combinations of three syllables.
const COUNT: usize = SYLLABLES * SYLLABLES * SYLLABLES;
/// The factor that spreads neighbouring numbers over the words. It is odd and no multiple of 5, so it has no factor in
/// common with [`COUNT`], and different numbers get different words.
const SPREAD: usize = 305_173;

/// Returns the word of `number`, which has six letters. Different numbers below 512,000 have different words.
pub fn word(number: usize) -> String {
    let mut rest = (number % COUNT) * SPREAD % COUNT;
    let mut word = String::with_capacity(6);
    for _ in 0..3 {
        let syllable = rest % SYLLABLES;
        rest /= SYLLABLES;
        word.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        word.push(char::from(VOWELS[syllable % VOWELS.len()]));
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_numbers_share_a_word() {
        let words: HashSet<String> = (0..COUNT).map(word).collect();
        assert_eq!(words.len(), COUNT);
        assert!(words.iter().all(|word| word.len() == 6));
    }
}
