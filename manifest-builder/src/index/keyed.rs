//! The triggers under their keys: the parts of an index that a search goes through.

use lessons_index::bucket::{self, MAX_INLINE_BYTES, PostingList};
use lessons_index::directory::{self, buckets_for};
use lessons_index::filter::{self, blocks_for};
use lessons_index::header::Part;
use lessons_index::key::Key;
use lessons_index::postings::{self, FieldMask, Posting};
use lessons_index::storage;

use super::keys::ChosenKeys;

/// The triggers of an index with their keys.
#[derive(Debug, Default)]
pub(super) struct Keyed(Vec<Placed>);

/// A trigger with its keys. Without a key it must always be looked at.
#[derive(Debug)]
struct Placed {
    trigger: u32,
    fields: FieldMask,
    chosen: ChosenKeys,
}

impl Placed {
    fn posting(&self) -> Posting<'_> {
        Posting { trigger: self.trigger, fields: self.fields, required: &self.chosen.required }
    }
}

/// The parts of an index that lead from keys to triggers.
#[derive(Debug)]
pub(super) struct LookupParts {
    /// The list of the triggers without a key.
    pub(super) always: Vec<u8>,
    pub(super) filter: Vec<u8>,
    pub(super) directory: Vec<u8>,
    pub(super) buckets: Vec<u8>,
    /// The overflow posting lists.
    pub(super) postings: Vec<u8>,
}

impl Keyed {
    /// Adds the trigger at this position.
    pub(super) fn add(&mut self, trigger: u32, fields: FieldMask, chosen: ChosenKeys) {
        self.0.push(Placed { trigger, fields, chosen });
    }

    /// The grams among the keys of those that look at contents.
    pub(super) fn content_grams(&self) -> impl Iterator<Item = &[u8]> {
        let of_contents = self.0.iter().filter(|placed| placed.fields.meet(FieldMask::CONTENT));
        of_contents.flat_map(|placed| &placed.chosen.grams).map(Vec::as_slice)
    }

    /// Lays the parts out.
    pub(super) fn lay_out(&self) -> LookupParts {
        let mut under_keys: Vec<(Key, &Placed)> = self
            .0
            .iter()
            .flat_map(|placed| placed.chosen.keys.iter().map(move |key| (*key, placed)))
            .collect();
        // The triggers of a key stay in their order.
        under_keys.sort_by_key(|(key, _)| *key);
        let of_one_key = under_keys.chunk_by(|(one, _), (other, _)| one == other);
        let lists: Vec<(Key, Vec<u8>)> = of_one_key
            .filter_map(|list| {
                let postings = list.iter().map(|(_, placed)| placed.posting());
                Some((list.first()?.0, postings::encode(postings)))
            })
            .collect();

        let filter = in_slots(&lists, blocks_for(lists.len()));
        let filter = filter.flat_map(|(block, its)| filter::encode(block, its.iter().map(|(key, _)| *key)));

        let inline_bytes =
            lists.iter().map(|(_, list)| list.len()).filter(|length| *length <= MAX_INLINE_BYTES).sum();
        let (mut buckets, mut lengths, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for (number, its) in in_slots(&lists, buckets_for(lists.len(), inline_bytes)) {
            let placed = its.iter().map(|(key, list)| match list.len() {
                ..=MAX_INLINE_BYTES => (*key, PostingList::Inline(list)),
                _ => (*key, PostingList::Overflow(add(&mut postings, Part::Postings, list))),
            });
            let bucket = bucket::encode(number, &placed.collect::<Vec<_>>());
            lengths.push(bucket.len());
            buckets.extend(bucket);
        }
        LookupParts {
            always: self.always(),
            filter: filter.collect(),
            directory: directory::encode(lengths),
            buckets,
            postings,
        }
    }

    /// The list of the triggers without a key. Empty if there are none.
    fn always(&self) -> Vec<u8> {
        let keyless = self.0.iter().filter(|placed| placed.chosen.keys.is_empty());
        let list = postings::encode(keyless.map(Placed::posting));
        let mut always = Vec::new();
        if !list.is_empty() {
            add(&mut always, Part::Always, &list);
        }
        always
    }
}

/// Adds a list to a part, and returns its place.
fn add(part: &mut Vec<u8>, kind: Part, list: &[u8]) -> u32 {
    let place = storage::place(part.len());
    let (head, rest) = storage::frame(kind, place, list);
    part.extend([&head, list, rest].concat());
    place
}

/// Of each of so many slots, the lists whose keys belong to it. The keys ascend.
fn in_slots<T>(lists: &[(Key, T)], slots: u32) -> impl Iterator<Item = (u32, &[(Key, T)])> {
    let mut rest = lists;
    (0..slots).map(move |slot| {
        let (its, others) = rest.split_at(rest.partition_point(|(key, _)| key.slot(slots) <= slot));
        rest = others;
        (slot, its)
    })
}
