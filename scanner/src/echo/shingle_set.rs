//! The set of shingles that are searched, and their matches in a file.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::query::Question;
use super::shingles::{Hash, WordHasher, WordWindow};
use crate::transcript::timestamp::Timestamp;
use crate::transcript::{InputSource, ModelInput};

/// A set of shingles to search for.
#[derive(Debug, Default)]
pub struct ShingleSet {
    wanted: HashSet<Hash>,
    /// The last words of the wanted shingles: after any other word nothing is compared. Every word is looked up in
    /// these few, which takes a hash table longer.
    last_words: BTreeSet<Hash>,
    /// The lengths of the wanted shingles, in words, each once.
    lengths: Vec<usize>,
}

impl ShingleSet {
    /// Adds the shingles of a query.
    pub fn add(&mut self, question: &Question) {
        for field in &question.fields {
            if !self.lengths.contains(&field.shingles.length) {
                self.lengths.push(field.shingles.length);
            }
            self.wanted.extend(field.shingles.rows());
            self.last_words.extend(field.shingles.windows.iter().map(WordWindow::last_word));
        }
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
    words: WordHasher,
    /// Those in words of each source.
    first: HashMap<(InputSource, Hash), FirstMatch>,
    /// The matches in the line that has not ended, where it stands, and as what it counts.
    open: HashSet<Hash>,
    offset: u64,
    input: ModelInput,
}

impl<'e> ShingleMatches<'e> {
    /// A search that has seen nothing yet.
    pub fn new(set: &'e ShingleSet) -> Self {
        Self {
            set,
            words: WordHasher::default(),
            first: HashMap::new(),
            open: HashSet::new(),
            offset: 0,
            input: ModelInput::default(),
        }
    }

    /// Searches bytes of the line at `offset`, which hold the words of others. A line may come in pieces. Nothing says its
    /// time, so it counts as older than every other.
    pub fn scan_piece(&mut self, offset: u64, bytes: &[u8]) {
        if offset != self.offset {
            self.end_line();
        }
        (self.offset, self.input) = (offset, ModelInput::default());
        self.take(bytes);
    }

    /// Searches the whole line at `offset`. `read` is called only where a shingle matches, and says as what input of the
    /// model the line counts; `None` where the model wrote it itself, or never saw it.
    pub fn scan_line(&mut self, offset: u64, bytes: &[u8], read: impl FnOnce() -> Option<ModelInput>) {
        self.end_line();
        self.offset = offset;
        self.take(bytes);
        self.end_words();
        if self.open.is_empty() {
            return;
        }
        match read() {
            Some(input) => self.input = input,
            None => self.open.clear(),
        }
        self.end_line();
    }

    /// Ends the current line.
    pub fn end_line(&mut self) {
        self.end_words();
        let ModelInput { time, source } = self.input;
        let here = FirstMatch { offset: self.offset, time: time.unwrap_or(Timestamp::START) };
        for row in self.open.drain() {
            let known = self.first.entry((source, row)).or_insert(here);
            known.time = known.time.min(here.time);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let Self { set, words, open, .. } = self;
        words.take(bytes, &mut |window| note(set, open, window));
    }

    fn end_words(&mut self) {
        let Self { set, words, open, .. } = self;
        words.end(&mut |window| note(set, open, window));
    }

    /// Whether a shingle stands in this file.
    pub fn contains(&self, row: u64) -> bool {
        self.first(row, &InputSource::ALL).next().is_some()
    }

    /// Where a shingle stands first in words of each of these sources.
    pub fn first(&self, row: u64, sources: &[InputSource]) -> impl Iterator<Item = &FirstMatch> {
        sources.iter().filter_map(move |source| self.first.get(&(*source, row)))
    }
}

fn note(set: &ShingleSet, open: &mut HashSet<Hash>, window: &WordWindow) {
    if !set.last_words.contains(&window.last_word()) {
        return;
    }
    let rows = set.lengths.iter().filter_map(|&length| window.row(length));
    open.extend(rows.filter(|row| set.wanted.contains(row)));
}

#[cfg(test)]
mod tests {
    use super::super::shingles::Shingles;
    use super::*;

    #[test]
    fn earlier_is_by_offset_in_the_same_file_and_by_time_in_another() {
        let text = "one two three four five";
        let row = Shingles::of(text).rows().next().unwrap();
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
        matches.end_line();
        let all = &InputSource::ALL;
        let first: Vec<_> = matches.first(row, all).collect();
        assert_eq!(first, [&FirstMatch { offset: 20, time: at(1).unwrap() }]);
    }

    #[test]
    fn what_a_person_typed_is_kept_apart_from_what_others_said() {
        let text = "one two three four five";
        let row = Shingles::of(text).rows().next().unwrap();
        let mut set = ShingleSet::default();
        set.add(&Question::of_name(text));
        let mut matches = ShingleMatches::new(&set);
        for (offset, source) in [(0, InputSource::Session), (30, InputSource::Others)] {
            matches.scan_line(offset, text.as_bytes(), || Some(ModelInput { time: None, source }));
        }
        let offsets = |sources: &[InputSource]| -> Vec<u64> {
            matches.first(row, sources).map(|first| first.offset).collect()
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
