//! Positions as bytes.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::bytes::{Bytes, parts};
use super::positions::{Onwards, Positions};
use super::{AutomatonError, MAX_BYTES};
use crate::automaton::{ALWAYS, Alphabet, CODE_POINT_CLASSES, FORM, Then, WHOLE};

/// The bytes of an automaton over texts of `alphabet`.
pub(super) fn bytes(positions: &Positions, alphabet: Alphabet) -> Result<Vec<u8>, AutomatonError> {
    let words = positions.words();
    let mut takers: Vec<(Bytes, u32)> =
        positions.all.iter().map(|position| position.takes).zip(0..).collect();
    takers.sort_unstable();
    let groups: Vec<&[(Bytes, u32)]> = takers.chunk_by(|(one, _), (other, _)| one == other).collect();
    let set_of = |group: &[(Bytes, u32)]| group.first().map(|(set, _)| *set);
    let classes = parts(Bytes::of(alphabet), groups.iter().copied().filter_map(set_of));
    let number = |count: usize| u32::try_from(count).map_err(|_| AutomatonError::TooLarge);
    // Before memory is taken for sets.
    if (classes.len() + 2).saturating_mul(words).saturating_mul(8) > MAX_BYTES {
        return Err(AutomatonError::TooLarge);
    }
    let (always, first): (bool, &[u32]) = match &positions.start {
        Onwards::Match => (true, &[]),
        Onwards::To(first) => (false, first),
    };
    let flags = [(always, ALWAYS), (alphabet == Alphabet::CodePointClasses, CODE_POINT_CLASSES)];
    let flags = flags.iter().filter(|(set, _)| *set).fold(0, |flags, (_, bit)| flags | bit);
    let mut bytes = vec![FORM, flags];
    bytes.extend(u16::try_from(classes.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(number(words)?.to_le_bytes());
    bytes.extend(number(positions.all.len())?.to_le_bytes());
    // What no text holds may be of any class.
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
    let mut many = Many { words, numbers: Vec::new(), places: HashMap::default() };
    let nodes: Vec<Then> =
        positions.nodes.iter().map(|onwards| many.then(onwards)).collect::<Result<_, _>>()?;
    for position in &positions.all {
        let then = position.then.map_or(Some(Then::Match), |node| nodes.get(node as usize).copied());
        bytes.extend(then.ok_or(AutomatonError::TooLarge)?.to_bytes());
    }
    bytes.extend(many.numbers.iter().flat_map(|number| number.to_le_bytes()));
    if bytes.len() > MAX_BYTES { Err(AutomatonError::TooLarge) } else { Ok(bytes) }
}

/// Adds a set as it is stored.
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

/// The lists and sets that are named by their place.
struct Many<'p> {
    words: usize,
    numbers: Vec<u32>,
    places: HashMap<&'p [u32], u32, RandomState>,
}

impl<'p> Many<'p> {
    fn then(&mut self, onwards: &'p Onwards) -> Result<Then, AutomatonError> {
        let to = match onwards {
            Onwards::Match => return Ok(Then::Match),
            Onwards::To(to) => to.as_slice(),
        };
        if let [only] = to {
            return Ok(Then::One(*only));
        }
        if let Some(&place) = self.places.get(to) {
            return Ok(Then::Many(place));
        }
        let place = self.numbers.len();
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
            return Err(AutomatonError::TooLarge);
        }
        let place = u32::try_from(place).map_err(|_| AutomatonError::TooLarge)?;
        self.places.insert(to, place);
        Ok(Then::Many(place))
    }
}
