//! The run of all detectors over the lines of a transcript.

use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use memchr::{memchr, memchr_iter};

use super::draft::Draft;
use super::history::lazy_call::LazyCall;
use super::history::line_filter::{self, LineInterest};
use super::history::line_origin::LineOrigin;
use super::history::{Event, History, WINDOW};
use super::statement::sentence::sentences;
use super::{demand, group, memory_write, spoken, switched};
use crate::transcript::line::Line;
use crate::transcript::resume::{self, ReadPosition};
use crate::transcript::{self, CallEnd, LineEvent, LineInfo};

/// The position where the detectors have to start, so that what they see after `from` depends on nothing before: the
/// first line that starts in the window before it.
pub(crate) fn context_start(transcript: &resume::Transcript, from: ReadPosition) -> io::Result<ReadPosition> {
    let at = from.offset.saturating_sub(WINDOW);
    if at == 0 {
        return Ok(ReadPosition::default());
    }
    let mut file = &transcript.file;
    // One byte more: a line feed there means that a line starts at `at`.
    file.seek(SeekFrom::Start(at - 1))?;
    let mut before = Vec::new();
    file.take(from.offset - (at - 1)).read_to_end(&mut before)?;
    let from = transcript.without_open_line(from)?;
    let Some(end) = memchr(b'\n', &before) else { return Ok(from) };
    let lines = memchr_iter(b'\n', before.get(end + 1..).unwrap_or_default()).count() as u64;
    Ok(ReadPosition { offset: at + end as u64, lines: from.lines.saturating_sub(lines) })
}

/// All detectors, and the history that they look at.
#[derive(Debug, Default)]
pub(crate) struct Detectors {
    history: History,
    /// What was typed into the queue and not delivered yet, with the offset of its line. It is one prompt, not two.
    queued: Vec<(u64, String)>,
}

impl Detectors {
    /// Looks at the next line, which has this number in its file.
    pub(crate) fn line(&mut self, line: Line<'_>, number: u64, seen: &mut dyn FnMut(Draft<'_>)) {
        match line_filter::interest(line.bytes) {
            LineInterest::Nothing => {}
            LineInterest::Call(id) => {
                self.history.called(LazyCall::unparsed(id, line.offset, number, line.bytes));
            }
            LineInterest::Success(id) => {
                if self.history.is_open(id) {
                    look(self.history.ended(line.offset, id, CallEnd::Done), line.bytes, seen);
                }
            }
            LineInterest::Everything => self.whole(line, number, seen),
        }
    }

    fn whole(&mut self, line: Line<'_>, number: u64, seen: &mut dyn FnMut(Draft<'_>)) {
        // The reader of tags counts unreadable lines.
        let Ok(Some(line_events)) = transcript::line_events(line.bytes) else { return };
        let (offset, origin) = (line.offset, Rc::new(line_events.origin));
        for what in line_events.what {
            let origin = || LineOrigin { offset, line: number, info: Rc::clone(&origin) };
            match what {
                LineEvent::Called(call) => self.history.called(LazyCall::parsed(origin(), call)),
                LineEvent::Ended { id, end } => look(self.history.ended(offset, &id, end), line.bytes, seen),
                LineEvent::Typed(text) => {
                    self.queued.retain(|(at, _)| at + WINDOW >= offset);
                    let known = self.queued.iter().position(|(_, queued)| *queued == text);
                    let is_new = known.map(|at| self.queued.swap_remove(at)).is_none();
                    if let Some((Event::Typed(prompt), before)) =
                        self.history.typed(origin(), text).split_last()
                        && is_new
                    {
                        look_at_prompt(&prompt.origin, &prompt.text, before, seen);
                    }
                }
                LineEvent::Queued(text) => {
                    let origin = self.in_folder(origin());
                    look_at_prompt(&origin, &text, self.history.events_before(offset), seen);
                    self.queued.push((offset, text));
                }
            }
        }
    }

    /// The origin with the last folder, where its line names none, as that of a queue.
    fn in_folder(&mut self, mut origin: LineOrigin) -> LineOrigin {
        let last = self.history.events_before(origin.offset).iter().rev().find_map(Event::folder);
        if let (None, Some(folder)) = (&origin.info.cwd, last) {
            origin.info = Rc::new(LineInfo { cwd: Some(folder.to_owned()), ..(*origin.info).clone() });
        }
        origin
    }
}

/// Runs the detectors of prompts on a prompt that came after these events.
fn look_at_prompt(origin: &LineOrigin, text: &str, before: &[Event], seen: &mut dyn FnMut(Draft<'_>)) {
    let sentences = sentences(text);
    demand::of_prompt(origin, text, &sentences).into_iter().for_each(&mut *seen);
    spoken::of_prompt(origin, text, sentences, before).into_iter().for_each(seen);
}

/// Runs every other detector on the last event, which ended in the line `result`.
fn look(events: Option<&[Event]>, result: &[u8], seen: &mut dyn FnMut(Draft<'_>)) {
    let Some(events) = events else { return };
    spoken::look(events).or_else(|| switched::look(events)).into_iter().for_each(&mut *seen);
    memory_write::look(events, result).into_iter().for_each(&mut *seen);
    group::look(events).into_iter().for_each(seen);
}

#[cfg(test)]
#[path = "detectors/tests.rs"]
mod tests;
