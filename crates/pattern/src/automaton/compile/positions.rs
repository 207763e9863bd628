//! The positions of a pattern and their successors.
//!
//! A position takes a byte of some set and leads to a *node*: a state of the program, after a byte of
//! some context. The successors of a node are the positions that can be reached without taking a byte. An
//! assertion on the way restricts the bytes of the positions after it, and whether a match is reached.

use std::borrow::Cow;
use std::collections::HashMap;
use std::{mem, slice};

use foldhash::fast::RandomState;
use regex_automata::nfa::thompson::{NFA, State, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use super::byte_set::ByteSet;
use super::context::{Context, ContextDistinctions, ContextSet, is_edge};
use crate::PatternError;
use crate::automaton::Alphabet;

/// The most work for one pattern, in states and transitions visited. The large patterns that
/// people write take 50,000.
const MAX_WORK: usize = 1 << 22;

/// A position of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Position {
    /// The bytes that the position takes.
    pub(super) takes: ByteSet,
    /// The node that follows; `None`: a match.
    pub(super) then: Option<u32>,
    /// Whether the text matches if it ends here.
    pub(super) ends: bool,
}

/// The successors of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Successors {
    /// A match is reached.
    Match,
    /// The positions, ascending.
    To(Vec<u32>),
}

/// The positions of a pattern.
#[derive(Debug)]
pub(super) struct Positions {
    /// The successors of the start of the text.
    pub(super) start: Successors,
    pub(super) all: Vec<Position>,
    /// The successors of each node.
    pub(super) nodes: Vec<Successors>,
}

impl Positions {
    pub(super) fn of(nfa: &NFA, alphabet: Alphabet) -> Result<Self, PatternError> {
        let states = nfa.states();
        let distinguished = ContextDistinctions::by(states.iter().filter_map(look_of), alphabet);
        let bytes_of = |context| ByteSet::which(|byte| distinguished.context(byte) == context);
        let contexts = distinguished.contexts().map(|context| (context, bytes_of(context)));
        let mut maker = PositionsBuilder {
            nfa,
            alphabet: ByteSet::of(alphabet),
            contexts: contexts.collect(),
            distinguished: vec![None; states.len()],
            seen: vec![ContextSet::default(); states.len()],
            touched: Vec::new(),
            waiting: Vec::new(),
            passed: vec![false; states.len()],
            moves: Vec::new(),
            found: Vec::new(),
            // A program has about as many positions as states.
            numbers: HashMap::with_capacity_and_hasher(states.len(), RandomState::default()),
            all: Vec::with_capacity(states.len()),
            nodes: vec![[None; Context::ALL.len()]; states.len()],
            order: Vec::with_capacity(states.len()),
            work: 0,
        };
        let start = maker.successors(nfa.start_unanchored(), Context::Edge)?;
        let mut nodes = Vec::new();
        while let Some(&(state, context)) = maker.order.get(nodes.len()) {
            nodes.push(maker.successors(state, context)?);
        }
        Ok(Self { start, all: maker.all, nodes })
    }

    /// The number of 64-bit words that a set of the positions takes.
    pub(super) fn words(&self) -> usize {
        self.all.len().div_ceil(64).max(1)
    }
}

struct PositionsBuilder<'n> {
    nfa: &'n NFA,
    alphabet: ByteSet,
    /// The contexts that the pattern distinguishes, and the bytes of each.
    contexts: Vec<(Context, ByteSet)>,
    /// For each state, whether its successors depend on the context of the byte before; `None`: not computed yet.
    distinguished: Vec<Option<bool>>,
    /// For each state, the contexts before which it was reached. Scratch space: empty between two uses.
    seen: Vec<ContextSet>,
    /// The states that were reached.
    touched: Vec<StateID>,
    /// The states that are still to be visited, and before which contexts. Scratch space: empty between two uses.
    waiting: Vec<(StateID, ContextSet)>,
    /// The states that were passed. Scratch space: none is marked between two uses.
    passed: Vec<bool>,
    /// The nodes that are reached and the bytes that lead to them. Valid for one use.
    moves: Vec<(u32, ByteSet)>,
    found: Vec<Position>,
    numbers: HashMap<Position, u32, RandomState>,
    all: Vec<Position>,
    /// For each state and context, the number of the node.
    nodes: Vec<[Option<u32>; Context::ALL.len()]>,
    /// The nodes by their numbers.
    order: Vec<(StateID, Context)>,
    work: usize,
}

impl PositionsBuilder<'_> {
    /// The successors of `state` after a byte of context `before`.
    fn successors(&mut self, state: StateID, before: Context) -> Result<Successors, PatternError> {
        let matched = self.reach(state, before)?;
        let bytes_before = |contexts: ContextSet, all: &[(Context, ByteSet)]| {
            let within = all.iter().filter(|(context, _)| contexts.contains(*context));
            within.fold(ByteSet::default(), |bytes, (_, of)| bytes.or(*of))
        };
        // A position that takes any byte and may end anywhere in the text has matched already.
        let at_a_byte = bytes_before(matched, &self.contexts).and(self.alphabet);
        let ends = matched.contains(Context::Edge);
        if ends && at_a_byte == self.alphabet {
            self.forget();
            return Ok(Successors::Match);
        }
        for touched in 0..self.touched.len() {
            let state = self.touched[touched];
            let allowed = bytes_before(self.seen[state.as_usize()], &self.contexts).and(self.alphabet);
            for way in ways(self.nfa.state(state)).iter() {
                self.work += 1;
                let taken = ByteSet::range(way.start, way.end).and(allowed);
                self.lead(taken, way.next)?;
            }
        }
        self.forget();
        self.moves.sort_unstable_by_key(|(node, _)| *node);
        for (node, takes) in self.moves.drain(..) {
            match self.found.last_mut() {
                Some(last) if last.then == Some(node) => last.takes = last.takes.or(takes),
                _ => self.found.push(Position { takes, then: Some(node), ends: false }),
            }
        }
        if ends || !at_a_byte.is_empty() {
            self.found.push(Position { takes: at_a_byte, then: None, ends });
        }
        let mut numbers = Vec::with_capacity(self.found.len());
        for position in self.found.drain(..) {
            numbers.push(*self.numbers.entry(position).or_insert_with(|| {
                self.all.push(position);
                number_of_last(&self.all)
            }));
        }
        numbers.sort_unstable();
        Ok(Successors::To(numbers))
    }

    /// Marks what can be reached from `state` without taking a byte, after one context, and before which
    /// contexts. Returns the contexts before which the pattern has matched.
    fn reach(&mut self, state: StateID, before: Context) -> Result<ContextSet, PatternError> {
        let mut matched = ContextSet::default();
        self.waiting.push((state, ContextSet::ALL));
        while let Some((state, contexts)) = self.waiting.pop() {
            self.step()?;
            let Some(seen) = self.seen.get_mut(state.as_usize()) else { continue };
            let fresh = contexts.without(*seen);
            if fresh.is_empty() {
                continue;
            }
            if seen.is_empty() {
                self.touched.push(state);
            }
            *seen = seen.or(fresh);
            match self.nfa.state(state) {
                State::Look { look, next } => self.waiting.push((*next, fresh.where_holds(*look, before))),
                State::Match { .. } => matched = matched.or(fresh),
                other => self.waiting.extend(free(other).map(|next| (next, fresh))),
            }
        }
        Ok(matched)
    }

    fn forget(&mut self) {
        for state in self.touched.drain(..) {
            if let Some(seen) = self.seen.get_mut(state.as_usize()) {
                *seen = ContextSet::default();
            }
        }
    }

    /// Records that `taken` leads to `next`: to one node, or to one node per context if contexts make a difference.
    fn lead(&mut self, taken: ByteSet, next: StateID) -> Result<(), PatternError> {
        if self.is_distinguished(next)? {
            for n in 0..self.contexts.len() {
                let (context, of) = self.contexts[n];
                let taken = taken.and(of);
                if !taken.is_empty() {
                    let node = self.node(next, context);
                    self.moves.push((node, taken));
                }
            }
        } else if !taken.is_empty() {
            let node = self.node(next, Context::Other);
            self.moves.push((node, taken));
        }
        Ok(())
    }

    /// Whether the successors of `state` may depend on the context of the byte before it.
    fn is_distinguished(&mut self, state: StateID) -> Result<bool, PatternError> {
        if self.contexts.len() == 1 {
            return Ok(false);
        }
        if let Some(Some(known)) = self.distinguished.get(state.as_usize()) {
            return Ok(*known);
        }
        // Every assertion is treated as if it held, so this may only err towards `true`.
        let mut reached = vec![state];
        let mut found = false;
        let mut at = 0;
        while let Some(&state) = reached.get(at) {
            self.step()?;
            at += 1;
            let Some(passed) = self.passed.get_mut(state.as_usize()) else { continue };
            if mem::replace(passed, true) {
                continue;
            }
            match self.nfa.state(state) {
                State::Look { look, next } => {
                    found |= !is_edge(*look);
                    reached.push(*next);
                }
                other => reached.extend(free(other)),
            }
        }
        for state in reached {
            if let Some(passed) = self.passed.get_mut(state.as_usize()) {
                *passed = false;
            }
        }
        if let Some(known) = self.distinguished.get_mut(state.as_usize()) {
            *known = Some(found);
        }
        Ok(found)
    }

    fn node(&mut self, state: StateID, context: Context) -> u32 {
        *self.nodes[state.as_usize()][context as usize].get_or_insert_with(|| {
            self.order.push((state, context));
            number_of_last(&self.order)
        })
    }

    fn step(&mut self) -> Result<(), PatternError> {
        self.work += 1;
        if self.work > MAX_WORK { Err(PatternError::too_large()) } else { Ok(()) }
    }
}

fn number_of_last<T>(all: &[T]) -> u32 {
    u32::try_from(all.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

/// The states that can be reached without taking a byte, whatever the next byte is.
fn free(state: &State) -> impl Iterator<Item = StateID> + '_ {
    let (one, other, many): (_, _, &[StateID]) = match state {
        State::Union { alternates } => (None, None, alternates),
        State::BinaryUnion { alt1, alt2 } => (Some(*alt1), Some(*alt2), &[]),
        State::Capture { next, .. } => (Some(*next), None, &[]),
        _ => (None, None, &[]),
    };
    one.into_iter().chain(other).chain(many.iter().copied())
}

/// The transitions of a state that takes a byte.
fn ways(state: &State) -> Cow<'_, [Transition]> {
    match state {
        State::ByteRange { trans } => Cow::Borrowed(slice::from_ref(trans)),
        State::Sparse(ways) => Cow::Borrowed(&ways.transitions),
        State::Dense(ways) => (0..=u8::MAX)
            .filter_map(|byte| Some(Transition { start: byte, end: byte, next: ways.matches_byte(byte)? }))
            .collect(),
        _ => Cow::Borrowed(&[]),
    }
}

fn look_of(state: &State) -> Option<Look> {
    match state {
        State::Look { look, .. } => Some(*look),
        _ => None,
    }
}
