//! Where it matters that JavaScript counts UTF-16 units.
//!
//! A character beyond U+FFFF, an emoji say, is two units to JavaScript: `^.$` does not match it,
//! `^..$` does. In nearly every pattern that makes no difference: `.*`, `[^;]+`, `\S` at the edge of a
//! pattern match the same texts whether an emoji counts once or twice. So the common pattern is
//! made of whole characters, few and quick to match, and only one in which the count matters is
//! made of halves: the first two bytes of a character of four, and the last two.
//!
//! What decides is a *run*: items next to each other on some way through the pattern, each of which
//! can match any half. A run is safe if it matches every count from 0 or from 1 upwards: then there is
//! an endless item in it that takes the second half, or drops it. A run at the edge of the pattern is
//! also safe with a single item, since the other half may lie outside the match.

use super::class::Halves;
use super::{Count, Node};

/// What a pattern must be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// Whole characters.
    Characters,
    /// UTF-16 units; a match starts with a whole character or a first half.
    Units,
    /// UTF-16 units; a match may start with a second half.
    UnitsFromWithin,
}

/// Whether a pattern names first halves of characters without the second, or the other way round.
pub(super) fn has_lone_halves(tree: &Node) -> bool {
    has_halves(tree, |halves| matches!(halves, Halves::High | Halves::Low))
}

fn has_halves(tree: &Node, wanted: fn(Halves) -> bool) -> bool {
    tree.any(&|node| matches!(node, Node::Class(class) if wanted(class.halves)))
}

/// Decides what `tree` must be made of.
pub(super) fn counting(tree: &Node) -> Counting {
    // `\B` holds between two halves, and between two bytes of a character: a pattern that can match
    // there without a character to lean on must keep to the places between units.
    let inside = tree.any(&|node| matches!(node, Node::NotBoundary))
        && (tree.is_nullable() || has_halves(tree, |halves| halves == Halves::Both));
    let paths = Paths::of(tree);
    if has_lone_halves(tree) || inside {
        Counting::UnitsFromWithin
    } else if !paths.is_unsafe() {
        Counting::Characters
    } else if paths.first.with(paths.through) == Runs::EMPTY {
        Counting::Units
    } else {
        Counting::UnitsFromWithin
    }
}

/// A set of kinds of runs, one bit for each: how many items match exactly one half (0, 1, more), and
/// whether there is an endless one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Runs(u8);

impl Runs {
    const NONE: Self = Self(0);
    /// The run without items.
    const EMPTY: Self = Self::one(0, false);

    const fn one(items: u32, endless: bool) -> Self {
        let items = if items > 2 { 2 } else { items };
        Self(1 << (items * 2 + endless as u32))
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Every run of `self` followed by every run of `next`.
    fn then(self, next: Self) -> Self {
        let kinds = |runs: Self| (0..6_u32).filter(move |bit| runs.0 & (1 << bit) != 0);
        kinds(self)
            .flat_map(|a| kinds(next).map(move |b| Self::one(a / 2 + b / 2, (a | b) & 1 == 1)))
            .fold(Self::NONE, Self::with)
    }

    /// Between two characters that are no half: safe if there is no item, or one and an endless one.
    fn is_safe_inside(self) -> bool {
        let safe = Self::EMPTY.with(Self::one(0, true)).with(Self::one(1, true));
        self.0 & !safe.0 == 0
    }

    fn is_safe_at_the_edge(self) -> bool {
        let safe = Self::EMPTY.with(Self::one(0, true)).with(Self::one(1, true)).with(Self::one(1, false));
        self.0 & !safe.0 == 0
    }
}

/// The runs on the ways through a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Paths {
    /// Ways that are one run from end to end.
    through: Runs,
    /// The first and the last run of the other ways.
    first: Runs,
    last: Runs,
    /// Whether every run between is safe.
    inside_safe: bool,
}

impl Paths {
    const EMPTY: Self = Self { through: Runs::EMPTY, first: Runs::NONE, last: Runs::NONE, inside_safe: true };
    const NOTHING: Self = Self { through: Runs::NONE, ..Self::EMPTY };
    /// A character or an assertion that ends a run.
    const BREAK: Self =
        Self { through: Runs::NONE, first: Runs::EMPTY, last: Runs::EMPTY, inside_safe: true };

    fn run(through: Runs) -> Self {
        Self { through, ..Self::EMPTY }
    }

    fn of(node: &Node) -> Self {
        match node {
            Node::Empty | Node::NotBoundary => Self::EMPTY,
            Node::Class(class) if class.halves == Halves::Both => Self::run(Runs::one(1, false)),
            Node::Text(_) | Node::Class(_) | Node::Start | Node::End | Node::Boundary => Self::BREAK,
            Node::Concat(parts) => parts.iter().map(Self::of).fold(Self::EMPTY, Self::then),
            Node::Either(parts) => parts.iter().map(Self::of).fold(Self::NOTHING, Self::or),
            Node::Repeat(inner, count) => match &**inner {
                Node::Class(class) if class.halves == Halves::Both => Self::run(counted(*count)),
                inner => Self::of(inner).again(*count),
            },
        }
    }

    fn then(self, next: Self) -> Self {
        Self {
            through: self.through.then(next.through),
            first: self.first.with(self.through.then(next.first)),
            last: next.last.with(self.last.then(next.through)),
            inside_safe: self.inside_safe && next.inside_safe && self.last.then(next.first).is_safe_inside(),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            through: self.through.with(other.through),
            first: self.first.with(other.first),
            last: self.last.with(other.last),
            inside_safe: self.inside_safe && other.inside_safe,
        }
    }

    /// Repeated: exactly for 0 and 1, else for any number of times from `min` (capped at 2), which is
    /// more than the pattern allows and so on the safe side.
    fn again(self, count: Count) -> Self {
        let once_at_most = count.max.is_some_and(|max| max <= 1);
        let optional = if count.min == 0 { Self::EMPTY } else { Self::NOTHING };
        if count.max == Some(0) {
            return Self::EMPTY;
        }
        if once_at_most {
            return self.or(optional);
        }
        // The sets only grow and are small, so this ends after a few rounds.
        let mut any = Self::EMPTY;
        loop {
            let next = any.or(any.then(self));
            if next == any {
                break;
            }
            any = next;
        }
        match count.min {
            0 => any,
            1 => self.then(any),
            _ => self.then(self).then(any),
        }
    }

    fn is_unsafe(self) -> bool {
        !(self.inside_safe
            && [self.through, self.first, self.last].into_iter().all(Runs::is_safe_at_the_edge))
    }
}

/// The runs of one class that is repeated.
fn counted(count: Count) -> Runs {
    match count.max {
        None => Runs::one(count.min, true),
        Some(max) => {
            (count.min.min(2)..=max.min(2)).map(|n| Runs::one(n, false)).fold(Runs::NONE, Runs::with)
        }
    }
}
