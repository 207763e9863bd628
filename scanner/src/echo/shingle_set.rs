//! Listening to what was put before the model.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::Question;
use super::prefilter::Prefilter;
use super::shingles::{Hash, WordHasher, WordWindow};
use crate::timestamp::Timestamp;

type ShingleHashes = HashSet<Hash, BuildHasherDefault<IdentityHasher>>;

/// The shingles that are listened for.
#[derive(Debug, Default)]
pub struct ShingleSet {
    wanted: ShingleHashes,
    /// The lengths of the rows that are wanted, each once.
    lengths: Vec<usize>,
    /// Words of which each row that is wanted holds one.
    words: BTreeSet<String>,
    /// Whether some row has no such word.
    is_without: bool,
}

impl ShingleSet {
    /// Listens for these as well.
    pub fn add(&mut self, question: &Question) {
        for field in &question.fields {
            if !self.lengths.contains(&field.shingles.length) {
                self.lengths.push(field.shingles.length);
            }
            self.wanted.extend(&field.shingles.rows);
            self.is_without |= field.words.is_none();
            self.words.extend(field.words.iter().flatten().cloned());
        }
    }

    /// What finds the lines that can hold any of it.
    pub fn prefilter(&self) -> Prefilter {
        Prefilter::new((!self.is_without).then(|| self.words.iter().map(String::as_str).collect()))
    }
}

/// Where in a file something was heard for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FirstMatch {
    /// The line, by its offset.
    offset: u64,
    /// The earliest time of a line that holds it.
    time: Timestamp,
}

/// What was heard in one file.
#[derive(Debug)]
pub struct ShingleMatches<'e> {
    set: &'e ShingleSet,
    words: WordHasher,
    first: HashMap<Hash, FirstMatch>,
    /// What was heard in the line that has not ended.
    open: ShingleHashes,
    offset: u64,
    time: Timestamp,
}

impl<'e> ShingleMatches<'e> {
    /// Nothing yet.
    pub fn new(set: &'e ShingleSet) -> Self {
        Self {
            set,
            words: WordHasher::new(),
            first: HashMap::new(),
            open: ShingleHashes::default(),
            offset: 0,
            time: Timestamp::START,
        }
    }

    /// Hears bytes of the line at `offset`. A line may come in pieces; one without a time may have been there all
    /// along.
    pub fn scan_piece(&mut self, offset: u64, time: Option<Timestamp>, bytes: &[u8]) {
        if offset != self.offset {
            self.end_line();
        }
        self.offset = offset;
        self.time = time.unwrap_or(Timestamp::START);
        self.take(bytes);
    }

    /// Hears the whole line at `offset`. Only where something is heard, `when` is asked whether the line counts:
    /// `None` where it does not, else when it was.
    pub fn scan_line(&mut self, offset: u64, bytes: &[u8], when: impl FnOnce() -> Option<Option<Timestamp>>) {
        self.end_line();
        self.offset = offset;
        self.take(bytes);
        self.end_words();
        if self.open.is_empty() {
            return;
        }
        match when() {
            Some(time) => self.time = time.unwrap_or(Timestamp::START),
            None => self.open.clear(),
        }
        self.end_line();
    }

    /// The last line has ended.
    pub fn end_line(&mut self) {
        self.end_words();
        let here = FirstMatch { offset: self.offset, time: self.time };
        for row in self.open.drain() {
            let known = self.first.entry(row).or_insert(here);
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

    /// Whether a row was heard before the line at `offset` of this file.
    pub fn is_before_line(&self, row: u64, offset: u64) -> bool {
        self.first.get(&row).is_some_and(|first| first.offset < offset)
    }

    /// Whether a row was heard in this file at all.
    pub fn contains(&self, row: u64) -> bool {
        self.first.contains_key(&row)
    }

    /// Whether a row was heard in this file up to `time`.
    pub fn is_by(&self, row: u64, time: Timestamp) -> bool {
        self.first.get(&row).is_some_and(|first| first.time <= time)
    }
}

fn note(set: &ShingleSet, open: &mut ShingleHashes, window: &WordWindow) {
    let rows = set.lengths.iter().filter_map(|&length| window.row(length));
    open.extend(rows.filter(|row| set.wanted.contains(row)));
}

/// Hashes what is a hash already. What it holds are the few rows of the blocks that are asked about,
/// so there is nothing to gain by making them collide.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::super::shingles::Shingles;
    use super::*;

    #[test]
    fn earlier_is_by_offset_in_the_same_file_and_by_time_in_another() {
        let text = "one two three four five";
        let row = Shingles::of(text).rows[0];
        let mut set = ShingleSet::default();
        set.add(&Question::of_name(text));
        let mut matches = ShingleMatches::new(&set);
        let at = |second: u64| Timestamp::parse(&format!("2026-01-01T00:00:0{second}Z"));
        for (offset, second, bytes) in
            [(0, 5, "nothing"), (10, 7, "one two three"), (20, 3, text), (90, 1, text)]
        {
            matches.scan_piece(offset, at(second), bytes.as_bytes());
        }
        matches.end_line();
        assert!(!matches.is_before_line(row, 20));
        assert!(matches.is_before_line(row, 21));
        assert!(matches.is_by(row, at(1).unwrap()) && !matches.is_by(row, Timestamp::START));
    }

    #[test]
    fn words_of_two_lines_make_no_row_and_those_of_two_pieces_do() {
        let question = Question::of_name("one two three four five");
        let mut set = ShingleSet::default();
        set.add(&question);
        let heard = |second: u64| {
            let mut matches = ShingleMatches::new(&set);
            matches.scan_piece(0, None, b"one two thr");
            matches.scan_piece(second, None, b"ee four five");
            matches.end_line();
            question.is_echo(|row| matches.contains(row))
        };
        assert!(heard(0) && !heard(20));
    }
}
