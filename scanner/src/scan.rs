//! One scan of everything that is new in all transcripts.
//!
//! Sessions are read on several threads and recorded by one, in their order, so the result does not depend on the
//! number of threads. Each part of a file is recorded in one transaction, its cursor with what was found up to there.
//! So a scan that is killed leaves nothing half done, and the next scan goes on there. What is already known changes
//! nothing.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lessons_home::files::FileError;
use lessons_home::home::Home;
use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::events;

use crate::budget::ScanBudget;
use crate::changed_sessions::{self, ChangedSessions};
use crate::cores;
use crate::lock::ScanLock;
use crate::propose::{self, ProposalLimits};
use crate::reorder_queue::{self, Bounds};
use crate::report::{Report, Skipped};
pub use crate::session_scan::ScanTarget;
use crate::session_scan::{ScanStep, SessionScanner};
use crate::timestamp::Timestamp;
use crate::walk;

/// The most proposals for each hundred sessions begun: reviewing more is not worth a person's time.
const MOST_PER_HUNDRED: u64 = 25;

/// The options of a scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanOptions {
    /// The time of lines without one.
    pub now: Timestamp,
    /// The most candidates that are made of mistakes that nobody wrote down.
    pub proposals: usize,
    /// The most of them for each hundred sessions begun, over all scans.
    pub proposals_per_hundred: u64,
    /// The number of earlier proposals that nobody is shown, because a lesson in force catches their mistake. They take
    /// nobody's time.
    pub hidden_proposals: u64,
    /// The target of the scan.
    pub wanted: ScanTarget,
    /// The number of reading threads.
    pub workers: NonZeroUsize,
    /// The limits of memory and time.
    pub budget: ScanBudget,
}

impl ScanOptions {
    /// A scan for everything, on all cores.
    pub fn at(now: Timestamp, proposals: usize) -> Self {
        Self {
            now,
            proposals,
            proposals_per_hundred: MOST_PER_HUNDRED,
            hidden_proposals: 0,
            wanted: ScanTarget::Everything,
            workers: cores::count(),
            budget: ScanBudget::FULL,
        }
    }

    /// The same scan for another target.
    #[must_use]
    pub fn looking_for(self, wanted: ScanTarget) -> Self {
        Self { wanted, ..self }
    }

    /// The same scan with one thread and little memory, for the background. A very long line, and everything after it
    /// in its file, is left to another scan.
    #[must_use]
    pub fn in_background(self) -> Self {
        Self { workers: NonZeroUsize::MIN, budget: ScanBudget::SMALL, ..self }
    }
}

/// The progress of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done, those of earlier scans included.
    pub done: u64,
    /// Bytes of all transcripts.
    pub total: u64,
}

/// A function that is told the progress of a scan and may stop it.
pub type ProgressFn<'w> = dyn FnMut(Progress) -> ControlFlow<()> + 'w;

/// The outcome of a scan.
#[derive(Debug)]
pub enum ScanOutcome {
    /// It ran; the report says what it did.
    Done(Box<Report>),
    /// Another scan is running, so this one did nothing.
    AlreadyRunning,
}

/// The reason why a scan failed.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FileError),
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Takes in the events of the hooks and scans the transcripts under `roots` into the database of `home`, unless
/// another scan is running.
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

/// Scans only the sessions of some transcripts, as a follower does when they have grown. Mistakes that nobody wrote
/// down are proposed by whole scans only.
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

/// Scans the transcripts under `roots`. A scan that is stopped makes no candidates of mistakes that nobody wrote
/// down.
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
    let limits = ProposalLimits {
        at_once: options.proposals,
        per_hundred: options.proposals_per_hundred,
        hidden: options.hidden_proposals,
        now: options.now,
    };
    let proposed = propose::propose(database, limits)?;
    report.add(proposed.recorded);
    report.proposed = proposed.recorded.new;
    report.left_out = proposed.left_out;
    Ok(report)
}

/// Reads what is new in the sessions that changed, and records it.
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
    let scanner = SessionScanner::new(changed.cursors, options.now, options.wanted, options.budget)
        .with_approved(database.approved_sessions()?)
        .with_reflecting(database.reflecting_sessions()?);
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
                // After an error nobody takes what the threads read.
                recorded.inspect_err(|_| scanner.progress.stop()).map(|()| look())
            },
        )?;
        // The last call reports the end.
        let _ = look();
    }
    report.stopped = scanner.progress.is_stopped();
    scanner.projects().remember(database, options.now)?;
    Ok(report)
}

/// Records the result of one part of a file.
fn record(
    database: &mut Database,
    scanner: &SessionScanner<'_>,
    step: ScanStep,
    report: &mut Report,
) -> Result<(), DatabaseError> {
    let ScanStep { scan, first_prompts, hook_approvals, report: part } = step;
    report.merge(part);
    if let Some(approvals) = hook_approvals {
        database.note_hook_approvals(&approvals)?;
    }
    if let Some(scan) = scan {
        for (session, line) in &first_prompts {
            database.note_beginning(session, line)?;
        }
        scanner.projects().remember(database, Timestamp::from_millis(scan.now))?;
        report.add(database.record_scan(&scan)?);
    }
    Ok(())
}
