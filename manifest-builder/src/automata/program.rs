//! From the automaton of `regex-automata` to instructions.

use lessons_core::automaton::nfa::{Do, Instruction, Look as Assertion};
use regex_automata::nfa::thompson::{NFA, State, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use super::AutomatonError;

/// A byte that cannot be: no range holds it.
const NO_BYTE: Do = Do::Byte(1, 0);

/// The instructions of `nfa`, the first one first.
///
/// A state becomes as many instructions as it has ways on, one after the other. States that nothing
/// leads to are left out.
pub(super) fn instructions(nfa: &NFA) -> Result<Vec<Instruction>, AutomatonError> {
    let mut places = vec![None; nfa.states().len()];
    let mut order = Vec::new();
    let mut waiting = vec![nfa.start_unanchored()];
    let mut length = 0_u32;
    while let Some(id) = waiting.pop() {
        let Some(place @ None) = places.get_mut(id.as_usize()) else { continue };
        *place = Some(length);
        let ways = ways(nfa.state(id))?;
        length += u32::try_from(ways.len()).unwrap_or(u32::MAX);
        waiting.extend(ways.iter().rev().map(|way| way.1));
        order.push(ways);
    }
    let mut instructions = Vec::new();
    for ways in order {
        let last = ways.len();
        for (n, (act, next)) in (1..).zip(ways) {
            let next = places.get(next.as_usize()).copied().flatten().unwrap_or_default();
            instructions.push(Instruction { act, next, or_following: n < last });
        }
    }
    Ok(instructions)
}

/// What a state can do, and the state that follows. Never empty.
fn ways(state: &State) -> Result<Vec<(Do, StateID)>, AutomatonError> {
    let byte = |way: &Transition| (Do::Byte(way.start, way.end), way.next);
    let go = |next: StateID| (Do::Go, next);
    let ways = match state {
        State::ByteRange { trans } => vec![byte(trans)],
        State::Sparse(ways) => ways.transitions.iter().map(byte).collect(),
        State::Dense(ways) => {
            (0..=u8::MAX).filter_map(|byte| Some((Do::Byte(byte, byte), ways.matches_byte(byte)?))).collect()
        }
        State::Look { look, next } => vec![(Do::Look(assertion(*look)?), *next)],
        State::Union { alternates } => alternates.iter().copied().map(go).collect(),
        State::BinaryUnion { alt1, alt2 } => vec![go(*alt1), go(*alt2)],
        State::Capture { next, .. } => vec![go(*next)],
        State::Fail => Vec::new(),
        State::Match { .. } => vec![(Do::Match, StateID::ZERO)],
    };
    Ok(if ways.is_empty() { vec![(NO_BYTE, StateID::ZERO)] } else { ways })
}

fn assertion(look: Look) -> Result<Assertion, AutomatonError> {
    Ok(match look {
        Look::Start => Assertion::Start,
        Look::End => Assertion::End,
        Look::StartLF => Assertion::StartLine,
        Look::EndLF => Assertion::EndLine,
        Look::StartCRLF => Assertion::StartAnyLine,
        Look::EndCRLF => Assertion::EndAnyLine,
        Look::WordAscii => Assertion::Boundary,
        Look::WordAsciiNegate => Assertion::NotBoundary,
        Look::WordStartAscii => Assertion::WordStart,
        Look::WordEndAscii => Assertion::WordEnd,
        Look::WordStartHalfAscii => Assertion::WordStartHalf,
        Look::WordEndHalfAscii => Assertion::WordEndHalf,
        Look::WordUnicode
        | Look::WordUnicodeNegate
        | Look::WordStartUnicode
        | Look::WordEndUnicode
        | Look::WordStartHalfUnicode
        | Look::WordEndHalfUnicode => return Err(AutomatonError::UnicodeWord),
    })
}
