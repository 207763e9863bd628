//! Whether one pattern matches a text, answered from bytes that a builder wrote before.
//!
//! An [`Automaton`] is used where it lies: nothing is parsed or copied. It is a *position automaton*
//! (Glushkov, 1961), run with one bit for each position (Navarro and Raffinot, "Flexible Pattern Matching in
//! Strings", 2002, chapter 5). A *position* is a place in the pattern that takes one byte; a search holds
//! the set of positions that could take the next one. Those of them that do take it lead to others; the
//! new set is what they lead to. Most positions wait for a byte that does not come, and a machine word holds
//! 64 of them, so a byte of text costs a few instructions, and at worst one visit to each position.
//! What a pattern asserts of the bytes around a place is part of the positions: one that must stand at the
//! end of a word takes no letter. So there is nothing but sets when it runs.
//!
//! The bytes, all numbers little-endian. A *set* is `words` times 8 bytes, a bit for each position:
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 1 | the form of what follows, [`FORM`] |
//! | 1 | 1 | bit 0: every text matches; bit 1: it reads [code-point classes](alphabet) |
//! | 2 | 2 | `classes`, how many classes of bytes there are |
//! | 4 | 4 | `words` |
//! | 8 | 4 | `positions` |
//! | 12 | 256 | the class of each byte |
//! | 268 | a set | what can take the first byte |
//! | then | a set | where the text may end: a match if one of these is still waiting |
//! | then | `classes` sets | what takes a byte of that class |
//! | then | 4 × `positions` | what follows each position: a [`Then`] |
//! | then | the rest | the sets and lists that a [`Then`] names, in numbers of 4 bytes |
//!
//! Any bytes at all are safe: what lies outside is [`Damaged`], never a panic, and no bytes make the
//! search longer than the text times the automaton. Other bytes than a builder's may give other answers,
//! so who reads them from a file compares a sum first.

pub mod alphabet;
pub mod compile;

use std::mem;

pub use alphabet::Alphabet;

/// The form that is written and read. Raised when the layout or the meaning of a byte changes.
pub const FORM: u8 = 4;

/// The bits of the second byte.
const ALWAYS: u8 = 1;
const CODE_POINT_CLASSES: u8 = 2;

/// The bytes before the classes.
const HEAD: usize = 12;

/// The bytes of an automaton are not what a builder writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the automaton of a pattern is damaged")]
pub struct Damaged;

/// What follows where a position has taken its byte, in 4 bytes: all bits set for [`Then::Match`], the
/// highest one and the position for [`Then::One`], else where the set is among the last numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The pattern has matched.
    Match,
    /// One position.
    One(u32),
    /// Several. There is their number, and then each; or [`WHOLE`], and then a set.
    Many(u32),
}

/// Stands before a set where otherwise the number of positions would stand.
pub const WHOLE: u32 = u32::MAX;

impl Then {
    const ONE: u32 = 1 << 31;

    /// As it is stored. Numbers must be below 2³¹ - 1.
    pub fn to_bytes(self) -> [u8; 4] {
        match self {
            Self::Match => u32::MAX,
            Self::One(position) => position | Self::ONE,
            Self::Many(place) => place,
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

/// A pattern, ready to match.
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
    /// The automaton that `bytes` hold, all of them. Takes the same time however many they are; whether
    /// positions and classes are in range is checked when they are used.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(Damaged)?;
        let &[FORM, form @ 0..=3, a, b, w0, w1, w2, w3, p0, p1, p2, p3] = head else {
            return Err(Damaged);
        };
        let number = |bytes| usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| Damaged);
        let (words, positions) = (number([w0, w1, w2, w3])?, number([p0, p1, p2, p3])?);
        let (classes, rest) = rest.split_first_chunk().ok_or(Damaged)?;
        let mut rest = rest;
        let mut sets = |count: usize| {
            let length = words.checked_mul(8).and_then(|set| set.checked_mul(count)).ok_or(Damaged)?;
            let (sets, after) = rest.split_at_checked(length).ok_or(Damaged)?;
            rest = after;
            Ok::<&'a [Word], Damaged>(sets.as_chunks().0)
        };
        let (first, last) = (sets(1)?, sets(1)?);
        let takes = sets(usize::from(u16::from_le_bytes([a, b])))?;
        let (then, many) = rest.split_at_checked(positions.checked_mul(4).ok_or(Damaged)?).ok_or(Damaged)?;
        let (many, []) = many.as_chunks() else { return Err(Damaged) };
        let then = then.as_chunks().0;
        let alphabet =
            if form & CODE_POINT_CLASSES == 0 { Alphabet::Utf8 } else { Alphabet::CodePointClasses };
        Ok(Self { always: form & ALWAYS != 0, alphabet, classes, words, first, last, takes, then, many })
    }

    /// Which bytes of a text it reads.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// Whether the pattern matches anywhere in `text`, a text of its alphabet. The search ends at the first
    /// match, or where none can come any more.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, Damaged> {
        if self.always {
            return Ok(true);
        }
        let mut waiting: Vec<u64> = self.first.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let mut next = vec![0; self.words];
        for &byte in text {
            let class = usize::from(self.classes[usize::from(byte)]);
            let takes = self.takes.get(class * self.words..(class + 1) * self.words).ok_or(Damaged)?;
            let mut base = 0;
            for (waiting, takes) in waiting.iter().zip(takes) {
                let mut live = waiting & u64::from_le_bytes(*takes);
                while live != 0 {
                    if self.follow(base + live.trailing_zeros() as usize, &mut next)? == Reached::Match {
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

    /// Adds to `next` what follows `position`.
    #[inline]
    fn follow(&self, position: usize, next: &mut [u64]) -> Result<Reached, Damaged> {
        match Then::of_bytes(*self.then.get(position).ok_or(Damaged)?) {
            Then::Match => return Ok(Reached::Match),
            Then::One(position) => add(next, position)?,
            Then::Many(place) => {
                let place = usize::try_from(place).map_err(|_| Damaged)?;
                let (count, rest) = self.many.get(place..).and_then(<[_]>::split_first).ok_or(Damaged)?;
                match u32::from_le_bytes(*count) {
                    WHOLE => {
                        let set = rest.get(..2 * next.len()).ok_or(Damaged)?;
                        for (word, halves) in next.iter_mut().zip(set.as_chunks::<2>().0) {
                            let [low, high] = halves.map(u32::from_le_bytes);
                            *word |= u64::from(low) | u64::from(high) << 32;
                        }
                    }
                    count => {
                        let count = usize::try_from(count).map_err(|_| Damaged)?;
                        for position in rest.get(..count).ok_or(Damaged)? {
                            add(next, u32::from_le_bytes(*position))?;
                        }
                    }
                }
            }
        }
        Ok(Reached::More)
    }
}

/// Where a byte has led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// To a match.
    Match,
    /// To other positions.
    More,
}

fn add(set: &mut [u64], position: u32) -> Result<(), Damaged> {
    let word = usize::try_from(position / 64).ok().and_then(|word| set.get_mut(word)).ok_or(Damaged)?;
    *word |= 1 << (position % 64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab`, anywhere, or `c` at the end of the text: position 0 takes any byte and comes back, 1 takes `a`,
    /// 2 takes `b`, 3 takes `c`, 4 nothing.
    fn sample() -> Vec<u8> {
        let mut bytes = vec![FORM, 0, 4, 0, 1, 0, 0, 0, 5, 0, 0, 0];
        let mut classes = [0; 256];
        classes[usize::from(b'a')] = 1;
        classes[usize::from(b'b')] = 2;
        classes[usize::from(b'c')] = 3;
        bytes.extend(classes);
        let sets: [u64; 6] = [0b1011, 0b1_0000, 0b0001, 0b0011, 0b0101, 0b1001];
        bytes.extend(sets.iter().flat_map(|set| set.to_le_bytes()));
        let then = [Then::Many(0), Then::One(2), Then::Match, Then::One(4), Then::One(0)];
        bytes.extend(then.iter().flat_map(|then| then.to_bytes()));
        bytes.extend([3_u32, 0, 1, 3].iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    fn is_match(bytes: &[u8], text: &str) -> Result<bool, Damaged> {
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
        assert_eq!(is_match(&bytes, "xab"), Err(Damaged), "half a set");
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
        assert_eq!(is_match(&with(0, 1), "a"), Err(Damaged), "another form");
        assert_eq!(is_match(&with(12 + 97, 4), "a"), Err(Damaged), "no such class");
        let then = 12 + 256 + 6 * 8;
        assert_eq!(is_match(&with(then + 4, 64), "ab"), Err(Damaged), "no such position");
        assert_eq!(is_match(&with(then, 9), "a"), Err(Damaged), "no such list");
        assert_eq!(is_match(&with(then + 20, 9), "a"), Err(Damaged), "a list that is too long");
    }
}
