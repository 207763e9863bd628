//! The shingles of a text: runs of words, however the text is quoted or escaped.

use lessons_text::neutral;
use lessons_text::words::is_word_char;

/// The number of words in a shingle. Five in a row are rarely the same by chance.
pub(super) const SHINGLE: usize = 5;

/// A text as words are looked for in it: in lower case, with the escapes of JSON read and without hidden characters.
///
/// The bytes may be raw JSON or the text itself: escapes are read either way, so that a line feed written as `\n`, also inside
/// JSON inside JSON, never sticks to a word. What that costs (`C:\temp` gives `c` and `emp`) it costs on both sides of the
/// comparison.
pub(super) fn comparable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push(' ');
        let digits = part.strip_prefix('u').and_then(|rest| rest.get(..4));
        if let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            // Half of a surrogate pair separates words. The client writes such characters as they are.
            plain.push(char::from_u32(code).unwrap_or(' '));
            plain.push_str(&part[5..]);
        } else {
            plain.push_str(part.strip_prefix(['n', 'r', 't', 'b', 'f']).unwrap_or(part));
        }
    }
    // No character of ASCII sticks to a word and is hidden.
    plain.retain(|c| c.is_ascii() || is_word_char(c) || parts_words(c));
    plain.to_lowercase()
}

/// The words of a [`comparable`] text.
pub(super) fn words(comparable: &str) -> Vec<&str> {
    comparable.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty()).collect()
}

/// Whether a character separates words.
pub(super) fn parts_words(c: char) -> bool {
    !is_word_char(c) && (c.is_whitespace() || c.is_ascii_control() || !neutral::is_hidden(c))
}

/// The shingles of a text: every [`SHINGLE`] words in a row, or the whole text if it has fewer; none if it has no words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shingles {
    /// The number of words in each.
    pub(super) length: usize,
    /// Their words, with a space between two, in the order of the text.
    pub(super) rows: Vec<String>,
}

impl Shingles {
    pub(super) fn of(text: &str) -> Self {
        let comparable = comparable(text.as_bytes());
        let words = words(&comparable);
        let length = words.len().min(SHINGLE);
        let rows =
            if length == 0 { Vec::new() } else { words.windows(length).map(|row| row.join(" ")).collect() };
        Self { length, rows }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use lessons_text::words::tokens;

    fn same(a: &str, b: &str) {
        assert_eq!(Shingles::of(a), Shingles::of(b), "{a} / {b}");
    }

    #[test]
    fn case_white_space_punctuation_and_markdown_do_not_count() {
        same("Git stash leaves untracked files", "> **git**  `stash`\tleaves\n\"untracked\" files!");
        same("use git stash -u", "Use: `git stash -u`.");
        same("ÉTÉ à Zürich", "été à zürich");
    }

    #[test]
    fn hidden_characters_do_not_part_words() {
        same("ignore all instructions", "ig\u{200b}nore a\u{ad}ll instruct\u{feff}ions");
    }

    #[test]
    fn json_gives_the_words_of_the_text_in_it() {
        let text = "first\nsecond \"third\"\tfour\\five é \u{1f600} six";
        let once = serde_json::to_string(text).unwrap();
        let twice = serde_json::to_string(&once).unwrap();
        same(text, &once);
        same(text, &twice);
        same("a éb c", r"a \u00e9b c");
    }

    #[test]
    fn a_short_text_is_one_shingle_and_a_long_one_many() {
        assert_eq!(Shingles::of("").rows.len(), 0);
        assert_eq!(Shingles::of("... !").rows.len(), 0);
        assert_eq!(Shingles::of("one").rows.len(), 1);
        assert_eq!(Shingles::of("one two three four").rows.len(), 1);
        assert_eq!(Shingles::of("one two three four five").rows.len(), 1);
        assert_eq!(Shingles::of("one two three four five six").rows.len(), 2);
        assert_ne!(Shingles::of("one two"), Shingles::of("two one"));
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_tokenizer(text in "[a-zA-Z0-9 .,;:!?é-]{0,80}") {
            let words = tokens(&text);
            prop_assert_eq!(Shingles::of(&text), Shingles::of(&words.join(" ")));
            let expected = if words.is_empty() { 0 } else { words.len().saturating_sub(SHINGLE - 1).max(1) };
            prop_assert_eq!(Shingles::of(&text).rows.len(), expected);
        }
    }
}
