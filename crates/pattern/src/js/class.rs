//! The character sets of JavaScript's classes, and its rules for ignoring case.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::automaton::alphabet::{BLANKS, LINE_ENDS};

/// Whether a pattern distinguishes upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Kept,
    Ignored,
}

/// The place of an escape, which decides its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapePlace {
    InClass,
    Outside,
}

/// The meaning of an escape, or of a character in a class.
pub(super) enum Escape {
    Char(char),
    /// A set of characters; for what is refused, an empty one.
    Set(ClassUnicode),
}

impl Escape {
    pub(super) fn add_to(&self, class: &mut ClassUnicode) {
        match self {
            Self::Char(c) => class.push(ClassUnicodeRange::new(*c, *c)),
            Self::Set(set) => class.union(set),
        }
    }
}

/// The set of the characters in some ranges.
fn set(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
}

/// The set of `.`: every character but the four line ends.
pub(super) fn dot() -> ClassUnicode {
    let mut class = set(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]);
    class.negate();
    class
}

/// The set of `\d`, `\w` or `\s`; the upper-case letter gives the complement. Each set contains, with a character,
/// all that equal it when case is ignored.
pub(super) fn named(letter: char) -> Option<ClassUnicode> {
    let mut class = match letter.to_ascii_lowercase() {
        'd' => set(&[('0', '9')]),
        'w' => set(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        's' => set(&[&[('\t', '\r'), (' ', ' ')], &BLANKS[..], &LINE_ENDS].concat()),
        _ => return None,
    };
    if letter.is_ascii_uppercase() {
        class.negate();
    }
    Some(class)
}

/// Adds every character that equals one of `class` when case is ignored.
pub(super) fn ignore_case(class: &mut ClassUnicode) {
    if let Some(mut ascii) = class.to_byte_class() {
        // An ASCII character equals only ASCII characters.
        ascii.case_fold_simple();
        *class = ascii.to_unicode_class().unwrap_or_else(ClassUnicode::empty);
        return;
    }
    let ranges = class.ranges();
    let holds = |c: &char| {
        let at = ranges.partition_point(|range| range.end() < *c);
        ranges.get(at).is_some_and(|range| range.start() <= *c)
    };
    let same = CASELESS.iter().filter(|group| group.iter().any(holds)).flatten();
    let same = ClassUnicode::new(same.map(|c| ClassUnicodeRange::new(*c, *c)));
    class.union(&same);
}

/// The groups of two or more characters that are equal when case is ignored.
static CASELESS: LazyLock<Vec<Vec<char>>> = LazyLock::new(|| {
    let mut groups: BTreeMap<char, Vec<char>> = BTreeMap::new();
    for c in '\0'..=LAST_CASED {
        let canonical = canonical(c);
        if canonical != c {
            groups.entry(canonical).or_insert_with(|| vec![canonical]).push(c);
        }
    }
    groups.into_values().collect()
});

/// The end of the characters that have an upper or lower case: the first two planes of Unicode contain them all.
const LAST_CASED: char = '\u{1FFFF}';

/// The canonical form of a character, as ECMA-262's *Canonicalize* defines it: the upper-case form if it is one
/// character and does not turn a non-ASCII character into an ASCII one; so neither `ſ` nor the Kelvin sign folds to `s` or `k`.
fn canonical(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) if c.is_ascii() || !single.is_ascii() => single,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folds(c: char) -> String {
        let mut class = set(&[(c, c)]);
        ignore_case(&mut class);
        class.iter().flat_map(|range| range.start()..=range.end()).collect()
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
        assert_eq!(folds('\u{1E943}'), "\u{1E921}\u{1E943}", "the last letter that has a case");
    }

    #[test]
    fn no_character_behind_the_last_cased_one_has_a_case() {
        let behind = LAST_CASED..=char::MAX;
        assert_eq!(behind.filter(|c| canonical(*c) != *c).collect::<String>(), "");
    }

    #[test]
    fn the_named_sets_are_closed_when_case_is_ignored() {
        for letter in "dDwWsS".chars() {
            let class = named(letter).unwrap();
            let mut folded = class.clone();
            ignore_case(&mut folded);
            assert_eq!(folded, class, "{letter}");
        }
    }
}
