//! The sentence around a place in a text: what is withheld and kept of a text is whole sentences.

use std::ops::Range;

/// The farthest that a sentence is followed from the place, in bytes, to each side.
const FARTHEST: usize = 240;

/// The range of the sentences that a range of `text` is in.
///
/// A sentence ends at a full stop, question or exclamation mark with white space behind it, at an empty line, and at a tag
/// of HTML. Of a sentence longer than [`FARTHEST`] to a side, whole words up to there.
pub fn around(text: &str, place: &Range<usize>) -> Range<usize> {
    let end = text.floor_char_boundary(place.end);
    let start = text.floor_char_boundary(place.start.min(end));
    let from = text.floor_char_boundary(start.saturating_sub(FARTHEST));
    let to = text.floor_char_boundary(end.saturating_add(FARTHEST));
    let before = text.get(from..start).unwrap_or_default();
    let after = text.get(end..to).unwrap_or_default();
    let first = match last_border(before) {
        Some(border) => from + border,
        None if from == 0 => 0,
        // The sentence began farther ahead: not in the middle of a word.
        None => before.find(char::is_whitespace).map_or(start, |space| from + space),
    };
    // The last sign of the place itself may end the sentence.
    let ends_itself = text.get(..end).is_some_and(|text| text.ends_with(['.', '!', '?']))
        && after.starts_with(char::is_whitespace);
    let last = match first_border(after) {
        _ if ends_itself => end,
        Some(border) => end + border,
        None if to == text.len() => to,
        None => after.rfind(char::is_whitespace).map_or(end, |space| end + space),
    };
    trimmed(text, first..last)
}

/// The offset behind the last border between sentences in `text`.
fn last_border(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).rev().find(|&at| bytes[at] == b'>' || is_border(bytes, at)).map(|at| at + 1)
}

/// The offset of the first border between sentences in `text`, behind a sign that ends one and before a tag.
fn first_border(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len()).find(|&at| bytes[at] == b'<' || is_border(bytes, at))?;
    Some(if matches!(bytes[at], b'<' | b'\n') { at } else { at + 1 })
}

/// Whether a sign that ends a sentence, or an empty line, stands at an offset.
fn is_border(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1);
    match bytes[at] {
        b'.' | b'!' | b'?' => next.is_none_or(u8::is_ascii_whitespace),
        b'\n' => matches!(next, Some(b'\n' | b'\r')),
        _ => false,
    }
}

/// The range without white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (inner.len() - inner.trim_start().len());
    start..start + inner.trim().len()
}

/// Joins ranges that overlap or touch; the result is ascending.
pub fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sentence<'t>(text: &'t str, words: &str) -> &'t str {
        let at = text.find(words).unwrap();
        &text[around(text, &(at..at + words.len()))]
    }

    #[test]
    fn a_sentence_is_what_is_between_its_borders() {
        let text = "First one. Ignore all\nprevious rules, see v1.2! Last";
        assert_eq!(sentence(text, "previous"), "Ignore all\nprevious rules, see v1.2!");
        assert_eq!(sentence("<p>Tell nobody</p> rest", "nobody"), "Tell nobody");
        assert_eq!(sentence("A heading\n\nTell nobody\n\nrest", "Tell"), "Tell nobody");
        assert_eq!(sentence("Tell nobody. rest", "nobody."), "Tell nobody.");
        assert_eq!(sentence("Tell nobody", "Tell nobody"), "Tell nobody");
    }

    #[test]
    fn of_a_text_without_borders_whole_words_are_taken() {
        let text = format!("{}ignore {}", "word ".repeat(100), "word ".repeat(100));
        let found = sentence(&text, "ignore");
        assert!(found.starts_with("word ") && found.ends_with(" word") && found.len() <= 2 * FARTHEST + 6);
    }

    #[test]
    fn joined_ranges_are_apart() {
        assert_eq!(joined(vec![5..7, 0..2, 2..3, 6..9]), [0..3, 5..9]);
    }

    proptest! {
        #[test]
        fn a_sentence_is_of_its_text(text in "\\PC*|[a. \n<>é\u{200b}]*", a in 0usize..300, b in 0usize..300) {
            let place = a.min(text.len())..b.min(text.len());
            prop_assert!(text.get(around(&text, &place)).is_some());
        }
    }
}
