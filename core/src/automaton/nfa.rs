//! The program: all ways through a pattern at once.
//!
//! A *place* is the number of an instruction, and a search holds a set of places. Where the text goes on
//! with a byte, every [`Do::Byte`] that allows it hands over to the instruction that it names; the other
//! instructions take no byte and hand over at once. A place is in the set once, so a byte costs at most
//! one visit to each instruction, whatever the pattern.
//!
//! A search starts with the first instruction at the start of the text. A program that may match further
//! on begins with one that takes any byte and comes back to itself.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use super::Damaged;

/// The bytes of one instruction.
pub const INSTRUCTION_BYTES: usize = 6;
/// One more than the largest number of an instruction: three bytes hold it.
pub const MAX_INSTRUCTIONS: u32 = 1 << 24;

/// Set in the first byte of an instruction if the one after it is another way.
const OR_FOLLOWING: u8 = 0x80;

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Do {
    /// The pattern has matched.
    Match,
    /// Takes one byte, from the first to the last of these.
    Byte(u8, u8),
    /// Goes on at once.
    Go,
    /// Goes on if the assertion holds.
    Look(Look),
}

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub act: Do,
    /// The instruction that follows when that succeeds.
    pub next: u32,
    /// Whether the instruction after this one is another way from here.
    pub or_following: bool,
}

impl Instruction {
    /// As it is stored. `next` must be below [`MAX_INSTRUCTIONS`].
    pub fn to_bytes(&self) -> [u8; INSTRUCTION_BYTES] {
        let (kind, low, high) = match self.act {
            Do::Match => (0, 0, 0),
            Do::Byte(low, high) => (1, low, high),
            Do::Go => (2, 0, 0),
            Do::Look(look) => (3, look as u8, 0),
        };
        let [a, b, c, _] = self.next.to_le_bytes();
        [if self.or_following { kind | OR_FOLLOWING } else { kind }, low, high, a, b, c]
    }

    fn of_bytes([kind, low, high, a, b, c]: [u8; INSTRUCTION_BYTES]) -> Result<Self, Damaged> {
        let act = match kind & !OR_FOLLOWING {
            0 => Do::Match,
            1 => Do::Byte(low, high),
            2 => Do::Go,
            3 => Do::Look(*Look::ALL.get(usize::from(low)).ok_or(Damaged)?),
            _ => return Err(Damaged),
        };
        let next = u32::from_le_bytes([a, b, c, 0]);
        Ok(Self { act, next, or_following: kind & OR_FOLLOWING != 0 })
    }
}

/// What stands on one side of a place in a text, as far as an assertion can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Nothing: the text starts or ends there.
    Edge,
    /// An ASCII letter, digit or underscore.
    Word,
    /// A line feed.
    Feed,
    /// A carriage return.
    Return,
    /// Any other byte.
    Other,
}

impl Side {
    /// All.
    pub const ALL: [Self; 5] = [Self::Edge, Self::Word, Self::Feed, Self::Return, Self::Other];

    /// The side on which `byte` stands, or none.
    pub fn of(byte: Option<u8>) -> Self {
        match byte {
            None => Self::Edge,
            Some(b'\n') => Self::Feed,
            Some(b'\r') => Self::Return,
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => Self::Word,
            Some(_) => Self::Other,
        }
    }

    fn is_word(self) -> bool {
        self == Self::Word
    }
}

/// An assertion. The number is how it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The start of the text.
    Start = 0,
    /// Its end.
    End = 1,
    /// A word of ASCII starts or ends.
    Boundary = 2,
    /// None does.
    NotBoundary = 3,
    /// A word of ASCII starts.
    WordStart = 4,
    /// One ends.
    WordEnd = 5,
    /// No letter of a word stands before.
    WordStartHalf = 6,
    /// None stands behind.
    WordEndHalf = 7,
    /// The start of the text, or a line feed before.
    StartLine = 8,
    /// Its end, or a line feed behind.
    EndLine = 9,
    /// The start of a line, where line feeds, carriage returns and both together end lines.
    StartAnyLine = 10,
    /// The end of such a line.
    EndAnyLine = 11,
}

impl Look {
    /// All, each at its number.
    const ALL: [Self; 12] = [
        Self::Start,
        Self::End,
        Self::Boundary,
        Self::NotBoundary,
        Self::WordStart,
        Self::WordEnd,
        Self::WordStartHalf,
        Self::WordEndHalf,
        Self::StartLine,
        Self::EndLine,
        Self::StartAnyLine,
        Self::EndAnyLine,
    ];

    /// Whether it holds between two sides.
    pub fn holds(self, before: Side, after: Side) -> bool {
        use Side::{Edge, Feed, Return};
        match self {
            Self::Start => before == Edge,
            Self::End => after == Edge,
            Self::Boundary => before.is_word() != after.is_word(),
            Self::NotBoundary => before.is_word() == after.is_word(),
            Self::WordStart => !before.is_word() && after.is_word(),
            Self::WordEnd => before.is_word() && !after.is_word(),
            Self::WordStartHalf => !before.is_word(),
            Self::WordEndHalf => !after.is_word(),
            Self::StartLine => matches!(before, Edge | Feed),
            Self::EndLine => matches!(after, Edge | Feed),
            Self::StartAnyLine => matches!(before, Edge | Feed) || before == Return && after != Feed,
            Self::EndAnyLine => matches!(after, Edge | Return) || after == Feed && before != Return,
        }
    }
}

/// Whether a pattern has matched where a set of places was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// It has.
    Match,
    /// It has not; the set is complete.
    All,
}

/// The instructions of a pattern.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    instructions: &'a [[u8; INSTRUCTION_BYTES]],
}

impl<'a> Program<'a> {
    /// The program in `bytes`, all of them. There may be none.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Damaged> {
        match bytes.as_chunks() {
            (instructions, []) => Ok(Self { instructions }),
            _ => Err(Damaged),
        }
    }

    /// Whether the pattern matches anywhere in `text`. Takes memory in proportion to the program.
    pub fn is_match(&self, text: &[u8]) -> Result<bool, Damaged> {
        let mut now = Places::of(self.instructions.len());
        let mut next = now.clone();
        now.add(0);
        let mut before = Side::Edge;
        for &byte in text {
            let after = Side::of(Some(byte));
            if self.follow(&mut now, before, after)? == Reached::Match {
                return Ok(true);
            }
            self.take(&now, byte, &mut next)?;
            mem::swap(&mut now, &mut next);
            next.clear();
            if now.as_slice().is_empty() {
                return Ok(false);
            }
            before = after;
        }
        Ok(self.follow(&mut now, before, Side::Edge)? == Reached::Match)
    }

    /// Adds to `places` what can be reached from them without taking a byte, between two sides.
    fn follow(&self, places: &mut Places, before: Side, after: Side) -> Result<Reached, Damaged> {
        let mut visited = 0;
        while let Some(&place) = places.order.get(visited) {
            visited += 1;
            let instruction = self.instruction(place)?;
            if instruction.or_following {
                places.add(place + 1);
            }
            match instruction.act {
                Do::Match => return Ok(Reached::Match),
                Do::Go => places.add(instruction.next),
                Do::Look(look) if look.holds(before, after) => places.add(instruction.next),
                Do::Look(_) | Do::Byte(..) => {}
            }
        }
        Ok(Reached::All)
    }

    /// Adds to `next` where `byte` leads from `places`.
    fn take(&self, places: &Places, byte: u8, next: &mut Places) -> Result<(), Damaged> {
        for &place in &places.order {
            let instruction = self.instruction(place)?;
            if let Do::Byte(low, high) = instruction.act
                && (low..=high).contains(&byte)
            {
                next.add(instruction.next);
            }
        }
        Ok(())
    }

    fn instruction(&self, place: u32) -> Result<Instruction, Damaged> {
        let bytes = usize::try_from(place).ok().and_then(|place| self.instructions.get(place));
        Instruction::of_bytes(*bytes.ok_or(Damaged)?)
    }
}

/// Places in one program, each once, in the order in which they came.
#[derive(Debug, Clone)]
pub struct Places {
    order: Vec<u32>,
    /// One bit for each place.
    seen: Vec<u64>,
}

impl Places {
    /// None yet, of a program of so many instructions.
    pub fn of(instructions: usize) -> Self {
        Self { order: Vec::new(), seen: vec![0; instructions.div_ceil(64)] }
    }

    /// Adds `place`. One outside of the program is kept too, so that whoever goes there sees the damage.
    pub fn add(&mut self, place: u32) {
        let (word, bit) = (place / 64, 1 << (place % 64));
        match usize::try_from(word).ok().and_then(|word| self.seen.get_mut(word)) {
            Some(word) if *word & bit != 0 => return,
            Some(word) => *word |= bit,
            None => {}
        }
        self.order.push(place);
    }

    /// The places, in the order in which they came.
    pub fn as_slice(&self) -> &[u32] {
        &self.order
    }

    /// Takes all places out. Costs as much as it cost to put them in.
    pub fn clear(&mut self) {
        for place in self.order.drain(..) {
            if let Some(word) = usize::try_from(place / 64).ok().and_then(|word| self.seen.get_mut(word)) {
                *word = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(low: u8, high: u8, next: u32) -> Instruction {
        Instruction { act: Do::Byte(low, high), next, or_following: false }
    }

    fn bytes(instructions: &[Instruction]) -> Vec<u8> {
        instructions.iter().flat_map(Instruction::to_bytes).collect()
    }

    #[test]
    fn an_instruction_is_read_as_it_was_written() {
        let acts = Look::ALL.into_iter().map(Do::Look).chain([Do::Match, Do::Byte(1, 255), Do::Go]);
        for (act, or_following) in acts.flat_map(|act| [(act, true), (act, false)]) {
            let instruction = Instruction { act, next: MAX_INSTRUCTIONS - 2, or_following };
            assert_eq!(Instruction::of_bytes(instruction.to_bytes()), Ok(instruction));
        }
        for (number, look) in Look::ALL.into_iter().enumerate() {
            assert_eq!(look as usize, number);
        }
    }

    #[test]
    fn a_program_that_does_not_come_back_matches_at_the_start_only() {
        let bytes =
            bytes(&[byte(b'a', b'c', 1), Instruction { act: Do::Match, next: 0, or_following: false }]);
        let program = Program::parse(&bytes).unwrap();
        assert_eq!(program.is_match(b"b"), Ok(true));
        assert_eq!(program.is_match(b"xb"), Ok(false));
        assert_eq!(program.is_match(b""), Ok(false));
    }

    #[test]
    fn a_program_that_runs_in_circles_comes_to_an_end() {
        let circle = Instruction { act: Do::Go, next: 0, or_following: true };
        let bytes = bytes(&[circle, byte(0, 255, 0)]);
        assert_eq!(Program::parse(&bytes).unwrap().is_match(&[b'a'; 1000]), Ok(false));
    }

    #[test]
    fn a_way_out_of_the_program_is_damage() {
        for instruction in [
            byte(0, 255, 1_000),
            Instruction { act: Do::Go, next: 70, or_following: false },
            Instruction { act: Do::Go, next: 0, or_following: true },
        ] {
            assert_eq!(Program::parse(&bytes(&[instruction])).unwrap().is_match(b"aa"), Err(Damaged));
        }
        assert!(Program::parse(&[0; 7]).is_err());
        assert_eq!(Program::parse(&[9; 6]).unwrap().is_match(b""), Err(Damaged), "no such instruction");
        assert_eq!(Program::parse(&[3, 12, 0, 0, 0, 0]).unwrap().is_match(b""), Err(Damaged), "no such look");
        assert_eq!(Program::parse(&[]).unwrap().is_match(b""), Err(Damaged));
    }
}
