//! Which bytes a program tells apart.

use std::collections::BTreeSet;
use std::iter;

use lessons_core::automaton::nfa::{Do, Instruction, Look, Side};

/// A set of bytes, or of numbers of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Bytes([u128; 2]);

impl Bytes {
    pub(super) fn of(members: impl IntoIterator<Item = u8>) -> Self {
        let mut set = Self::default();
        members.into_iter().for_each(|byte| set.0[usize::from(byte >> 7)] |= 1 << (byte & 0x7F));
        set
    }

    pub(super) fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 7)] >> (byte & 0x7F) & 1 == 1
    }

    /// The smallest member.
    pub(super) fn first(self) -> Option<u8> {
        let [low, high] = self.0.map(u128::trailing_zeros);
        u8::try_from(if low < 128 { low } else { 128 + high }).ok()
    }

    pub(super) fn members(mut self) -> impl Iterator<Item = u8> {
        iter::from_fn(move || {
            let first = self.first()?;
            self = self.without(Self::of([first]));
            Some(first)
        })
    }

    fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    fn and(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    fn without(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }
}

/// Parts `whole` so that each part lies within each of `sets` or outside of it.
pub(super) fn parts(whole: Bytes, sets: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let mut parts = vec![whole];
    for set in sets {
        for n in 0..parts.len() {
            let (within, outside) = (parts[n].and(set), parts[n].without(set));
            if within != Bytes::default() && outside != Bytes::default() {
                parts[n] = within;
                parts.push(outside);
            }
        }
    }
    parts
}

/// A way on from a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// The bytes that it takes.
    pub(super) bytes: Bytes,
    /// The place that follows.
    pub(super) next: u32,
}

/// For each place its way, if it takes a byte. Of the places of one run that lead to the same place only
/// the first has a way, for the bytes of all.
pub(super) fn ways(instructions: &[Instruction]) -> Vec<Option<Way>> {
    let mut ways: Vec<Option<Way>> = Vec::with_capacity(instructions.len());
    let mut run = 0;
    for (place, instruction) in instructions.iter().enumerate() {
        ways.push(None);
        if let Do::Byte(low, high) = instruction.act {
            let same =
                (run..place).find(|&place| ways[place].is_some_and(|way| way.next == instruction.next));
            let empty = Way { bytes: Bytes::default(), next: instruction.next };
            let way = ways[same.unwrap_or(place)].get_or_insert(empty);
            way.bytes = way.bytes.or(Bytes::of(low..=high));
        }
        if !instruction.or_following {
            run = place + 1;
        }
    }
    ways
}

/// Bytes that no way and no assertion tells apart. All are ASCII, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) number: u8,
    pub(super) bytes: Bytes,
    /// What they are to an assertion.
    pub(super) side: Side,
}

/// All classes, those of ASCII first.
pub(super) fn classes(instructions: &[Instruction], ways: &[Option<Way>]) -> Vec<Class> {
    let sight = Sight::of(instructions);
    let side = |wanted| Bytes::of((0..=u8::MAX).filter(move |&byte| sight.side(byte) == wanted));
    let sets: BTreeSet<Bytes> = ways.iter().flatten().map(|way| way.bytes).collect();
    let apart = [Bytes::of(0..0x80), side(Side::Word), side(Side::Feed), side(Side::Return)];
    let mut parts = parts(Bytes::of(0..=u8::MAX), apart.into_iter().chain(sets));
    parts.sort_unstable_by_key(|part| part.first());
    let classes = (0..)
        .zip(parts)
        .filter_map(|(number, bytes)| Some(Class { number, bytes, side: sight.side(bytes.first()?) }));
    classes.collect()
}

/// Which sides the assertions of a program tell apart.
#[derive(Debug, Clone, Copy, Default)]
struct Sight {
    words: bool,
    lines: bool,
}

impl Sight {
    fn of(instructions: &[Instruction]) -> Self {
        let mut sight = Self::default();
        for instruction in instructions {
            match instruction.act {
                Do::Look(Look::StartLine | Look::EndLine | Look::StartAnyLine | Look::EndAnyLine) => {
                    sight.lines = true;
                }
                Do::Look(Look::Start | Look::End) | Do::Match | Do::Byte(..) | Do::Go => {}
                Do::Look(_) => sight.words = true,
            }
        }
        sight
    }

    fn side(self, byte: u8) -> Side {
        match Side::of(Some(byte)) {
            Side::Word if self.words => Side::Word,
            side @ (Side::Feed | Side::Return) if self.lines => side,
            _ => Side::Other,
        }
    }
}
