//! From keys to the triggers that are found under them.

use lessons_core::index::bucket::{self, List, MOST_NEAR};
use lessons_core::index::directory::{self, buckets_for};
use lessons_core::index::filter::{self, blocks_for};
use lessons_core::index::key::Key;
use lessons_core::index::postings::{self, Posting, Surfaces};
use lessons_core::index::storage::{self, Kind};

use super::keys::Found;

/// Triggers with the keys under which they are found.
#[derive(Debug, Default)]
pub(super) struct Keyed(Vec<Placed>);

/// A trigger. Without a key it must always be looked at.
#[derive(Debug)]
struct Placed {
    trigger: u32,
    surfaces: Surfaces,
    found: Found,
}

impl Placed {
    fn posting(&self) -> Posting<'_> {
        Posting { trigger: self.trigger, surfaces: self.surfaces, screen: &self.found.screen }
    }
}

/// Parts of an index that lead from keys to triggers.
#[derive(Debug)]
pub(super) struct Ways {
    /// The list of what no key leads to.
    pub(super) always: Vec<u8>,
    pub(super) filter: Vec<u8>,
    pub(super) directory: Vec<u8>,
    pub(super) buckets: Vec<u8>,
    /// Lists that stand for themselves.
    pub(super) postings: Vec<u8>,
}

impl Keyed {
    /// Adds the trigger that stands at this place.
    pub(super) fn add(&mut self, trigger: u32, surfaces: Surfaces, found: Found) {
        self.0.push(Placed { trigger, surfaces, found });
    }

    /// The grams among the keys of those that look at contents.
    pub(super) fn content_grams(&self) -> impl Iterator<Item = &[u8]> {
        let of_contents = self.0.iter().filter(|placed| placed.surfaces.meet(Surfaces::CONTENT));
        of_contents.flat_map(|placed| &placed.found.grams).map(Vec::as_slice)
    }

    /// Puts them in their order.
    pub(super) fn lay_out(&self) -> Ways {
        let mut under_keys: Vec<(Key, &Placed)> = self
            .0
            .iter()
            .flat_map(|placed| placed.found.keys.iter().map(move |key| (*key, placed)))
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

        let near_bytes = lists.iter().map(|(_, list)| list.len()).filter(|length| *length <= MOST_NEAR).sum();
        let (mut buckets, mut lengths, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for (number, its) in in_slots(&lists, buckets_for(lists.len(), near_bytes)) {
            let placed = its.iter().map(|(key, list)| match list.len() {
                ..=MOST_NEAR => (*key, List::Near(list)),
                _ => (*key, List::Far(add(&mut postings, Kind::List, list))),
            });
            let bucket = bucket::encode(number, &placed.collect::<Vec<_>>());
            lengths.push(bucket.len());
            buckets.extend(bucket);
        }
        Ways {
            always: self.always(),
            filter: filter.collect(),
            directory: directory::encode(lengths),
            buckets,
            postings,
        }
    }

    /// The list of what no key leads to. Empty if there is nothing.
    fn always(&self) -> Vec<u8> {
        let keyless = self.0.iter().filter(|placed| placed.found.keys.is_empty());
        let list = postings::encode(keyless.map(Placed::posting));
        let mut always = Vec::new();
        if !list.is_empty() {
            add(&mut always, Kind::Always, &list);
        }
        always
    }
}

/// Adds a list to a part, and returns its place.
fn add(part: &mut Vec<u8>, kind: Kind, list: &[u8]) -> u32 {
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
