//! A prefilter for the lines that can hold a wanted shingle.
//!
//! Splitting a text into words takes several times as long as reading it, and hardly any line of a session has to do
//! with a lesson. So one word of every wanted shingle is searched in the raw bytes, and only a line that holds one is
//! split. A word can be disguised: by a hidden character in it, by `\u` and digits, by letters that become ASCII in
//! lower case. A line in which any of these could be is split too, so nothing is missed; a property test compares
//! this with splitting everything.

use std::collections::BTreeSet;
use std::iter;

use aho_corasick::{AhoCorasick, MatchKind};

use super::query::Question;
use super::shingles::parts_words;
use crate::transcript::line::{Line, Lines};
use crate::transcript::needle::Needle;

/// An escape, in which a word can hide.
static ESCAPE: Needle = Needle::new("\\u");

/// A search for lines with words of shingles.
#[derive(Debug)]
pub(crate) struct Prefilter {
    /// Every shingle holds one of these words. `None` where one has no word that can be searched.
    words: Option<AhoCorasick>,
}

impl Prefilter {
    /// A prefilter for the shingles of questions.
    pub(crate) fn new<'q>(questions: impl Iterator<Item = &'q Question>) -> Self {
        let fields = questions.flat_map(|question| &question.fields);
        let words: Option<Vec<&Vec<String>>> = fields.map(|field| field.words.as_ref()).collect();
        let words: Option<BTreeSet<&String>> = words.map(|words| words.into_iter().flatten().collect());
        // With this match kind many words are searched at once.
        let build = |words| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok();
        Self { words: words.and_then(build) }
    }

    /// Those of the lines that have to be split. `lower` is a buffer for all of them in lower case.
    pub(crate) fn lines<'b>(
        &self,
        mut lines: Lines<'b>,
        lower: &mut Vec<u8>,
    ) -> impl Iterator<Item = Line<'b>> {
        let all = lines.bytes;
        lower.clear();
        if self.words.is_some() {
            lower.extend_from_slice(all);
            lower.make_ascii_lowercase();
        }
        // The last hit of each search, so that nothing is searched twice: beyond all bytes where there is none.
        let mut hits = [None; 3];
        iter::from_fn(move || {
            let (from, rest) = (all.len() - lines.bytes.len(), lines.bytes);
            let Some(words) = &self.words else { return lines.next() };
            let searches: [&dyn Fn() -> Option<usize>; 3] =
                [&|| words.find(&lower[from..]).map(|found| found.start()), &|| ESCAPE.find(rest), &|| {
                    odd_character(rest)
                }];
            for (hit, search) in hits.iter_mut().zip(searches) {
                if hit.is_none_or(|at| at < from) {
                    *hit = Some(search().map_or(usize::MAX, |at| from + at));
                }
            }
            let next = hits.into_iter().flatten().min().filter(|at| *at < all.len())?;
            lines.skip_to(next - from);
            lines.next()
        })
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
        let valid = bytes[at..bytes.len().min(at + 4)].utf8_chunks().next().map_or("", |chunk| chunk.valid());
        // Invalid bytes do not end a word.
        let character = valid.chars().next().filter(|&c| parts_words(c));
        let Some(character) = character else { return Some(at) };
        at += character.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use lessons_ledger::Finding;
    use proptest::prelude::*;

    use super::super::{ShingleMatches, ShingleSet};
    use super::*;
    use crate::tag::Tag;
    use crate::transcript::line::{LineRegion, LineSearch};
    use crate::transcript::{InputSource, ModelInput};

    fn question(fix: &str) -> Question {
        let finding = Finding { mistake: "x".into(), fix: fix.into(), ..Finding::default() };
        Question::of_lesson(&Tag { finding, ..Tag::default() })
    }

    /// The numbers of the lines that are split, from 0.
    fn kept(prefilter: &Prefilter, bytes: &[u8]) -> Vec<u64> {
        let mut search = LineSearch::new(bytes, 0);
        let Ok(Some(LineRegion::Lines(lines))) = search.next_region() else { return Vec::new() };
        prefilter.lines(lines, &mut Vec::new()).map(|line| line.number - 1).collect()
    }

    fn sieve_of(fix: &str) -> Prefilter {
        Prefilter::new(iter::once(&question(fix)))
    }

    #[test]
    fn only_lines_with_a_searched_word_are_split_however_it_is_disguised() {
        // The searched words are `without` and `first`.
        let (mistake, fix) = ("pushes without a lock".into(), "lock the table first".into());
        let tag = Tag { finding: Finding { mistake, fix, ..Finding::default() }, ..Tag::default() };
        let prefilter = Prefilter::new(iter::once(&Question::of_lesson(&tag)));
        let text =
            "nothing here\nbe FiRSt\n— … “quoted” ✓ │\nfi\u{200b}rst\n\\u0066irst\npu\u{17f}hes\nunfirstly\n";
        assert_eq!(kept(&prefilter, text.as_bytes()), [1, 3, 4, 5, 6]);
    }

    #[test]
    fn without_an_ascii_word_every_line_is_split() {
        assert_eq!(kept(&sieve_of("日本 語 の 文 字 列"), b"a\nb\n"), [0, 1]);
        assert_eq!(kept(&Prefilter::new(iter::empty()), b"a\nb\n"), [] as [u64; 0]);
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
            let kept = kept(&Prefilter::new(iter::once(&question)), text.as_bytes());
            let (mut all, mut candidates) = (ShingleMatches::new(&set), ShingleMatches::new(&set));
            let counts = || Some(ModelInput { time: None, source: InputSource::Others });
            for (number, line) in (0..).zip(text.split_terminator('\n')) {
                all.scan_line(number, line.as_bytes(), counts);
                if kept.contains(&number) {
                    candidates.scan_line(number, line.as_bytes(), counts);
                }
            }
            for row in question.fields.iter().flat_map(|field| &field.shingles.rows) {
                prop_assert_eq!(all.contains(row), candidates.contains(row));
            }
        }

        #[test]
        fn any_bytes_can_be_scanned(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let lines = [bytes.as_slice(), b"\n"].concat();
            let kept = kept(&sieve_of("lock the table first"), &lines);
            let count = memchr::memchr_iter(b'\n', &lines).count() as u64;
            prop_assert!(kept.is_sorted_by(|one, next| one < next) && kept.iter().all(|number| *number < count));
        }
    }
}
