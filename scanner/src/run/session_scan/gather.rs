//! The reading of the new part of one transcript: its tags, and what the detectors see, in one pass.
//!
//! Where there is more than the memory may hold, the part ends early, at the end of a line, and the next part goes on
//! there.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use lessons_ledger::Signal;
use lessons_ledger::recording::cursors::Cursor;
use lessons_store::Incident;

use super::file_context::FileContext;
use crate::detect::{self, Detectors};
use crate::incidents::IncidentWatch;
use crate::run::options::ScanTarget;
use crate::run::phase::add_phases;
use crate::tag::lines::{MARKER, TagLines};
use crate::transcript::line::{Limits, Line, LineRegion, LineSearch, Lines};
use crate::transcript::needle::Needle;
use crate::transcript::resume::{ReadPosition, Transcript};
use crate::transcript::{self, LineInfo, SessionFolder};

/// The memory that a signal takes, about, in bytes.
const SIGNAL_BYTES: usize = 4 << 10;
/// The length of the start of a transcript that is searched for its working folder, in bytes.
const FOLDER_LIMIT: u64 = 1 << 20;

/// The keys of a folder in which the session works, and of one that the client made for it.
static FOLDER: Needle = Needle::new("\"cwd\"");
static WORK_TREE: Needle = Needle::new("\"worktreeSession\"");
/// The most folders that are taken from one transcript.
const MOST_FOLDERS: usize = 16;

/// A note of a detector, and its place.
#[derive(Debug)]
pub(super) struct PlacedNote {
    /// The offset of the line at which the detector was sure, in bytes.
    pub(super) offset: u64,
    pub(super) note: Signal,
}

/// The contents of a part of a transcript.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The tags, and the report of the part.
    pub(super) tags: TagLines,
    /// What the detectors saw.
    pub(super) notes: Vec<PlacedNote>,
    /// The results of tools that give the agent orders.
    pub(super) incidents: Vec<Incident>,
    /// The working folder that the transcript names first, and the work trees that the client made. Only of its start.
    pub(super) folders: Vec<SessionFolder>,
    /// The start of the next part.
    pub(super) end: ReadPosition,
    /// The cursor for the next part.
    pub(super) cursor: Cursor,
    /// Whether there is no next part.
    pub(super) is_last: bool,
}

impl Gathered {
    /// The memory that the part takes, about, in bytes.
    pub(super) fn weight(&self) -> usize {
        self.tags.weight + (self.notes.len() + self.incidents.len()) * SIGNAL_BYTES
    }
}

/// Reads from `from` up to the end, or up to a line that is left to another scan, or until `room` bytes of memory are used
/// up. `None` where the scan is stopped.
pub(super) fn gather(
    about: &FileContext<'_>,
    file: &Transcript,
    from: ReadPosition,
    room: usize,
) -> io::Result<Option<Gathered>> {
    let (options, progress) = (about.scanner.options, &about.scanner.progress);
    let long_lines = options.budget.long_lines;
    let sighting = |said: &LineInfo| about.sighting(said, 0);
    let watch = about.scanner.watches.then(|| IncidentWatch::new(&sighting));
    let detectors = (options.wanted == ScanTarget::Everything).then(Detectors::default);
    let sees_all = detectors.is_some() || watch.is_some();
    let start = if sees_all { detect::context_start(file, from) } else { file.without_open_line(from) }?;
    let mut source = &file.file;
    source.seek(SeekFrom::Start(start.offset))?;
    let left = file.length.saturating_sub(start.offset);
    let Limits { chunk, line } = long_lines.limits();
    // Most files are short, and fresh memory is not for nothing.
    let chunk = chunk.min(usize::try_from(left).unwrap_or(chunk).saturating_add(1));
    let mut search = LineSearch::with_limits(source.take(left), start.offset, Limits { chunk, line });
    let (from_offset, lines_before, part) = (from.offset, start.lines, Gathered::default());
    let mut gatherer =
        Gatherer { about, from: from_offset, lines_before, room, detectors, watch, part, is_begun: false };
    let place = |offset, lines| ReadPosition { offset, lines: start.lines + lines };
    let mut passed = from.offset;
    // Where the part ends before the file does, and whether the rest is left to another scan.
    let early = loop {
        let Some(region) = search.next_region()? else { break None };
        if progress.is_stopped() {
            return Ok(None);
        }
        match region {
            LineRegion::Lines(mut lines) => {
                let flow = gatherer.lines(&mut lines);
                progress.add(lines.offset.saturating_sub(passed));
                passed = passed.max(lines.offset);
                if flow.is_break() {
                    break Some((place(lines.offset, lines.number - 1), false));
                }
            }
            // A line before `from` is only context for the detectors.
            LineRegion::LongPiece(line) if long_lines.are_left() && line.offset >= from.offset => {
                break Some((place(line.offset, line.number - 1), true));
            }
            LineRegion::LongPiece(_) => {}
        }
    };
    let mut end = early.map_or(place(search.offset(), search.lines), |(end, _)| end);
    // A last line that is whole although its line feed is missing, as after a crash.
    if let Some(tail) = search.tail().filter(|tail| early.is_none() && transcript::is_whole(tail.bytes)) {
        gatherer.part.tags.line(tail, start.lines + tail.number);
        gatherer.watch(tail);
        end = place(search.end(), search.lines + 1);
    }
    let is_last = early.is_none_or(|(end, is_left)| is_left || end.offset >= file.length);
    if is_last {
        progress.add(file.length.saturating_sub(passed));
    }
    let mut part = Gathered { end, cursor: file.cursor(end)?, is_last, ..gatherer.part };
    if early.is_none() {
        // A line without an end was read too; only a change of the file can give it one.
        part.cursor.size = file.version.size;
    }
    let report = &mut part.tags.report;
    report.bytes = end.offset - from.offset;
    report.lines = end.lines - from.lines;
    report.long_lines = search.long_lines;
    add_phases(&mut part.tags.blocks, file)?;
    Ok(Some(part))
}

struct Gatherer<'g> {
    about: &'g FileContext<'g>,
    /// Lines before this offset were recorded by an earlier scan; they are context for the detectors.
    from: u64,
    lines_before: u64,
    /// The memory that the part may take, in bytes.
    room: usize,
    /// What looks for mistakes, if they are wanted, and the search for results that give orders, if they are recorded.
    detectors: Option<Detectors>,
    watch: Option<IncidentWatch<'g>>,
    part: Gathered,
    /// Whether the working folder is known.
    is_begun: bool,
}

impl Gatherer<'_> {
    /// Reads lines until there are no more, or the memory is used up.
    fn lines(&mut self, lines: &mut Lines<'_>) -> ControlFlow<()> {
        self.look_for_folder(lines);
        let sees_all = self.detectors.is_some() || self.watch.is_some();
        loop {
            if !sees_all {
                lines.skip_to(self.next_marked(lines));
            }
            let Some(line) = lines.next() else { return ControlFlow::Continue(()) };
            if line.offset >= self.from {
                self.part.tags.line(line, self.lines_before + line.number);
            }
            self.watch(line);
            if self.part.weight() >= self.room {
                return ControlFlow::Break(());
            }
        }
    }

    /// The offset of the next marker in the lines that are left; their end where there is none.
    fn next_marked(&self, lines: &Lines<'_>) -> usize {
        let known = usize::try_from(self.from.saturating_sub(lines.offset)).unwrap_or(usize::MAX);
        let marker = lines.bytes.get(known..).and_then(|fresh| MARKER.find(fresh));
        marker.map_or(lines.bytes.len(), |at| known + at)
    }

    fn watch(&mut self, line: Line<'_>) {
        let (number, is_new) = (self.lines_before + line.number, line.offset >= self.from);
        let Self { about, detectors, watch, part, .. } = self;
        if let Some(watch) = watch {
            watch.line(line.bytes, is_new, &mut part.incidents);
        }
        if let Some(detectors) = detectors {
            detectors.line(line, number, &mut |seen| {
                // A detection at an earlier line was recorded with that line.
                if is_new {
                    part.notes.push(PlacedNote { offset: line.offset, note: about.note(seen) });
                }
            });
        }
    }

    /// Looks for the folder in which the session began, and for the work trees that were made for it.
    fn look_for_folder(&mut self, lines: &Lines<'_>) {
        if self.from > 0 || lines.offset >= FOLDER_LIMIT {
            return;
        }
        let folders = &mut self.part.folders;
        let trees =
            lines.clone().with(WORK_TREE.finder()).filter_map(|line| transcript::work_tree(line.bytes));
        folders.extend(trees.take(MOST_FOLDERS.saturating_sub(folders.len())));
        if !self.is_begun {
            let folder = lines.clone().with(FOLDER.finder()).find_map(|line| transcript::folder(line.bytes));
            self.is_begun = folder.is_some();
            folders.extend(folder);
        }
    }
}
