//! The table of a program: where any text can lead.
//!
//! A state is a set of places that the bytes so far lead to, with what the last of them was as far as an
//! assertion can tell. The next state is found by running the program for one byte.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use lessons_core::automaton::nfa::{Do, Instruction, Places, Side};
use lessons_core::automaton::{FIRST_ROW, MATCHED, NEVER, UNSURE};

use super::classes::{Bytes, Class, Way, classes, parts, ways};

/// The most rows that are made. With as many as fit (253) twice as many are made for the shipped
/// patterns, and the result is half as large again: then one text in 140 is left to the program, now one
/// in 70.
const MAX_ROWS: usize = 96;
const _: () = assert!(MAX_ROWS <= lessons_core::automaton::MAX_ROWS);
/// The most work that goes into one table, in ways that are looked at: a few milliseconds.
const MAX_WORK: usize = 1_000_000;

/// A deterministic automaton.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// The class of each byte, counted from 0 without gaps.
    pub(super) classes: [u8; 256],
    /// The state at the start of a text.
    pub(super) start: u8,
    /// At most [`lessons_core::automaton::MAX_ROWS`], that of state [`FIRST_ROW`] first.
    pub(super) rows: Vec<Row>,
}

/// What follows a state.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The next state, for each class.
    pub(super) cells: Vec<u8>,
    /// Whether it is a match if the text ends here.
    pub(super) ends: bool,
}

impl Table {
    /// The number of its classes.
    pub(super) fn columns(&self) -> usize {
        self.classes.iter().max().map_or(0, |&last| usize::from(last) + 1)
    }

    /// Whether it leaves some texts to the program.
    pub(super) fn is_unsure(&self) -> bool {
        self.start == UNSURE || self.rows.iter().any(|row| row.cells.contains(&UNSURE))
    }
}

/// The table of `instructions`. States beyond the bounds are unsure.
///
/// What follows a byte of ASCII is looked into before anything else.
pub(super) fn table(instructions: &[Instruction]) -> Table {
    let mut ways = ways(instructions);
    let classes = classes(instructions, &ways);
    // From here on a way takes classes.
    for way in ways.iter_mut().flatten() {
        let takes = |class: &&Class| class.bytes.first().is_some_and(|byte| way.bytes.contains(byte));
        way.bytes = Bytes::of(classes.iter().filter(takes).map(|class| class.number));
    }
    let mut numbers = [0; 256];
    for class in &classes {
        class.bytes.members().for_each(|byte| numbers[usize::from(byte)] = class.number);
    }
    let by_side = |ascii: bool| {
        [Side::Word, Side::Feed, Side::Return, Side::Other].map(|side| {
            let wanted = |class: &&Class| {
                class.side == side && class.bytes.first().is_some_and(|byte| byte.is_ascii() == ascii)
            };
            (side, Bytes::of(classes.iter().filter(wanted).map(|class| class.number)))
        })
    };
    let (ascii, beyond) = (by_side(true), by_side(false));
    let mut maker = Maker {
        instructions,
        ways,
        columns: classes.len(),
        states: BTreeMap::new(),
        reaches: Vec::new(),
        rows: Vec::new(),
        places: Places::of(instructions.len()),
        work: 0,
    };
    let start = maker.state(&mut vec![0], Side::Edge);
    let (mut first, mut later, mut known) = (VecDeque::new(), VecDeque::new(), 0);
    while maker.work < MAX_WORK {
        first.extend(known..maker.rows.len());
        later.extend(known..maker.rows.len());
        known = maker.rows.len();
        if let Some(row) = first.pop_front() {
            maker.fill(row, &ascii);
        } else if let Some(row) = later.pop_front() {
            maker.fill(row, &beyond);
        } else {
            break;
        }
    }
    Table { classes: numbers, start, rows: maker.rows }
}

/// Where the bytes so far lead.
#[derive(Debug, Clone)]
struct Reach {
    /// The places, sorted, and then what the last byte was.
    key: Rc<[u32]>,
    before: Side,
    /// The ways on, if they do not depend on what comes.
    ways: Option<Rc<[Way]>>,
}

/// What can be done next from some places.
#[derive(Debug, Default)]
struct Onwards {
    /// By the place that they lead to.
    ways: Vec<Way>,
    /// Whether the pattern has matched.
    matched: bool,
    /// Whether an assertion holds before some of the sides and not before others.
    depends: bool,
}

struct Maker<'p> {
    instructions: &'p [Instruction],
    ways: Vec<Option<Way>>,
    columns: usize,
    states: BTreeMap<Rc<[u32]>, u8>,
    /// Of each row.
    reaches: Vec<Reach>,
    rows: Vec<Row>,
    /// Empty between two uses.
    places: Places,
    work: usize,
}

impl Maker<'_> {
    /// The state of `places`, sorted, after `before`: a new one if there is room.
    fn state(&mut self, places: &mut Vec<u32>, before: Side) -> u8 {
        if places.is_empty() {
            return NEVER;
        }
        places.push(before as u32);
        if let Some(&state) = self.states.get(places.as_slice()) {
            return state;
        }
        let key: Rc<[u32]> = Rc::from(places.as_slice());
        let found = self.onwards(&key, before, &Side::ALL);
        let state = if found.matched {
            MATCHED
        } else if self.rows.len() == MAX_ROWS {
            UNSURE
        } else {
            let ends = found.depends && self.onwards(&key, before, &[Side::Edge]).matched;
            let ways = (!found.depends).then(|| Rc::from(found.ways));
            let state = super::low_byte(self.rows.len()) + FIRST_ROW;
            self.rows.push(Row { cells: vec![UNSURE; self.columns], ends });
            self.reaches.push(Reach { key: Rc::clone(&key), before, ways });
            state
        };
        self.states.insert(key, state);
        state
    }

    /// What can be done next from the places in `key`, before one of some sides.
    fn onwards(&mut self, key: &[u32], before: Side, afters: &[Side]) -> Onwards {
        let mut found = Onwards::default();
        for &place in key.split_last().map_or(key, |(_, places)| places) {
            self.places.add(place);
        }
        let mut visited = 0;
        while let Some(&place) = self.places.as_slice().get(visited) {
            visited += 1;
            let Some(instruction) = self.instructions.get(place as usize) else { continue };
            if instruction.or_following {
                self.places.add(place + 1);
            }
            match instruction.act {
                Do::Match => found.matched = true,
                Do::Go => self.places.add(instruction.next),
                Do::Byte(..) => found.ways.extend(self.ways.get(place as usize).copied().flatten()),
                Do::Look(look) => match afters.iter().filter(|&&after| look.holds(before, after)).count() {
                    0 => {}
                    all if all == afters.len() => self.places.add(instruction.next),
                    _ => found.depends = true,
                },
            }
        }
        self.places.clear();
        self.work += visited;
        found.ways.sort_unstable_by_key(|way| way.next);
        found
    }

    /// Fills the cells of some classes, parted by side, in one row.
    fn fill(&mut self, row: usize, classes: &[(Side, Bytes)]) {
        let Some(reach) = self.reaches.get(row).cloned() else { return };
        let mut next = Vec::new();
        for &(side, members) in classes.iter().filter(|(_, members)| members.first().is_some()) {
            let (ways, matched) = if let Some(ways) = &reach.ways {
                (Rc::clone(ways), false)
            } else {
                let found = self.onwards(&reach.key, reach.before, &[side]);
                (Rc::from(found.ways), found.matched)
            };
            for part in parts(members, ways.iter().map(|way| way.bytes)) {
                let Some(one) = part.first() else { continue };
                next.clear();
                next.extend(ways.iter().filter(|way| way.bytes.contains(one)).map(|way| way.next));
                next.dedup();
                self.work += ways.len();
                let state = if matched { MATCHED } else { self.state(&mut next, side) };
                let Some(row) = self.rows.get_mut(row) else { return };
                for class in part.members() {
                    if let Some(cell) = row.cells.get_mut(usize::from(class)) {
                        *cell = state;
                    }
                }
            }
        }
    }
}
