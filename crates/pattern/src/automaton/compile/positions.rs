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
use regex_automata::util::primitives::StateID;

use super::byte_set::ByteSet;
use super::context::{Context, ContextSet, distinguished, is_edge};
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
        let states = nfa.states().len();
        let contexts = distinguished(nfa.look_set_any().iter(), alphabet);
        let mut maker = PositionsBuilder {
            nfa,
            alphabet: ByteSet::of(alphabet),
            distinguished: if contexts.len() > 1 { before_words(nfa) } else { vec![false; states] },
            contexts: &contexts,
            seen: vec![ContextSet::default(); states],
            touched: Vec::new(),
            // A program has about as many positions as states.
            numbers: HashMap::with_capacity_and_hasher(states, RandomState::default()),
            all: Vec::with_capacity(states),
            nodes: vec![[None; Context::ALL.len()]; states],
            order: Vec::with_capacity(states),
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
    contexts: &'n [(Context, ByteSet)],
    /// For each state, whether its successors may depend on the context of the byte before.
    distinguished: Vec<bool>,
    /// For each state, the contexts before which it was reached. Scratch space: empty between two uses.
    seen: Vec<ContextSet>,
    /// The states that were reached.
    touched: Vec<StateID>,
    numbers: HashMap<Position, u32, RandomState>,
    all: Vec<Position>,
    /// For each state and context, the number of the node.
    nodes: Vec<[Option<u32>; Context::ALL.len()]>,
    /// The nodes by their numbers.
    order: Vec<(StateID, Context)>,
    work: usize,
}

impl<'n> PositionsBuilder<'n> {
    /// The successors of `state` after a byte of context `before`.
    fn successors(&mut self, state: StateID, before: Context) -> Result<Successors, PatternError> {
        let matched = self.reach(state, before)?;
        let bytes_before = |contexts: ContextSet, all: &[(Context, ByteSet)]| {
            let within = all.iter().filter(|(context, _)| contexts.contains(*context));
            within.fold(ByteSet::default(), |bytes, (_, of)| bytes.or(*of))
        };
        // A position that takes any byte and may end anywhere in the text has matched already.
        let at_a_byte = bytes_before(matched, self.contexts).and(self.alphabet);
        let ends = matched.contains(Context::Edge);
        if ends && at_a_byte == self.alphabet {
            self.forget();
            return Ok(Successors::Match);
        }
        // The nodes that are reached and the bytes that lead to them.
        let mut moves = Vec::new();
        for touched in 0..self.touched.len() {
            let state = self.touched[touched];
            let allowed = bytes_before(self.seen[state.as_usize()], self.contexts).and(self.alphabet);
            for way in ways(self.nfa.state(state)).iter() {
                self.work += 1;
                self.lead(ByteSet::range(way.start, way.end).and(allowed), way.next, &mut moves);
            }
        }
        self.forget();
        moves.sort_unstable_by_key(|(node, _)| *node);
        let mut found: Vec<Position> = Vec::new();
        for (node, takes) in moves {
            match found.last_mut() {
                Some(last) if last.then == Some(node) => last.takes = last.takes.or(takes),
                _ => found.push(Position { takes, then: Some(node), ends: false }),
            }
        }
        if ends || !at_a_byte.is_empty() {
            found.push(Position { takes: at_a_byte, then: None, ends });
        }
        let number = |position| {
            *self.numbers.entry(position).or_insert_with(|| {
                self.all.push(position);
                number_of_last(&self.all)
            })
        };
        let mut numbers: Vec<u32> = found.into_iter().map(number).collect();
        numbers.sort_unstable();
        Ok(Successors::To(numbers))
    }

    /// Marks what can be reached from `state` without taking a byte, after one context, and before which
    /// contexts. Returns the contexts before which the pattern has matched.
    fn reach(&mut self, state: StateID, before: Context) -> Result<ContextSet, PatternError> {
        let mut matched = ContextSet::default();
        let mut waiting = vec![(state, ContextSet::ALL)];
        while let Some((state, contexts)) = waiting.pop() {
            self.work += 1;
            if self.work > MAX_WORK {
                return Err(PatternError::too_large());
            }
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
                State::Look { look, next } => waiting.push((*next, fresh.where_holds(*look, before))),
                State::Match { .. } => matched = matched.or(fresh),
                other => waiting.extend(free(other).map(|next| (next, fresh))),
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
    fn lead(&mut self, taken: ByteSet, next: StateID, moves: &mut Vec<(u32, ByteSet)>) {
        let any: &'n [_] = &[(Context::Other, ByteSet::ALL)];
        for (context, of) in if self.distinguished[next.as_usize()] { self.contexts } else { any } {
            let taken = taken.and(*of);
            if !taken.is_empty() {
                moves.push((self.node(next, *context), taken));
            }
        }
    }

    fn node(&mut self, state: StateID, context: Context) -> u32 {
        *self.nodes[state.as_usize()][context as usize].get_or_insert_with(|| {
            self.order.push((state, context));
            number_of_last(&self.order)
        })
    }
}

fn number_of_last<T>(all: &[T]) -> u32 {
    u32::try_from(all.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

/// For each state, whether an assertion about words may follow before a byte is taken. Every assertion is treated as if it held,
/// so this may only err towards `true`.
fn before_words(nfa: &NFA) -> Vec<bool> {
    let mut waiting: Vec<StateID> = Vec::new();
    let mut before = vec![Vec::new(); nfa.states().len()];
    for (number, state) in nfa.states().iter().enumerate() {
        let Ok(number) = StateID::new(number) else { continue };
        free(state).for_each(|next| before[next.as_usize()].push(number));
        if matches!(state, State::Look { look, .. } if !is_edge(*look)) {
            waiting.push(number);
        }
    }
    let mut found = vec![false; before.len()];
    while let Some(state) = waiting.pop() {
        if !mem::replace(&mut found[state.as_usize()], true) {
            waiting.extend(&before[state.as_usize()]);
        }
    }
    found
}

/// The states that can be reached without taking a byte, wherever an assertion holds.
fn free(state: &State) -> impl Iterator<Item = StateID> + '_ {
    let (one, other, many): (_, _, &[StateID]) = match state {
        State::Union { alternates } => (None, None, alternates),
        State::BinaryUnion { alt1, alt2 } => (Some(*alt1), Some(*alt2), &[]),
        State::Capture { next, .. } | State::Look { next, .. } => (Some(*next), None, &[]),
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
