//! The reading of the new part of one transcript: its tags, and what the detectors see, in one pass.
//!
//! Where there is more than the memory may hold, the part ends early, at the end of a line, and the next part goes on
//! there.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use lessons_ledger::cursors::Cursor;
use lessons_ledger::signals::Signal;
use memchr::memmem::{self, Finder};

use crate::detect::{self, Detectors, Draft};
use crate::incidents::{FoundOrders, IncidentWatch};
use crate::run::budget::LongLines;
use crate::run::progress::SharedProgress;
use crate::tag::lines::{MARKER, TagLines};
use crate::transcript::line::{Limits, Line, LineRegion, LineSearch, Lines};
use crate::transcript::resume::{ReadPosition, Transcript};
use crate::transcript::{self, SessionFolder};

/// The memory that a signal takes, about, in bytes.
const SIGNAL_BYTES: usize = 4 << 10;
/// The length of the start of a transcript that is searched for its working folder, in bytes.
const FOLDER_LIMIT: u64 = 1 << 20;

/// The most folders that are taken from one transcript.
const MOST_FOLDERS: usize = 16;

/// A note of a detector, and its place.
#[derive(Debug)]
pub(crate) struct PlacedNote {
    /// The offset of the line at which the detector was sure, in bytes.
    pub(crate) offset: u64,
    pub(crate) note: Signal,
}

/// Turns a detection into what is stored.
pub(crate) type SignalRecorder<'n> = dyn FnMut(Draft<'_>) -> Signal + 'n;

/// The contents of a part of a transcript.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// The tags.
    pub(crate) tags: TagLines,
    /// What the detectors saw.
    pub(crate) notes: Vec<PlacedNote>,
    /// The results of tools that give the agent orders.
    pub(crate) orders: Vec<FoundOrders>,
    /// The working folder that the transcript names first, and the work trees that the client made. Only of its start.
    pub(crate) folders: Vec<SessionFolder>,
    /// The number of lines that were too long to be kept.
    pub(crate) long_lines: u64,
    /// The start of the next part.
    pub(crate) end: ReadPosition,
    /// The cursor for the next part.
    pub(crate) cursor: Cursor,
    /// Whether there is no next part.
    pub(crate) is_last: bool,
}

impl Gathered {
    /// The memory that the part takes, about, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.tags.weight + (self.notes.len() + self.orders.len()) * SIGNAL_BYTES
    }
}

/// The limits of one part, and the progress of the scan.
pub(crate) struct GatherOptions<'p> {
    /// The memory that the part may take, in bytes.
    pub(crate) room: usize,
    pub(crate) long_lines: LongLines,
    /// The search for results that give orders, if they are recorded.
    pub(crate) watch: Option<IncidentWatch>,
    pub(crate) progress: &'p SharedProgress,
}

/// Reads from `from` up to the end, or up to a line that is left to another scan, or until the memory is used up.
/// Detectors run only with a `recorder`. `None` where the scan is stopped.
pub(crate) fn gather(
    file: &Transcript,
    from: ReadPosition,
    how: GatherOptions<'_>,
    recorder: Option<&mut SignalRecorder<'_>>,
) -> io::Result<Option<Gathered>> {
    let GatherOptions { room, long_lines, watch, progress } = how;
    let start = if recorder.is_some() || watch.is_some() {
        detect::context_start(file, from)?
    } else {
        file.without_open_line(from)?
    };
    let mut source = &file.file;
    source.seek(SeekFrom::Start(start.offset))?;
    let left = file.length.saturating_sub(start.offset);
    let Limits { chunk, line } = long_lines.limits();
    // Most files are short, and fresh memory is not for nothing.
    let chunk = chunk.min(usize::try_from(left).unwrap_or(chunk).saturating_add(1));
    let mut search = LineSearch::with_limits(source.take(left), start.offset, Limits { chunk, line });
    let mut gatherer = Gatherer {
        from: from.offset,
        lines_before: start.lines,
        room,
        marker: Finder::new(MARKER),
        detectors: recorder.map(|note| (Detectors::default(), note)),
        watch,
        tags: TagLines::default(),
        notes: Vec::new(),
        folders: Vec::new(),
        is_begun: false,
    };
    let mut passed = from.offset;
    let (mut full, mut is_left) = (None, false);
    while let Some(region) = search.next_region()? {
        if progress.is_stopped() {
            return Ok(None);
        }
        let mut lines = match region {
            LineRegion::Lines(lines) => lines,
            // A line before `from` is only context for the detectors.
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
        gatherer.tags(tail);
        gatherer.watch(tail);
        end = ReadPosition { offset: search.end(), lines: end.lines + 1 };
    }
    let is_last = full.is_none() || is_left || end.offset >= file.length;
    if is_last {
        progress.add(file.length.saturating_sub(passed));
    }
    let Gatherer { tags, notes, folders, watch, .. } = gatherer;
    let orders = watch.map(|watch| watch.found).unwrap_or_default();
    let mut cursor = file.cursor(end)?;
    if full.is_none() {
        // A line without an end was read too; only a change of the file can give it one.
        cursor.size = file.version.size;
    }
    let long_lines = search.long_lines();
    Ok(Some(Gathered { tags, notes, orders, folders, long_lines, end, cursor, is_last }))
}

struct Gatherer<'g, 'n> {
    /// Lines before this offset were recorded by an earlier scan; they are context for the detectors.
    from: u64,
    lines_before: u64,
    room: usize,
    marker: Finder<'static>,
    detectors: Option<(Detectors, &'g mut SignalRecorder<'n>)>,
    watch: Option<IncidentWatch>,
    tags: TagLines,
    notes: Vec<PlacedNote>,
    folders: Vec<SessionFolder>,
    /// Whether the working folder is among them.
    is_begun: bool,
}

impl Gatherer<'_, '_> {
    /// Reads lines until there are no more, or the memory is used up.
    fn lines(&mut self, lines: &mut Lines<'_>) -> ControlFlow<()> {
        self.look_for_folder(lines);
        let sees_all = self.detectors.is_some() || self.watch.is_some();
        loop {
            if !sees_all {
                match self.next_marked(lines) {
                    Some(at) => lines.skip_to(at),
                    None => lines.skip_all(),
                }
            }
            let Some(line) = lines.next() else { return ControlFlow::Continue(()) };
            if line.offset >= self.from {
                self.tags(line);
            }
            self.watch(line);
            let orders = self.watch.as_ref().map_or(0, |watch| watch.found.len());
            if self.tags.weight + (self.notes.len() + orders) * SIGNAL_BYTES >= self.room {
                return ControlFlow::Break(());
            }
        }
    }

    /// The offset of the next marker in the lines that are left.
    fn next_marked(&self, lines: &Lines<'_>) -> Option<usize> {
        let known = usize::try_from(self.from.saturating_sub(lines.offset)).unwrap_or(usize::MAX);
        let fresh = lines.bytes.get(known..)?;
        self.marker.find(fresh).map(|at| known + at)
    }

    /// Takes the tags of a line, if it may hold any.
    fn tags(&mut self, line: Line<'_>) {
        if self.marker.find(line.bytes).is_some() {
            self.tags.take(line, self.lines_before + line.number);
        } else {
            self.tags.check_ends(line.bytes);
        }
    }

    fn watch(&mut self, line: Line<'_>) {
        let Self { from, lines_before, detectors, watch, notes, .. } = self;
        if let Some(watch) = watch {
            watch.line(line.bytes, line.offset >= *from);
        }
        if let Some((detectors, note)) = detectors {
            detectors.line(line, *lines_before + line.number, &mut |seen| {
                // A detection at an earlier line was recorded with that line.
                if line.offset >= *from {
                    notes.push(PlacedNote { offset: line.offset, note: note(seen) });
                }
            });
        }
    }

    /// Looks for the folder in which the session began, and for the work trees that were made for it.
    fn look_for_folder(&mut self, lines: &Lines<'_>) {
        if self.from > 0 || lines.offset >= FOLDER_LIMIT {
            return;
        }
        let mut rest = lines.clone();
        while self.folders.len() < MOST_FOLDERS
            && let Some(at) = memmem::find(rest.bytes, b"\"worktreeSession\"")
        {
            rest.skip_to(at);
            self.folders.extend(rest.next().and_then(|line| transcript::work_tree(line.bytes)));
        }
        let mut lines = lines.clone();
        while !self.is_begun
            && let Some(at) = memmem::find(lines.bytes, b"\"cwd\"")
        {
            lines.skip_to(at);
            let folder = lines.next().and_then(|line| transcript::folder(line.bytes));
            self.is_begun = folder.is_some();
            self.folders.extend(folder);
        }
    }
}
