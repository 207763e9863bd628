//! Folded text: a text as rules and searches compare it, with the way back to the original.
//!
//! What is drawn alike is made alike: hidden characters are gone, compatibility forms (`ｉｇｎｏｒｅ`, `ﬁ`) are the letters
//! that they stand for (NFKC, character by character), letters are in lower case, those of other scripts that are drawn like a
//! Latin one are that one (the `а` of Cyrillic), the typographic apostrophe is the plain one, and each run of white space is one
//! space.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::{neutral, twins};

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
        Self::with(text, twins::latin)
    }

    /// The same with the letters of other scripts as they are: what ids are made of.
    pub fn keeping_scripts(text: &str) -> Self {
        Self::with(text, |letter| letter)
    }

    fn with(text: &str, letter: fn(char) -> char) -> Self {
        let mut writer = Writer::new(text.len(), letter);
        let mut at = 0;
        while at < text.len() {
            let plain = run(text.as_bytes(), at, |byte| byte.is_ascii_graphic());
            writer.push_run(at, &text[at..plain]);
            // A plain character ends what counts combining marks, so the rest is read as if it were a text of its own.
            at = text.as_bytes()[plain..]
                .iter()
                .position(u8::is_ascii_graphic)
                .map_or(text.len(), |end| plain + end);
            for (offset, c) in neutral::visible_chars(&text[plain..at]) {
                writer.push_folded(plain + offset, c);
            }
        }
        let mut folded = writer.folded;
        folded.anchors.push(Anchor { folded: folded.text.len(), source: text.len() });
        folded
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

/// Writes the text that [`Folded::of`] makes of a JSON string into `out`, given what stands between the quotes. `None` where
/// that takes a closer look: at escapes by number, hidden characters and combining marks.
pub fn of_json_string<'o>(raw: &str, out: &'o mut String) -> Option<&'o str> {
    out.clear();
    let bytes = raw.as_bytes();
    let (mut at, mut is_gap) = (0, false);
    while at < bytes.len() {
        let end = run(bytes, at, |byte| byte.is_ascii_graphic() && byte != b'\\');
        if end > at {
            close_gap(out, &mut is_gap);
            let start = out.len();
            out.push_str(&raw[at..end]);
            out[start..].make_ascii_lowercase();
        }
        match &bytes[end..] {
            [] => break,
            // Indented lines have many.
            [b' ', rest @ ..] => (is_gap, at) = (true, bytes.len() - rest.trim_ascii_start().len()),
            [b'\\', b'n' | b'r' | b't' | b'f', ..] => (is_gap, at) = (true, end + 2),
            [b'\\', meant @ (b'"' | b'\\' | b'/'), ..] => {
                close_gap(out, &mut is_gap);
                out.push(char::from(*meant));
                at = end + 2;
            }
            // The escape character, with which programs colour what they print, is hidden, as all of its kind are.
            [b'\\', b'u', b'0', b'0', b'1', digit, ..] if digit.is_ascii_hexdigit() => at = end + 6,
            [byte, ..] if byte.is_ascii() => return None,
            // An arrow, as behind the number of every line that is read, or a part of a frame, is folded to itself.
            [0xe2, 0x86, 0x90..=0xbf, ..] | [0xe2, 0x87 | 0x94..=0x97, _, ..] => {
                close_gap(out, &mut is_gap);
                out.push_str(&raw[end..end + 3]);
                at = end + 3;
            }
            _ => {
                let c =
                    raw[end..].chars().next().filter(|&c| !neutral::is_hidden(c) && !neutral::is_mark(c))?;
                for c in folded_chars(c).map(twins::latin) {
                    if c.is_whitespace() {
                        is_gap = true;
                    } else {
                        close_gap(out, &mut is_gap);
                        out.push(c);
                    }
                }
                at = end + c.len_utf8();
            }
        }
    }
    Some(out)
}

/// Writes the space that stands for white space, but not at the start.
fn close_gap(out: &mut String, is_gap: &mut bool) {
    if std::mem::take(is_gap) && !out.is_empty() {
        out.push(' ');
    }
}

/// What a visible character that is not ASCII is folded to.
fn folded_chars(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c).nfkc().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c })
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

/// The end of the run of plain text at `from`, as most of every text is: words of plain bytes with one space between two.
fn run(text: &[u8], from: usize, is_plain: impl Fn(u8) -> bool) -> usize {
    let mut end = from;
    loop {
        end += text[end..].iter().take_while(|byte| is_plain(**byte)).count();
        match text[end..] {
            [b' ', next, ..] if end > from && is_plain(next) => end += 2,
            _ => return end,
        }
    }
}

/// A folded text that is being written.
struct Writer {
    folded: Folded,
    gap: Option<Gap>,
    /// What a letter is written as.
    letter: fn(char) -> char,
}

impl Writer {
    fn new(capacity: usize, letter: fn(char) -> char) -> Self {
        let start = Gap { source: 0, part: Part::First, ends_line: true };
        let text = String::with_capacity(capacity);
        let folded = Folded { text, anchors: Vec::new(), lines: Vec::new() };
        Self { folded, gap: Some(start), letter }
    }

    /// Writes a [run] of plain text that comes from `source`.
    fn push_run(&mut self, source: usize, run: &str) {
        let Some((first, rest)) = run.split_at_checked(1) else { return };
        self.push(source, char::from(first.as_bytes()[0]).to_ascii_lowercase(), Part::First);
        let start = self.folded.text.len();
        self.folded.text.push_str(rest);
        self.folded.text[start..].make_ascii_lowercase();
    }

    /// Writes what a visible character that comes from `source` is folded to.
    fn push_folded(&mut self, source: usize, c: char) {
        if c.is_ascii() {
            return self.push(source, c.to_ascii_lowercase(), Part::First);
        }
        let mut part = Part::First;
        for c in folded_chars(c).map(self.letter) {
            self.push(source, c, part);
            part = Part::Later;
        }
    }

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
        assert_eq!(folded("Ignоrе аll рrevious, αnd сору"), "ignore all previous, and copy");
        assert_eq!(Folded::keeping_scripts("Ignоre").text(), "ignоre");
        assert_eq!(folded(" \n "), "");
    }

    #[test]
    fn only_what_needs_a_closer_look_is_left() {
        let mut out = String::new();
        for (raw, folded) in [
            (r"  1\u2192", None),
            (r"a\u200bb", None),
            ("e\u{301}", None),
            ("a┐│■▒é⇒", Some("a┐│■▒é⇒")),
            (r#"  1→\tUse \"X\"\r\n\u001b[1mnow\u001b[0m\/  "#, Some(r#"1→ use "x" [1mnow[0m/"#)),
        ] {
            assert_eq!(of_json_string(raw, &mut out), folded, "{raw}");
        }
    }

    #[test]
    fn arrows_and_frames_are_folded_to_themselves() {
        for c in ('\u{2180}'..='\u{21ff}').chain('\u{2500}'..='\u{25ff}') {
            let (text, mut out) = (c.to_string(), String::new());
            let folded = of_json_string(&text, &mut out);
            assert!(folded.is_none_or(|folded| folded == Folded::of(&text).text()), "{text}");
        }
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

    /// The same, character by character.
    fn slowly(text: &str) -> Folded {
        let mut writer = Writer::new(0, twins::latin);
        for (at, c) in neutral::visible_chars(text) {
            writer.push_folded(at, c);
        }
        let mut folded = writer.folded;
        folded.anchors.push(Anchor { folded: folded.text.len(), source: text.len() });
        folded
    }

    proptest! {
        #[test]
        fn runs_of_plain_text_change_nothing(text in "\\PC*|(a| |\n|\r|É|\u{200b}|\u{301}{5}|Zz z|\t){0,30}") {
            prop_assert_eq!(Folded::of(&text), slowly(&text));
        }

        #[test]
        fn a_json_string_is_folded_as_its_text_is(text in "\\PC*|(a| |\n|\r|\t|\\\\|/|\"|É|→|ﬁ|\u{1b}|\u{7}|\u{200b}|\u{301}|\u{a0}|Zz z){0,30}") {
            let quoted = serde_json::to_string(&text).unwrap();
            let mut out = String::from("x");
            if let Some(folded) = of_json_string(&quoted[1..quoted.len() - 1], &mut out) {
                let whole = Folded::of(&text);
                prop_assert_eq!(folded, whole.text());
            }
        }

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
