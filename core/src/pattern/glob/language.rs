//! Globs with a `!` in them.
//!
//! "Everything but" is not something a regular expression without look-around can say directly, but
//! what it means is still a regular language. So such a glob is taken apart into an automaton, state by
//! state, by Brzozowski's derivatives: what may still follow after one more character. They are
//! defined for *not* and *and* as simply as for *or*. The automaton is then written as a plain
//! expression again ([`super::automaton`]).
//!
//! Most such globs give a dozen states. One that would give more than [`MAX_STATES`] is refused.

use std::collections::HashMap;

use super::automaton::{Automaton, Symbol};
use super::expr::{Expr, Reach};
use super::{Times, too_complex};
use crate::pattern::PatternError;
use crate::pattern::charset::{CharSet, LAST};

/// The most states of the automaton of one glob.
pub(super) const MAX_STATES: usize = 200;
/// The most kinds of characters that a glob may tell apart.
const MAX_SYMBOLS: usize = 128;
/// The most languages that are built on the way, a bound on time and memory.
const MAX_LANGUAGES: usize = 20_000;

/// Builds the automaton of `expr`, or of everything else.
pub(super) fn automaton(expr: &Expr, sign: Sign) -> Result<Automaton, PatternError> {
    let mut sets = Vec::new();
    collect(expr, &mut sets);
    let symbols = partition(&sets);
    if symbols.len() > MAX_SYMBOLS {
        return Err(too_complex());
    }
    let mut languages = Languages {
        symbols,
        all: Vec::new(),
        nullable: Vec::new(),
        known: HashMap::new(),
        derived: HashMap::new(),
    };
    let empty = languages.add(Language::Empty);
    let mut start = languages.followed(expr, empty)?;
    if sign == Sign::Negative {
        start = languages.not(start);
    }
    languages.explore(start)
}

/// Whether a glob has a `!` in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Positive,
    Negative,
}

/// Adds every set of characters that `expr` tells apart.
fn collect(expr: &Expr, sets: &mut Vec<CharSet>) {
    match expr {
        Expr::Char(c) => sets.push(single(*c)),
        Expr::Set(set) => sets.push(set.clone()),
        Expr::Part | Expr::DotPart => sets.extend([single('/'), single('.')]),
        Expr::Anything => {}
        Expr::Cat(parts) | Expr::Or(parts) => parts.iter().for_each(|part| collect(part, sets)),
        Expr::Repeat(inner, _) => collect(inner, sets),
        Expr::Except { not, what, .. } => {
            collect(not, sets);
            collect(what, sets);
        }
    }
}

fn single(c: char) -> CharSet {
    CharSet::of(&[(u32::from(c), u32::from(c))])
}

/// The coarsest division of all characters that no set cuts through.
fn partition(sets: &[CharSet]) -> Vec<CharSet> {
    let mut blocks = vec![CharSet::of(&[(0, LAST)])];
    for set in sets {
        blocks = blocks
            .iter()
            .flat_map(|block| [block.and(set), block.and(&set.missing(0, LAST))])
            .filter(|block| !block.is_empty())
            .collect();
        if blocks.len() > MAX_SYMBOLS {
            break;
        }
    }
    blocks
}

/// A language: a set of texts. Parts are named by their place in [`Languages::all`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Language {
    /// No text.
    Nothing,
    /// The empty text.
    Empty,
    /// One character: a bit for each symbol.
    One(u128),
    Cat(usize, usize),
    Or(Vec<usize>),
    And(Vec<usize>),
    Not(usize),
    Many(usize),
}

struct Languages {
    symbols: Vec<CharSet>,
    all: Vec<Language>,
    /// For each language, whether the empty text is in it.
    nullable: Vec<bool>,
    known: HashMap<Language, usize>,
    derived: HashMap<(usize, Symbol), usize>,
}

impl Languages {
    fn add(&mut self, language: Language) -> usize {
        if let Some(&id) = self.known.get(&language) {
            return id;
        }
        let id = self.all.len();
        let nullable = match &language {
            Language::Nothing | Language::One(_) => false,
            Language::Empty | Language::Many(_) => true,
            Language::Cat(a, b) => self.is_nullable(*a) && self.is_nullable(*b),
            Language::Or(parts) => parts.iter().any(|&part| self.is_nullable(part)),
            Language::And(parts) => parts.iter().all(|&part| self.is_nullable(part)),
            Language::Not(inner) => !self.is_nullable(*inner),
        };
        self.nullable.push(nullable);
        self.all.push(language.clone());
        self.known.insert(language, id);
        id
    }

    fn get(&self, id: usize) -> Language {
        self.all.get(id).cloned().unwrap_or(Language::Nothing)
    }

    fn is(&self, id: usize, language: &Language) -> bool {
        self.all.get(id) == Some(language)
    }

    fn cat(&mut self, first: usize, rest: usize) -> usize {
        if self.is(first, &Language::Nothing) || self.is(rest, &Language::Nothing) {
            return self.add(Language::Nothing);
        }
        if self.is(first, &Language::Empty) {
            return rest;
        }
        if self.is(rest, &Language::Empty) {
            return first;
        }
        match self.get(first) {
            // Always nested to the right, so that equal languages look equal.
            Language::Cat(a, b) => {
                let tail = self.cat(b, rest);
                self.cat(a, tail)
            }
            _ => self.add(Language::Cat(first, rest)),
        }
    }

    fn many(&mut self, inner: usize) -> usize {
        match self.get(inner) {
            Language::Nothing | Language::Empty => self.add(Language::Empty),
            Language::Many(_) => inner,
            _ => self.add(Language::Many(inner)),
        }
    }

    fn everything(&mut self) -> usize {
        let nothing = self.add(Language::Nothing);
        self.add(Language::Not(nothing))
    }

    fn not(&mut self, inner: usize) -> usize {
        match self.get(inner) {
            Language::Not(inner) => inner,
            _ => self.add(Language::Not(inner)),
        }
    }

    fn or(&mut self, parts: &[usize]) -> usize {
        let everything = self.everything();
        let mut flat = Vec::new();
        let mut one = 0;
        for &part in parts {
            match self.get(part) {
                Language::Nothing => {}
                Language::One(symbols) => one |= symbols,
                Language::Or(inner) => {
                    for part in inner {
                        match self.get(part) {
                            Language::One(symbols) => one |= symbols,
                            _ => flat.push(part),
                        }
                    }
                }
                _ => flat.push(part),
            }
        }
        if flat.contains(&everything) {
            return everything;
        }
        if one != 0 {
            flat.push(self.add(Language::One(one)));
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [] => self.add(Language::Nothing),
            [only] => *only,
            _ => self.add(Language::Or(flat)),
        }
    }

    fn and(&mut self, parts: &[usize]) -> usize {
        let everything = self.everything();
        let nothing = self.add(Language::Nothing);
        let mut flat = Vec::new();
        for &part in parts {
            match self.get(part) {
                Language::And(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.retain(|&part| part != everything);
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [] => everything,
            [only] => *only,
            all if all.contains(&nothing) => nothing,
            _ => self.add(Language::And(flat)),
        }
    }

    /// The symbols that make up `set`.
    fn one(&mut self, set: &CharSet) -> usize {
        let bits = self
            .symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| !symbol.and(set).is_empty())
            .fold(0, |bits, (n, _)| bits | (1_u128 << n));
        if bits == 0 { self.add(Language::Nothing) } else { self.add(Language::One(bits)) }
    }

    /// The language of `expr` and then `rest`. That `rest` is known gives a look-ahead its meaning.
    fn followed(&mut self, expr: &Expr, rest: usize) -> Result<usize, PatternError> {
        if self.all.len() > MAX_LANGUAGES {
            return Err(too_complex());
        }
        Ok(match expr {
            Expr::Char(c) => {
                let one = self.one(&single(*c));
                self.cat(one, rest)
            }
            Expr::Set(set) => {
                let one = self.one(set);
                self.cat(one, rest)
            }
            Expr::Anything => {
                let everything = self.everything();
                self.cat(everything, rest)
            }
            Expr::Part => {
                let part = self.part(&[]);
                self.cat(part, rest)
            }
            Expr::DotPart => {
                let part = self.part(&['.']);
                self.cat(part, rest)
            }
            Expr::Cat(parts) => {
                let mut rest = rest;
                for part in parts.iter().rev() {
                    rest = self.followed(part, rest)?;
                }
                rest
            }
            Expr::Or(branches) => {
                let branches = branches
                    .iter()
                    .map(|branch| self.followed(branch, rest))
                    .collect::<Result<Vec<_>, _>>()?;
                self.or(&branches)
            }
            Expr::Repeat(inner, Times::Once) => self.followed(inner, rest)?,
            Expr::Repeat(inner, Times::Optional) => {
                let once = self.followed(inner, rest)?;
                self.or(&[once, rest])
            }
            // What is repeated is followed by itself, so a look-ahead in it has no one meaning.
            Expr::Repeat(inner, _) if inner.has_except() => return Err(too_complex()),
            Expr::Repeat(inner, times) => {
                let empty = self.add(Language::Empty);
                let inner = self.followed(inner, empty)?;
                let many = self.many(inner);
                let many = self.cat(many, rest);
                if *times == Times::Some { self.cat(inner, many) } else { many }
            }
            Expr::Except { not, reach, what } => {
                let after = match reach {
                    Reach::End => self.add(Language::Empty),
                    Reach::Prefix => self.everything(),
                };
                let not = self.followed(not, after)?;
                let not = self.not(not);
                let what = self.followed(what, rest)?;
                self.and(&[not, what])
            }
        })
    }

    /// One part of a path that starts with `prefix`: not empty, not `.`, not `..`.
    fn part(&mut self, prefix: &[char]) -> usize {
        let name = |dots: &[char]| Expr::Cat(dots.iter().copied().map(Expr::Char).collect());
        let rest = Expr::Cat(vec![name(prefix), Expr::star()]);
        let except = Expr::Or(vec![name(&[]), name(&['.']), name(&['.', '.'])]);
        let empty = self.add(Language::Empty);
        // Neither of the two can fail: they hold no look-ahead.
        let (Ok(rest), Ok(except)) = (self.followed(&rest, empty), self.followed(&except, empty)) else {
            return self.add(Language::Nothing);
        };
        let not = self.not(except);
        self.and(&[not, rest])
    }

    fn is_nullable(&self, id: usize) -> bool {
        self.nullable.get(id).copied().unwrap_or(false)
    }

    /// What may follow in `id` after a character of `symbol`.
    fn derive(&mut self, id: usize, symbol: Symbol) -> usize {
        if let Some(&known) = self.derived.get(&(id, symbol)) {
            return known;
        }
        let derived = match self.get(id) {
            Language::Nothing | Language::Empty => self.add(Language::Nothing),
            Language::One(symbols) => {
                let hit = symbols & (1 << symbol) != 0;
                self.add(if hit { Language::Empty } else { Language::Nothing })
            }
            Language::Cat(a, b) => {
                let first = self.derive(a, symbol);
                let first = self.cat(first, b);
                if self.is_nullable(a) {
                    let second = self.derive(b, symbol);
                    self.or(&[first, second])
                } else {
                    first
                }
            }
            Language::Or(parts) => {
                let parts: Vec<usize> = parts.into_iter().map(|part| self.derive(part, symbol)).collect();
                self.or(&parts)
            }
            Language::And(parts) => {
                let parts: Vec<usize> = parts.into_iter().map(|part| self.derive(part, symbol)).collect();
                self.and(&parts)
            }
            Language::Not(inner) => {
                let inner = self.derive(inner, symbol);
                self.not(inner)
            }
            Language::Many(inner) => {
                let first = self.derive(inner, symbol);
                self.cat(first, id)
            }
        };
        self.derived.insert((id, symbol), derived);
        derived
    }

    /// Follows every symbol from every state that is reached.
    fn explore(mut self, start: usize) -> Result<Automaton, PatternError> {
        let mut states = vec![start];
        let mut places = HashMap::from([(start, 0)]);
        let mut next = Vec::new();
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            at += 1;
            let mut row = Vec::with_capacity(self.symbols.len());
            for symbol in 0..self.symbols.len() {
                let to = self.derive(state, symbol);
                row.push(*places.entry(to).or_insert_with(|| {
                    states.push(to);
                    states.len() - 1
                }));
            }
            next.push(row);
            if states.len() > MAX_STATES || self.all.len() > MAX_LANGUAGES {
                return Err(too_complex());
            }
        }
        let accepts = states.iter().map(|&state| self.is_nullable(state)).collect();
        Ok(Automaton { symbols: self.symbols, next, accepts })
    }
}
