//! What there is in the new part of one transcript: its blocks, and what detectors see. Read once.
//!
//! Both look at the same lines as they come. Where there is more than memory should hold, the part ends early, at
//! the end of a line, and the next one goes on there.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use lessons_store::clues::Note;
use lessons_store::cursors::Cursor;
use memchr::memmem::{self, Finder};

use crate::budget::LongLines;
use crate::detect::{self, Detection, Detectors};
use crate::line::{Line, LineRegion, LineSearch, Lines};
use crate::progress::SharedProgress;
use crate::resume::{ReadPosition, Transcript};
use crate::tag_lines::{MARKER, TagLines};
use crate::transcript;

/// What a clue takes in memory, about, in bytes.
const SIGNAL_BYTES: usize = 4 << 10;
/// How much of a transcript is searched for its working folder, in bytes. One of the first lines names it.
const FOLDER_LIMIT: u64 = 1 << 20;

/// Makes a note of what detectors see.
pub(crate) type SignalRecorder<'n> = dyn FnMut(Detection<'_>) -> Note + 'n;

/// What a part of a transcript gave.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// Its blocks.
    pub(crate) tags: TagLines,
    /// What detectors saw.
    pub(crate) notes: Vec<Note>,
    /// The working folder that the transcript names first. Only of its first part.
    pub(crate) folder: Option<String>,
    /// Lines too long to be kept.
    pub(crate) long_lines: u64,
    /// Where the next part begins.
    pub(crate) end: ReadPosition,
    /// The cursor for that.
    pub(crate) cursor: Cursor,
    /// Whether there is no next part.
    pub(crate) is_last: bool,
}

impl Gathered {
    /// What it takes in memory, about, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.tags.weight + self.notes.len() * SIGNAL_BYTES
    }
}

/// How to gather.
#[derive(Clone, Copy)]
pub(crate) struct GatherOptions<'p> {
    /// How much it may weigh.
    pub(crate) room: usize,
    pub(crate) long_lines: LongLines,
    pub(crate) progress: &'p SharedProgress,
}

/// Gathers from `from` on, up to the end, or to what is left to others, or until there is no more room; what
/// detectors see only with a `noter`. `None` where everybody is to stop.
pub(crate) fn gather(
    file: &Transcript,
    from: ReadPosition,
    how: GatherOptions<'_>,
    noter: Option<&mut SignalRecorder<'_>>,
) -> io::Result<Option<Gathered>> {
    let GatherOptions { room, long_lines, progress } = how;
    let start = match noter {
        Some(_) => detect::context_start(file, from)?,
        None => file.without_open_line(from)?,
    };
    let mut source = &file.file;
    source.seek(SeekFrom::Start(start.offset))?;
    let source = source.take(file.version.size.saturating_sub(start.offset));
    let mut search = LineSearch::with_limits(source, start.offset, long_lines.limits());
    let mut gatherer = Gatherer {
        from: from.offset,
        lines_before: start.lines,
        room,
        marker: Finder::new(MARKER),
        detectors: noter.map(|note| (Detectors::default(), note)),
        tags: TagLines::default(),
        notes: Vec::new(),
        folder: None,
    };
    let mut passed = from.offset;
    let (mut full, mut is_left) = (None, false);
    while let Some(region) = search.next_region()? {
        if progress.is_stopped() {
            return Ok(None);
        }
        let mut lines = match region {
            LineRegion::Lines(lines) => lines,
            // One that was gathered already is only watched.
            LineRegion::LongPiece(line) if long_lines.are_left() && line.offset >= from.offset => {
                full = Some(ReadPosition { offset: line.offset, lines: start.lines + line.number - 1 });
                is_left = true;
                break;
            }
            LineRegion::LongPiece(_) => continue,
        };
        let flow = gatherer.lines(&mut lines);
        progress.add(lines.offset.saturating_sub(passed));
        passed = passed.max(lines.offset);
        if flow.is_break() {
            full = Some(ReadPosition { offset: lines.offset, lines: start.lines + lines.number - 1 });
            break;
        }
    }
    let mut end =
        full.unwrap_or(ReadPosition { offset: search.offset(), lines: start.lines + search.lines() });
    // A last line that is whole although its line feed is missing, as after a crash.
    let tail = search.tail().filter(|tail| full.is_none() && transcript::is_whole(tail.bytes));
    if let Some(tail) = tail {
        gatherer.tail(tail);
        end = ReadPosition { offset: search.end(), lines: end.lines + 1 };
    }
    let is_last = full.is_none() || is_left || end.offset >= file.version.size;
    if is_last {
        progress.add(file.version.size.saturating_sub(passed));
    }
    let Gatherer { tags, notes, folder, .. } = gatherer;
    let (cursor, long_lines) = (file.cursor(end)?, search.long_lines());
    Ok(Some(Gathered { tags, notes, folder, long_lines, end, cursor, is_last }))
}

struct Gatherer<'g, 'n> {
    /// What stands before was gathered already, and is watched so that what comes later is understood.
    from: u64,
    lines_before: u64,
    room: usize,
    marker: Finder<'static>,
    detectors: Option<(Detectors, &'g mut SignalRecorder<'n>)>,
    tags: TagLines,
    notes: Vec<Note>,
    folder: Option<String>,
}

impl Gatherer<'_, '_> {
    /// Takes lines until there are no more, or there is no more room.
    fn lines(&mut self, lines: &mut Lines<'_>) -> ControlFlow<()> {
        self.look_for_folder(lines);
        let mut marked = self.next_marked(lines);
        loop {
            if self.detectors.is_none() {
                match marked {
                    Some(at) => lines.skip_to(at),
                    None => lines.skip_all(),
                }
            }
            let left = lines.bytes.len();
            let Some(line) = lines.next() else { return ControlFlow::Continue(()) };
            let length = left - lines.bytes.len();
            marked = match marked {
                Some(at) if self.detectors.is_none() || at < length => {
                    self.tags.take(line, self.lines_before + line.number);
                    self.next_marked(lines)
                }
                marked => marked.map(|at| at - length),
            };
            self.watch(line);
            if self.tags.weight + self.notes.len() * SIGNAL_BYTES >= self.room {
                return ControlFlow::Break(());
            }
        }
    }

    /// Where the next marker stands in the lines that are left.
    fn next_marked(&self, lines: &Lines<'_>) -> Option<usize> {
        let known = usize::try_from(self.from.saturating_sub(lines.offset)).unwrap_or(usize::MAX);
        let fresh = lines.bytes.get(known..)?;
        self.marker.find(fresh).map(|at| known + at)
    }

    fn tail(&mut self, tail: Line<'_>) {
        if self.marker.find(tail.bytes).is_some() {
            self.tags.take(tail, self.lines_before + tail.number);
        }
        self.watch(tail);
    }

    fn watch(&mut self, line: Line<'_>) {
        let Self { from, lines_before, detectors, notes, .. } = self;
        if let Some((detectors, note)) = detectors {
            detectors.line(line, *lines_before + line.number, &mut |seen| {
                // What hangs on an earlier line was noted with it.
                if line.offset >= *from {
                    notes.push(note(seen));
                }
            });
        }
    }

    /// Takes note of the folder in which a session began.
    fn look_for_folder(&mut self, lines: &Lines<'_>) {
        if self.from > 0 || self.folder.is_some() || lines.offset >= FOLDER_LIMIT {
            return;
        }
        let mut lines = lines.clone();
        while let Some(at) = memmem::find(lines.bytes, b"\"cwd\"") {
            lines.skip_to(at);
            self.folder = lines.next().and_then(|line| transcript::folder(line.bytes));
            if self.folder.is_some() {
                return;
            }
        }
    }
}
