//! From the items of a glob to an expression without context: what a star means depends on what
//! stands before and after it.

use super::expr::{Expr, Reach};
use super::{Branches, Item, Times};

/// The meaning of a whole glob.
pub(super) fn lower(glob: &Branches) -> Expr {
    branches(glob, Place { group: false, last: true })
}

/// Where a sequence stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Inside a group, where no part of the path is known to start or end.
    group: bool,
    /// Whether nothing but closing brackets follows.
    last: bool,
}

fn branches(branches: &Branches, place: Place) -> Expr {
    let count = branches.len();
    let mut all: Vec<Expr> = branches
        .iter()
        .enumerate()
        .map(|(n, branch)| sequence(branch, Place { last: place.last && n + 1 == count, ..place }))
        .collect();
    if all.len() == 1 { all.remove(0) } else { Expr::Or(all) }
}

fn sequence(items: &[Item], place: Place) -> Expr {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < items.len() {
        at += next(items, at, place, &mut parts);
    }
    Expr::Cat(parts)
}

/// Adds what starts at `at`, and says how many items that were.
fn next(items: &[Item], at: usize, place: Place, out: &mut Vec<Expr>) -> usize {
    use Item::{Any, Char, Class, Except, Globstar, Group, Slash, Star};
    let rest = items.get(at..).unwrap_or_default();
    let before = items.get(..at).unwrap_or_default();
    let first = before.is_empty();
    // Whether a part of the path certainly starts here.
    let starts = if first { !place.group } else { before.last() == Some(&Slash) };
    let slash = || Expr::Char('/');
    let below = |times| Expr::Repeat(Box::new(Expr::Cat(vec![slash(), Expr::Part])), times);
    let above = |times| Expr::Repeat(Box::new(Expr::Cat(vec![Expr::Part, slash()])), times);
    let maybe = |inner| Expr::Repeat(Box::new(inner), Times::Optional);
    match rest {
        [Slash, Globstar] if !place.group && !first => {
            // What ends in a star wants something below it; everything else matches by itself.
            let starred = matches!(before.last(), Some(Star | Globstar));
            out.push(below(if starred { Times::Some } else { Times::Any }));
            2
        }
        [Slash, Globstar, Slash, ..] if !first => {
            out.extend([slash(), above(Times::Any)]);
            3
        }
        [Slash, Globstar, Slash, ..] if !place.group => {
            out.extend([slash(), above(Times::Some)]);
            3
        }
        [Slash, Globstar] if !place.group => {
            out.extend([slash(), maybe(Expr::Cat(vec![Expr::Part, below(Times::Any)]))]);
            2
        }
        [Globstar] if starts && first => {
            out.extend([maybe(slash()), Expr::Part, below(Times::Any)]);
            1
        }
        [Globstar, Slash, ..] if starts && first => {
            out.extend([maybe(slash()), above(Times::Any)]);
            2
        }
        [Globstar, ..] => {
            out.push(Expr::Anything);
            1
        }
        [Star] | [Star, Slash, ..] if starts => {
            out.push(Expr::Part);
            1
        }
        [Char('.'), Star] | [Char('.'), Star, Slash, ..] if starts => {
            out.push(Expr::DotPart);
            2
        }
        [Star, ..] => {
            out.push(Expr::star());
            1
        }
        [Any, ..] => {
            out.push(Expr::no_slash());
            1
        }
        [Slash, ..] => {
            out.push(slash());
            1
        }
        [Char(c), ..] => {
            out.push(Expr::Char(*c));
            1
        }
        [Class(set, text), ..] => {
            let set = Expr::Set(set.clone());
            out.push(match text {
                None => set,
                Some(text) => Expr::Or(vec![set, Expr::Cat(text.chars().map(Expr::Char).collect())]),
            });
            1
        }
        [Except(inner), tail @ ..] => {
            out.push(except(inner, tail, place));
            1
        }
        [Group(times, inner), tail @ ..] => {
            let inner = branches(inner, Place { group: true, last: place.last && tail.is_empty() });
            out.push(match (times, inner) {
                (Times::Once, inner) => inner,
                (times, inner) => Expr::Repeat(Box::new(inner), *times),
            });
            1
        }
        [] => 1,
    }
}

/// `!(…)` as picomatch has it: a look-ahead, then a star. How far it looks depends on what follows.
fn except(inner: &Branches, tail: &[Item], place: Place) -> Expr {
    let slashes = any(inner, &|item| *item == Item::Slash);
    let stars = any(inner, &|item| matches!(item, Item::Star | Item::Globstar));
    let mut not = branches(inner, Place { group: true, last: false });
    let mut reach = Reach::Prefix;
    if slashes || place.last && tail.is_empty() {
        reach = Reach::End;
    } else if stars && !place.group && is_extension(tail) {
        not = Expr::Cat(vec![not, sequence(tail, place)]);
    }
    let what = if slashes { Expr::Anything } else { Expr::star() };
    Expr::Except { not: Box::new(not), reach, what: Box::new(what) }
}

/// A dot and what may follow it in a name, to the end of the glob.
fn is_extension(tail: &[Item]) -> bool {
    let plain = |items: &[Item]| {
        let items = vec![items.to_vec()];
        !any(&items, &|item| matches!(item, Item::Slash | Item::Char('.' | '\\')))
    };
    matches!(tail, [Item::Char('.'), rest @ ..] if !rest.is_empty() && plain(rest))
}

/// Whether `wanted` holds for an item, at any depth.
fn any(branches: &Branches, wanted: &dyn Fn(&Item) -> bool) -> bool {
    branches.iter().flatten().any(|item| {
        wanted(item)
            || match item {
                Item::Group(_, inner) | Item::Except(inner) => any(inner, wanted),
                _ => false,
            }
    })
}
