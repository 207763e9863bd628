//! A position automaton over bytes, which tells whether one pattern matches a text.
//!
//! An [`Automaton`] is used where its bytes are: nothing is parsed or copied. It is a *position automaton*
//! (Glushkov, 1961), run with one bit for each position (Navarro and Raffinot, "Flexible Pattern Matching in
//! Strings", 2002, chapter 5). A *position* is a place in the pattern that takes one byte; a search keeps
//! the set of positions that could take the next byte. The positions that take it have successors, which are the
//! new set. Most positions wait for a byte that does not come, and a machine word holds
//! 64 of them, so a byte of text costs a few instructions, and at worst one visit to each position.
//! Assertions are part of the positions: a position that must be at the end of a word takes no letter.
//! So a search works on sets of positions and nothing else.
//!
//! The bytes, all numbers little-endian. A *set* is `words` times 8 bytes, a bit for each position:
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 1 | the format version, [`FORMAT_VERSION`] |
//! | 1 | 1 | bit 0: every text matches; bit 1: the text is read as [code-point classes](alphabet) |
//! | 2 | 2 | `classes`, how many classes of bytes there are |
//! | 4 | 4 | `words` |
//! | 8 | 4 | `positions` |
//! | 12 | 256 | the class of each byte |
//! | 268 | a set | the positions that can take the first byte |
//! | then | a set | the positions at which the text may end: a match if one of them is still waiting |
//! | then | `classes` sets | the positions that take a byte of that class |
//! | then | 4 × `positions` | the successors of each position: a [`StoredSuccessors`] |
//! | then | the rest | the sets and lists to which a [`StoredSuccessors`] refers, in numbers of 4 bytes |
//!
//! Any bytes are safe: an offset out of range is [`CorruptAutomaton`], never a panic, and no bytes make the
//! search longer than the text times the automaton. Corrupt bytes may give wrong answers,
//! so a reader of a file compares a checksum first.

pub mod alphabet;
pub mod compile;

use std::mem;

pub use alphabet::Alphabet;

/// The format version of the bytes. Raised when the layout or the meaning of a byte changes.
pub const FORMAT_VERSION: u8 = 4;

/// The flags in the second byte.
const ALWAYS: u8 = 1;
const CODE_POINT_CLASSES: u8 = 2;

/// The length of the header before the class of each byte, in bytes.
const HEAD: usize = 12;

/// The error for bytes that no builder wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the automaton of a pattern is damaged")]
pub struct CorruptAutomaton;

/// The successors of a position, stored in 4 bytes: all bits set for [`StoredSuccessors::Match`], the
/// highest bit and the position for [`StoredSuccessors::One`], else the offset of the set in the last numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredSuccessors {
    /// The pattern has matched.
    Match,
    /// One position.
    One(u32),
    /// Several positions. The offset is that of their number, which the positions follow, or of [`WHOLE`], which a set
    /// follows.
    Many(u32),
}

/// The marker before a set, in place of the number of positions.
pub const WHOLE: u32 = u32::MAX;

impl StoredSuccessors {
    const ONE: u32 = 1 << 31;

    /// The stored form. Numbers must be below 2³¹ - 1.
    pub fn to_bytes(self) -> [u8; 4] {
        match self {
            Self::Match => u32::MAX,
            Self::One(position) => position | Self::ONE,
            Self::Many(offset) => offset,
        }
        .to_le_bytes()
    }

    fn of_bytes(bytes: [u8; 4]) -> Self {
        match u32::from_le_bytes(bytes) {
            u32::MAX => Self::Match,
            number if number & Self::ONE != 0 => Self::One(number & !Self::ONE),
            number => Self::Many(number),
        }
    }
}

/// 64 positions, as they are stored.
type Word = [u8; 8];

/// The automaton of a pattern, used where its bytes are.
#[derive(Debug, Clone, Copy)]
pub struct Automaton<'a> {
    always: bool,
    alphabet: Alphabet,
    classes: &'a [u8; 256],
    words: usize,
    first: &'a [Word],
    last: &'a [Word],
    takes: &'a [Word],
    then: &'a [[u8; 4]],
    many: &'a [[u8; 4]],
}

impl<'a> Automaton<'a> {
    /// Parses the automaton that takes up all of `bytes`. Takes constant time; whether
    /// positions and classes are in range is checked when they are used.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CorruptAutomaton> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(CorruptAutomaton)?;
        let &[FORMAT_VERSION, form @ 0..=3, a, b, w0, w1, w2, w3, p0, p1, p2, p3] = head else {
            return Err(CorruptAutomaton);
        };
        let number = |bytes| usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| CorruptAutomaton);
        let (words, positions) = (number([w0, w1, w2, w3])?, number([p0, p1, p2, p3])?);
        let (classes, rest) = rest.split_first_chunk().ok_or(CorruptAutomaton)?;
        let mut rest = rest;
        let mut sets = |count: usize| {
            let length =
                words.checked_mul(8).and_then(|set| set.checked_mul(count)).ok_or(CorruptAutomaton)?;
            let (sets, after) = rest.split_at_checked(length).ok_or(CorruptAutomaton)?;
            rest = after;
            Ok::<&'a [Word], CorruptAutomaton>(sets.as_chunks().0)
        };
        let (first, last) = (sets(1)?, sets(1)?);
        let takes = sets(usize::from(u16::from_le_bytes([a, b])))?;
        let (then, many) = rest
            .split_at_checked(positions.checked_mul(4).ok_or(CorruptAutomaton)?)
            .ok_or(CorruptAutomaton)?;
        let (many, []) = many.as_chunks() else { return Err(CorruptAutomaton) };
        let then = then.as_chunks().0;
        let alphabet =
            if form & CODE_POINT_CLASSES == 0 { Alphabet::Utf8 } else { Alphabet::CodePointClasses };
        Ok(Self { always: form & ALWAYS != 0, alphabet, classes, words, first, last, takes, then, many })
    }

    /// The alphabet in which the automaton reads a text.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// Whether the pattern matches anywhere in `text`, a text of its alphabet. The search ends at the first
    /// match, or when none is possible any more.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, CorruptAutomaton> {
        if self.always {
            return Ok(true);
        }
        let mut waiting: Vec<u64> = self.first.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let mut next = vec![0; self.words];
        for &byte in text {
            let class = usize::from(self.classes[usize::from(byte)]);
            let takes =
                self.takes.get(class * self.words..(class + 1) * self.words).ok_or(CorruptAutomaton)?;
            let mut base = 0;
            for (waiting, takes) in waiting.iter().zip(takes) {
                let mut live = waiting & u64::from_le_bytes(*takes);
                while live != 0 {
                    if self.follow(base + live.trailing_zeros() as usize, &mut next)? {
                        return Ok(true);
                    }
                    live &= live - 1;
                }
                base += 64;
            }
            mem::swap(&mut waiting, &mut next);
            if waiting.iter().all(|word| *word == 0) {
                return Ok(false);
            }
            next.fill(0);
        }
        Ok(waiting.iter().zip(self.last).any(|(waiting, last)| waiting & u64::from_le_bytes(*last) != 0))
    }

    /// Adds the successors of `position` to `next`. Returns whether the pattern has matched.
    #[inline]
    fn follow(&self, position: usize, next: &mut [u64]) -> Result<bool, CorruptAutomaton> {
        match StoredSuccessors::of_bytes(*self.then.get(position).ok_or(CorruptAutomaton)?) {
            StoredSuccessors::Match => return Ok(true),
            StoredSuccessors::One(position) => add(next, position)?,
            StoredSuccessors::Many(offset) => {
                let offset = usize::try_from(offset).map_err(|_| CorruptAutomaton)?;
                let (count, rest) =
                    self.many.get(offset..).and_then(<[_]>::split_first).ok_or(CorruptAutomaton)?;
                match u32::from_le_bytes(*count) {
                    WHOLE => {
                        let set = rest.get(..2 * next.len()).ok_or(CorruptAutomaton)?;
                        for (word, halves) in next.iter_mut().zip(set.as_chunks::<2>().0) {
                            let [low, high] = halves.map(u32::from_le_bytes);
                            *word |= u64::from(low) | u64::from(high) << 32;
                        }
                    }
                    count => {
                        let count = usize::try_from(count).map_err(|_| CorruptAutomaton)?;
                        for position in rest.get(..count).ok_or(CorruptAutomaton)? {
                            add(next, u32::from_le_bytes(*position))?;
                        }
                    }
                }
            }
        }
        Ok(false)
    }
}

fn add(set: &mut [u64], position: u32) -> Result<(), CorruptAutomaton> {
    let word =
        usize::try_from(position / 64).ok().and_then(|word| set.get_mut(word)).ok_or(CorruptAutomaton)?;
    *word |= 1 << (position % 64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab`, anywhere, or `c` at the end of the text: position 0 takes any byte and comes back, 1 takes `a`,
    /// 2 takes `b`, 3 takes `c`, 4 nothing.
    fn sample() -> Vec<u8> {
        let mut bytes = vec![FORMAT_VERSION, 0, 4, 0, 1, 0, 0, 0, 5, 0, 0, 0];
        let mut classes = [0; 256];
        classes[usize::from(b'a')] = 1;
        classes[usize::from(b'b')] = 2;
        classes[usize::from(b'c')] = 3;
        bytes.extend(classes);
        let sets: [u64; 6] = [0b1011, 0b1_0000, 0b0001, 0b0011, 0b0101, 0b1001];
        bytes.extend(sets.iter().flat_map(|set| set.to_le_bytes()));
        let then = [
            StoredSuccessors::Many(0),
            StoredSuccessors::One(2),
            StoredSuccessors::Match,
            StoredSuccessors::One(4),
            StoredSuccessors::One(0),
        ];
        bytes.extend(then.iter().flat_map(|then| then.to_bytes()));
        bytes.extend([3_u32, 0, 1, 3].iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    fn is_match(bytes: &[u8], text: &str) -> Result<bool, CorruptAutomaton> {
        Automaton::parse(bytes)?.is_match(text.as_bytes())
    }

    #[test]
    fn a_text_is_followed_to_its_first_match_or_its_end() {
        for (text, expected) in
            [("", false), ("xabx", true), ("xa", false), ("aab", true), ("xc", true), ("cx", false)]
        {
            assert_eq!(is_match(&sample(), text), Ok(expected), "{text}");
        }
        let mut always = sample();
        always[1] = 1;
        assert_eq!(is_match(&always, ""), Ok(true));
    }

    #[test]
    fn what_follows_may_be_given_as_a_set() {
        let mut bytes = sample();
        bytes.truncate(bytes.len() - 16);
        bytes.extend([WHOLE, 0b1011, 0].iter().flat_map(|number| number.to_le_bytes()));
        assert_eq!(is_match(&bytes, "xab"), Ok(true));
        assert_eq!(is_match(&bytes, "xbxa"), Ok(false));
        bytes.truncate(bytes.len() - 4);
        assert_eq!(is_match(&bytes, "xab"), Err(CorruptAutomaton), "half a set");
    }

    #[test]
    fn what_does_not_fit_is_damaged() {
        let whole = sample();
        for length in 0..whole.len() - 16 {
            assert!(Automaton::parse(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(Automaton::parse(&whole[..whole.len() - 1]).is_err(), "a part of a number");
        let with = |at: usize, byte: u8| {
            let mut bytes = sample();
            bytes[at] = byte;
            bytes
        };
        assert_eq!(is_match(&with(0, 1), "a"), Err(CorruptAutomaton), "another form");
        assert_eq!(is_match(&with(12 + 97, 4), "a"), Err(CorruptAutomaton), "no such class");
        let then = 12 + 256 + 6 * 8;
        assert_eq!(is_match(&with(then + 4, 64), "ab"), Err(CorruptAutomaton), "no such position");
        assert_eq!(is_match(&with(then, 9), "a"), Err(CorruptAutomaton), "no such list");
        assert_eq!(is_match(&with(then + 20, 9), "a"), Err(CorruptAutomaton), "a list that is too long");
    }
}
