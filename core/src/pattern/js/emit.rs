//! Writing a parsed pattern in the syntax of `regex-syntax`.

use super::class::{Case, Class, Halves};
use super::units::Counting;
use super::{Count, Greed, Node};
use crate::pattern::charset::{CharSet, write_literal};

/// The first half of a character beyond U+FFFF: two of its four bytes.
const FIRST_HALF: &str = r"(?-u:[\xF0-\xF4][\x80-\xBF])";
/// The second half.
const SECOND_HALF: &str = r"(?-u:[\x80-\xBF]{2})";
/// What stands before a match that may start with a second half: nothing, or a first half, or a
/// character. It keeps the search from starting inside a character of two or three bytes.
const BEFORE: &str = r"(?:\A|(?-u:[\xF0-\xF4][\x80-\xBF])|(?s:.))";

/// Writes `tree`.
pub(super) fn emit(tree: &Node, counting: Counting, case: Case) -> String {
    let mut writer = Writer { out: String::new(), counting, case };
    match counting {
        Counting::Characters | Counting::Units => writer.node(tree),
        Counting::UnitsFromWithin => {
            writer.out.push_str(BEFORE);
            writer.out.push('(');
            writer.node(tree);
            writer.out.push(')');
        }
    }
    writer.out
}

struct Writer {
    out: String,
    counting: Counting,
    case: Case,
}

impl Writer {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Empty => self.out.push_str("(?:)"),
            Node::Text(c) => self.text(&[*c]),
            Node::Class(class) => self.class(class),
            Node::Start => self.out.push_str(r"\A"),
            Node::End => self.out.push_str(r"\z"),
            Node::Boundary => self.out.push_str(r"(?-u:\b)"),
            Node::NotBoundary => self.out.push_str(r"(?-u:\B)"),
            Node::Concat(parts) => self.concat(parts),
            Node::Either(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    if n > 0 {
                        self.out.push('|');
                    }
                    self.node(part);
                }
            }
            Node::Repeat(inner, count) => {
                self.item(inner);
                self.count(*count);
            }
        }
    }

    fn concat(&mut self, parts: &[Node]) {
        let mut rest = parts;
        while let Some((first, tail)) = rest.split_first() {
            let run: Vec<char> = rest
                .iter()
                .map_while(|node| match node {
                    Node::Text(c) => Some(*c),
                    _ => None,
                })
                .collect();
            if run.is_empty() {
                self.part(first);
                rest = tail;
            } else {
                self.text(&run);
                rest = rest.get(run.len()..).unwrap_or_default();
            }
        }
    }

    /// A node inside a sequence.
    fn part(&mut self, node: &Node) {
        if matches!(node, Node::Either(_)) { self.group(node) } else { self.node(node) }
    }

    /// A node that a quantifier follows.
    fn item(&mut self, node: &Node) {
        match node {
            Node::Text(_) | Node::Class(_) | Node::Empty => self.node(node),
            _ => self.group(node),
        }
    }

    fn group(&mut self, node: &Node) {
        self.out.push_str("(?:");
        self.node(node);
        self.out.push(')');
    }

    /// Characters as themselves. Without case, stretches of ASCII share one group.
    fn text(&mut self, run: &[char]) {
        let mut rest = run;
        while let Some(&c) = rest.first() {
            let folds = self.case == Case::Ignored && c.is_ascii();
            let same = rest.iter().take_while(|c| (self.case == Case::Ignored && c.is_ascii()) == folds);
            let (stretch, tail) = rest.split_at(same.count());
            let letters = folds && stretch.iter().any(char::is_ascii_alphabetic);
            if letters {
                self.out.push_str("(?i-u:");
            }
            for &c in stretch {
                if self.case == Case::Ignored && !c.is_ascii() { self.folded(c) } else { self.literal(c) }
            }
            if letters {
                self.out.push(')');
            }
            rest = tail;
        }
    }

    fn literal(&mut self, c: char) {
        write_literal(c, &mut self.out);
    }

    fn folded(&mut self, c: char) {
        let code = u32::from(c);
        let set = super::fold::closure(&CharSet::of(&[(code, code)]));
        if set.len() > 1 { set.write(&mut self.out) } else { self.literal(c) }
    }

    fn class(&mut self, class: &Class) {
        if self.counting == Counting::Characters || class.halves == Halves::None {
            class.scalars().write(&mut self.out);
            return;
        }
        self.out.push_str("(?:");
        class.plain.write(&mut self.out);
        if matches!(class.halves, Halves::High | Halves::Both) {
            self.out.push('|');
            self.out.push_str(FIRST_HALF);
        }
        if matches!(class.halves, Halves::Low | Halves::Both) {
            self.out.push('|');
            self.out.push_str(SECOND_HALF);
        }
        self.out.push(')');
    }

    fn count(&mut self, count: Count) {
        let written = match (count.min, count.max) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) if min == max => format!("{{{min}}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        };
        self.out.push_str(&written);
        if count.greed == Greed::Lazy {
            self.out.push('?');
        }
    }
}
