//! The shingles of a text: runs of words, however the text is quoted or escaped.

use lessons_text::neutral;
use lessons_text::words;

/// The number of words in a shingle. Five in a row are rarely the same by chance.
pub(super) const SHINGLE: usize = 5;

/// The hash of a word, or of some words in a row (FNV-1a).
pub(super) type Hash = u64;

/// A hasher of the words in a stream of bytes.
///
/// A word is what [`lessons_text::words`] calls one, after two steps: escapes of JSON are read, and hidden characters
/// are dropped. The bytes may be raw JSON or the text itself: escapes are read either way, so that a line feed written as `\n`, also inside JSON inside
/// JSON, never sticks to a word. What that costs (`C:\temp` gives `c` and `emp`) it costs on both
/// sides of the comparison.
#[derive(Debug, Default)]
pub(super) struct WordHasher {
    window: WordWindow,
    word: Option<Hash>,
    escape: Escape,
    /// The bytes of an unfinished character, and their number.
    partial: [u8; 4],
    held: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    None,
    /// After one or more backslashes.
    Backslash,
    /// After `\u`: the value of the digits read so far, and their number.
    Unicode(u32, u8),
}

/// The window of the last words, as hashes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordWindow {
    last: [Hash; SHINGLE],
    seen: usize,
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

impl WordHasher {
    /// Takes some bytes; a word may go on in the next call. After each word, `ended` gets the window.
    pub(super) fn take(&mut self, bytes: &[u8], ended: &mut impl FnMut(&WordWindow)) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte >= 0x80 {
                self.beyond_ascii(byte, ended);
            } else if self.escape == Escape::None && byte.is_ascii_alphanumeric() {
                rest = self.letters(byte, after);
            } else {
                self.held = 0;
                self.ascii(byte, ended);
            }
        }
    }

    /// Takes a run of ASCII letters at once, as nearly all of a text consists of them. Returns the rest.
    fn letters<'b>(&mut self, first: u8, after: &'b [u8]) -> &'b [u8] {
        self.held = 0;
        let mut word = with_letter(self.word.unwrap_or(FNV_OFFSET), first.to_ascii_lowercase());
        let mut rest = after;
        while let Some((byte, after)) = rest.split_first().filter(|(byte, _)| byte.is_ascii_alphanumeric()) {
            word = with_letter(word, byte.to_ascii_lowercase());
            rest = after;
        }
        self.word = Some(word);
        rest
    }

    /// Ends the word and empties the window: what comes next is another text.
    pub(super) fn end(&mut self, ended: &mut impl FnMut(&WordWindow)) {
        self.end_word(ended);
        *self = Self::default();
    }

    fn ascii(&mut self, byte: u8, ended: &mut impl FnMut(&WordWindow)) {
        match (std::mem::take(&mut self.escape), byte) {
            (Escape::Backslash, b'\\') => self.escape = Escape::Backslash,
            (Escape::Backslash, b'n' | b'r' | b't' | b'b' | b'f') => {}
            (Escape::Backslash, b'u') => self.escape = Escape::Unicode(0, 0),
            (Escape::Unicode(code, digits), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let code = code * 16 + char::from(byte).to_digit(16).unwrap_or_default();
                if digits < 3 {
                    self.escape = Escape::Unicode(code, digits + 1);
                } else {
                    // Half of a surrogate pair separates words. The client writes such characters as they are.
                    self.character(char::from_u32(code).unwrap_or(' '), ended);
                }
            }
            (_, b'\\') => {
                self.end_word(ended);
                self.escape = Escape::Backslash;
            }
            (_, letter) if letter.is_ascii_alphanumeric() => self.letter(letter.to_ascii_lowercase()),
            _ => self.end_word(ended),
        }
    }

    fn beyond_ascii(&mut self, byte: u8, ended: &mut impl FnMut(&WordWindow)) {
        self.escape = Escape::None;
        if byte >= 0xc0 {
            self.held = 0;
        } else if self.held == 0 {
            return; // a continuation byte without a start
        }
        self.partial[self.held] = byte;
        self.held += 1;
        let [first, ..] = self.partial;
        if self.held == first.leading_ones().min(4) as usize {
            let found = std::str::from_utf8(&self.partial[..self.held]).ok().and_then(|it| it.chars().next());
            self.held = 0;
            self.character(found.unwrap_or(' '), ended);
        }
    }

    fn character(&mut self, c: char, ended: &mut impl FnMut(&WordWindow)) {
        if words::is_word_char(c) {
            for lower in c.to_lowercase() {
                let mut bytes = [0; 4];
                for &byte in lower.encode_utf8(&mut bytes).as_bytes() {
                    self.letter(byte);
                }
            }
        } else if parts_words(c) {
            self.end_word(ended);
        }
    }

    fn letter(&mut self, byte: u8) {
        self.word = Some(with_letter(self.word.unwrap_or(FNV_OFFSET), byte));
    }

    fn end_word(&mut self, ended: &mut impl FnMut(&WordWindow)) {
        if let Some(word) = self.word.take() {
            self.window.push(word);
            ended(&self.window);
        }
    }
}

/// Whether a character separates words.
pub(super) fn parts_words(c: char) -> bool {
    !words::is_word_char(c) && (c.is_whitespace() || c.is_ascii_control() || !neutral::is_hidden(c))
}

fn with_letter(hash: Hash, byte: u8) -> Hash {
    (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
}

/// The hash of a word in lower case.
pub(super) fn hash(word: &[u8]) -> Hash {
    word.iter().fold(FNV_OFFSET, |hash, &byte| with_letter(hash, byte))
}

impl WordWindow {
    /// The last word.
    pub(super) fn last_word(&self) -> Hash {
        self.last[SHINGLE - 1]
    }

    /// The last `length` words, if there were so many.
    pub(super) fn words(&self, length: usize) -> Option<&[Hash]> {
        (1..=self.seen).contains(&length).then(|| &self.last[SHINGLE - length..])
    }

    fn push(&mut self, word: Hash) {
        self.last.rotate_left(1);
        self.last[SHINGLE - 1] = word;
        self.seen = (self.seen + 1).min(SHINGLE);
    }

    /// The hash of the last `length` words, if there were so many.
    pub(super) fn row(&self, length: usize) -> Option<Hash> {
        let start = FNV_OFFSET ^ length as u64;
        let words = self.words(length)?;
        Some(words.iter().fold(start, |hash, word| (hash.rotate_left(7) ^ word).wrapping_mul(FNV_PRIME)))
    }
}

/// The shingles of a text: every [`SHINGLE`] words in a row, or the whole text if it has fewer; none if it has no words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shingles {
    /// The number of words in each.
    pub(super) length: usize,
    /// The windows at whose ends they stand, in the order of the text.
    pub(super) windows: Vec<WordWindow>,
}

impl Shingles {
    pub(super) fn of(text: &str) -> Self {
        let (mut windows, mut last) = (Vec::new(), WordWindow::default());
        let mut take = |window: &WordWindow| {
            last = *window;
            windows.extend((window.seen == SHINGLE).then_some(last));
        };
        let mut words = WordHasher::default();
        words.take(text.as_bytes(), &mut take);
        words.end(&mut take);
        if last.seen < SHINGLE {
            windows.extend((last.seen > 0).then_some(last));
        }
        Self { length: last.seen, windows }
    }

    /// The hash of every shingle.
    pub(super) fn rows(&self) -> impl Iterator<Item = Hash> {
        self.windows.iter().filter_map(|window| window.row(self.length))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        assert_eq!(Shingles::of("").rows().count(), 0);
        assert_eq!(Shingles::of("... !").rows().count(), 0);
        assert_eq!(Shingles::of("one").rows().count(), 1);
        assert_eq!(Shingles::of("one two three four").rows().count(), 1);
        assert_eq!(Shingles::of("one two three four five").rows().count(), 1);
        assert_eq!(Shingles::of("one two three four five six").rows().count(), 2);
        assert_ne!(Shingles::of("one two"), Shingles::of("two one"));
    }

    proptest! {
        #[test]
        fn words_do_not_depend_on_how_the_bytes_are_cut(text in "[a-zé\\\\nu0 \"日\u{200b}]{0,40}", cut in 0_usize..60) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let collect = |parts: &[&[u8]]| {
                let mut found = Vec::new();
                let mut words = WordHasher::default();
                let mut note = |window: &WordWindow| found.push((window.row(1), window.row(SHINGLE)));
                for part in parts {
                    words.take(part, &mut note);
                }
                words.end(&mut note);
                found
            };
            prop_assert_eq!(collect(&[bytes]), collect(&[&bytes[..cut], &bytes[cut..]]));
        }

        #[test]
        fn words_are_those_of_the_tokenizer(text in "[a-zA-Z0-9 .,;:!?é-]{0,80}") {
            let words = words::tokens(&text);
            prop_assert_eq!(Shingles::of(&text), Shingles::of(&words.join(" ")));
            let expected = if words.is_empty() { 0 } else { words.len().saturating_sub(SHINGLE - 1).max(1) };
            prop_assert_eq!(Shingles::of(&text).rows().count(), expected);
        }
    }
}
