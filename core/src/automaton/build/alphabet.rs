//! Whether a pattern can be matched over [`kinds`] of units.

use std::sync::LazyLock;

use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

use super::bytes::Bytes;
use crate::automaton::Alphabet;
use crate::automaton::kinds::{self, Kind};

/// What an item of an expression takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A whole character.
    Character,
    /// A UTF-16 unit. A character of two units is in a class as a whole, which then stands for its halves.
    Unit,
}

impl Alphabet {
    /// The bytes that texts can hold.
    pub(super) fn bytes(self) -> Bytes {
        match self {
            Self::Kinds => Bytes::range(0, Kind::Second.byte()),
            Self::Utf8 => Bytes::ALL,
        }
    }
}

/// Line ends, blanks, other characters of one unit, and characters of two.
const PARTS: usize = 4;
/// The first that is no ASCII, and the last character of one unit.
const OTHERS: kinds::Range = ('\u{80}', '\u{FFFF}');
/// A member of each part.
const SAMPLES: [char; PARTS] = ['\u{2028}', '\u{A0}', OTHERS.0, kinds::PAIRS.0];
const PAIRS: usize = PARTS - 1;

/// The characters of some parts: of those whose bits are set in the place.
static UNIONS: LazyLock<[ClassUnicode; 1 << PARTS]> = LazyLock::new(|| {
    let class = |ranges: &[kinds::Range]| {
        ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
    };
    let (line_ends, blanks) = (class(&kinds::LINE_ENDS), class(&kinds::BLANKS));
    let mut others = class(&[OTHERS]);
    others.difference(&line_ends);
    others.difference(&blanks);
    let parts = [line_ends, blanks, others, class(&[kinds::PAIRS])];
    std::array::from_fn(|chosen| {
        let mut union = ClassUnicode::empty();
        parts
            .iter()
            .enumerate()
            .filter(|(part, _)| chosen >> part & 1 == 1)
            .for_each(|(_, of)| union.union(of));
        union
    })
});

/// `expression`, which is about characters, as one about kinds of units. `None` where it tells characters of
/// a kind apart, or looks at bytes of them.
pub(super) fn over_kinds(expression: Hir, item: Item) -> Option<Hir> {
    let each = |parts: Vec<Hir>| parts.into_iter().map(|part| over_kinds(part, item)).collect::<Option<_>>();
    Some(match expression.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => (item == Item::Unit || !holds_within(look)).then(|| Hir::look(look))?,
        HirKind::Literal(literal) => literal.0.is_ascii().then(|| Hir::literal(literal.0))?,
        HirKind::Class(Class::Unicode(class)) => class_over_kinds(&class, item)?,
        HirKind::Class(Class::Bytes(class)) => class.is_ascii().then(|| Hir::class(Class::Bytes(class)))?,
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            let sub = Box::new(over_kinds(*sub, item)?);
            Hir::repetition(Repetition { min, max, greedy, sub })
        }
        HirKind::Capture(capture) => over_kinds(*capture.sub, item)?,
        HirKind::Concat(parts) => Hir::concat(each(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)?),
    })
}

/// Whether an assertion can hold between two bytes of a character, where an expression about bytes may match and
/// one about units may not.
fn holds_within(look: Look) -> bool {
    !matches!(
        look,
        Look::Start
            | Look::End
            | Look::WordAscii
            | Look::WordStartAscii
            | Look::WordEndAscii
            | Look::StartLF
            | Look::EndLF
            | Look::StartCRLF
            | Look::EndCRLF
    )
}

/// A class of characters that holds, of each part, all or none.
fn class_over_kinds(class: &ClassUnicode, item: Item) -> Option<Hir> {
    let contains = |wanted: &char| class.iter().any(|range| (range.start()..=range.end()).contains(wanted));
    let parts = SAMPLES.map(|sample| contains(&sample));
    let chosen = (0..).zip(parts).fold(0, |chosen, (part, taken)| chosen | usize::from(taken) << part);
    let beyond = class.iter().filter(|range| range.end() >= OTHERS.0);
    let beyond = beyond.map(|range| (range.start().max(OTHERS.0), range.end()));
    if !beyond.eq(UNIONS.get(chosen)?.iter().map(|range| (range.start(), range.end()))) {
        return None;
    }
    let ascii = class.iter().filter_map(|range| {
        let end = range.end().min('\x7F');
        Some(ClassBytesRange::new(
            u8::try_from(range.start()).ok().filter(u8::is_ascii)?,
            u8::try_from(end).ok()?,
        ))
    });
    let mut bytes = ClassBytes::new(ascii);
    let mut take = |kind: Kind| bytes.push(ClassBytesRange::new(kind.byte(), kind.byte()));
    for (kind, _) in
        [Kind::LineEnd, Kind::Blank, Kind::Other].into_iter().zip(parts).filter(|(_, taken)| *taken)
    {
        take(kind);
    }
    Some(match (parts[PAIRS], item) {
        (false, _) => Hir::class(Class::Bytes(bytes)),
        (true, Item::Unit) => {
            [Kind::First, Kind::Second].into_iter().for_each(take);
            Hir::class(Class::Bytes(bytes))
        }
        (true, Item::Character) => {
            let pair = Hir::literal([Kind::First.byte(), Kind::Second.byte()]);
            Hir::alternation(vec![Hir::class(Class::Bytes(bytes)), pair])
        }
    })
}
