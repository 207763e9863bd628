//! One scan: everything that is new in every transcript, once.
//!
//! Each file is recorded in one transaction, its cursor with what was found up to there. So a scan
//! that is killed anywhere leaves nothing half done, and the next one goes on there. What was already
//! known changes nothing.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lessons_core::files::FileError;
use lessons_core::home::Home;
use lessons_store::candidates::Sighting;
use lessons_store::clues::Note;
use lessons_store::database::{Database, DatabaseError};
use lessons_store::events;
use lessons_store::recording::{FileScan, Found as Record};

use crate::beginning;
use crate::detect::{self, Detector, Seen};
use crate::echo::Question;
use crate::finding::{self, Circumstances};
use crate::listen::{self, Asked};
use crate::lock::ScanLock;
use crate::moment::Moment;
use crate::projects::Projects;
use crate::propose;
use crate::reading::{self, Placed, Reading};
use crate::report::{Report, Skipped};
use crate::resume::{Place, Transcript};
use crate::tag::Block;
use crate::transcript::{self, Said};
use crate::walk::{self, Session, Walked};

/// How many blocks are taken at once. More are recorded in several steps, so that memory stays bounded
/// whatever a session holds.
const BLOCKS_AT_ONCE: usize = 500;
/// How much of what detectors see is held at once.
const NOTES_AT_ONCE: usize = 500;
/// How many files are open at once. A session may have thousands of sub-agents, a process 256 files.
const FILES_AT_ONCE: usize = 128;
/// The most that is read of the file that describes a sub-agent, in bytes.
const META_LIMIT: u64 = 64 << 10;

/// How far a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done, old ones counted.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Hears how far a scan is, and may stop it before the next session.
pub type Watcher<'w> = dyn FnMut(Progress) -> ControlFlow<()> + 'w;

/// How a scan ended.
#[derive(Debug)]
pub enum Outcome {
    /// It did what the report says.
    Done(Box<Report>),
    /// Another scanner is at work; there is nothing to do.
    AlreadyRunning,
}

/// Why there can be no scan.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FileError),
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Takes in what hooks have written down and scans the transcripts under `roots` into the database of `home`,
/// unless another scanner is at it.
pub fn run(
    home: &Home,
    roots: &[PathBuf],
    now: Moment,
    proposals: usize,
    watcher: &mut Watcher<'_>,
) -> Result<Outcome, ScanError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(Outcome::AlreadyRunning) };
    let mut database = Database::open(home)?;
    let taken = events::take_in(home, &mut database, now.millis());
    let mut report = scan(&mut database, roots, now, proposals, watcher)?;
    match taken {
        Ok(taken) => report.events = taken,
        Err(error) => report.skip(Skipped::new(&home.events(), error.to_string())),
    }
    Ok(Outcome::Done(Box::new(report)))
}

/// Scans what belongs to the sessions of some transcripts, and nothing else: what a follower does when they have
/// grown. Mistakes that nobody wrote down are proposed by whole scans only. [`Outcome::AlreadyRunning`] where
/// another scanner is at it.
pub fn run_for(
    home: &Home,
    transcripts: &BTreeSet<PathBuf>,
    now: Moment,
    watcher: &mut Watcher<'_>,
) -> Result<Outcome, ScanError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(Outcome::AlreadyRunning) };
    let mut database = Database::open(home)?;
    let walked = walk::sessions_of(transcripts);
    let report = read(&mut database, &walked, now, watcher)?;
    Ok(Outcome::Done(Box::new(report)))
}

/// Scans the transcripts under `roots`. `now` is the time of what bears none. Of mistakes that
/// nobody wrote down it makes at most `proposals` candidates, and none if it is stopped.
pub fn scan(
    database: &mut Database,
    roots: &[PathBuf],
    now: Moment,
    proposals: usize,
    watcher: &mut Watcher<'_>,
) -> Result<Report, ScanError> {
    let walked = walk::walk(roots);
    let mut report = read(database, &walked, now, watcher)?;
    if report.stopped {
        return Ok(report);
    }
    let seen: HashSet<String> = walked.files().map(|file| file.to_string_lossy().into_owned()).collect();
    database.forget_vanished(&|path| seen.contains(path) || Path::new(path).exists())?;
    let proposed = propose::propose(database, proposals, now)?;
    report.add(proposed.recorded);
    report.proposed = proposed.recorded.new;
    report.left_out = proposed.left_out;
    Ok(report)
}

/// Reads what is new in the files that were found.
fn read(
    database: &mut Database,
    walked: &Walked,
    now: Moment,
    watcher: &mut Watcher<'_>,
) -> Result<Report, ScanError> {
    let mut report = Report { files: walked.files().count(), ..Report::default() };
    for skipped in &walked.skipped {
        report.skip(skipped.clone());
    }
    let total = walked.files().filter_map(|file| file.symlink_metadata().ok()).map(|found| found.len()).sum();
    let mut scan =
        Scan { database, now, report, projects: Projects::default(), watcher, done: 0, total, stop: false };
    for session in &walked.sessions {
        if scan.stop {
            scan.report.stopped = true;
            return Ok(scan.report);
        }
        scan.session(session)?;
    }
    scan.projects.remember(scan.database, now)?;
    Ok(scan.report)
}

/// A scan at work.
struct Scan<'s, 'w> {
    database: &'s mut Database,
    now: Moment,
    report: Report,
    projects: Projects,
    watcher: &'s mut Watcher<'w>,
    done: u64,
    total: u64,
    stop: bool,
}

/// A file of the session that is being read.
struct OpenFile<'p> {
    /// Which of the session's files.
    index: usize,
    path: &'p Path,
    transcript: Transcript,
    place: Place,
}

impl Scan<'_, '_> {
    fn session(&mut self, session: &Session) -> Result<(), ScanError> {
        let files: Vec<(usize, &PathBuf)> = session.files.iter().enumerate().collect();
        for files in files.chunks(FILES_AT_ONCE) {
            let mut open = Vec::new();
            for &(index, path) in files {
                open.extend(self.open(index, path)?);
            }
            while !open.is_empty() {
                open = self.round(session, open)?;
            }
        }
        Ok(())
    }

    /// Opens a file that has something new.
    fn open<'p>(&mut self, index: usize, path: &'p Path) -> Result<Option<OpenFile<'p>>, ScanError> {
        let transcript = match Transcript::open(path) {
            Ok(transcript) => transcript,
            Err(error) => {
                self.report.skip(Skipped::new(path, error.to_string()));
                return Ok(None);
            }
        };
        let place = transcript.resume(self.database)?;
        self.pass(place.offset);
        if place.offset >= transcript.size {
            return Ok(None);
        }
        self.report.files_read += 1;
        if place.offset == 0 {
            self.projects.look_into(&transcript);
        }
        Ok(Some(OpenFile { index, path, transcript, place }))
    }

    /// Reads on in the open files, and records what is there. Returns the files that go on.
    fn round<'p>(
        &mut self,
        session: &Session,
        open: Vec<OpenFile<'p>>,
    ) -> Result<Vec<OpenFile<'p>>, ScanError> {
        let (mut read, mut going_on) = (Vec::new(), Vec::new());
        let mut room = BLOCKS_AT_ONCE;
        for file in open {
            if room == 0 {
                going_on.push(file);
                continue;
            }
            match reading::read(&file.transcript, file.place, room, &mut |bytes| self.pass(bytes)) {
                Ok(reading) => {
                    room = room.saturating_sub(reading.blocks.len());
                    read.push((file, reading));
                }
                Err(error) => self.report.skip(Skipped::new(file.path, error.to_string())),
            }
        }
        let asked: Vec<Asked> = read
            .iter()
            .flat_map(|(file, reading)| reading.blocks.iter().map(|block| ask(file.index, block)))
            .collect();
        let echoes = match listen::echoes(session, &asked) {
            Ok(echoes) => echoes,
            Err(error) => {
                // Without having listened nothing is recorded; the next scan tries again.
                for (file, _) in &read {
                    self.report.skip(Skipped::new(file.path, error.to_string()));
                }
                return Ok(going_on);
            }
        };
        let mut echoes = echoes.into_iter();
        for (file, reading) in read {
            let echoes: Vec<bool> = echoes.by_ref().take(reading.blocks.len()).collect();
            let place = reading.place;
            let finished = reading.finished;
            if self.record(session, &file, reading, &echoes)? && !finished {
                going_on.push(OpenFile { place, ..file });
            }
        }
        Ok(going_on)
    }

    /// Records what a file gave. `false` if it cannot be read any more.
    fn record(
        &mut self,
        session: &Session,
        file: &OpenFile<'_>,
        reading: Reading,
        echoes: &[bool],
    ) -> Result<bool, ScanError> {
        if reading.place == file.place {
            return Ok(true);
        }
        let cursor = match file.transcript.cursor(reading.place) {
            Ok(cursor) => cursor,
            Err(error) => {
                self.report.skip(Skipped::new(file.path, error.to_string()));
                return Ok(false);
            }
        };
        let kind = agent_type_beside(file.path);
        let mut found = Vec::new();
        for (block, &echo) in reading.blocks.iter().zip(echoes) {
            self.report.tags += 1;
            found.extend(self.record_of(session, file, block, echo, kind.as_deref()));
        }
        let notes = match self.watch(session, file, reading.place.offset, kind.as_deref()) {
            Ok(notes) => notes?,
            Err(error) => {
                self.report.skip(Skipped::new(file.path, error.to_string()));
                return Ok(false);
            }
        };
        self.note_beginning(session, &found, &notes)?;
        self.projects.remember(self.database, self.now)?;
        let scan = FileScan { cursor, now: self.now.millis(), found, notes };
        let recorded = self.database.record_scan(&scan)?;
        self.report.add(recorded);
        self.report.bytes += reading.place.offset - file.place.offset;
        self.report.lines += reading.place.lines - file.place.lines;
        self.report.long_lines += reading.long_lines;
        self.report.excess += reading.excess;
        for (sum, counts) in
            [(&mut self.report.void, reading.void), (&mut self.report.unreadable, reading.unreadable)]
        {
            for (reason, number) in counts {
                *sum.entry(reason).or_default() += number;
            }
        }
        Ok(true)
    }

    /// What the detectors see in the new part of a file. What is more than memory should hold is noted down
    /// at once: a clue that is noted twice counts once.
    fn watch(
        &mut self,
        session: &Session,
        file: &OpenFile<'_>,
        to: u64,
        kind: Option<&str>,
    ) -> io::Result<Result<Vec<Note>, DatabaseError>> {
        let mut notes = Vec::new();
        let mut result = Ok(());
        let Self { database, projects, now, .. } = self;
        detect::watch(&file.transcript, file.place, to, &mut |seen| {
            notes.push(match seen {
                Seen::Draft(draft) => {
                    let sighting =
                        sighting(session, file, draft.origin(), draft.line(), kind, projects, *now);
                    Note::Clue(Box::new((*draft).clue(sighting)))
                }
                Seen::Solved(uuid) => {
                    Note::Solved { detector: Detector::Repetition.name(), uuid: uuid.to_owned() }
                }
            });
            if notes.len() >= NOTES_AT_ONCE && result.is_ok() {
                result = database.note(&notes);
                notes.clear();
            }
        })?;
        Ok(result.map(|()| notes))
    }

    /// Notes how the sessions of these candidates and clues began, so that forks are known as such.
    fn note_beginning(
        &mut self,
        session: &Session,
        found: &[Record<'_>],
        notes: &[Note],
    ) -> Result<(), ScanError> {
        let of_candidates = found.iter().filter_map(|record| match record {
            Record::Seen { sighting, .. } => Some(sighting.session.as_str()),
            Record::TakenBack { .. } => None,
        });
        let of_clues = notes.iter().filter_map(|note| match note {
            Note::Clue(clue) => Some(clue.sighting.session.as_str()),
            Note::Solved { .. } => None,
        });
        let named: BTreeSet<&str> = of_candidates.chain(of_clues).collect();
        if named.is_empty() {
            return Ok(());
        }
        if let Some(line) = session.main().and_then(beginning::of) {
            for id in named {
                self.database.note_beginning(id, &line)?;
            }
        }
        Ok(())
    }

    /// What a block means for the database. `None` for a cancel that is not obeyed.
    fn record_of(
        &mut self,
        session: &Session,
        file: &OpenFile<'_>,
        block: &Placed,
        echo: bool,
        kind: Option<&str>,
    ) -> Option<Record<'static>> {
        let said = &block.said;
        match &block.found.block {
            Block::Lesson(tag) => {
                self.report.echoes += usize::from(echo);
                let circumstances = Circumstances { echo, fenced: block.found.fenced };
                let sighting = sighting(session, file, said, block.line, kind, &mut self.projects, self.now);
                Some(Record::Seen { finding: Box::new(finding::of_tag(tag, circumstances)), sighting })
            }
            // A cancel works at once, so one that may be quoted does not.
            Block::Cancel(_) if echo || block.found.fenced => {
                self.report.cancels_ignored += 1;
                None
            }
            Block::Cancel(cancel) => {
                let cancel = finding::of_cancel(cancel);
                Some(Record::TakenBack {
                    uuid: format!("{}#{}", said.uuid, block.number),
                    session: session_of(session, said),
                    fits: Box::new(move |mistake, trigger| cancel.fits(mistake, trigger)),
                })
            }
        }
    }

    fn pass(&mut self, bytes: u64) {
        self.done += bytes;
        let progress = Progress { done: self.done.min(self.total), total: self.total };
        self.stop |= (self.watcher)(progress).is_break();
    }
}

/// The session that a line belongs to: the one that it names, or the one whose file it is in.
fn session_of(session: &Session, said: &Said) -> String {
    let folder = || session.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    said.session.clone().unwrap_or_else(folder)
}

/// Where something was seen.
fn sighting(
    session: &Session,
    file: &OpenFile<'_>,
    said: &Said,
    line: u64,
    kind: Option<&str>,
    projects: &mut Projects,
    now: Moment,
) -> Sighting {
    let is_agent = said.agent.is_some() || kind.is_some();
    let own = said.agent.clone();
    Sighting {
        uuid: said.uuid.clone(),
        file: file.transcript.path.clone(),
        line,
        session: session_of(session, said),
        project: said.cwd.as_deref().map(|cwd| projects.root_of(cwd)),
        agent_id: own.as_ref().and_then(|agent| agent.id.clone()),
        agent_type: is_agent
            .then(|| own.and_then(|agent| agent.kind).or_else(|| kind.map(str::to_owned)))
            .flatten(),
        model: said.model.clone(),
        time: said.time.unwrap_or(now).millis(),
    }
}

fn ask(file: usize, block: &Placed) -> Asked {
    let question = match &block.found.block {
        Block::Lesson(tag) => Question::of_lesson(tag),
        Block::Cancel(cancel) => Question::of_cancel(cancel),
    };
    Asked { file, offset: block.offset, time: block.said.time, question }
}

/// The agent type that the file beside a sub-agent's transcript names.
fn agent_type_beside(path: &Path) -> Option<String> {
    let mut meta = Vec::new();
    let file: File = Transcript::open(&path.with_extension("meta.json")).ok()?.file;
    let read: io::Result<usize> = file.take(META_LIMIT).read_to_end(&mut meta);
    read.ok()?;
    transcript::agent_type(&meta)
}
