//! Case folding as JavaScript's `i` flag does it without the `u` flag.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::pattern::charset::CharSet;

/// One more than the highest UTF-16 unit.
const UNITS: u32 = 0x1_0000;

/// ECMA-262, *Canonicalize*: the upper-case form if it is one UTF-16 unit and does not turn a
/// non-ASCII character into an ASCII one; so neither `ſ` nor the Kelvin sign ever folds to `s` or `k`.
fn canonical(unit: u32) -> u32 {
    let Some(c) = char::from_u32(unit) else { return unit };
    let mut upper = c.to_uppercase();
    match (upper.next().map(u32::from), upper.next()) {
        (Some(single), None) if single < UNITS && (unit < 0x80 || single >= 0x80) => single,
        _ => unit,
    }
}

/// The units that are the same as another one, ascending, each with the number of the group that it is in.
struct Relatives {
    units: Vec<(u32, usize)>,
    groups: usize,
}

impl Relatives {
    fn all() -> &'static Self {
        static ALL: OnceLock<Relatives> = OnceLock::new();
        ALL.get_or_init(|| {
            // Most units are on their own: none but those that fold to another one make a group.
            let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for unit in 0..UNITS {
                let canonical = canonical(unit);
                if canonical != unit {
                    groups.entry(canonical).or_insert_with(|| vec![canonical]).push(unit);
                }
            }
            let numbered = groups.values().enumerate();
            let mut units: Vec<(u32, usize)> =
                numbered.flat_map(|(group, units)| units.iter().map(move |unit| (*unit, group))).collect();
            units.sort_unstable();
            Self { units, groups: groups.len() }
        })
    }

    /// Whether one of them is in `set`.
    fn meet(&self, set: &CharSet) -> bool {
        set.ranges().iter().any(|(first, last)| {
            let next = self.units.partition_point(|(unit, _)| unit < first);
            self.units.get(next).is_some_and(|(unit, _)| unit <= last)
        })
    }
}

/// Every unit that is the same as one of `set` when case is ignored.
pub(super) fn closure(set: &CharSet) -> CharSet {
    if set.is_below(0x80) {
        let other_case = |low: u8, high: u8, shift: i32| {
            set.within(u32::from(low), u32::from(high))
                .ranges()
                .iter()
                .map(|&(from, to)| (from.wrapping_add_signed(shift), to.wrapping_add_signed(shift)))
                .collect::<Vec<_>>()
        };
        let other = [other_case(b'a', b'z', -32), other_case(b'A', b'Z', 32)].concat();
        return set.union(&CharSet::of(&other));
    }
    let relatives = Relatives::all();
    if !relatives.meet(set) {
        return set.within(0, UNITS - 1);
    }
    let (mut ranges, mut wanted) = (set.ranges().iter().peekable(), vec![false; relatives.groups]);
    let mut others = Vec::new();
    for &(unit, group) in &relatives.units {
        while ranges.next_if(|(_, last)| *last < unit).is_some() {}
        if ranges.peek().is_some_and(|(first, _)| *first <= unit) {
            wanted[group] = true;
        } else {
            others.push((unit, group));
        }
    }
    others.retain(|(_, group)| wanted[*group]);
    let others: Vec<(u32, u32)> = others.into_iter().map(|(unit, _)| (unit, unit)).collect();
    set.within(0, UNITS - 1).union(&CharSet::of(&others))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folds(c: char) -> String {
        closure(&CharSet::of(&[(u32::from(c), u32::from(c))]))
            .ranges()
            .iter()
            .flat_map(|&(low, high)| low..=high)
            .filter_map(char::from_u32)
            .collect()
    }

    #[test]
    fn ascii_folds_only_to_ascii() {
        assert_eq!(folds('k'), "Kk");
        assert_eq!(folds('S'), "Ss");
        assert_eq!(folds('_'), "_");
        assert_eq!(folds('\u{212A}'), "\u{212A}", "the Kelvin sign is on its own");
        assert_eq!(folds('ſ'), "ſ");
    }

    #[test]
    fn other_letters_fold_to_what_shares_their_upper_case() {
        assert_eq!(folds('é'), "Éé");
        assert_eq!(folds('σ'), "Σςσ");
        assert_eq!(folds('ß'), "ß", "two letters in upper case");
    }
}
