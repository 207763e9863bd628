//! The set of shingles that are searched, and their matches in a file.

use std::collections::{BTreeSet, HashMap, HashSet};

use memchr::{memchr, memrchr};

use super::query::Question;
use super::shingles::{comparable, words};
use crate::transcript::timestamp::Timestamp;
use crate::transcript::{InputSource, ModelInput};

/// The bytes before a piece in which a shingle may begin that goes on in it, and the longest word that does.
const OVERLAP: usize = 4 << 10;
/// The bytes that are made comparable at once.
const PART: usize = 64 << 10;

/// A set of shingles to search for.
#[derive(Debug, Default)]
pub struct ShingleSet {
    wanted: HashSet<String>,
    /// The last words of the wanted shingles: after any other word nothing is compared. Every word is looked up in these
    /// few, which takes a hash table longer.
    last_words: BTreeSet<String>,
    /// The lengths of the wanted shingles, in words, each once.
    lengths: BTreeSet<usize>,
}

impl ShingleSet {
    /// Adds the shingles of a query.
    pub fn add(&mut self, question: &Question) {
        for shingles in question.fields.iter().map(|field| &field.shingles) {
            self.lengths.insert(shingles.length);
            self.wanted.extend(shingles.rows.iter().cloned());
            let last = shingles.rows.iter().filter_map(|row| row.rsplit(' ').next());
            self.last_words.extend(last.map(str::to_owned));
        }
    }

    /// Those of the shingles that stand in some bytes.
    fn found_in(&self, bytes: &[u8]) -> HashSet<String> {
        let comparable = comparable(bytes);
        let words = words(&comparable);
        let ends = (1..=words.len()).filter(|end| self.last_words.contains(words[end - 1]));
        let starts =
            |end: usize| self.lengths.iter().filter_map(move |length| Some((end.checked_sub(*length)?, end)));
        let rows = ends.flat_map(starts).map(|(start, end)| words[start..end].join(" "));
        rows.filter(|row| self.wanted.contains(row)).collect()
    }
}

/// The first place in a file where a shingle stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstMatch {
    /// The offset of the line, in bytes.
    pub offset: u64,
    /// The earliest time of any line that holds the shingle.
    pub time: Timestamp,
}

/// The matches of a shingle set in one file.
#[derive(Debug)]
pub struct ShingleMatches<'e> {
    set: &'e ShingleSet,
    /// Those in words of each source.
    first: HashMap<String, Vec<(InputSource, FirstMatch)>>,
    /// The end of the last piece, and the offset of its line.
    piece: (u64, Vec<u8>),
}

impl<'e> ShingleMatches<'e> {
    /// A search that has seen nothing yet.
    pub fn new(set: &'e ShingleSet) -> Self {
        Self { set, first: HashMap::new(), piece: (0, Vec::new()) }
    }

    /// Searches bytes of the line at `offset`, which hold the words of others. A line may come in pieces, and ends with
    /// [`end_line`](Self::end_line). Nothing says its time, so it counts as older than every other.
    pub fn scan_piece(&mut self, offset: u64, bytes: &[u8]) {
        if offset != self.piece.0 {
            self.end_line();
        }
        let mut held = std::mem::take(&mut self.piece.1);
        for part in bytes.chunks(PART) {
            held.extend_from_slice(part);
            // A word may go on in the next part.
            let end = memrchr(b' ', &held).map_or(0, |at| at + 1);
            let end = if held.len() - end > OVERLAP { held.len() } else { end };
            self.note(offset, self.set.found_in(&held[..end]), ModelInput::default());
            let from = end.saturating_sub(OVERLAP);
            let space = memchr(b' ', &held[from..end]).filter(|_| from > 0);
            held.drain(..from + space.unwrap_or(0));
        }
        self.piece = (offset, held);
    }

    /// Ends the line that came in pieces.
    pub fn end_line(&mut self) {
        let (offset, held) = std::mem::take(&mut self.piece);
        self.note(offset, self.set.found_in(&held), ModelInput::default());
    }

    /// Searches the whole line at `offset`. `read` is called only where a shingle matches, and says as what input of the
    /// model the line counts; `None` where the model wrote it itself, or never saw it.
    pub fn scan_line(&mut self, offset: u64, bytes: &[u8], read: impl FnOnce() -> Option<ModelInput>) {
        let mut found = HashSet::new();
        if bytes.len() <= PART {
            found = self.set.found_in(bytes);
        } else {
            let mut line = Self::new(self.set);
            line.scan_piece(offset, bytes);
            line.end_line();
            found.extend(line.first.into_keys());
        }
        if let Some(input) = (!found.is_empty()).then(read).flatten() {
            self.note(offset, found, input);
        }
    }

    fn note(&mut self, offset: u64, found: impl IntoIterator<Item = String>, input: ModelInput) {
        let here = FirstMatch { offset, time: input.time.unwrap_or(Timestamp::START) };
        for row in found {
            let known = self.first.entry(row).or_default();
            match known.iter_mut().find(|(source, _)| *source == input.source) {
                Some((_, first)) => first.time = first.time.min(here.time),
                None => known.push((input.source, here)),
            }
        }
    }

    /// Whether a shingle stands in this file.
    pub fn contains(&self, row: &str) -> bool {
        self.first.contains_key(row)
    }

    /// Where a shingle stands first in words of each of these sources.
    pub fn first(&self, row: &str, sources: &[InputSource]) -> impl Iterator<Item = &FirstMatch> {
        let known = self.first.get(row).into_iter().flatten();
        known.filter(|(source, _)| sources.contains(source)).map(|(_, first)| first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shingles::Shingles;
    use super::*;

    #[test]
    fn earlier_is_by_offset_in_the_same_file_and_by_time_in_another() {
        let text = "one two three four five";
        let row = Shingles::of(text).rows.remove(0);
        let mut set = ShingleSet::default();
        set.add(&Question::of_name(text));
        let mut matches = ShingleMatches::new(&set);
        let at = |second: u64| Timestamp::parse(&format!("2026-01-01T00:00:0{second}Z"));
        for (offset, second, bytes) in
            [(0, 5, "nothing"), (10, 7, "one two three"), (20, 3, text), (90, 1, text)]
        {
            let input = ModelInput { time: at(second), source: InputSource::Others };
            matches.scan_line(offset, bytes.as_bytes(), || Some(input));
        }
        let all = &InputSource::ALL;
        let first: Vec<_> = matches.first(&row, all).collect();
        assert_eq!(first, [&FirstMatch { offset: 20, time: at(1).unwrap() }]);
    }

    #[test]
    fn what_a_person_typed_is_kept_apart_from_what_others_said() {
        let text = "one two three four five";
        let row = Shingles::of(text).rows.remove(0);
        let mut set = ShingleSet::default();
        set.add(&Question::of_name(text));
        let mut matches = ShingleMatches::new(&set);
        for (offset, source) in [(0, InputSource::Session), (30, InputSource::Others)] {
            matches.scan_line(offset, text.as_bytes(), || Some(ModelInput { time: None, source }));
        }
        let offsets = |sources: &[InputSource]| -> Vec<u64> {
            matches.first(&row, sources).map(|first| first.offset).collect()
        };
        assert_eq!(offsets(&InputSource::ALL), [0, 30]);
        assert_eq!(offsets(&[InputSource::Others]), [30]);
    }

    #[test]
    fn words_of_two_lines_make_no_row_and_those_of_two_pieces_do() {
        let question = Question::of_name("one two three four five");
        let mut set = ShingleSet::default();
        set.add(&question);
        let heard = |second: u64| {
            let mut matches = ShingleMatches::new(&set);
            matches.scan_piece(0, b"one two thr");
            matches.scan_piece(second, b"ee four five");
            matches.end_line();
            question.is_echo(|row| matches.contains(row))
        };
        assert!(heard(0) && !heard(20));
    }
}
