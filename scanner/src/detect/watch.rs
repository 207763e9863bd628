//! Watching what happens in the new part of a transcript.

use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use memchr::{memchr, memchr_iter};

use super::begun::Begun;
use super::finding::Draft;
use super::history::{self, Event, History, WINDOW};
use super::interest::{Finders, Interest};
use super::{contrast, correction, repetition};
use crate::line::Line;
use crate::resume::{self, Place};
use crate::transcript::{self, End, What};

/// What is seen.
#[derive(Debug)]
pub(crate) enum Seen<'e> {
    /// A mistake, perhaps.
    Draft(Box<Draft<'e>>),
    /// The failure of this line was got past.
    Solved(&'e str),
}

/// Where watching begins, so that what is seen from `from` on depends on nothing before: at the first line that
/// starts in the window before it.
pub(crate) fn beginning(transcript: &resume::Transcript, from: Place) -> io::Result<Place> {
    let at = from.offset.saturating_sub(WINDOW);
    if at == 0 {
        return Ok(Place::default());
    }
    let mut file = &transcript.file;
    // One byte more: a line feed there means that a line starts at `at`.
    file.seek(SeekFrom::Start(at - 1))?;
    let mut before = Vec::new();
    file.take(from.offset - (at - 1)).read_to_end(&mut before)?;
    let from = transcript.without_open_line(from)?;
    let Some(end) = memchr(b'\n', &before) else { return Ok(from) };
    let lines = memchr_iter(b'\n', before.get(end + 1..).unwrap_or_default()).count() as u64;
    Ok(Place { offset: at + end as u64, lines: from.lines.saturating_sub(lines) })
}

/// Watches lines go by.
#[derive(Debug, Default)]
pub(crate) struct Watching {
    history: History,
    finders: Finders,
}

impl Watching {
    /// The next line, which has this number in its file.
    pub(crate) fn line(&mut self, line: Line<'_>, number: u64, seen: &mut dyn FnMut(Seen<'_>)) {
        match self.finders.interest(line.bytes) {
            Interest::Nothing => {}
            Interest::Call(id) => self.history.called(Begun::unread(id, line.offset, number, line.bytes)),
            Interest::Success(id) => {
                if self.history.is_open(id) {
                    look(self.history.ended(line.offset, id, End::Done), seen);
                }
            }
            Interest::Everything => self.whole(line, number, seen),
        }
    }

    fn whole(&mut self, line: Line<'_>, number: u64, seen: &mut dyn FnMut(Seen<'_>)) {
        // What cannot be read says nothing; the reading of tags counts such lines.
        let Ok(Some(happening)) = transcript::happening(line.bytes) else { return };
        let (offset, origin) = (line.offset, Rc::new(happening.origin));
        for what in happening.what {
            let place = || history::Place { offset, line: number, origin: Rc::clone(&origin) };
            match what {
                What::Called(call) => self.history.called(Begun::read(place(), call)),
                What::Ended { id, end } => look(self.history.ended(offset, &id, end), seen),
                What::Typed(text) => drop(self.history.typed(place(), text)),
            }
        }
    }
}

/// Asks every detector about what happened last.
fn look(events: Option<&[Event]>, seen: &mut dyn FnMut(Seen<'_>)) {
    let Some(events) = events else { return };
    let found = [contrast::look(events), correction::look(events), repetition::look(events)];
    for draft in found.into_iter().flatten() {
        seen(Seen::Draft(Box::new(draft)));
    }
    for uuid in repetition::solved(events) {
        seen(Seen::Solved(&uuid));
    }
}

#[cfg(test)]
#[path = "watch/tests.rs"]
mod tests;
