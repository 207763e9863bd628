//! The triggers under their keys: the parts of an index that a search goes through.

use lessons_index::bucket::{MAX_INLINE_BYTES, PostingList};
use lessons_index::directory::buckets_for;
use lessons_index::filter::blocks_for;
use lessons_index::key::Key;
use lessons_index::postings::Posting;
use lessons_index::{Part, bucket, directory, filter, postings, storage};

use super::keys::ChosenKeys;

/// A trigger's place with its keys. One without a key must always be looked at.
pub(super) type Keyed = (u32, ChosenKeys);

/// The parts that lead from keys to triggers, in the order in which they are written.
pub(super) fn lay_out(triggers: &[Keyed]) -> [(Part, Vec<u8>); 5] {
    let keys_of = |placed| {
        let (_, chosen): &Keyed = placed;
        chosen.keys.iter().map(move |key| (*key, placed))
    };
    let mut under_keys: Vec<(Key, &Keyed)> = triggers.iter().flat_map(keys_of).collect();
    // The triggers of a key stay in their order.
    under_keys.sort_by_key(|(key, _)| *key);
    let of_one_key = under_keys.chunk_by(|(one, _), (other, _)| one == other);
    let lists: Vec<(Key, Vec<u8>)> = of_one_key
        .filter_map(|list| Some((list.first()?.0, encoded(list.iter().map(|(_, placed)| *placed)))))
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

    let keyless = encoded(triggers.iter().filter(|(_, chosen)| chosen.keys.is_empty()));
    let mut always = Vec::new();
    if !keyless.is_empty() {
        add(&mut always, Part::Always, &keyless);
    }
    [
        (Part::Always, always),
        (Part::Filter, filter.collect()),
        (Part::Directory, directory::encode(lengths)),
        (Part::Buckets, buckets),
        (Part::Postings, postings),
    ]
}

/// The list of these triggers.
fn encoded<'k>(triggers: impl Iterator<Item = &'k Keyed>) -> Vec<u8> {
    postings::encode(triggers.map(|(trigger, chosen)| Posting {
        trigger: *trigger,
        fields: chosen.fields,
        required: &chosen.required,
    }))
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
