//! One session, read: what is new in its files, and whether the assistant thought of it itself.
//!
//! Nothing here touches the database, so sessions are surveyed on all cores. A session is read in steps that fit
//! into memory; for each with blocks in it the whole session is listened through once. So that a session made to
//! be slow is not, that is done for some steps only: the blocks of later ones are flagged, and not compared.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::iter::Enumerate;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lessons_store::candidates::Sighting;
use lessons_store::clues::Note;
use lessons_store::cursors::Cursors;
use lessons_store::recording::{FileScan, Found};

use crate::beginning;
use crate::beside;
use crate::detect::{Detector, Seen};
use crate::echo::{Provenance, Question};
use crate::effort::Effort;
use crate::finding::{self, Circumstances};
use crate::gather::{Gathered, How, Noter, gather};
use crate::listen::{self, Asked};
use crate::moment::Moment;
use crate::pace::Pace;
use crate::projects::Projects;
use crate::reading::Placed;
use crate::relay::HandIn;
use crate::report::{Report, Skipped};
use crate::resume::{self, Place, Transcript};
use crate::stamp::Stamp;
use crate::tag::Block;
use crate::transcript::Said;
use crate::walk::Session;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// What the agent wrote down, and mistakes that nobody wrote down.
    Everything,
    /// What the agent wrote down.
    Tags,
}

/// A part of a file that was read.
#[derive(Default)]
pub(crate) struct Step {
    /// What is to be recorded. Nothing, where nothing new was whole.
    pub(crate) scan: Option<FileScan<'static>>,
    /// Sessions, and the line with which they began.
    pub(crate) beginnings: Vec<(String, String)>,
    /// What is to be told of it.
    pub(crate) report: Report,
}

/// What those share who survey sessions.
pub(crate) struct Survey<'s> {
    cursors: &'s Cursors,
    now: Moment,
    wanted: Wanted,
    effort: Effort,
    projects: Mutex<Projects>,
    /// How far all of them are.
    pub(crate) pace: Pace,
}

impl<'s> Survey<'s> {
    pub(crate) fn new(cursors: &'s Cursors, now: Moment, wanted: Wanted, effort: Effort) -> Self {
        Self { cursors, now, wanted, effort, projects: Mutex::default(), pace: Pace::default() }
    }

    /// The projects of what was read so far.
    pub(crate) fn projects(&self) -> MutexGuard<'_, Projects> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what is new in a session, and hands it in.
    pub(crate) fn session(&self, session: &Session, hand_in: &mut HandIn<'_, Step>) {
        let files = session.files.iter().enumerate();
        let visit = Visit { survey: self, session, files, open: None, began: OnceCell::new(), hand_in };
        // A break says that nobody wants more, or that everybody stops: then this is the end too.
        let _ = visit.run();
    }
}

/// A session that is being read.
struct Visit<'v, 'h> {
    survey: &'v Survey<'v>,
    session: &'v Session,
    /// Those that were not looked at.
    files: Enumerate<slice::Iter<'v, PathBuf>>,
    /// The one of which a part was read.
    open: Option<OpenFile<'v>>,
    /// The line with which the session began.
    began: OnceCell<Option<String>>,
    hand_in: &'v mut HandIn<'h, Step>,
}

/// A file of which something is new.
struct OpenFile<'v> {
    /// Which of the session's files.
    index: usize,
    path: &'v Path,
    transcript: Transcript,
    from: Place,
    is_fresh: bool,
}

/// A part of a file, and where it lay.
struct Part<'v> {
    index: usize,
    about: About<'v>,
    from: Place,
    is_fresh: bool,
    gathered: Gathered,
}

/// The file that lines are of.
struct About<'v> {
    survey: &'v Survey<'v>,
    session: &'v Session,
    path: &'v Path,
    name: String,
    agent_type: OnceCell<Option<String>>,
}

impl<'v> Visit<'v, '_> {
    fn run(mut self) -> ControlFlow<()> {
        let mut passes = 0..self.survey.effort.passes;
        loop {
            let parts = self.gather()?;
            if parts.is_empty() {
                return ControlFlow::Continue(());
            }
            let asked: Vec<Asked> = parts.iter().flat_map(Part::asked).collect();
            let provenances = if asked.is_empty() {
                Vec::new()
            } else if passes.next().is_some() {
                match listen::provenances(
                    self.session,
                    &asked,
                    self.survey.effort.long_lines,
                    &self.survey.pace,
                ) {
                    Ok(Some(provenances)) => provenances,
                    // Nothing is recorded of what could not be compared with everything.
                    Ok(None) => return ControlFlow::Continue(()),
                    Err(error) => {
                        // Without having listened nothing is recorded, and nothing after it; the next scan tries again.
                        self.open = None;
                        for part in &parts {
                            self.skip(part.about.path, error.to_string())?;
                        }
                        continue;
                    }
                }
            } else {
                vec![Provenance::Unchecked; asked.len()]
            };
            if self.survey.pace.is_stopped() {
                return ControlFlow::Break(());
            }
            let mut provenances = provenances.into_iter();
            for part in parts {
                let own: Vec<Provenance> =
                    provenances.by_ref().take(part.gathered.reading.blocks.len()).collect();
                self.give(part, &own)?;
            }
        }
    }

    /// Reads on, up to a step of parts among which there are blocks, or to the end. What comes before is handed in.
    fn gather(&mut self) -> ControlFlow<(), Vec<Part<'v>>> {
        let mut parts: Vec<Part<'v>> = Vec::new();
        let mut room = self.survey.effort.room;
        while room > 0 {
            let Some(file) = self.next()? else { break };
            let about = About::of(self.survey, self.session, &file);
            let mut note = |seen: Seen<'_>| about.note(seen);
            let noter: Option<&mut Noter<'_>> = match self.survey.wanted {
                Wanted::Everything => Some(&mut note),
                Wanted::Tags => None,
            };
            let how = How { room, long_lines: self.survey.effort.long_lines, pace: &self.survey.pace };
            let gathered = match gather(&file.transcript, file.from, how, noter) {
                Ok(Some(gathered)) => gathered,
                Ok(None) => return ControlFlow::Break(()),
                Err(error) => {
                    self.skip(file.path, error.to_string())?;
                    continue;
                }
            };
            let OpenFile { index, from, is_fresh, .. } = file;
            if !gathered.is_last {
                self.open = Some(OpenFile { from: gathered.end, is_fresh: false, ..file });
            }
            let weight = gathered.weight();
            let part = Part { index, about, from, is_fresh, gathered };
            if parts.is_empty() && part.gathered.reading.blocks.is_empty() {
                self.give(part, &[])?;
            } else {
                room = room.saturating_sub(weight);
                parts.push(part);
            }
        }
        ControlFlow::Continue(parts)
    }

    /// The file to read on in.
    fn next(&mut self) -> ControlFlow<(), Option<OpenFile<'v>>> {
        if let Some(open) = self.open.take() {
            return ControlFlow::Continue(Some(open));
        }
        while let Some((index, path)) = self.files.next() {
            if self.survey.pace.is_stopped() {
                return ControlFlow::Break(());
            }
            let cursor = self.survey.cursors.of_path(&resume::name_of(path));
            let found =
                cursor.and_then(|cursor| Stamp::at(path).ok().filter(|it| resume::is_as_it_was(cursor, it)));
            if let Some(found) = found {
                self.survey.pace.pass(found.size);
                continue;
            }
            match Transcript::open(path) {
                Ok(transcript) => {
                    let from = transcript.resume(self.survey.cursors);
                    self.survey.pace.pass(from.offset);
                    if from.offset < transcript.stamp.size {
                        let file = OpenFile { index, path, transcript, from, is_fresh: true };
                        return ControlFlow::Continue(Some(file));
                    }
                    self.note_place(&transcript, from)?;
                }
                Err(error) => self.skip(path, error.to_string())?,
            }
        }
        ControlFlow::Continue(None)
    }

    /// Hands in where a file is by now that was read to its end before, and when it changed.
    fn note_place(&mut self, file: &Transcript, end: Place) -> ControlFlow<()> {
        let Ok(cursor) = file.cursor(end) else { return ControlFlow::Continue(()) };
        let cursor = resume::settled(cursor, self.survey.now);
        if end.offset == 0 || self.survey.cursors.holds(&cursor) {
            return ControlFlow::Continue(());
        }
        let now = self.survey.now.millis();
        let scan = FileScan { cursor, now, found: Vec::new(), notes: Vec::new() };
        (self.hand_in)(Step { scan: Some(scan), ..Step::default() }, 0)
    }

    fn skip(&mut self, path: &Path, reason: String) -> ControlFlow<()> {
        let mut step = Step::default();
        step.report.skip(Skipped::new(path, reason));
        (self.hand_in)(step, 0)
    }

    /// Hands in what a part gave.
    fn give(&mut self, part: Part<'v>, provenances: &[Provenance]) -> ControlFlow<()> {
        let weight = part.gathered.weight();
        let mut step = part.step(provenances);
        let named = step.scan.as_ref().map(sessions_in).unwrap_or_default();
        if !named.is_empty() {
            let began = self.began.get_or_init(|| self.session.main().and_then(beginning::of));
            step.beginnings =
                began.iter().flat_map(|line| named.iter().map(|id| (id.clone(), line.clone()))).collect();
        }
        (self.hand_in)(step, weight)
    }
}

/// The sessions of candidates and clues.
fn sessions_in(scan: &FileScan<'_>) -> BTreeSet<String> {
    let of_candidates = scan.found.iter().filter_map(|found| match found {
        Found::Seen { sighting, .. } => Some(&sighting.session),
        Found::TakenBack { .. } => None,
    });
    let of_clues = scan.notes.iter().filter_map(|note| match note {
        Note::Clue(clue) => Some(&clue.sighting.session),
        Note::Solved { .. } => None,
    });
    of_candidates.chain(of_clues).cloned().collect()
}

impl Part<'_> {
    fn asked(&self) -> impl Iterator<Item = Asked> {
        self.gathered.reading.blocks.iter().map(|block| ask(self.index, block))
    }

    /// What is recorded of it, and told.
    fn step(self, provenances: &[Provenance]) -> Step {
        let Self { about, from, is_fresh, gathered, .. } = self;
        let mut report = Report { files_read: usize::from(is_fresh), ..Report::default() };
        if let Some(folder) = &gathered.folder {
            about.survey.projects().root_of(folder);
        }
        let Gathered { reading, notes, long_lines, end, cursor, .. } = gathered;
        if end == from {
            return Step { report, ..Step::default() };
        }
        report.bytes = end.offset - from.offset;
        report.lines = end.lines - from.lines;
        report.long_lines = long_lines;
        report.tags = reading.blocks.len();
        report.excess = reading.excess;
        report.void = reading.void;
        report.unreadable = reading.unreadable;
        let blocks = reading.blocks.iter().zip(provenances);
        let found = blocks.filter_map(|(block, &from)| about.found(block, from, &mut report)).collect();
        let cursor = resume::settled(cursor, about.survey.now);
        let scan = FileScan { cursor, now: about.survey.now.millis(), found, notes };
        Step { scan: Some(scan), report, ..Step::default() }
    }
}

fn ask(file: usize, block: &Placed) -> Asked {
    let question = match &block.found.block {
        Block::Lesson(tag) => Question::of_lesson(tag),
        Block::Cancel(cancel) => Question::of_cancel(cancel),
    };
    Asked { file, offset: block.offset, time: block.said.time, question }
}

impl<'v> About<'v> {
    fn of(survey: &'v Survey<'v>, session: &'v Session, file: &OpenFile<'v>) -> Self {
        let name = file.transcript.path.clone();
        Self { survey, session, path: file.path, name, agent_type: OnceCell::new() }
    }

    /// What a block means for the database. `None` for a cancel that is not obeyed.
    fn found(&self, block: &Placed, provenance: Provenance, report: &mut Report) -> Option<Found<'static>> {
        let (said, fenced) = (&block.said, block.found.fenced);
        match &block.found.block {
            Block::Lesson(tag) => {
                report.echoes += usize::from(provenance == Provenance::Echo);
                report.unchecked += usize::from(provenance == Provenance::Unchecked);
                let finding = Box::new(finding::of_tag(tag, Circumstances { provenance, fenced }));
                Some(Found::Seen { finding, sighting: self.sighting(said, block.line) })
            }
            // A cancel works at once, so one that may be quoted does not.
            Block::Cancel(_) if provenance != Provenance::Own || fenced => {
                report.cancels_ignored += 1;
                None
            }
            Block::Cancel(cancel) => {
                let cancel = finding::of_cancel(cancel);
                Some(Found::TakenBack {
                    uuid: format!("{}#{}", said.uuid, block.number),
                    session: self.session_of(said),
                    fits: Box::new(move |mistake, trigger| cancel.fits(mistake, trigger)),
                })
            }
        }
    }

    /// What is noted of what a detector saw.
    fn note(&self, seen: Seen<'_>) -> Note {
        match seen {
            Seen::Draft(draft) => {
                let sighting = self.sighting(draft.origin(), draft.line());
                Note::Clue(Box::new(draft.clue(sighting)))
            }
            Seen::Solved(uuid) => {
                Note::Solved { detector: Detector::Repetition.name(), uuid: uuid.to_owned() }
            }
        }
    }

    /// Where something was seen.
    fn sighting(&self, said: &Said, line: u64) -> Sighting {
        let beside = || self.agent_type.get_or_init(|| beside::agent_type(self.path)).clone();
        let own = said.agent.as_ref();
        Sighting {
            uuid: said.uuid.clone(),
            file: self.name.clone(),
            line,
            session: self.session_of(said),
            project: said.cwd.as_deref().map(|cwd| self.survey.projects().root_of(cwd)),
            agent_id: own.and_then(|agent| agent.id.clone()),
            agent_type: own.and_then(|agent| agent.kind.clone()).or_else(beside),
            model: said.model.clone(),
            time: said.time.unwrap_or(self.survey.now).millis(),
        }
    }

    /// The session that a line belongs to: the one that it names, or the one whose file it is in.
    fn session_of(&self, said: &Said) -> String {
        let folder = || self.session.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        said.session.clone().unwrap_or_else(folder)
    }
}

#[cfg(test)]
#[path = "survey/tests.rs"]
mod tests;
