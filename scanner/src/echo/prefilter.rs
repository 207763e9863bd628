//! A prefilter for the lines that can hold a wanted shingle.
//!
//! Splitting a text into words takes several times as long as reading it, and hardly any line of a session has to do
//! with a lesson. So one word of every wanted shingle is searched in the raw bytes, and only a line that holds one is
//! split. A word can be disguised: by a hidden character in it, by `\u` and digits, by letters that become ASCII in
//! lower case. A line in which any of these could be is split too, so nothing is missed; a property test compares
//! this with splitting everything.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use lessons_text::neutral;
use lessons_text::words;

use super::shingles::{Hash, Shingles, hash};
use crate::transcript::needle::Needle;

/// The shortest word that is searched, in bytes. A shorter one is everywhere.
const SHORTEST: usize = 3;

/// An escape, in which a word can hide.
static ESCAPE: Needle = Needle::new("\\u");

/// A search for the words of shingles.
#[derive(Debug)]
pub enum Prefilter {
    /// There are no shingles.
    None,
    /// Every shingle holds one of these.
    Words(AhoCorasick),
    /// Some shingle has no word that can be searched.
    All,
}

impl Prefilter {
    /// A prefilter for these words; without a list every line passes.
    pub(super) fn new(words: Option<Vec<&str>>) -> Self {
        match words {
            Some(words) if words.is_empty() => Self::None,
            Some(words) => {
                // With this match kind many words are searched at once.
                let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&words);
                builder.map_or(Self::All, Self::Words)
            }
            None => Self::All,
        }
    }

    /// Starts a scan of some bytes. `lower` is a buffer for them in lower case.
    pub fn scan<'s>(&'s self, bytes: &'s [u8], lower: &'s mut Vec<u8>) -> PrefilterScan<'s> {
        lower.clear();
        if matches!(self, Self::Words(_)) {
            lower.extend_from_slice(bytes);
            lower.make_ascii_lowercase();
        }
        PrefilterScan { prefilter: self, bytes, lower, hits: [None; 3] }
    }
}

/// A scan of some bytes.
#[derive(Debug)]
pub struct PrefilterScan<'s> {
    prefilter: &'s Prefilter,
    bytes: &'s [u8],
    lower: &'s [u8],
    /// The last hit of each search, so that nothing is searched twice: beyond all bytes where there is none.
    hits: [Option<usize>; 3],
}

impl PrefilterScan<'_> {
    /// The first offset from `from` on whose line has to be split. `from` must not decrease.
    pub fn next(&mut self, from: usize) -> Option<usize> {
        let Self { prefilter, bytes, lower, hits } = self;
        let words = match prefilter {
            Prefilter::None => return None,
            Prefilter::All => return (from < bytes.len()).then_some(from),
            Prefilter::Words(words) => words,
        };
        let rest = bytes.get(from..)?;
        let searches: [&dyn Fn() -> Option<usize>; 3] = [
            &|| words.find(Input::new(*lower).range(from..)).map(|found| found.start()),
            &|| ESCAPE.find(rest).map(|at| from + at),
            &|| odd_character(rest).map(|at| from + at),
        ];
        for (hit, search) in hits.iter_mut().zip(searches) {
            if hit.is_none_or(|at| at < from) {
                *hit = Some(search().unwrap_or(usize::MAX));
            }
        }
        hits.iter().flatten().min().copied().filter(|at| *at < bytes.len())
    }
}

/// The offset of the first character that is not ASCII and may be part of a word, or hide in one.
fn odd_character(bytes: &[u8]) -> Option<usize> {
    /// The number of bytes that are tested together.
    const BLOCK: usize = 64;
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let block = &rest[..rest.len().min(BLOCK)];
        if block.is_ascii() {
            at += block.len();
            continue;
        }
        at += block.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        let character = character_at(&bytes[at..]).filter(|&c| parts_words(c));
        // Invalid bytes do not end a word.
        let Some(character) = character else { return Some(at) };
        at += character.len_utf8();
    }
}

/// The character at the start of some bytes, if they are valid there.
fn character_at(bytes: &[u8]) -> Option<char> {
    bytes[..bytes.len().min(4)].utf8_chunks().next()?.valid().chars().next()
}

/// Whether a character separates words.
fn parts_words(c: char) -> bool {
    !words::is_word_char(c) && (c.is_whitespace() || !neutral::is_hidden(c))
}

/// A few words of a text, in lower case, of which every shingle of it holds one: the longest ASCII words. `None` where a
/// shingle has no such word.
pub(super) fn words_of(text: &str, shingles: &Shingles) -> Option<Vec<String>> {
    let plain: HashMap<Hash, String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() >= SHORTEST)
        .map(str::to_ascii_lowercase)
        .map(|word| (hash(word.as_bytes()), word))
        .collect();
    let mut chosen: Vec<String> = Vec::new();
    for row in shingles.windows.iter().filter_map(|window| window.words(shingles.length)) {
        let words: Vec<&String> = row.iter().filter_map(|word| plain.get(word)).collect();
        if words.iter().any(|word| chosen.contains(word)) {
            continue;
        }
        chosen.push(words.into_iter().max_by_key(|word| word.len())?.clone());
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Question, ShingleMatches, ShingleSet};
    use super::*;
    use crate::tag::Tag;
    use crate::transcript::{InputSource, ModelInput};

    fn question(fix: &str) -> Question {
        Question::of_lesson(&Tag { mistake: "x".into(), fix: fix.into(), ..Tag::default() })
    }

    /// The lines of a text that are split.
    fn kept(prefilter: &Prefilter, text: &str) -> Vec<usize> {
        let mut lower = Vec::new();
        let mut candidates = prefilter.scan(text.as_bytes(), &mut lower);
        let (mut kept, mut start) = (Vec::new(), 0);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let end = start + line.len();
            if candidates.next(start).is_some_and(|at| at < end) {
                kept.push(number);
            }
            start = end;
        }
        kept
    }

    fn sieve_of(fix: &str) -> Prefilter {
        let mut set = ShingleSet::default();
        set.add(&question(fix));
        set.prefilter()
    }

    #[test]
    fn only_lines_with_a_searched_word_are_split_however_it_is_disguised() {
        // The searched words are `without` and `first`.
        let tag = Tag {
            mistake: "pushes without a lock".into(),
            fix: "lock the table first".into(),
            ..Tag::default()
        };
        let mut set = ShingleSet::default();
        set.add(&Question::of_lesson(&tag));
        let text =
            "nothing here\nbe FiRSt\n— … “quoted” ✓ │\nfi\u{200b}rst\n\\u0066irst\npu\u{17f}hes\nunfirstly\n";
        assert_eq!(kept(&set.prefilter(), text), [1, 3, 4, 5, 6]);
    }

    #[test]
    fn without_an_ascii_word_every_line_is_split() {
        assert_eq!(kept(&sieve_of("日本 語 の 文 字 列"), "a\nb\n"), [0, 1]);
        assert_eq!(kept(&Prefilter::new(Some(Vec::new())), "a\nb\n"), [] as [usize; 0]);
    }

    /// Words, plain or disguised, and separators.
    fn piece() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("lock"),
            Just("LOCK"),
            Just("lo\u{200b}ck"),
            Just("loc\u{212a}"),
            Just("\\u006cock"),
            Just("\\nlock"),
            Just("table"),
            Just("ta\u{ad}ble"),
            Just("first"),
            Just("stable"),
            Just("é"),
            Just("b"),
            Just("\\u00e9"),
        ];
        let between = prop_oneof![Just(" "), Just("\\n"), Just("\", "), Just("—"), Just("\n"), Just("")];
        (word, between).prop_map(|(word, between)| format!("{word}{between}"))
    }

    proptest! {
        #[test]
        fn the_matches_are_those_of_all_lines(
            fix in prop::collection::vec(piece(), 1..7), text in prop::collection::vec(piece(), 0..30),
        ) {
            let (question, text) = (question(&fix.concat()), text.concat() + "\n");
            let mut set = ShingleSet::default();
            set.add(&question);
            let kept = kept(&set.prefilter(), &text);
            let (mut all, mut candidates) = (ShingleMatches::new(&set), ShingleMatches::new(&set));
            let counts = || Some(ModelInput { time: None, source: InputSource::Others });
            for (number, line) in text.split_terminator('\n').enumerate() {
                all.scan_line(number as u64, line.as_bytes(), counts);
                if kept.contains(&number) {
                    candidates.scan_line(number as u64, line.as_bytes(), counts);
                }
            }
            for row in question.fields.iter().flat_map(|field| field.shingles.rows()) {
                prop_assert_eq!(all.contains(row), candidates.contains(row));
            }
        }

        #[test]
        fn any_bytes_can_be_scanned(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let prefilter = sieve_of("lock the table first");
            let mut lower = Vec::new();
            let mut candidates = prefilter.scan(&bytes, &mut lower);
            let places: Vec<Option<usize>> = (0..=bytes.len()).map(|at| candidates.next(at)).collect();
            for (at, place) in places.iter().enumerate() {
                prop_assert!(place.is_none_or(|place| place >= at && place < bytes.len()));
            }
        }
    }
}
