//! Random JavaScript expressions: as text, with a slow matcher, and with texts that they match.

use std::collections::BTreeSet;

use proptest::prelude::*;

/// A JavaScript expression.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// An item that matches one character: how it is written, and which characters it matches.
    Char(&'static str, fn(char) -> bool),
    /// Characters as themselves.
    Text(&'static str),
    /// An assertion: how it is written, and where it holds, by the characters before and after.
    Look(&'static str, fn(Option<char>, Option<char>) -> bool),
    Cat(Vec<Tree>),
    Or(Vec<Tree>),
    /// With the quantifier, and the least and most times.
    Repeat(Box<Tree>, &'static str, usize, Option<usize>),
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_space(c: char) -> bool {
    c.is_whitespace() && c != '\u{85}' || c == '\u{FEFF}'
}

const CLASSES: &[Tree] = &[
    Tree::Char(".", |c| !matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')),
    Tree::Char("[^]", |_| true),
    Tree::Char("[]", |_| false),
    Tree::Char("[^a]", |c| c != 'a'),
    Tree::Char("[ab-]", |c| matches!(c, 'a' | 'b' | '-')),
    Tree::Char("[a-c\\u00e9]", |c| matches!(c, 'a'..='c' | 'é')),
    Tree::Char("[é-😀]", |c| ('é'..='😀').contains(&c)),
    Tree::Char("\\d", |c| c.is_ascii_digit()),
    Tree::Char("\\D", |c| !c.is_ascii_digit()),
    Tree::Char("\\w", |c| is_word(Some(c))),
    Tree::Char("\\W", |c| !is_word(Some(c))),
    Tree::Char("\\s", is_space),
    Tree::Char("\\S", |c| !is_space(c)),
    Tree::Char("[^\\s;]", |c| !is_space(c) && c != ';'),
    Tree::Char("\\x41", |c| c == 'A'),
    Tree::Char("\\u2028", |c| c == '\u{2028}'),
    Tree::Char("\\-", |c| c == '-'),
    Tree::Char("[\\b]", |c| c == '\u{8}'),
    Tree::Char("{", |c| c == '{'),
    Tree::Char("a", |c| c == 'a'),
    Tree::Char("B", |c| c == 'B'),
];
const TEXTS: &[Tree] = &[
    Tree::Text(""),
    Tree::Text("a"),
    Tree::Text("git"),
    Tree::Text("é"),
    Tree::Text("😀"),
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
        4 => prop::sample::select(CLASSES),
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
            Self::Char(written, _) | Self::Text(written) | Self::Look(written, _) => (*written).to_owned(),
            Self::Cat(parts) => parts.iter().map(Self::written).collect(),
            Self::Or(branches) => {
                format!("({})", branches.iter().map(Self::written).collect::<Vec<_>>().join("|"))
            }
            Self::Repeat(inner, times, ..) => format!("(?:{}){times}", inner.written()),
        }
    }

    /// Whether it matches anywhere in `text`: every way is followed.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let all: BTreeSet<usize> = (0..=chars.len()).collect();
        !self.ends(&chars, &all).is_empty()
    }

    /// The places where a match that starts at one of `starts` can end.
    fn ends(&self, chars: &[char], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
        let at = |place: usize| chars.get(place).copied();
        match self {
            Self::Char(_, matches) => starts
                .iter()
                .filter(|&&place| at(place).is_some_and(matches))
                .map(|place| place + 1)
                .collect(),
            Self::Text(text) => {
                let text: Vec<char> = text.chars().collect();
                starts
                    .iter()
                    .filter(|&&place| chars.get(place..).is_some_and(|rest| rest.starts_with(&text)))
                    .map(|place| place + text.len())
                    .collect()
            }
            Self::Look(_, holds) => {
                let holds = |place: usize| holds(place.checked_sub(1).and_then(at), at(place));
                starts.iter().copied().filter(|&place| holds(place)).collect()
            }
            Self::Cat(parts) => parts.iter().fold(starts.clone(), |starts, part| part.ends(chars, &starts)),
            Self::Or(branches) => branches.iter().flat_map(|branch| branch.ends(chars, starts)).collect(),
            Self::Repeat(inner, _, min, max) => {
                let mut now = starts.clone();
                for _ in 0..*min {
                    now = inner.ends(chars, &now);
                }
                let mut all = now.clone();
                // Beyond one round for each character nothing new can come.
                for _ in *min..max.unwrap_or(min + chars.len() + 1) {
                    now = inner.ends(chars, &now);
                    all.extend(&now);
                }
                all
            }
        }
    }

    /// A text that it probably matches, chosen by `choices`.
    pub(crate) fn sample(&self, choices: &mut impl Iterator<Item = usize>, out: &mut String) {
        let mut choose = |below: usize| choices.next().unwrap_or(0) % below.max(1);
        match self {
            Self::Char(_, matches) => {
                let fitting: Vec<char> = CHARS.iter().copied().filter(|c| matches(*c)).collect();
                if let Some(&c) = fitting.get(choose(fitting.len())) {
                    out.push(c);
                }
            }
            Self::Text(text) => out.push_str(text),
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
