//! Hints: for each of many conditions, words that stand near each other in every text that satisfies it.
//!
//! Hardly any text has them, and one pass over the text tells. So the patterns of a condition are neither compiled nor
//! run for most texts, however long they are.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};

/// Words of several groups, near each other. A table names its groups one after the other:
/// `near(40).words("hide|hides").parts("user")`.
#[derive(Debug)]
pub(super) struct Hint {
    /// The most bytes of the folded text from the start of the first of the words to the end of the last one.
    within: usize,
    /// The groups, one word of each of which is needed, in any order. The last ones may be unused.
    groups: [Group; MOST_GROUPS],
    /// The number of groups in use.
    used: usize,
}

const MOST_GROUPS: usize = 3;

/// Words, separated by bars, of which one is needed.
#[derive(Debug, Clone, Copy)]
struct Group {
    words: &'static str,
    /// Whether no letter, digit or underscore may stand before or after them.
    is_whole: bool,
}

/// A word of each group within so many bytes.
pub(super) const fn near(within: usize) -> Hint {
    Hint { within, groups: [Group { words: "", is_whole: false }; MOST_GROUPS], used: 0 }
}

/// A word of each group, wherever they stand.
pub(super) const fn anywhere() -> Hint {
    near(usize::MAX)
}

impl Hint {
    /// With one more group, of whole words.
    pub(super) const fn words(self, words: &'static str) -> Self {
        self.and(Group { words, is_whole: true })
    }

    /// With one more group, of parts of words too.
    pub(super) const fn parts(self, words: &'static str) -> Self {
        self.and(Group { words, is_whole: false })
    }

    const fn and(mut self, group: Group) -> Self {
        self.groups[self.used] = group;
        self.used += 1;
        self
    }
}

/// A group of one hint of one condition.
#[derive(Debug)]
struct PlacedGroup {
    /// The number of the condition.
    condition: usize,
    within: usize,
    is_whole: bool,
    /// The numbers of all groups of the hint.
    hint: Range<usize>,
}

/// A search for the hints of all conditions at once.
#[derive(Debug)]
pub(super) struct Hints<A> {
    search: A,
    /// The state before the first byte of a text.
    start: StateID,
    /// The groups that each word is in.
    of_words: Vec<Vec<usize>>,
    groups: Vec<PlacedGroup>,
    /// The number of conditions.
    conditions: usize,
}

impl<A: Automaton> Hints<A> {
    /// Compiles the hints of each condition, of which one is enough, into an automaton that `compile` makes of their words.
    pub(super) fn new<E>(
        hints: impl Iterator<Item = &'static [Hint]>,
        compile: impl FnOnce(Vec<&'static str>) -> Result<A, E>,
    ) -> Option<Self> {
        let mut of_words: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        let (mut groups, mut conditions) = (Vec::new(), 0);
        for hints in hints {
            for hint in hints {
                let numbers = groups.len()..groups.len() + hint.used;
                for (number, group) in numbers.clone().zip(&hint.groups) {
                    for word in group.words.split('|') {
                        of_words.entry(word).or_default().push(number);
                    }
                    groups.push(PlacedGroup {
                        condition: conditions,
                        within: hint.within,
                        is_whole: group.is_whole,
                        hint: numbers.clone(),
                    });
                }
            }
            conditions += 1;
        }
        let search = compile(of_words.keys().copied().collect()).ok()?;
        let start = search.start_state(Anchored::No).ok()?;
        Some(Self { search, start, of_words: of_words.into_values().collect(), groups, conditions })
    }

    /// Whether each of the conditions has a hint in `text`, in their order.
    pub(super) fn in_text(&self, text: &str) -> Vec<bool> {
        let mut hinted = vec![false; self.conditions];
        self.any(text, |condition| {
            hinted[condition] = true;
            false
        });
        hinted
    }

    /// Whether any of the conditions has a hint in `text`.
    pub(super) fn is_any_in(&self, text: &str) -> bool {
        self.any(text, |_| true)
    }

    /// Whether `is_enough` of the number of one of the conditions that have a hint in `text`, of which each place is asked.
    fn any(&self, text: &str, mut is_enough: impl FnMut(usize) -> bool) -> bool {
        // The start of the last word of each group. Words are found in the order of their ends.
        let mut starts = vec![None; self.groups.len()];
        let mut state = self.start;
        for (end, byte) in (1..).zip(text.bytes()) {
            state = self.search.next_state(Anchored::No, state, byte);
            let ending = if self.search.is_match(state) { self.search.match_len(state) } else { 0 };
            for word in (0..ending).map(|index| self.search.match_pattern(state, index)) {
                let range = end - self.search.pattern_len(word)..end;
                let is_whole = is_whole(text.as_bytes(), &range);
                for &number in &self.of_words[word.as_usize()] {
                    let group = &self.groups[number];
                    if group.is_whole && !is_whole {
                        continue;
                    }
                    starts[number] = Some(range.start);
                    let is_near =
                        |start: &Option<usize>| start.is_some_and(|start| end - start <= group.within);
                    if starts[group.hint.clone()].iter().all(is_near) && is_enough(group.condition) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Whether a word goes on neither before nor after a range.
fn is_whole(text: &[u8], range: &Range<usize>) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let before = range.start.checked_sub(1).and_then(|before| text.get(before));
    !is_word(before) && !is_word(text.get(range.end))
}
