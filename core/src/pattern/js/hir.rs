//! From a parsed pattern to an expression of `regex-syntax`.

use regex_syntax::hir::{
    Capture, Class as HirClass, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look,
    Repetition,
};

use super::class::{Case, Class, Halves};
use super::units::Counting;
use super::{Count, Greed, Node, fold};
use crate::pattern::charset::CharSet;

/// The expression of `tree`.
pub(super) fn hir(tree: &Node, counting: Counting, case: Case) -> Hir {
    let maker = Maker { counting, case };
    match counting {
        Counting::Characters | Counting::Units => maker.node(tree),
        Counting::UnitsFromWithin => {
            let sub = Box::new(maker.node(tree));
            Hir::concat(vec![before(), Hir::capture(Capture { index: 1, name: None, sub })])
        }
    }
}

/// Any of some bytes.
fn byte(first: u8, last: u8) -> Hir {
    Hir::class(HirClass::Bytes(ClassBytes::new([ClassBytesRange::new(first, last)])))
}

/// The first half of a character beyond U+FFFF: two of its four bytes.
fn first_half() -> Hir {
    Hir::concat(vec![byte(0xF0, 0xF4), byte(0x80, 0xBF)])
}

/// The second half.
fn second_half() -> Hir {
    let sub = Box::new(byte(0x80, 0xBF));
    Hir::repetition(Repetition { min: 2, max: Some(2), greedy: true, sub })
}

/// What stands before a match that may start with a second half: nothing, or a first half, or a
/// character. It keeps the search from starting inside a character of two or three bytes.
fn before() -> Hir {
    let any = ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]);
    Hir::alternation(vec![Hir::look(Look::Start), first_half(), Hir::class(HirClass::Unicode(any))])
}

struct Maker {
    counting: Counting,
    case: Case,
}

impl Maker {
    fn node(&self, node: &Node) -> Hir {
        match node {
            Node::Empty => Hir::empty(),
            Node::Text(c) => self.character(*c),
            Node::Class(class) => self.class(class),
            Node::Start => Hir::look(Look::Start),
            Node::End => Hir::look(Look::End),
            Node::Boundary => Hir::look(Look::WordAscii),
            Node::NotBoundary => Hir::look(Look::WordAsciiNegate),
            Node::Concat(parts) => self.concat(parts),
            Node::Either(parts) => {
                let mut branches = Vec::with_capacity(parts.len());
                self.branches(parts, &mut branches);
                Hir::alternation(branches)
            }
            Node::Repeat(inner, Count { min, max, greed }) => {
                let sub = Box::new(self.node(inner));
                Hir::repetition(Repetition { min: *min, max: *max, greedy: *greed == Greed::Greedy, sub })
            }
        }
    }

    /// Adds `parts`. Those that are branches themselves are branches of the whole.
    fn branches(&self, parts: &[Node], made: &mut Vec<Hir>) {
        for part in parts {
            match part {
                Node::Either(inner) => self.branches(inner, made),
                part => made.push(self.node(part)),
            }
        }
    }

    /// One after the other. Characters that stand for themselves alone are taken together.
    fn concat(&self, parts: &[Node]) -> Hir {
        let mut made = Vec::with_capacity(parts.len());
        let mut run = String::new();
        for part in parts {
            match part {
                Node::Text(c) if self.is_alone(*c) => run.push(*c),
                part => {
                    if !run.is_empty() {
                        made.push(Hir::literal(run.as_bytes()));
                        run.clear();
                    }
                    made.push(self.node(part));
                }
            }
        }
        if !run.is_empty() {
            made.push(Hir::literal(run.into_bytes()));
        }
        Hir::concat(made)
    }

    /// Whether `c` matches nothing but itself. Quick for most; of others it is found out when they are made.
    fn is_alone(&self, c: char) -> bool {
        self.case == Case::Kept || c.is_ascii() && !c.is_ascii_alphabetic()
    }

    fn character(&self, c: char) -> Hir {
        if self.is_alone(c) {
            Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes())
        } else if c.is_ascii() {
            let either = [c.to_ascii_uppercase(), c.to_ascii_lowercase()].map(|c| c as u8);
            Hir::class(HirClass::Bytes(ClassBytes::new(either.map(|byte| ClassBytesRange::new(byte, byte)))))
        } else {
            let code = u32::from(c);
            let own = CharSet::of(&[(code, code)]);
            // Without a relative, as all characters beyond U+FFFF are, it is none of a class.
            characters(&own.union(&fold::closure(&own)))
        }
    }

    fn class(&self, class: &Class) -> Hir {
        if self.counting == Counting::Characters || class.halves == Halves::None {
            return characters(&class.scalars());
        }
        let mut units = vec![characters(&class.plain)];
        if matches!(class.halves, Halves::High | Halves::Both) {
            units.push(first_half());
        }
        if matches!(class.halves, Halves::Low | Halves::Both) {
            units.push(second_half());
        }
        Hir::alternation(units)
    }
}

/// One character of a set.
fn characters(set: &CharSet) -> Hir {
    Hir::class(HirClass::Unicode(set.to_class()))
}
