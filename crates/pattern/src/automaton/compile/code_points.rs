//! The rewriting of a pattern to [code-point classes](crate::automaton::alphabet).

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use crate::automaton::alphabet::{BLANKS, CodePointClass, LINE_ENDS, Range};

/// The first character beyond ASCII.
const FIRST: char = '\u{80}';

/// The characters of each code-point class.
static CLASSES: LazyLock<[(CodePointClass, ClassUnicode); 3]> = LazyLock::new(|| {
    let class = |ranges: &[Range]| {
        ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
    };
    let (line_ends, blanks, mut others) = (class(&LINE_ENDS), class(&BLANKS), class(&[(FIRST, char::MAX)]));
    others.difference(&line_ends);
    others.difference(&blanks);
    [(CodePointClass::LineEnd, line_ends), (CodePointClass::Blank, blanks), (CodePointClass::Other, others)]
});

/// Rewrites `expression`, which is about characters, to one about their classes. `None` if it distinguishes characters
/// of one class, or looks at single bytes of them.
pub(super) fn over_classes(expression: Hir) -> Option<Hir> {
    let each = |parts: Vec<Hir>| parts.into_iter().map(over_classes).collect::<Option<_>>();
    Some(match expression.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Literal(literal) => literal.0.is_ascii().then(|| Hir::literal(literal.0))?,
        HirKind::Class(Class::Unicode(class)) => class_over_classes(&class)?,
        HirKind::Class(Class::Bytes(class)) => class.is_ascii().then(|| Hir::class(Class::Bytes(class)))?,
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            let sub = Box::new(over_classes(*sub)?);
            Hir::repetition(Repetition { min, max, greedy, sub })
        }
        HirKind::Capture(capture) => over_classes(*capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(each(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)?),
    })
}

/// Rewrites a class that contains, of each code-point class, all characters or none.
fn class_over_classes(class: &ClassUnicode) -> Option<Hir> {
    let within = |characters: &ClassUnicode| {
        let mut part = class.clone();
        part.intersect(characters);
        part
    };
    let ascii = ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]);
    let mut bytes = within(&ascii).to_byte_class()?;
    for (class, characters) in CLASSES.iter() {
        let held = within(characters);
        if held == *characters {
            bytes.push(ClassBytesRange::new(class.byte(), class.byte()));
        } else if !held.ranges().is_empty() {
            return None;
        }
    }
    Some(Hir::class(Class::Bytes(bytes)))
}
