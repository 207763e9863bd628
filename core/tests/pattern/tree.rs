//! Random JavaScript expressions: as text, with a slow matcher, and with texts that they match.

use std::collections::BTreeSet;

use proptest::prelude::*;

/// A JavaScript expression.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// An item that matches one UTF-16 unit: how it is written, and which units it matches.
    Unit(&'static str, fn(u16) -> bool),
    /// Characters as themselves.
    Text(&'static str),
    /// An assertion: how it is written, and where it holds, by the units before and after.
    Look(&'static str, fn(Option<u16>, Option<u16>) -> bool),
    Cat(Vec<Tree>),
    Or(Vec<Tree>),
    /// With the quantifier, and the least and most times.
    Repeat(Box<Tree>, &'static str, usize, Option<usize>),
}

fn is_word(unit: Option<u16>) -> bool {
    unit.and_then(|unit| u8::try_from(unit).ok()).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_space(unit: u16) -> bool {
    matches!(unit, 0x09..=0x0D | 0x20 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF)
}

fn is(unit: u16, c: char) -> bool {
    u32::from(unit) == u32::from(c)
}

const UNITS: &[Tree] = &[
    Tree::Unit(".", |unit| !matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)),
    Tree::Unit("[^]", |_| true),
    Tree::Unit("[]", |_| false),
    Tree::Unit("[^a]", |unit| !is(unit, 'a')),
    Tree::Unit("[ab-]", |unit| is(unit, 'a') || is(unit, 'b') || is(unit, '-')),
    Tree::Unit("[a-c\\u00e9]", |unit| (0x61..=0x63).contains(&unit) || unit == 0xE9),
    Tree::Unit("\\d", |unit| (0x30..=0x39).contains(&unit)),
    Tree::Unit("\\D", |unit| !(0x30..=0x39).contains(&unit)),
    Tree::Unit("\\w", |unit| is_word(Some(unit))),
    Tree::Unit("\\W", |unit| !is_word(Some(unit))),
    Tree::Unit("\\s", is_space),
    Tree::Unit("\\S", |unit| !is_space(unit)),
    Tree::Unit("[^\\s;]", |unit| !is_space(unit) && !is(unit, ';')),
    Tree::Unit("\\x41", |unit| unit == 0x41),
    Tree::Unit("\\u2028", |unit| unit == 0x2028),
    Tree::Unit("\\-", |unit| is(unit, '-')),
    Tree::Unit("[\\b]", |unit| unit == 8),
    Tree::Unit("{", |unit| is(unit, '{')),
    Tree::Unit("a", |unit| is(unit, 'a')),
    Tree::Unit("B", |unit| is(unit, 'B')),
];
const TEXTS: &[Tree] = &[
    Tree::Text(""),
    Tree::Text("a"),
    Tree::Text("git"),
    Tree::Text("é"),
    Tree::Text("(?:😀)"),
    Tree::Text("ab"),
    Tree::Text("Git "),
];
const LOOKS: &[Tree] = &[
    Tree::Look("^", |before, _| before.is_none()),
    Tree::Look("$", |_, after| after.is_none()),
    Tree::Look("\\b", |before, after| is_word(before) != is_word(after)),
    Tree::Look("\\B", |before, after| is_word(before) == is_word(after)),
];
const TIMES: &[(&str, usize, Option<usize>)] = &[
    ("*", 0, None),
    ("+", 1, None),
    ("?", 0, Some(1)),
    ("*?", 0, None),
    ("+?", 1, None),
    ("{2}", 2, Some(2)),
    ("{1,}", 1, None),
    ("{0,2}", 0, Some(2)),
    ("{0}", 0, Some(0)),
];

/// Characters that tell the classes apart.
pub(crate) const CHARS: &[char] = &[
    'a', 'b', 'c', 'B', 'A', '1', '_', ' ', '-', ';', '{', '\n', '\u{8}', 'é', 'É', '\u{A0}', '\u{2028}',
    '\u{FEFF}', '😀', '😁', 'K',
];

/// Any expression.
pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => prop::sample::select(UNITS),
        4 => prop::sample::select(TEXTS),
        1 => prop::sample::select(LOOKS),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::Cat),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::Or),
            (inner, prop::sample::select(TIMES)).prop_map(|(inner, (written, min, max))| Tree::Repeat(
                Box::new(inner),
                written,
                min,
                max
            )),
        ]
    })
}

/// Any text.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(CHARS), 0..8).prop_map(|chars| chars.into_iter().collect())
}

impl Tree {
    /// The expression as a person would write it.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Unit(written, _) | Self::Text(written) | Self::Look(written, _) => (*written).to_owned(),
            Self::Cat(parts) => parts.iter().map(Self::written).collect(),
            Self::Or(branches) => {
                format!("({})", branches.iter().map(Self::written).collect::<Vec<_>>().join("|"))
            }
            Self::Repeat(inner, times, ..) => format!("(?:{}){times}", inner.written()),
        }
    }

    /// Whether it matches anywhere in `text`: every way is followed.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        let units: Vec<u16> = text.encode_utf16().collect();
        let all: BTreeSet<usize> = (0..=units.len()).collect();
        !self.ends(&units, &all).is_empty()
    }

    /// The places where a match that starts at one of `starts` can end.
    fn ends(&self, units: &[u16], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
        let at = |place: usize| units.get(place).copied();
        match self {
            Self::Unit(_, matches) => starts
                .iter()
                .filter(|&&place| at(place).is_some_and(matches))
                .map(|place| place + 1)
                .collect(),
            Self::Text(_) => {
                let text: Vec<u16> = self.literal().encode_utf16().collect();
                starts
                    .iter()
                    .filter(|&&place| units.get(place..).is_some_and(|rest| rest.starts_with(&text)))
                    .map(|place| place + text.len())
                    .collect()
            }
            Self::Look(_, holds) => {
                let holds = |place: usize| holds(place.checked_sub(1).and_then(at), at(place));
                starts.iter().copied().filter(|&place| holds(place)).collect()
            }
            Self::Cat(parts) => parts.iter().fold(starts.clone(), |starts, part| part.ends(units, &starts)),
            Self::Or(branches) => branches.iter().flat_map(|branch| branch.ends(units, starts)).collect(),
            Self::Repeat(inner, _, min, max) => {
                let mut now = starts.clone();
                for _ in 0..*min {
                    now = inner.ends(units, &now);
                }
                let mut all = now.clone();
                // Beyond one round for each unit nothing new can come.
                for _ in *min..max.unwrap_or(min + units.len() + 1) {
                    now = inner.ends(units, &now);
                    all.extend(&now);
                }
                all
            }
        }
    }

    fn literal(&self) -> &str {
        match self {
            Self::Text(written) => {
                written.strip_prefix("(?:").and_then(|rest| rest.strip_suffix(')')).unwrap_or(written)
            }
            _ => "",
        }
    }

    /// A text that it probably matches, chosen by `choices`.
    pub(crate) fn sample(&self, choices: &mut impl Iterator<Item = usize>, out: &mut String) {
        let mut choose = |below: usize| choices.next().unwrap_or(0) % below.max(1);
        match self {
            Self::Unit(_, matches) => {
                let fitting: Vec<char> = CHARS
                    .iter()
                    .copied()
                    .filter(|c| {
                        c.len_utf16() == 1 && c.encode_utf16(&mut [0; 2]).iter().all(|unit| matches(*unit))
                    })
                    .collect();
                if let Some(&c) = fitting.get(choose(fitting.len())) {
                    out.push(c);
                }
            }
            Self::Text(_) => out.push_str(self.literal()),
            Self::Look(..) => {}
            Self::Cat(parts) => parts.iter().for_each(|part| part.sample(choices, out)),
            Self::Or(branches) => {
                if let Some(branch) = branches.get(choose(branches.len())) {
                    branch.sample(choices, out);
                }
            }
            Self::Repeat(inner, _, min, max) => {
                let most = max.unwrap_or(min + 2);
                for _ in 0..min + choose(most - min + 1) {
                    inner.sample(choices, out);
                }
            }
        }
    }
}
