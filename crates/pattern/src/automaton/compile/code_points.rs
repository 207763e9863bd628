//! The rewriting of a pattern to [code-point classes](crate::automaton::alphabet).

use std::sync::LazyLock;

use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};

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

/// The characters of each union of classes. The bits of an index say which classes are in the union.
static UNIONS: LazyLock<[ClassUnicode; 8]> = LazyLock::new(|| {
    std::array::from_fn(|chosen| {
        let mut union = ClassUnicode::empty();
        let among = CLASSES.iter().enumerate().filter(|(class, _)| chosen >> class & 1 == 1);
        among.for_each(|(_, (_, characters))| union.union(characters));
        union
    })
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
    let holds = |wanted: char| class.iter().any(|range| (range.start()..=range.end()).contains(&wanted));
    let held = CLASSES
        .each_ref()
        .map(|(_, characters)| characters.iter().next().is_some_and(|range| holds(range.start())));
    let chosen = (0..).zip(held).fold(0, |chosen, (class, held)| chosen | usize::from(held) << class);
    let beyond = class.iter().filter(|range| range.end() >= FIRST);
    let beyond = beyond.map(|range| (range.start().max(FIRST), range.end()));
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
    for ((class, _), _) in CLASSES.iter().zip(held).filter(|(_, held)| *held) {
        bytes.push(ClassBytesRange::new(class.byte(), class.byte()));
    }
    Some(Hir::class(Class::Bytes(bytes)))
}
