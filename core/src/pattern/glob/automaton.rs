//! Writing an automaton as a regular expression.

use std::collections::{BTreeMap, BTreeSet};

use super::too_complex;
use crate::pattern::PatternError;
use crate::pattern::charset::CharSet;

/// The longest expression that is written for one glob, in bytes. Everything but
/// `**/*.{test,spec}.{ts,tsx}` takes 7,000.
const MAX_WRITTEN: usize = 16 << 10;
/// The most that may be on the way, in about the same measure: some of it cancels out.
const MAX_BETWEEN: usize = 128 << 10;

/// A kind of characters that an automaton does not tell apart: its place in [`Automaton::symbols`].
pub(super) type Symbol = usize;

/// A complete deterministic automaton. State 0 is the start.
pub(super) struct Automaton {
    /// The kinds of characters. Every character is in exactly one.
    pub(super) symbols: Vec<CharSet>,
    /// For each state, the state after each symbol.
    pub(super) next: Vec<Vec<usize>>,
    /// For each state, whether a text may end there.
    pub(super) accepts: Vec<bool>,
}

/// An expression on the way out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Out {
    Empty,
    /// One character: a bit for each symbol.
    One(u128),
    Cat(Vec<Out>),
    Or(BTreeSet<Out>),
    Many(Box<Out>),
}

impl Automaton {
    /// An expression, without anchors, for the whole texts that the automaton accepts.
    pub(super) fn to_regex(&self) -> Result<String, PatternError> {
        let classes = self.classes();
        let mut edges: BTreeMap<(usize, usize), Out> = BTreeMap::new();
        let count = classes.iter().max().map_or(0, |max| max + 1);
        let (start, end) = (count, count + 1);
        let class = |state: usize| classes.get(state).copied().unwrap_or(0);
        for (state, row) in self.next.iter().enumerate() {
            for (symbol, &to) in row.iter().enumerate() {
                join(&mut edges, (class(state), class(to)), Out::One(1 << symbol));
            }
            if self.accepts.get(state) == Some(&true) {
                join(&mut edges, (class(state), end), Out::Empty);
            }
        }
        join(&mut edges, (start, class(0)), Out::Empty);
        // Every state in turn is taken out, and the ways through it are joined; the cheapest first.
        let mut left: BTreeSet<usize> = (0..count).collect();
        while let Some(state) = left.iter().copied().min_by_key(|&state| cost(&edges, state)) {
            left.remove(&state);
            eliminate(&mut edges, state);
            if edges.values().map(Out::size).sum::<usize>() > MAX_BETWEEN {
                return Err(too_complex());
            }
        }
        let mut out = String::new();
        match edges.get(&(start, end)) {
            Some(expr) => self.write(expr, &mut out),
            None => CharSet::default().write(&mut out),
        }
        if out.len() > MAX_WRITTEN {
            return Err(too_complex());
        }
        Ok(out)
    }

    /// For each state, the number of its class: states of one class accept the same rests (Moore).
    fn classes(&self) -> Vec<usize> {
        let mut classes: Vec<usize> = self.accepts.iter().map(|&accepts| usize::from(accepts)).collect();
        let mut count = 0;
        loop {
            let mut known: BTreeMap<(usize, Vec<usize>), usize> = BTreeMap::new();
            let finer: Vec<usize> = self
                .next
                .iter()
                .zip(&classes)
                .map(|(row, &own)| {
                    let row = row.iter().map(|&to| classes.get(to).copied().unwrap_or(0)).collect();
                    let fresh = known.len();
                    *known.entry((own, row)).or_insert(fresh)
                })
                .collect();
            classes = finer;
            if known.len() == count {
                return classes;
            }
            count = known.len();
        }
    }

    fn write(&self, expr: &Out, out: &mut String) {
        match expr {
            Out::Empty => {}
            Out::One(bits) => self.set(*bits).write(out),
            Out::Cat(parts) => parts.iter().for_each(|part| self.write(part, out)),
            Out::Or(branches) => {
                // An empty branch is written as a question mark.
                let optional = branches.contains(&Out::Empty);
                out.push_str("(?:");
                for (n, branch) in branches.iter().filter(|branch| **branch != Out::Empty).enumerate() {
                    if n > 0 {
                        out.push('|');
                    }
                    self.write(branch, out);
                }
                out.push_str(if optional { ")?" } else { ")" });
            }
            Out::Many(inner) => {
                // What is repeated is never empty, so a choice brings its own brackets.
                let alone = matches!(**inner, Out::One(_) | Out::Or(_));
                out.push_str(if alone { "" } else { "(?:" });
                self.write(inner, out);
                out.push_str(if alone { "*" } else { ")*" });
            }
        }
    }

    fn set(&self, bits: u128) -> CharSet {
        self.symbols
            .iter()
            .enumerate()
            .filter(|(symbol, _)| bits & (1 << symbol) != 0)
            .fold(CharSet::default(), |set, (_, symbol)| set.union(symbol))
    }
}

impl Out {
    /// About how long it is when written.
    fn size(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One(_) => 4,
            Self::Cat(parts) => parts.iter().map(Self::size).sum(),
            Self::Or(branches) => 4 + branches.iter().map(|branch| branch.size() + 1).sum::<usize>(),
            Self::Many(inner) => 4 + inner.size(),
        }
    }

    fn cat(parts: Vec<Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Empty => {}
                Self::Cat(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::Empty,
            1 => flat.remove(0),
            _ => Self::Cat(flat),
        }
    }

    fn or(a: Self, b: Self) -> Self {
        let mut branches = BTreeSet::new();
        let mut one = 0;
        for part in [a, b] {
            match part {
                Self::One(bits) => one |= bits,
                Self::Or(inner) => {
                    for branch in inner {
                        match branch {
                            Self::One(bits) => one |= bits,
                            other => {
                                branches.insert(other);
                            }
                        }
                    }
                }
                other => {
                    branches.insert(other);
                }
            }
        }
        if one != 0 {
            branches.insert(Self::One(one));
        }
        if branches.iter().any(|branch| matches!(branch, Self::Many(_))) {
            branches.remove(&Self::Empty);
        }
        if branches.len() == 1 { branches.pop_first().unwrap_or(Self::Empty) } else { Self::Or(branches) }
    }

    fn many(inner: Self) -> Self {
        match inner {
            Self::Empty => Self::Empty,
            Self::Many(_) => inner,
            Self::Or(mut branches) => {
                branches.remove(&Self::Empty);
                let inner = if branches.len() == 1 {
                    branches.pop_first().unwrap_or(Self::Empty)
                } else {
                    Self::Or(branches)
                };
                Self::Many(Box::new(inner))
            }
            other => Self::Many(Box::new(other)),
        }
    }
}

fn join(edges: &mut BTreeMap<(usize, usize), Out>, between: (usize, usize), by: Out) {
    let joined = match edges.remove(&between) {
        Some(known) => Out::or(known, by),
        None => by,
    };
    edges.insert(between, joined);
}

/// The edges into and out of `state`, without the one to itself.
type Sides = (Vec<(usize, Out)>, Vec<(usize, Out)>);

fn sides(edges: &BTreeMap<(usize, usize), Out>, state: usize) -> Sides {
    let other = |&(from, to): &(usize, usize)| from != to;
    let into = edges.iter().filter(|(edge, _)| other(edge) && edge.1 == state);
    let out = edges.iter().filter(|(edge, _)| other(edge) && edge.0 == state);
    (
        into.map(|(edge, by)| (edge.0, by.clone())).collect(),
        out.map(|(edge, by)| (edge.1, by.clone())).collect(),
    )
}

/// How much longer everything gets when `state` is taken out.
fn cost(edges: &BTreeMap<(usize, usize), Out>, state: usize) -> usize {
    let (into, out) = sides(edges, state);
    let size = |side: &[(usize, Out)]| side.iter().map(|(_, by)| by.size() + 1).sum::<usize>();
    let own = edges.get(&(state, state)).map_or(0, Out::size);
    size(&into) * out.len() + size(&out) * into.len() + own * into.len() * out.len()
}

fn eliminate(edges: &mut BTreeMap<(usize, usize), Out>, state: usize) {
    let (into, out) = sides(edges, state);
    let own = edges.remove(&(state, state)).map_or(Out::Empty, Out::many);
    edges.retain(|&(from, to), _| from != state && to != state);
    for (from, before) in &into {
        for (to, after) in &out {
            let through = Out::cat(vec![before.clone(), own.clone(), after.clone()]);
            join(edges, (*from, *to), through);
        }
    }
}
