//! Sets of code points, as sorted ranges, and how they are written in a regular expression.

use std::fmt::Write as _;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The highest code point.
pub(super) const LAST: u32 = 0x10_FFFF;
/// The first and last code point of the surrogates, which no text in UTF-8 holds.
pub(super) const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);
/// The last character before them, and the first behind them.
const BEFORE_SURROGATES: char = '\u{D7FF}';
const AFTER_SURROGATES: char = '\u{E000}';

/// A set of code points. Ranges are inclusive, sorted, and do not touch each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CharSet {
    ranges: Vec<(u32, u32)>,
}

impl CharSet {
    /// The set of all code points in `ranges`, which may overlap and come in any order.
    pub(super) fn of(ranges: &[(u32, u32)]) -> Self {
        Self::merged(ranges.to_vec())
    }

    fn merged(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let touches = next.0 <= last.1.saturating_add(1);
            if touches {
                last.1 = last.1.max(next.1);
            }
            touches
        });
        Self { ranges }
    }

    /// Its ranges, sorted.
    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether all of it is below `limit`.
    pub(super) fn is_below(&self, limit: u32) -> bool {
        self.ranges.last().is_none_or(|last| last.1 < limit)
    }

    /// Whether `code` is in it.
    pub(super) fn contains(&self, code: u32) -> bool {
        self.ranges.iter().any(|&(low, high)| (low..=high).contains(&code))
    }

    /// Both sets together.
    pub(super) fn union(&self, other: &Self) -> Self {
        Self::merged([self.ranges.as_slice(), other.ranges.as_slice()].concat())
    }

    /// What is in both.
    pub(super) fn and(&self, other: &Self) -> Self {
        let ranges: Vec<_> =
            other.ranges.iter().flat_map(|&(low, high)| self.within(low, high).ranges).collect();
        Self::merged(ranges)
    }

    /// What of it lies from `low` to `high`.
    pub(super) fn within(&self, low: u32, high: u32) -> Self {
        Self { ranges: self.cut(low, high).collect() }
    }

    /// How many code points from `low` to `high` are in it.
    pub(super) fn len_within(&self, low: u32, high: u32) -> u64 {
        self.cut(low, high).map(|(from, to)| u64::from(to - from) + 1).sum()
    }

    fn cut(&self, low: u32, high: u32) -> impl Iterator<Item = (u32, u32)> {
        let cut = self.ranges.iter().map(move |&(from, to)| (from.max(low), to.min(high)));
        cut.filter(|&(from, to)| from <= to)
    }

    /// What of `low` to `high` is not in it.
    pub(super) fn missing(&self, low: u32, high: u32) -> Self {
        let mut ranges = Vec::new();
        let mut next = low;
        for (from, to) in self.cut(low, high) {
            if from > next {
                ranges.push((next, from - 1));
            }
            next = to + 1;
        }
        if next <= high {
            ranges.push((next, high));
        }
        Self { ranges }
    }

    /// As a class of characters. Surrogates do not count: they are in no text.
    pub(super) fn to_class(&self) -> ClassUnicode {
        // With them two ranges become one that have nothing else between them.
        let mut ranges = self.ranges.clone();
        ranges.push(SURROGATES);
        let all = Self::merged(ranges);
        let scalar = |code, otherwise: char| char::from_u32(code).unwrap_or(otherwise);
        let ranges = all.ranges.iter().filter(|range| **range != SURROGATES);
        ClassUnicode::new(ranges.map(|(low, high)| {
            ClassUnicodeRange::new(scalar(*low, AFTER_SURROGATES), scalar(*high, BEFORE_SURROGATES))
        }))
    }

    /// Writes the set as one item of a Unicode-mode regular expression. Surrogates do not count:
    /// they are in no text.
    pub(super) fn write(&self, out: &mut String) {
        if let [(low, high)] = self.ranges.as_slice()
            && low == high
            && let Some(c) = char::from_u32(*low)
        {
            return write_literal(c, out);
        }
        let full = self.union(&Self::of(&[SURROGATES]));
        let rest = full.missing(0, LAST);
        if rest.is_empty() {
            out.push_str("(?s:.)");
        } else if full.contains(LAST) {
            out.push_str("[^");
            rest.write_ranges(out);
            out.push(']');
        } else {
            let (low, high) = SURROGATES;
            let own = self.within(0, low - 1).union(&self.within(high + 1, LAST));
            if own.is_empty() {
                // A class that matches nothing.
                out.push_str(r"[^\x00-\x{10FFFF}]");
                return;
            }
            out.push('[');
            own.write_ranges(out);
            out.push(']');
        }
    }

    fn write_ranges(&self, out: &mut String) {
        for &(low, high) in &self.ranges {
            write_member(low, out);
            if high > low {
                if high > low + 1 {
                    out.push('-');
                }
                write_member(high, out);
            }
        }
    }
}

fn write_member(code: u32, out: &mut String) {
    match char::from_u32(code) {
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | ' ') => out.push(c),
        Some(c) if c.is_ascii_graphic() => {
            if regex_syntax::is_meta_character(c) {
                out.push('\\');
            }
            out.push(c);
        }
        _ => write_code(code, out),
    }
}

fn write_code(code: u32, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match code {
        0x09 => write!(out, r"\t"),
        0x0A => write!(out, r"\n"),
        0x0D => write!(out, r"\r"),
        ..0x80 => write!(out, r"\x{code:02X}"),
        _ => write!(out, r"\x{{{code:X}}}"),
    };
}

/// Writes one character as itself, outside a class.
pub(super) fn write_literal(c: char, out: &mut String) {
    if matches!(c, '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$') {
        out.push('\\');
        out.push(c);
    } else if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() {
        out.push(c);
    } else {
        write_code(u32::from(c), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(ranges: &[(u32, u32)]) -> String {
        let mut out = String::new();
        CharSet::of(ranges).write(&mut out);
        out
    }

    #[test]
    fn ranges_are_merged_and_sorted() {
        let set = CharSet::of(&[(5, 9), (1, 2), (3, 3), (8, 20)]);
        assert_eq!(set.ranges(), [(1, 3), (5, 20)]);
        assert_eq!(set.missing(0, 25).ranges(), [(0, 0), (4, 4), (21, 25)]);
        assert_eq!((set.len_within(0, LAST), set.len_within(2, 9)), (19, 7));
        assert!(set.contains(20) && !set.contains(4) && !set.contains(21));
    }

    #[test]
    fn a_set_is_written_the_shorter_way() {
        assert_eq!(written(&[(0x30, 0x39), (0x5F, 0x5F), (0x2D, 0x2D), (0x61, 0x62)]), r"[\-0-9_ab]");
        assert_eq!(written(&[(0, 0x60), (0x62, LAST)]), "[^a]");
        assert_eq!(written(&[(0, LAST)]), "(?s:.)");
        assert_eq!(written(&[]), r"[^\x00-\x{10FFFF}]");
        assert_eq!(written(&[(0xD800, 0xE000)]), r"[\x{E000}]");
        assert_eq!(written(&[(0x2E, 0x2E)]), r"\.");
    }
}
