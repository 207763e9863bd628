//! Whether a pattern can be matched over [`kinds`] of characters.

use std::sync::LazyLock;

use regex_syntax::hir::{
    self, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
};

use super::bytes::Bytes;
use crate::automaton::Alphabet;
use crate::automaton::kinds::{self, Kind};

const FIRST_BEYOND: char = '\u{80}';

/// The characters of each kind, in the order of [`Kind::ALL`].
static MEMBERS: LazyLock<[ClassUnicode; 3]> = LazyLock::new(|| {
    let class = |ranges: &[kinds::Range]| {
        ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
    };
    let (line_ends, blanks) = (class(&kinds::LINE_ENDS), class(&kinds::BLANKS));
    let mut others = class(&[(FIRST_BEYOND, char::MAX)]);
    others.difference(&line_ends);
    others.difference(&blanks);
    [line_ends, blanks, others]
});

impl Alphabet {
    /// The bytes that texts can hold.
    pub(super) fn bytes(self) -> Bytes {
        match self {
            Self::Kinds => Bytes::range(0, Kind::Other.byte()),
            Self::Utf8 => Bytes::ALL,
        }
    }
}

/// `expression`, which is about characters, as one about their kinds. `None` where it tells characters of a
/// kind apart, or looks at parts of them.
pub(super) fn over_kinds(expression: &Hir) -> Option<Hir> {
    let each = |parts: &[Hir]| parts.iter().map(over_kinds).collect::<Option<Vec<Hir>>>();
    Some(match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => expression.clone(),
        HirKind::Literal(literal) => literal.0.is_ascii().then(|| expression.clone())?,
        HirKind::Class(Class::Unicode(class)) => Hir::class(Class::Bytes(of_characters(class)?)),
        HirKind::Class(Class::Bytes(class)) => class.is_ascii().then(|| expression.clone())?,
        HirKind::Repetition(repetition) => {
            let sub = Box::new(over_kinds(&repetition.sub)?);
            Hir::repetition(hir::Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => over_kinds(&capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(each(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)?),
    })
}

/// A class of characters: of each kind, all or none.
fn of_characters(class: &ClassUnicode) -> Option<ClassBytes> {
    let mut beyond = ClassUnicode::new([ClassUnicodeRange::new(FIRST_BEYOND, char::MAX)]);
    beyond.intersect(class);
    let mut ascii = ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]);
    ascii.intersect(class);
    let mut bytes = ascii.to_byte_class()?;
    let mut whole = ClassUnicode::empty();
    for (kind, members) in Kind::ALL.into_iter().zip(MEMBERS.iter()) {
        let mut shared = beyond.clone();
        shared.intersect(members);
        if !shared.ranges().is_empty() {
            whole.union(members);
            bytes.push(ClassBytesRange::new(kind.byte(), kind.byte()));
        }
    }
    (whole == beyond).then_some(bytes)
}
