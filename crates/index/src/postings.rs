//! Postings: the triggers that a key leads to, with further conditions on the call.

use std::collections::BTreeMap;

use super::corrupt::{Corrupt, Result};

/// The size of the fields of a group in front of its required grams, in bytes.
const GROUP_HEAD: usize = 4;

/// The parts of a call that triggers look at, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FieldMask(u8);

impl FieldMask {
    /// The command.
    pub const COMMAND: Self = Self(1);
    /// The paths.
    pub const PATH: Self = Self(2);
    /// The content that a call writes into files.
    pub const CONTENT: Self = Self(4);
    /// The tool's name.
    pub const TOOL: Self = Self(8);
    /// The error text of a failed call.
    pub const ERROR: Self = Self(16);
    /// The parts whose grams are not collected, because a long text holds nearly every one.
    pub const LONG: Self = Self(Self::CONTENT.0 | Self::ERROR.0);

    /// The union of two sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether two sets share a part.
    pub fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A trigger under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting<'a> {
    /// The position of the trigger.
    pub trigger: u32,
    /// The part of a call that it looks at.
    pub fields: FieldMask,
    /// The grams that every matching text contains besides the key.
    pub required: &'a [[u8; 2]],
}

/// Triggers under a key that look at the same fields and have the same required, so that one look at it is
/// enough: the fields in one byte, the number of grams of the required in one, the number of triggers in two;
/// the required; each trigger in four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group<'a> {
    /// The parts of a call that they look at.
    pub fields: FieldMask,
    /// The grams that they [require](super::required).
    pub required: &'a [[u8; 2]],
    triggers: &'a [[u8; 4]],
}

impl<'a> Group<'a> {
    /// The triggers.
    pub fn triggers(&self) -> impl Iterator<Item = u32> + 'a {
        self.triggers.iter().map(|trigger| u32::from_le_bytes(*trigger))
    }
}

/// The bytes of a list. A required has at most [`super::required::MAX_GRAMS`] grams.
pub fn encode<'p>(list: impl IntoIterator<Item = Posting<'p>>) -> Vec<u8> {
    let mut groups: BTreeMap<(u8, &[[u8; 2]]), Vec<u32>> = BTreeMap::new();
    for posting in list {
        groups.entry((posting.fields.0, posting.required)).or_default().push(posting.trigger);
    }
    let mut entries = Vec::new();
    for ((fields, required), triggers) in &groups {
        for triggers in triggers.chunks(usize::from(u16::MAX)) {
            entries.push(*fields);
            entries.push(u8::try_from(required.len()).unwrap_or(u8::MAX));
            entries.extend_from_slice(&u16::try_from(triggers.len()).unwrap_or(u16::MAX).to_le_bytes());
            entries.extend_from_slice(required.as_flattened());
            for trigger in triggers {
                entries.extend_from_slice(&trigger.to_le_bytes());
            }
        }
    }
    entries
}

/// The groups of a list. What does not fit is damage.
pub fn each(mut entries: &[u8]) -> impl Iterator<Item = Result<Group<'_>>> {
    std::iter::from_fn(move || {
        if entries.is_empty() {
            return None;
        }
        let group = first(entries);
        entries = group.map_or(&[], |(_, rest)| rest);
        Some(group.map(|(group, _)| group).ok_or(Corrupt))
    })
}

/// The first group, and what follows it.
fn first(entries: &[u8]) -> Option<(Group<'_>, &[u8])> {
    let (&[fields, grams, low, high], rest) = entries.split_first_chunk::<GROUP_HEAD>()?;
    let (required, rest) = rest.split_at_checked(2 * usize::from(grams))?;
    let (triggers, rest) = rest.split_at_checked(4 * usize::from(u16::from_le_bytes([low, high])))?;
    let group = Group {
        fields: FieldMask(fields),
        required: required.as_chunks().0,
        triggers: triggers.as_chunks().0,
    };
    Some((group, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let list = [
            Posting { trigger: 7, fields: FieldMask::COMMAND, required: &[] },
            Posting {
                trigger: u32::MAX,
                fields: FieldMask::PATH.and(FieldMask::COMMAND),
                required: &[[1, 2], [3, 4]],
            },
            Posting { trigger: 0, fields: FieldMask::TOOL, required: &[[0xff, 0xff]] },
            Posting { trigger: 8, fields: FieldMask::COMMAND, required: &[] },
        ];
        let entries = encode(list);
        let groups = each(&entries).collect::<Result<Vec<_>, _>>().unwrap();
        let mut read: Vec<Posting<'_>> = Vec::new();
        for Group { fields, required, triggers } in &groups {
            read.extend(triggers.iter().map(|trigger| Posting {
                trigger: u32::from_le_bytes(*trigger),
                fields: *fields,
                required,
            }));
        }
        assert_eq!(groups.len(), 3, "those that share a required stand together");
        assert_eq!(read.len(), list.len());
        assert!(list.iter().all(|posting| read.contains(posting)), "{read:?}");
    }

    #[test]
    fn a_posting_that_ends_early_is_damaged() {
        let bytes = encode([Posting { trigger: 7, fields: FieldMask::TOOL, required: &[[1, 2]] }]);
        for end in 1..bytes.len() {
            assert_eq!(each(&bytes[..end]).last(), Some(Err(Corrupt)), "{end}");
        }
    }
}
