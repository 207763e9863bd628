//! From keys to the triggers that are found under them.

use lessons_core::index::bucket::{self, List, MOST_NEAR};
use lessons_core::index::filter::{self, block_of, blocks_for};
use lessons_core::index::header::Span;
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
    /// Lists that stand for themselves.
    pub(super) postings: Vec<u8>,
    /// The place of the list of what no key leads to.
    pub(super) always: Option<u32>,
    pub(super) filter: Vec<u8>,
    pub(super) buckets: Vec<u8>,
}

impl Keyed {
    /// Adds the trigger that stands at this place.
    pub(super) fn add(&mut self, trigger: u32, surfaces: Surfaces, found: Found) {
        self.0.push(Placed { trigger, surfaces, found });
    }

    fn keyless(&self) -> impl Iterator<Item = &Placed> {
        self.0.iter().filter(|placed| placed.found.keys.is_empty())
    }

    /// The grams among the keys of those that look at contents.
    pub(super) fn content_grams(&self) -> impl Iterator<Item = &[u8]> {
        let of_contents = self.0.iter().filter(|placed| placed.surfaces.meet(Surfaces::CONTENT));
        of_contents.flat_map(|placed| &placed.found.grams).map(Vec::as_slice)
    }

    /// Puts them in their order.
    pub(super) fn lay_out(&self) -> Ways {
        let mut postings = Vec::new();
        let mut add = |list: &[u8]| {
            let place = storage::place(postings.len());
            let (head, rest) = storage::frame(Kind::List, place, list);
            postings.extend([&head, list, rest].concat());
            place
        };
        // First of all: what every call looks at is read with the header.
        let keyless: Vec<Posting<'_>> = self.keyless().map(Placed::posting).collect();
        let always = (!keyless.is_empty()).then(|| add(&postings::encode(keyless)));

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

        let near = |(_, list): &(Key, Vec<u8>)| Some(list.len()).filter(|length| *length <= MOST_NEAR);
        let blocks = blocks_for(lists.len(), lists.iter().filter_map(near).sum());
        let (mut filter, mut buckets) = (Vec::new(), Vec::new());
        let mut rest = lists.as_slice();
        for block in 0..blocks {
            let its = rest.partition_point(|(key, _)| block_of(*key, blocks) <= block);
            let (its, others) = rest.split_at(its);
            rest = others;
            let mut lists = Vec::new();
            for (key, list) in its {
                let is_near = list.len() <= MOST_NEAR;
                lists.push((*key, if is_near { List::Near(list) } else { List::Far(add(list)) }));
            }
            let bucket = bucket::encode(block, &lists);
            let span = Span { at: buckets.len() as u64, length: bucket.len() as u64 };
            filter.extend(filter::encode(block, lists.iter().map(|(key, _)| *key), span));
            buckets.extend(bucket);
        }
        Ways { postings, always, filter, buckets }
    }
}
