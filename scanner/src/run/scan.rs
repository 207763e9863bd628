//! One scan of everything that is new in all transcripts.
//!
//! Sessions are read on several threads and recorded by one, in their order, so the result does not depend on the
//! number of threads. Parts of files are recorded together in one transaction, their cursors with what was found up to
//! there. So a scan that is killed leaves nothing half done, and the next scan goes on there. What is already known changes
//! nothing.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lessons_home::Home;
use lessons_ledger::incidents::IncidentRecorder;
use lessons_ledger::{Database, DatabaseError, LedgerError, events, incidents};
use lessons_store::{DecidedIncidents, Lock};

use crate::detect::propose::{self, ProposalLimits};
use crate::lessons_file;
use crate::run::lock::ScanLock;
pub use crate::run::options::{ScanOptions, ScanTarget};
use crate::run::reorder_queue::{self, Bounds};
use crate::run::report::{Report, Skipped};
use crate::run::session_scan::{ScanStep, SessionScanner};
use crate::transcript::changed_sessions::{self, ChangedSessions};
use crate::transcript::walk;

/// How long a scan waits for the store's lock: it holds nothing that others wait for.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// The bytes of transcripts whose findings are recorded in one transaction, where memory allows it. One for each session takes a
/// twentieth of a scan.
const RECORDED_AT_ONCE: usize = 4 << 20;
/// The most parts of files that are recorded in one transaction: a part may have nothing new but its cursor.
const PARTS_AT_ONCE: usize = 256;

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

/// Takes in the events of the hooks and scans the transcripts under `roots` into the database of `home`. `None`
/// where another scan is running.
pub fn run(
    home: &Home,
    roots: &[PathBuf],
    options: &ScanOptions,
    on_progress: &mut ProgressFn<'_>,
) -> Result<Option<Report>, LedgerError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(None) };
    let mut database = Database::open(home)?;
    let taken = events::take_in(home, &mut database, options.now.millis());
    let mut recorder = recorder(home, &mut database, options);
    let mut report = scan(&mut database, roots, options, recorder.as_mut().ok(), on_progress)?;
    match &mut recorder {
        Ok(recorder) => {
            report.incidents.add(database.judge_candidates(recorder)?);
            // What hooks kept from the model. Where another command holds the lock, the next scan does it.
            if let Ok(lock) = Lock::acquire(home, LOCK_PATIENCE) {
                match incidents::take_in(&lock, &mut database, recorder, options.now.millis()) {
                    Ok(withheld) => report.incidents.add(withheld),
                    Err(error) => report.skip(Skipped::new(&home.withheld(), error.to_string())),
                }
            }
        }
        Err(Some(error)) => report.skip(Skipped::new(&home.decisions(), error.to_string())),
        Err(None) => {}
    }
    report.recorded.new += lessons_file::read_again(&mut database, options.now.millis())?;
    match taken {
        Ok(taken) => report.events = taken,
        Err(error) => report.skip(Skipped::new(&home.events(), error.to_string())),
    }
    Ok(Some(report))
}

/// Scans only the sessions of some transcripts, as a follower does when they have grown. Mistakes that nobody wrote
/// down are proposed by whole scans only. `None` where another scan is running.
pub fn run_for(
    home: &Home,
    transcripts: &BTreeSet<PathBuf>,
    options: &ScanOptions,
    on_progress: &mut ProgressFn<'_>,
) -> Result<Option<Report>, LedgerError> {
    let Some(_lock) = ScanLock::take(home)? else { return Ok(None) };
    let mut database = Database::open(home)?;
    let (walked, cursors) = (walk::sessions_of(transcripts), database.cursors()?);
    // An error is named by the next whole scan.
    let mut recorder = recorder(home, &mut database, options).ok();
    let changed = changed_sessions::find(&walked, &cursors);
    let mut report = read(&mut database, &changed, options, recorder.as_mut(), on_progress)?;
    if let Some(recorder) = &mut recorder {
        report.incidents.add(database.judge_candidates(recorder)?);
    }
    Ok(Some(report))
}

/// The recorder of incidents. `Err(None)` where none are recorded.
fn recorder(
    home: &Home,
    database: &mut Database,
    options: &ScanOptions,
) -> Result<IncidentRecorder, Option<LedgerError>> {
    let rules = options.incidents.ok_or(None)?;
    let decided = DecidedIncidents::read(home).map_err(|error| Some(error.into()))?;
    IncidentRecorder::new(database, &decided, rules).map_err(|error| Some(error.into()))
}

/// Scans the transcripts under `roots`. Incidents are recorded with a recorder. A scan that is stopped makes no candidates of
/// mistakes that nobody wrote down.
pub fn scan(
    database: &mut Database,
    roots: &[PathBuf],
    options: &ScanOptions,
    recorder: Option<&mut IncidentRecorder>,
    on_progress: &mut ProgressFn<'_>,
) -> Result<Report, LedgerError> {
    let (walked, cursors) = (walk::walk(roots), database.cursors()?);
    let mut changed = changed_sessions::find(&walked, &cursors);
    let mut report = read(database, &changed, options, recorder, on_progress)?;
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
    options: &ScanOptions,
    mut recorder: Option<&mut IncidentRecorder>,
    on_progress: &mut ProgressFn<'_>,
) -> Result<Report, LedgerError> {
    let mut report = Report { files: changed.walked.files().count(), ..Report::default() };
    for skipped in &changed.walked.skipped {
        report.skip(skipped.clone());
    }
    let total = changed.total;
    let scanner =
        SessionScanner::new(changed.cursors, options, database.reading_sessions()?, recorder.is_some());
    scanner.progress.add(changed.done);
    let mut look = || {
        let flow = on_progress(Progress { done: scanner.progress.done().min(total), total });
        if flow.is_break() {
            scanner.progress.stop();
        }
        flow
    };
    let mut unrecorded = ScanStep::default();
    let most = options.budget.memory.min(RECORDED_AT_ONCE) as u64;
    let bounds = Bounds { workers: options.workers.get(), capacity: options.budget.memory };
    if look().is_continue() {
        reorder_queue::in_order(
            &changed.sessions,
            bounds,
            |session, push| scanner.session(session, push),
            |step| {
                if let Some(step) = step {
                    unrecorded.add(step);
                    if unrecorded.report.bytes < most && unrecorded.scans.len() < PARTS_AT_ONCE {
                        return Ok(look());
                    }
                }
                let read = std::mem::take(&mut unrecorded);
                let done = record(database, &scanner, read, recorder.as_deref_mut(), &mut report);
                // After an error nobody takes what the threads read.
                done.inspect_err(|_| scanner.progress.stop()).map(|()| look())
            },
        )?;
        record(database, &scanner, unrecorded, recorder, &mut report)?;
        // The last call reports the end.
        let _ = look();
    }
    report.stopped = scanner.progress.is_stopped();
    scanner.projects().remember(database, options.now)?;
    scanner.projects().remember_work_trees(database, options.now)?;
    Ok(report)
}

/// Records the result of reading.
fn record(
    database: &mut Database,
    scanner: &SessionScanner<'_>,
    read: ScanStep,
    recorder: Option<&mut IncidentRecorder>,
    report: &mut Report,
) -> Result<(), DatabaseError> {
    let ScanStep { scans, incidents, report: part } = read;
    report.merge(part);
    // Before the cursors: after a death in between the same calls are met again, and count once.
    if let Some(recorder) = recorder {
        report.incidents.add(recorder.record(database, &incidents)?);
    }
    if !scans.is_empty() {
        scanner.projects().remember(database, scanner.options.now)?;
        report.add(database.record_scans(&scans, scanner.options.now.millis())?);
    }
    Ok(())
}
