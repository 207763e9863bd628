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

use crate::budget::ScanBudget;
use crate::changed_sessions::{self, ChangedSessions};
use crate::cores;
use crate::lock::ScanLock;
use crate::propose;
use crate::reorder_queue::{self, Bounds};
use crate::report::{Report, Skipped};
pub use crate::session_scan::ScanTarget;
use crate::session_scan::{ScanStep, SessionScanner};
use crate::timestamp::Timestamp;
use crate::walk;

/// How to scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanOptions {
    /// The time of what bears none.
    pub now: Timestamp,
    /// Of mistakes that nobody wrote down, so many become candidates at most.
    pub proposals: usize,
    /// What is looked for.
    pub wanted: ScanTarget,
    /// How many threads read.
    pub workers: NonZeroUsize,
    /// How much is done at once.
    pub budget: ScanBudget,
}

impl ScanOptions {
    /// Looks for everything, on all cores.
    pub fn at(now: Timestamp, proposals: usize) -> Self {
        Self {
            now,
            proposals,
            wanted: ScanTarget::Everything,
            workers: cores::count(),
            budget: ScanBudget::FULL,
        }
    }

    /// The same for something else.
    #[must_use]
    pub fn looking_for(self, wanted: ScanTarget) -> Self {
        Self { wanted, ..self }
    }

    /// The same with one thread and little memory: for who is in no hurry and should not be felt. Where a line is
    /// very long, it and what comes after it in its file are left to another scan.
    #[must_use]
    pub fn in_background(self) -> Self {
        Self { workers: NonZeroUsize::MIN, budget: ScanBudget::SMALL, ..self }
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
pub type ProgressFn<'w> = dyn FnMut(Progress) -> ControlFlow<()> + 'w;

/// How a scan ended.
#[derive(Debug)]
pub enum ScanOutcome {
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
    options: ScanOptions,
    on_progress: &mut ProgressFn<'_>,
) -> Result<ScanOutcome, ScanError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(ScanOutcome::AlreadyRunning) };
    let mut database = Database::open(home)?;
    let taken = events::take_in(home, &mut database, options.now.millis());
    let mut report = scan(&mut database, roots, options, on_progress)?;
    match taken {
        Ok(taken) => report.events = taken,
        Err(error) => report.skip(Skipped::new(&home.events(), error.to_string())),
    }
    Ok(ScanOutcome::Done(Box::new(report)))
}

/// Scans what belongs to the sessions of some transcripts, and nothing else: what a follower does when they have
/// grown. Mistakes that nobody wrote down are proposed by whole scans only. [`ScanOutcome::AlreadyRunning`] where
/// another scanner is at it.
pub fn run_for(
    home: &Home,
    transcripts: &BTreeSet<PathBuf>,
    options: ScanOptions,
    on_progress: &mut ProgressFn<'_>,
) -> Result<ScanOutcome, ScanError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(ScanOutcome::AlreadyRunning) };
    let mut database = Database::open(home)?;
    let (walked, cursors) = (walk::sessions_of(transcripts), database.cursors()?);
    let report = read(&mut database, &changed_sessions::find(&walked, &cursors), options, on_progress)?;
    Ok(ScanOutcome::Done(Box::new(report)))
}

/// Scans the transcripts under `roots`. Of mistakes that nobody wrote down it makes no candidates if it is stopped.
pub fn scan(
    database: &mut Database,
    roots: &[PathBuf],
    options: ScanOptions,
    on_progress: &mut ProgressFn<'_>,
) -> Result<Report, ScanError> {
    let (walked, cursors) = (walk::walk(roots), database.cursors()?);
    let mut changed = changed_sessions::find(&walked, &cursors);
    let mut report = read(database, &changed, options, on_progress)?;
    if report.stopped {
        return Ok(report);
    }
    changed.unseen.retain(|path| !Path::new(path).exists());
    database.forget_cursors(&changed.unseen)?;
    let proposed = propose::propose(database, options.proposals, options.now)?;
    report.add(proposed.recorded);
    report.proposed = proposed.recorded.new;
    report.left_out = proposed.left_out;
    Ok(report)
}

/// Reads what is new in the files that were found, and records it.
fn read(
    database: &mut Database,
    changed: &ChangedSessions<'_>,
    options: ScanOptions,
    on_progress: &mut ProgressFn<'_>,
) -> Result<Report, ScanError> {
    let mut report = Report { files: changed.walked.files().count(), ..Report::default() };
    for skipped in &changed.walked.skipped {
        report.skip(skipped.clone());
    }
    let total = changed.total;
    let scanner = SessionScanner::new(changed.cursors, options.now, options.wanted, options.budget);
    scanner.progress.add(changed.done);
    let mut look = || {
        let flow = on_progress(Progress { done: scanner.progress.done().min(total), total });
        if flow.is_break() {
            scanner.progress.stop();
        }
        flow
    };
    let bounds = Bounds { workers: options.workers.get(), capacity: options.budget.memory };
    if look().is_continue() {
        reorder_queue::in_order(
            &changed.sessions,
            bounds,
            |session, push| scanner.session(session, push),
            |step| {
                let recorded = step.map_or(Ok(()), |step| record(database, &scanner, step, &mut report));
                // Whoever reads on would read for nobody.
                recorded.inspect_err(|_| scanner.progress.stop()).map(|()| look())
            },
        )?;
        // It sees the end, too.
        let _ = look();
    }
    report.stopped = scanner.progress.is_stopped();
    scanner.projects().remember(database, options.now)?;
    Ok(report)
}

/// Records what a part of a file gave.
fn record(
    database: &mut Database,
    scanner: &SessionScanner<'_>,
    step: ScanStep,
    report: &mut Report,
) -> Result<(), DatabaseError> {
    let ScanStep { scan, first_prompts, report: part } = step;
    report.merge(part);
    if let Some(scan) = scan {
        for (session, line) in &first_prompts {
            database.note_beginning(session, line)?;
        }
        scanner.projects().remember(database, Timestamp::from_millis(scan.now))?;
        report.add(database.record_scan(&scan)?);
    }
    Ok(())
}
