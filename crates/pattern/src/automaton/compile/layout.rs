//! The serialization of positions to the bytes of an automaton.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::MAX_BYTES;
use super::byte_set::{ByteSet, parts};
use super::positions::{Positions, Successors};
use crate::PatternError;
use crate::automaton::{ALWAYS, Alphabet, CODE_POINT_CLASSES, FORMAT_VERSION, StoredSuccessors, WHOLE};

/// Serializes the automaton of `positions` over texts of `alphabet`.
pub(super) fn bytes(positions: &Positions, alphabet: Alphabet) -> Result<Vec<u8>, PatternError> {
    let words = positions.words();
    let mut takers: Vec<(ByteSet, u32)> =
        positions.all.iter().map(|position| position.takes).zip(0..).collect();
    takers.sort_unstable();
    let groups: Vec<&[(ByteSet, u32)]> = takers.chunk_by(|(one, _), (other, _)| one == other).collect();
    let set_of = |group: &[(ByteSet, u32)]| group.first().map(|(set, _)| *set);
    let classes = parts(ByteSet::of(alphabet), groups.iter().copied().filter_map(set_of));
    let number = |count: usize| u32::try_from(count).map_err(|_| PatternError::too_large());
    // The size is checked before memory is allocated for the sets.
    if (classes.len() + 2).saturating_mul(words).saturating_mul(8) > MAX_BYTES {
        return Err(PatternError::too_large());
    }
    let (always, first): (bool, &[u32]) = match &positions.start {
        Successors::Match => (true, &[]),
        Successors::To(first) => (false, first),
    };
    let flags = [(always, ALWAYS), (alphabet == Alphabet::CodePointClasses, CODE_POINT_CLASSES)];
    let flags = flags.iter().filter(|(set, _)| *set).fold(0, |flags, (_, bit)| flags | bit);
    let mut bytes = vec![FORMAT_VERSION, flags];
    bytes.extend(u16::try_from(classes.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(number(words)?.to_le_bytes());
    bytes.extend(number(positions.all.len())?.to_le_bytes());
    // Bytes that no text contains may be in any class.
    let mut class_of = [0; 256];
    for (number, class) in (0..=u8::MAX).zip(&classes) {
        class.each().for_each(|byte| class_of[usize::from(byte)] = number);
    }
    bytes.extend(class_of);
    push_set(&mut bytes, words, first.iter().copied());
    let ends = (0_u32..).zip(&positions.all).filter(|(_, position)| position.ends);
    push_set(&mut bytes, words, ends.map(|(number, _)| number));
    for class in classes {
        let Some(byte) = class.first() else { continue };
        let take = groups.iter().copied().filter(|group| set_of(group).is_some_and(|set| set.contains(byte)));
        push_set(&mut bytes, words, take.flatten().map(|(_, number)| *number));
    }
    let mut many = SuccessorLists { words, numbers: Vec::new(), places: HashMap::default() };
    let nodes: Vec<StoredSuccessors> =
        positions.nodes.iter().map(|successors| many.then(successors)).collect::<Result<_, _>>()?;
    for position in &positions.all {
        let then =
            position.then.map_or(Some(StoredSuccessors::Match), |node| nodes.get(node as usize).copied());
        bytes.extend(then.ok_or_else(PatternError::too_large)?.to_bytes());
    }
    bytes.extend(many.numbers.iter().flat_map(|number| number.to_le_bytes()));
    if bytes.len() > MAX_BYTES { Err(PatternError::too_large()) } else { Ok(bytes) }
}

/// Appends a set of positions to `bytes`.
fn push_set(bytes: &mut Vec<u8>, words: usize, members: impl IntoIterator<Item = u32>) {
    let start = bytes.len();
    bytes.resize(start + 8 * words, 0);
    let set = bytes.get_mut(start..).unwrap_or_default();
    for member in members {
        if let Some(byte) = set.get_mut(member as usize / 8) {
            *byte |= 1 << (member % 8);
        }
    }
}

/// The lists and sets of successors, which [`StoredSuccessors::Many`] refers to by their offset.
struct SuccessorLists<'p> {
    words: usize,
    numbers: Vec<u32>,
    places: HashMap<&'p [u32], u32, RandomState>,
}

impl<'p> SuccessorLists<'p> {
    fn then(&mut self, successors: &'p Successors) -> Result<StoredSuccessors, PatternError> {
        let to = match successors {
            Successors::Match => return Ok(StoredSuccessors::Match),
            Successors::To(to) => to.as_slice(),
        };
        if let [only] = to {
            return Ok(StoredSuccessors::One(*only));
        }
        if let Some(&offset) = self.places.get(to) {
            return Ok(StoredSuccessors::Many(offset));
        }
        let offset = self.numbers.len();
        if to.len() < self.words {
            self.numbers.push(u32::try_from(to.len()).unwrap_or_default());
            self.numbers.extend(to);
        } else {
            self.numbers.push(WHOLE);
            let mut set = Vec::new();
            push_set(&mut set, self.words, to.iter().copied());
            self.numbers.extend(set.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        }
        if self.numbers.len() > MAX_BYTES / 4 {
            return Err(PatternError::too_large());
        }
        let offset = u32::try_from(offset).map_err(|_| PatternError::too_large())?;
        self.places.insert(to, offset);
        Ok(StoredSuccessors::Many(offset))
    }
}
