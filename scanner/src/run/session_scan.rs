//! The scan of one session: what is new in its files, and whether its tags and rules are echoes.
//!
//! Nothing here touches the database, so sessions are scanned on all cores. A session is read in steps that fit into
//! memory; for each step with tags or worded rules in it the whole session is searched once for echoes. The number of
//! searches is limited, so that no session can slow a scan down: what later steps say is flagged as unchecked.

mod file_context;
mod gather;
mod origins;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lessons_ledger::Cursors;
use lessons_ledger::recording::reflection::ReflectingSessions;
use lessons_ledger::recording::{FileScan, ScanItem};
use lessons_store::Incident;

use self::file_context::FileContext;
use self::gather::{Gathered, PlacedNote, gather};
use self::origins::packages_of;
use crate::echo::Provenance;
use crate::run::echo_check::{self, PlacedQuery};
use crate::run::finding::Circumstances;
use crate::run::options::ScanOptions;
use crate::run::progress::SharedProgress;
use crate::run::projects::Projects;
use crate::run::reorder_queue::Push;
use crate::run::report::{Report, Skipped};
use crate::run::session_facts;
use crate::transcript::foreign;
use crate::transcript::resume::{self, ReadPosition, Transcript};
use crate::transcript::walk::Session;

/// The result of reading parts of files.
#[derive(Default)]
pub(crate) struct ScanStep {
    /// What is to be recorded. Nothing of a part without a new whole line.
    pub(crate) scans: Vec<FileScan<'static>>,
    /// The results of tools that gave the agent orders.
    pub(crate) incidents: Vec<Incident>,
    /// The share of the parts in the report.
    pub(crate) report: Report,
}

impl ScanStep {
    /// Adds what was read after it.
    pub(crate) fn add(&mut self, step: Self) {
        self.scans.extend(step.scans);
        self.incidents.extend(step.incidents);
        self.report.merge(step.report);
    }
}

/// What the scans of all sessions share.
pub(crate) struct SessionScanner<'s> {
    cursors: &'s Cursors,
    /// The sessions whose tags are not taken.
    reflecting: ReflectingSessions,
    /// The options of the scan.
    pub(crate) options: &'s ScanOptions,
    /// Whether results that give orders are searched.
    watches: bool,
    projects: Mutex<Projects>,
    /// The progress of all of them.
    pub(crate) progress: SharedProgress,
}

impl<'s> SessionScanner<'s> {
    /// A scanner that takes no tag of the sessions that are reflecting: a model was asked for lessons in them, and has
    /// proposed its own.
    pub(crate) fn new(
        cursors: &'s Cursors,
        options: &'s ScanOptions,
        reflecting: ReflectingSessions,
        watches: bool,
    ) -> Self {
        let (projects, progress) = (Mutex::default(), SharedProgress::default());
        Self { cursors, reflecting, options, watches, projects, progress }
    }

    /// The projects of the sessions that were read so far.
    pub(crate) fn projects(&self) -> MutexGuard<'_, Projects> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is new in a session, and pushes it to the queue.
    pub(crate) fn session(&self, session: &Session, push: &mut Push<'_, ScanStep>) {
        let visit = SessionVisit {
            scanner: self,
            session,
            first_prompt: OnceCell::new(),
            parts: Vec::new(),
            room: self.options.budget.memory,
            passes: self.options.budget.passes,
            push,
        };
        // A break says that no results are wanted or that the scan stops: this is the end too.
        let _ = visit.run();
    }
}

/// The state of the scan of one session.
struct SessionVisit<'v, 'h> {
    scanner: &'v SessionScanner<'v>,
    session: &'v Session,
    /// The id of the first prompt of the session.
    first_prompt: OnceCell<Option<String>>,
    /// The parts that wait until they are compared, and the memory that more of them may take, in bytes.
    parts: Vec<FilePart<'v>>,
    room: usize,
    /// How often the session may still be searched for echoes.
    passes: usize,
    push: &'v mut Push<'h, ScanStep>,
}

/// A part of a file.
struct FilePart<'v> {
    about: Rc<FileContext<'v>>,
    gathered: Gathered,
}

impl<'v> SessionVisit<'v, '_> {
    fn run(mut self) -> ControlFlow<()> {
        let SessionScanner { cursors, progress, .. } = self.scanner;
        for (index, path) in self.session.files.iter().enumerate() {
            if progress.is_stopped() {
                return ControlFlow::Break(());
            }
            let cursor = cursors.0.get(&*resume::name_of(path));
            let found = cursor
                .and_then(|cursor| foreign::version(path).ok().filter(|it| resume::is_unchanged(cursor, it)));
            if let Some(found) = found {
                progress.add(found.size);
                continue;
            }
            match Transcript::open(path) {
                Ok(transcript) => self.file(index, path, &transcript)?,
                Err(error) => self.skip(path, error.to_string())?,
            }
        }
        self.compare().map_continue(drop)
    }

    /// Reads what is new in a file. Parts with something to compare wait until they fill the memory; others are pushed at
    /// once.
    fn file(&mut self, index: usize, path: &'v Path, transcript: &Transcript) -> ControlFlow<()> {
        let (scanner, session) = (self.scanner, self.session);
        let mut from = transcript.resume(scanner.cursors);
        scanner.progress.add(from.offset);
        if from.offset >= transcript.length {
            return self.note_place(transcript, from);
        }
        let (name, agent_type) = (transcript.path.clone(), OnceCell::new());
        let about = Rc::new(FileContext { scanner, session, index, path, name, agent_type });
        let mut files_read = 1;
        loop {
            let mut gathered = match gather(&about, transcript, from, self.room) {
                Ok(Some(gathered)) => gathered,
                Ok(None) => return ControlFlow::Break(()),
                Err(error) => return self.skip(path, error.to_string()),
            };
            gathered.tags.report.files_read = std::mem::take(&mut files_read);
            from = gathered.end;
            let is_last = gathered.is_last;
            let part = FilePart { about: Rc::clone(&about), gathered };
            if self.parts.is_empty() && part.queries().next().is_none() {
                self.push_part(part, &mut iter::empty())?;
            } else {
                self.room = self.room.saturating_sub(part.gathered.weight());
                self.parts.push(part);
            }
            if self.room == 0 && !self.compare()? || is_last {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Compares the parts that wait with their session, and pushes them. Returns whether they could be compared: else
    /// neither they nor what follows them in their file is recorded, and the next scan tries again.
    fn compare(&mut self) -> ControlFlow<(), bool> {
        let SessionScanner { options, progress, .. } = self.scanner;
        self.room = options.budget.memory;
        let parts = std::mem::take(&mut self.parts);
        let queries: Vec<PlacedQuery> = parts.iter().flat_map(FilePart::queries).collect();
        let mut provenances = vec![Provenance::Unchecked; queries.len()];
        if !queries.is_empty() && self.passes > 0 {
            self.passes -= 1;
            match echo_check::provenances(self.session, &queries, options.budget.long_lines, progress) {
                Ok(Some(found)) => provenances = found,
                // A tag that could not be compared with everything is not recorded.
                Ok(None) => return ControlFlow::Break(()),
                Err(error) => {
                    for part in &parts {
                        self.skip(part.about.path, error.to_string())?;
                    }
                    return ControlFlow::Continue(false);
                }
            }
        }
        if progress.is_stopped() {
            return ControlFlow::Break(());
        }
        let mut provenances = provenances.into_iter();
        for part in parts {
            self.push_part(part, &mut provenances)?;
        }
        ControlFlow::Continue(true)
    }

    /// Pushes the cursor of a file that has nothing new but changed its path or time.
    fn note_place(&mut self, file: &Transcript, end: ReadPosition) -> ControlFlow<()> {
        let Ok(cursor) = file.cursor(end) else { return ControlFlow::Continue(()) };
        let cursor = resume::settled(cursor, self.scanner.options.now);
        if end.offset == 0 || self.scanner.cursors.holds(&cursor) {
            return ControlFlow::Continue(());
        }
        let scan = FileScan { cursor, found: Vec::new(), notes: Vec::new(), beginnings: Vec::new() };
        (self.push)(ScanStep { scans: vec![scan], ..ScanStep::default() }, 0)
    }

    fn skip(&mut self, path: &Path, reason: String) -> ControlFlow<()> {
        let mut step = ScanStep::default();
        step.report.skip(Skipped::new(path, reason));
        (self.push)(step, 0)
    }

    /// Pushes the result of a part, given the answers to [`FilePart::queries`].
    fn push_part(
        &mut self,
        part: FilePart<'v>,
        answers: &mut dyn Iterator<Item = Provenance>,
    ) -> ControlFlow<()> {
        let weight = part.gathered.weight();
        let mut step = part.step(answers);
        for scan in &mut step.scans {
            for session in sessions_in(scan) {
                let first_prompt = || self.session.main().and_then(session_facts::first_prompt_id);
                let line = self.first_prompt.get_or_init(first_prompt).clone();
                scan.beginnings.extend(line.map(|line| (session, line)));
            }
        }
        (self.push)(step, weight)
    }
}

/// The sessions of candidates and signals.
fn sessions_in(scan: &FileScan<'_>) -> BTreeSet<String> {
    let of_candidates = scan.found.iter().filter_map(|found| match found {
        ScanItem::Seen { sighting, .. } => Some(&sighting.session),
        ScanItem::TakenBack { .. } => None,
    });
    let of_signals = scan.notes.iter().map(|signal| &signal.sighting.session);
    of_candidates.chain(of_signals).cloned().collect()
}

impl FilePart<'_> {
    fn queries(&self) -> impl Iterator<Item = PlacedQuery> {
        let (index, Gathered { tags, notes, .. }) = (self.about.index, &self.gathered);
        let of_blocks = tags.blocks.iter().flat_map(move |block| origins::of_block(index, block));
        of_blocks.chain(notes.iter().filter_map(move |note| origins::of_rule(index, note)))
    }

    /// The result of the part: what is recorded, and the report.
    fn step(self, answers: &mut dyn Iterator<Item = Provenance>) -> ScanStep {
        let Self { about, gathered: Gathered { tags, notes, incidents, folders, cursor, .. } } = self;
        let mut report = tags.report;
        for folder in &folders {
            about.scanner.projects().begun_in(folder);
        }
        let cursor = resume::settled(cursor, about.scanner.options.now);
        if (report.bytes, report.lines) == (0, 0) && about.scanner.cursors.holds(&cursor) {
            let report = Report { files_read: report.files_read, ..Report::default() };
            return ScanStep { report, ..ScanStep::default() };
        }
        let mut found = Vec::new();
        for block in &tags.blocks {
            let provenance = answers.next().unwrap_or(Provenance::Unchecked);
            // A package that was read before is an echo of its name. Each answer is taken, so nothing ends this early.
            let packages = answers.take(packages_of(block).len());
            let unseen_package = packages.filter(|answer| *answer == Provenance::Own).count() > 0;
            let origin = Circumstances { fenced: block.found.fenced, provenance, unseen_package };
            found.extend(about.found(block, origin, &mut report));
        }
        let note = |placed: PlacedNote| {
            let answer = origins::of_rule(about.index, &placed).and_then(|_| answers.next());
            origins::with_doubt(placed.note, answer.unwrap_or_default())
        };
        let notes = notes.into_iter().map(note).collect();
        let scan = FileScan { cursor, found, notes, beginnings: Vec::new() };
        ScanStep { scans: vec![scan], incidents, report }
    }
}

#[cfg(test)]
#[path = "session_scan/tests.rs"]
mod tests;
