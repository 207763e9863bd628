//! The triggers under their keys: the parts of an index that a search goes through.

use lessons_index::bucket::{MAX_INLINE_BYTES, PostingList};
use lessons_index::directory::buckets_for;
use lessons_index::filter::blocks_for;
use lessons_index::key::Key;
use lessons_index::postings::{FieldMask, Posting};
use lessons_index::{Part, bucket, directory, filter, postings, storage};

use super::keys::ChosenKeys;

/// The triggers of an index with their keys. One without a key must always be looked at.
#[derive(Debug)]
pub(super) struct Keyed(pub(super) Vec<(u32, ChosenKeys)>);

fn posting((trigger, chosen): &(u32, ChosenKeys)) -> Posting<'_> {
    Posting { trigger: *trigger, fields: chosen.fields, required: &chosen.required }
}

impl Keyed {
    /// The grams among the keys of those that look at contents.
    pub(super) fn content_grams(&self) -> impl Iterator<Item = &[u8]> {
        let of_contents = self.0.iter().filter(|(_, chosen)| chosen.fields.meet(FieldMask::CONTENT));
        of_contents.flat_map(|(_, chosen)| &chosen.grams).map(Vec::as_slice)
    }

    /// The parts that lead from keys to triggers, in the order in which they are written.
    pub(super) fn lay_out(&self) -> [(Part, Vec<u8>); 5] {
        let keys_of = |placed| {
            let (_, chosen): &(u32, ChosenKeys) = placed;
            chosen.keys.iter().map(move |key| (*key, placed))
        };
        let mut under_keys: Vec<(Key, &(u32, ChosenKeys))> = self.0.iter().flat_map(keys_of).collect();
        // The triggers of a key stay in their order.
        under_keys.sort_by_key(|(key, _)| *key);
        let of_one_key = under_keys.chunk_by(|(one, _), (other, _)| one == other);
        let lists: Vec<(Key, Vec<u8>)> = of_one_key
            .filter_map(|list| {
                let postings = list.iter().map(|(_, placed)| posting(placed));
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
        [
            (Part::Always, self.always()),
            (Part::Filter, filter.collect()),
            (Part::Directory, directory::encode(lengths)),
            (Part::Buckets, buckets),
            (Part::Postings, postings),
        ]
    }

    /// The list of the triggers without a key. Empty if there are none.
    fn always(&self) -> Vec<u8> {
        let keyless = self.0.iter().filter(|(_, chosen)| chosen.keys.is_empty());
        let list = postings::encode(keyless.map(posting));
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
