//! The positions of a pattern.
//!
//! A position takes a byte of some set and leads to a *node*: a state of the program, behind a byte of
//! some context. What can be reached from a node without taking a byte are the positions that follow. An
//! assertion on the way narrows the bytes of those behind it, and whether a match is there.

use std::borrow::Cow;
use std::collections::HashMap;
use std::{mem, slice};

use foldhash::fast::RandomState;
use regex_automata::nfa::thompson::{NFA, State, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use super::AutomatonError;
use super::bytes::Bytes;
use super::context::{Context, Contexts, ToldApart, is_edge};
use crate::automaton::Alphabet;

/// The most work that goes into one pattern, in states and ways that are looked at: the large patterns that
/// people write take 50,000.
const MAX_WORK: usize = 1 << 22;

/// A position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Position {
    /// The bytes that it takes.
    pub(super) takes: Bytes,
    /// The node that follows; none: a match.
    pub(super) then: Option<u32>,
    /// Whether the text is a match if it ends here.
    pub(super) ends: bool,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Onwards {
    /// A match.
    Match,
    /// Some positions, ascending.
    To(Vec<u32>),
}

/// All positions of a pattern.
#[derive(Debug)]
pub(super) struct Positions {
    /// What follows the start of the text.
    pub(super) start: Onwards,
    pub(super) all: Vec<Position>,
    /// What follows each node.
    pub(super) nodes: Vec<Onwards>,
}

impl Positions {
    pub(super) fn of(nfa: &NFA, alphabet: Alphabet) -> Result<Self, AutomatonError> {
        let states = nfa.states();
        let told_apart = ToldApart::by(states.iter().filter_map(look_of), alphabet);
        let bytes_of = |context| Bytes::which(|byte| told_apart.context(byte) == context);
        let contexts = told_apart.contexts().map(|context| (context, bytes_of(context)));
        let mut maker = Maker {
            nfa,
            alphabet: Bytes::of(alphabet),
            contexts: contexts.collect(),
            told_apart: vec![None; states.len()],
            seen: vec![Contexts::default(); states.len()],
            touched: Vec::new(),
            waiting: Vec::new(),
            passed: vec![false; states.len()],
            moves: Vec::new(),
            found: Vec::new(),
            // There are about as many positions as states.
            numbers: HashMap::with_capacity_and_hasher(states.len(), RandomState::default()),
            all: Vec::with_capacity(states.len()),
            nodes: vec![[None; Context::ALL.len()]; states.len()],
            order: Vec::with_capacity(states.len()),
            work: 0,
        };
        let start = maker.onwards(nfa.start_unanchored(), Context::Edge)?;
        let mut nodes = Vec::new();
        while let Some(&(state, context)) = maker.order.get(nodes.len()) {
            nodes.push(maker.onwards(state, context)?);
        }
        Ok(Self { start, all: maker.all, nodes })
    }

    /// How many words of 64 bits hold a set of them.
    pub(super) fn words(&self) -> usize {
        self.all.len().div_ceil(64).max(1)
    }
}

struct Maker<'n> {
    nfa: &'n NFA,
    alphabet: Bytes,
    /// The contexts that the pattern tells apart, and the bytes of each.
    contexts: Vec<(Context, Bytes)>,
    /// Of each state, whether what follows depends on the context of the byte before, once it was asked.
    told_apart: Vec<Option<bool>>,
    /// Before which contexts each state was reached; empty between two uses.
    seen: Vec<Contexts>,
    /// The states that were reached.
    touched: Vec<StateID>,
    /// The states that are still to be looked at, and before which contexts; empty between two uses.
    waiting: Vec<(StateID, Contexts)>,
    /// The states that were passed; none between two uses.
    passed: Vec<bool>,
    /// What leads to which node, and what becomes of that; of one use.
    moves: Vec<(u32, Bytes)>,
    found: Vec<Position>,
    numbers: HashMap<Position, u32, RandomState>,
    all: Vec<Position>,
    /// The number of the node that is a state behind a context.
    nodes: Vec<[Option<u32>; Context::ALL.len()]>,
    /// The nodes by their numbers.
    order: Vec<(StateID, Context)>,
    work: usize,
}

impl Maker<'_> {
    /// What follows `state` behind a byte of context `before`.
    fn onwards(&mut self, state: StateID, before: Context) -> Result<Onwards, AutomatonError> {
        let matched = self.reach(state, before)?;
        let bytes_before = |contexts: Contexts, all: &[(Context, Bytes)]| {
            let within = all.iter().filter(|(context, _)| contexts.contains(*context));
            within.fold(Bytes::default(), |bytes, (_, of)| bytes.or(*of))
        };
        // What takes any byte and may end the text anywhere has matched already.
        let at_a_byte = bytes_before(matched, &self.contexts).and(self.alphabet);
        let ends = matched.contains(Context::Edge);
        if ends && at_a_byte == self.alphabet {
            self.forget();
            return Ok(Onwards::Match);
        }
        for touched in 0..self.touched.len() {
            let state = self.touched[touched];
            let allowed = bytes_before(self.seen[state.as_usize()], &self.contexts).and(self.alphabet);
            for way in ways(self.nfa.state(state)).iter() {
                self.work += 1;
                let taken = Bytes::range(way.start, way.end).and(allowed);
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
        Ok(Onwards::To(numbers))
    }

    /// Marks what can be reached from `state` without taking a byte, behind one context, and before which
    /// contexts. Returns those before which the pattern has matched.
    fn reach(&mut self, state: StateID, before: Context) -> Result<Contexts, AutomatonError> {
        let mut matched = Contexts::default();
        self.waiting.push((state, Contexts::ALL));
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
                *seen = Contexts::default();
            }
        }
    }

    /// Adds that `taken` leads to `next`: to one node, or to one for each context that makes a difference.
    fn lead(&mut self, taken: Bytes, next: StateID) -> Result<(), AutomatonError> {
        if self.is_told_apart(next)? {
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

    /// Whether what follows `state` may depend on the context of the byte before it.
    fn is_told_apart(&mut self, state: StateID) -> Result<bool, AutomatonError> {
        if self.contexts.len() == 1 {
            return Ok(false);
        }
        if let Some(Some(known)) = self.told_apart.get(state.as_usize()) {
            return Ok(*known);
        }
        // All assertions count as if they held.
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
        if let Some(known) = self.told_apart.get_mut(state.as_usize()) {
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

    fn step(&mut self) -> Result<(), AutomatonError> {
        self.work += 1;
        if self.work > MAX_WORK { Err(AutomatonError::TooLarge) } else { Ok(()) }
    }
}

fn number_of_last<T>(all: &[T]) -> u32 {
    u32::try_from(all.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

/// The states that can be reached without taking a byte and whatever comes.
fn free(state: &State) -> impl Iterator<Item = StateID> + '_ {
    let (one, other, many): (_, _, &[StateID]) = match state {
        State::Union { alternates } => (None, None, alternates),
        State::BinaryUnion { alt1, alt2 } => (Some(*alt1), Some(*alt2), &[]),
        State::Capture { next, .. } => (Some(*next), None, &[]),
        _ => (None, None, &[]),
    };
    one.into_iter().chain(other).chain(many.iter().copied())
}

/// The ways on from a state that takes a byte.
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
