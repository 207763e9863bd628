//! One scan: everything that is new in every transcript, once.
//!
//! Sessions are read on several threads and recorded by this one, in their order: what a scan leaves does not depend
//! on their number. Each part of a file is recorded in one transaction, its cursor with what was found up to there.
//! So a scan that is killed anywhere leaves nothing half done, and the next one goes on there. What was already
//! known changes nothing.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lessons_core::files::FileError;
use lessons_core::home::Home;
use lessons_store::database::{Database, DatabaseError};
use lessons_store::events;

use crate::cores;
use crate::effort::Effort;
use crate::lock::ScanLock;
use crate::moment::Moment;
use crate::news::{self, News};
use crate::propose;
use crate::relay::{self, Bounds};
use crate::report::{Report, Skipped};
pub use crate::survey::Wanted;
use crate::survey::{Step, Survey};
use crate::walk;

/// How to scan.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// The time of what bears none.
    pub now: Moment,
    /// Of mistakes that nobody wrote down, so many become candidates at most.
    pub proposals: usize,
    /// What is looked for.
    pub wanted: Wanted,
    /// How many threads read.
    pub workers: NonZeroUsize,
    /// How much is done at once.
    pub effort: Effort,
}

impl Manner {
    /// Looks for everything, on all cores.
    pub fn at(now: Moment, proposals: usize) -> Self {
        Self { now, proposals, wanted: Wanted::Everything, workers: cores::count(), effort: Effort::WHOLE }
    }

    /// The same for something else.
    #[must_use]
    pub fn looking_for(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }

    /// The same with one thread and little memory: for who is in no hurry and should not be felt. Where a line is
    /// very long, it and what comes after it in its file are left to another scan.
    #[must_use]
    pub fn quietly(self) -> Self {
        Self { workers: NonZeroUsize::MIN, effort: Effort::SMALL, ..self }
    }
}

/// How far a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done, old ones counted.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Hears how far a scan is, and may stop it.
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
    manner: Manner,
    watcher: &mut Watcher<'_>,
) -> Result<Outcome, ScanError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(Outcome::AlreadyRunning) };
    let mut database = Database::open(home)?;
    let taken = events::take_in(home, &mut database, manner.now.millis());
    let mut report = scan(&mut database, roots, manner, watcher)?;
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
    manner: Manner,
    watcher: &mut Watcher<'_>,
) -> Result<Outcome, ScanError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(Outcome::AlreadyRunning) };
    let mut database = Database::open(home)?;
    let (walked, cursors) = (walk::sessions_of(transcripts), database.cursors()?);
    let report = read(&mut database, &news::look(&walked, &cursors), manner, watcher)?;
    Ok(Outcome::Done(Box::new(report)))
}

/// Scans the transcripts under `roots`. Of mistakes that nobody wrote down it makes no candidates if it is stopped.
pub fn scan(
    database: &mut Database,
    roots: &[PathBuf],
    manner: Manner,
    watcher: &mut Watcher<'_>,
) -> Result<Report, ScanError> {
    let (walked, cursors) = (walk::walk(roots), database.cursors()?);
    let mut news = news::look(&walked, &cursors);
    let mut report = read(database, &news, manner, watcher)?;
    if report.stopped {
        return Ok(report);
    }
    news.unseen.retain(|path| !Path::new(path).exists());
    database.forget_cursors(&news.unseen)?;
    let proposed = propose::propose(database, manner.proposals, manner.now)?;
    report.add(proposed.recorded);
    report.proposed = proposed.recorded.new;
    report.left_out = proposed.left_out;
    Ok(report)
}

/// Reads what is new in the files that were found, and records it.
fn read(
    database: &mut Database,
    news: &News<'_>,
    manner: Manner,
    watcher: &mut Watcher<'_>,
) -> Result<Report, ScanError> {
    let mut report = Report { files: news.walked.files().count(), ..Report::default() };
    for skipped in &news.walked.skipped {
        report.skip(skipped.clone());
    }
    let total = news.total;
    let survey = Survey::new(news.cursors, manner.now, manner.wanted, manner.effort);
    survey.pace.pass(news.done);
    let mut look = || {
        let flow = watcher(Progress { done: survey.pace.passed().min(total), total });
        if flow.is_break() {
            survey.pace.stop();
        }
        flow
    };
    let bounds = Bounds { workers: manner.workers.get(), room: manner.effort.room };
    if look().is_continue() {
        relay::in_order(
            &news.sessions,
            bounds,
            |session, hand_in| survey.session(session, hand_in),
            |step| {
                let recorded = step.map_or(Ok(()), |step| record(database, &survey, step, &mut report));
                // Whoever reads on would read for nobody.
                recorded.inspect_err(|_| survey.pace.stop()).map(|()| look())
            },
        )?;
        // It sees the end, too.
        let _ = look();
    }
    report.stopped = survey.pace.is_stopped();
    survey.projects().remember(database, manner.now)?;
    Ok(report)
}

/// Records what a part of a file gave.
fn record(
    database: &mut Database,
    survey: &Survey<'_>,
    step: Step,
    report: &mut Report,
) -> Result<(), DatabaseError> {
    let Step { scan, beginnings, report: part } = step;
    report.merge(part);
    if let Some(scan) = scan {
        for (session, line) in &beginnings {
            database.note_beginning(session, line)?;
        }
        survey.projects().remember(database, Moment::from_millis(scan.now))?;
        report.add(database.record_scan(&scan)?);
    }
    Ok(())
}
