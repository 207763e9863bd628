//! Case folding as JavaScript's `i` flag does it without the `u` flag.

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

fn table() -> &'static [u32] {
    static TABLE: OnceLock<Vec<u32>> = OnceLock::new();
    TABLE.get_or_init(|| (0..UNITS).map(canonical).collect())
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
    let table = table();
    let units = |set: &CharSet| set.within(0, UNITS - 1).ranges().to_vec().into_iter();
    let mut wanted = vec![false; table.len()];
    for (low, high) in units(set) {
        for unit in low..=high {
            if let Some(slot) = table.get(unit as usize).and_then(|&to| wanted.get_mut(to as usize)) {
                *slot = true;
            }
        }
    }
    let same = (0..UNITS)
        .filter(|&unit| {
            table.get(unit as usize).and_then(|&to| wanted.get(to as usize)).copied().unwrap_or_default()
        })
        .map(|unit| (unit, unit))
        .collect::<Vec<_>>();
    CharSet::of(&same)
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
