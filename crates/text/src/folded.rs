//! Folded text: a text as rules and searches compare it, with the way back to the original.
//!
//! What is drawn alike is made alike: hidden characters are gone, compatibility forms (`ｉｇｎｏｒｅ`, `ﬁ`) are the letters
//! that they stand for (NFKC, character by character), letters are in lower case, the typographic apostrophe is the
//! plain one, and each run of white space is one space.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::neutral;

/// A folded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    text: String,
    /// The places from which on the distance to the original is another one, ascending.
    anchors: Vec<Anchor>,
    /// The offsets in the folded text at which a line of the original begins, ascending.
    lines: Vec<usize>,
}

/// An offset in the folded text with the offset in the original that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Anchor {
    folded: usize,
    source: usize,
}

impl Folded {
    /// Folds a text.
    pub fn of(text: &str) -> Self {
        let start = Gap { source: 0, part: Part::First, ends_line: true };
        let mut writer = Writer { folded: Self::empty(text.len()), gap: Some(start) };
        for (at, c) in neutral::visible_chars(text) {
            if c.is_ascii() {
                writer.push(at, c.to_ascii_lowercase(), Part::First);
                continue;
            }
            let mut part = Part::First;
            for c in std::iter::once(c).nfkc().flat_map(char::to_lowercase) {
                writer.push(at, if c == '’' { '\'' } else { c }, part);
                part = Part::Later;
            }
        }
        let mut folded = writer.folded;
        folded.anchors.push(Anchor { folded: folded.text.len(), source: text.len() });
        folded
    }

    fn empty(capacity: usize) -> Self {
        Self { text: String::with_capacity(capacity), anchors: Vec::new(), lines: Vec::new() }
    }

    /// The folded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The range of the original that a range of the folded text comes from. It may go on over hidden characters and
    /// white space behind it.
    pub fn source(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.source_of(range.start);
        start..self.source_of(range.end).max(start)
    }

    fn source_of(&self, at: usize) -> usize {
        let behind = self.anchors.partition_point(|anchor| anchor.folded <= at);
        let anchor = behind.checked_sub(1).and_then(|index| self.anchors.get(index));
        anchor.map_or(at, |anchor| anchor.source + (at - anchor.folded))
    }

    /// Whether the word at an offset of the folded text is the first of its line in the original.
    pub fn begins_line(&self, at: usize) -> bool {
        self.lines.binary_search(&at).is_ok()
    }
}

/// The white space since the last character that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gap {
    /// The offset of its first character in the original.
    source: usize,
    part: Part,
    /// Whether a line begins behind it.
    ends_line: bool,
}

/// The part of an original character that a folded one is: one may become several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    First,
    Later,
}

/// A folded text that is being written.
struct Writer {
    folded: Folded,
    gap: Option<Gap>,
}

impl Writer {
    /// Writes a folded character that comes from `source`.
    fn push(&mut self, source: usize, c: char, part: Part) {
        if c.is_whitespace() {
            let gap = self.gap.get_or_insert(Gap { source, part, ends_line: false });
            gap.ends_line |= c == '\n';
            return;
        }
        if let Some(gap) = self.gap.take() {
            if !self.folded.text.is_empty() {
                self.anchor(gap.source, gap.part);
                self.folded.text.push(' ');
            }
            if gap.ends_line {
                self.folded.lines.push(self.folded.text.len());
            }
        }
        self.anchor(source, part);
        self.folded.text.push(c);
    }

    /// Notes where the next character comes from, if that does not follow from the one before it.
    fn anchor(&mut self, source: usize, part: Part) {
        let at = self.folded.text.len();
        let follows = |last: &Anchor| source == last.source + (at - last.folded);
        if part == Part::Later || !self.folded.anchors.last().is_some_and(follows) {
            self.folded.anchors.push(Anchor { folded: at, source });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_drawn_alike_is_alike() {
        let folded = |text: &str| Folded::of(text).text().to_owned();
        assert_eq!(folded("  IGNORE\r\n\tall\u{a0}previous "), "ignore all previous");
        assert_eq!(folded("ｉｇｎｏｒｅ 𝐚𝐥𝐥 ﬁles"), "ignore all files");
        assert_eq!(folded("i\u{200b}g\u{ad}nore"), "ignore");
        assert_eq!(folded("Don’t"), "don't");
        assert_eq!(folded(" \n "), "");
    }

    #[test]
    fn a_range_leads_back_to_the_original() {
        let text = "A\u{200b}b:\n\n  ﬁne ＮＯＴ  e\u{301}nd";
        let folded = Folded::of(text);
        let source = |word: &str| {
            let at = folded.text().find(word).unwrap();
            &text[folded.source(&(at..at + word.len()))]
        };
        assert_eq!(folded.text(), "ab: fine not e\u{301}nd");
        assert_eq!(source("ab"), "A\u{200b}b");
        assert_eq!(source("fine").trim_end(), "ﬁne");
        assert_eq!(source("not").trim_end(), "ＮＯＴ");
        assert_eq!(source("nd"), "nd");
        assert!(folded.begins_line(0) && folded.begins_line(4) && !folded.begins_line(9));
    }

    proptest! {
        #[test]
        fn every_range_is_one_of_the_original(text in "\\PC*|.*|[ \n\u{200b}aÉﬁ\u{fdfa}\u{a8}]*") {
            let folded = Folded::of(&text);
            prop_assert!(!folded.text().contains("  ") && folded.text().trim() == folded.text());
            let bounds: Vec<usize> =
                folded.text().char_indices().map(|(at, _)| at).chain([folded.text().len()]).collect();
            for (&start, &end) in bounds.iter().zip(bounds.iter().skip(1)) {
                prop_assert!(text.get(folded.source(&(start..end))).is_some());
            }
        }
    }
}
