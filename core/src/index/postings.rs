//! Postings: which triggers a key leads to, and what else a call must hold for them.

use alloc::vec::Vec;

use super::Damaged;
use super::key::{Condition, checksum};

/// The bytes in front of a list: its length and its sum.
pub const HEAD: usize = 8;
/// The bytes of a posting.
pub const BYTES: usize = 8;

/// What triggers look at, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Surfaces(u8);

impl Surfaces {
    /// The command.
    pub const COMMAND: Self = Self(1);
    /// The paths.
    pub const PATH: Self = Self(2);
    /// What is put into files.
    pub const CONTENT: Self = Self(4);
    /// The tool's name.
    pub const TOOL: Self = Self(8);

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set as bits.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether they share one.
    pub fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A trigger under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The trigger.
    pub trigger: u32,
    /// What it looks at.
    pub surfaces: Surfaces,
    /// What every text that it matches holds besides the key.
    pub conditions: [Option<Condition>; 2],
}

/// A posting as one word: the trigger, then 12 bits of the first condition, 4 of the surfaces, 12 of the
/// second condition, and a bit for each condition that is there.
impl Posting {
    fn encode(&self) -> [u8; BYTES] {
        let [first, second] = self.conditions.map(|condition| condition.map_or(0, |it| u64::from(it.bit())));
        let there = self.conditions.map(|condition| u64::from(condition.is_some()));
        let word = u64::from(self.trigger)
            | first << 32
            | u64::from(self.surfaces.0 & 0xf) << 44
            | second << 48
            | there[0] << 60
            | there[1] << 61;
        word.to_le_bytes()
    }

    fn decode(bytes: [u8; BYTES]) -> Self {
        let word = u64::from_le_bytes(bytes);
        let part = |from: u32, bits: u32| (word >> from) & ((1 << bits) - 1);
        let condition = |from, there| {
            let bit = u16::try_from(part(from, 12)).unwrap_or(0);
            (part(there, 1) == 1).then(|| Condition::of_bit(bit))
        };
        Self {
            trigger: u32::try_from(part(0, 32)).unwrap_or(0),
            surfaces: Surfaces(u8::try_from(part(44, 4)).unwrap_or(0)),
            conditions: [condition(32, 60), condition(48, 61)],
        }
    }
}

/// The bytes of a list that stands at `place`.
pub fn encode(place: u32, list: &[Posting]) -> Vec<u8> {
    let entries: Vec<u8> = list.iter().flat_map(Posting::encode).collect();
    let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::from(count.to_le_bytes());
    bytes.extend_from_slice(&sum(place, count, &entries).to_le_bytes());
    bytes.extend_from_slice(&entries);
    bytes
}

/// How many postings follow a head, and their sum.
pub fn decode_head(head: [u8; HEAD]) -> (u32, u32) {
    let word = u64::from_le_bytes(head);
    (u32::try_from(word & 0xffff_ffff).unwrap_or(0), u32::try_from(word >> 32).unwrap_or(0))
}

/// Reads and checks the postings behind a head.
pub fn decode(place: u32, head: [u8; HEAD], entries: &[u8]) -> Result<Vec<Posting>, Damaged> {
    let (count, check) = decode_head(head);
    let (postings, []) = entries.as_chunks::<BYTES>() else { return Err(Damaged) };
    if postings.len() != count as usize || sum(place, count, entries) != check {
        return Err(Damaged);
    }
    Ok(postings.iter().map(|bytes| Posting::decode(*bytes)).collect())
}

fn sum(place: u32, count: u32, entries: &[u8]) -> u32 {
    let sum = checksum(u64::from(place) << 32 | u64::from(count), entries);
    u32::try_from(sum >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::key::Key;
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let list = [
            Posting { trigger: 7, surfaces: Surfaces::COMMAND, conditions: [None, None] },
            Posting {
                trigger: u32::MAX,
                surfaces: Surfaces::PATH.and(Surfaces::COMMAND),
                conditions: [Some(Condition::of_bit(0)), Some(Condition::of_bit(0xfff))],
            },
            Posting {
                trigger: 0,
                surfaces: Surfaces::TOOL,
                conditions: [Some(Key::of_gram(b"git").condition()), None],
            },
        ];
        let bytes = encode(40, &list);
        let (head, entries) = bytes.split_first_chunk().unwrap();
        assert_eq!(decode(40, *head, entries).unwrap(), list);
        assert_eq!(decode(44, *head, entries), Err(Damaged));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let (head, entries) = damaged.split_first_chunk().unwrap();
            assert_eq!(decode(40, *head, entries), Err(Damaged), "{bit}");
        }
    }
}
