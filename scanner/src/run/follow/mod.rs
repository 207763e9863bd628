//! The follower: it scans sessions while they run.
//!
//! - [`life`]: the rules for the end of a follower. Pure: the time is a parameter.
//! - [`single`]: the lock that allows one follower at a time.
//! - `watch`: the notifications that transcripts have grown.
//! - `priority`: the lowest priority for processor and disk.
//!
//! A follower scans everything once, and then the session of every transcript that has grown. It holds the lock of the
//! scanner only during a scan, so a scan that a person starts does not wait.

pub mod life;
mod priority;
pub mod single;
mod watch;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use lessons_home::Home;
use lessons_ledger::LedgerError;
use nix::sys::signal::{SigSet, Signal};

use crate::run::follow::life::{FollowerLife, program_file};
use crate::run::follow::single::Single;
use crate::run::follow::watch::{Change, Watch};
use crate::run::scan::{self, ScanOptions};
use crate::transcript::timestamp::Timestamp;

/// The time for which changes are collected before a scan: a message is several writes.
const GATHER: Duration = Duration::from_millis(100);
/// The longest time for which changes are collected: many sessions write all the time.
const MOST_GATHER: Duration = Duration::from_millis(400);
/// The time to wait for another scan that is running.
const AGAIN: Duration = Duration::from_millis(300);
/// The longest time between two checks whether the follower ends.
const LOOK: Duration = Duration::from_secs(5);
/// The most changed transcripts that are remembered; beyond them everything is scanned.
const MOST_CHANGED: usize = 1000;

/// The reason why a follower failed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// A scan failed, or the data folder cannot be used.
    #[error(transparent)]
    Scan(#[from] LedgerError),
    /// The system refused to wait for signals.
    #[error("cannot wait for signals: {0}")]
    Signals(nix::errno::Errno),
}

/// A clock: the monotonic time and the time of day.
pub type Clock<'c> = dyn Fn() -> (Instant, Timestamp) + 'c;

/// What is followed, and how.
pub struct Follower<'f> {
    /// The folders of Lessons.
    pub home: &'f Home,
    /// Where transcripts are.
    pub roots: &'f [PathBuf],
    /// This program's own file.
    pub program: &'f Path,
    /// What is looked for.
    pub options: ScanOptions,
    /// Folders besides those of transcripts, asked for again after each scan, which may have met a new project. One that is not
    /// there is not waited for.
    pub others: &'f dyn Fn() -> Vec<PathBuf>,
    /// Called once at the start, after something was written in the other folders, and where there is another one.
    pub changed: &'f dyn Fn(),
    /// The clock.
    pub clock: &'f Clock<'f>,
}

impl Follower<'_> {
    /// Follows sessions until it is asked to end, or [`life`] has it end. Does nothing where a follower is there already.
    ///
    /// From here on the process has the lowest priority, and signals that ask it to end are waited for by a thread of its
    /// own: call it before any other thread is started.
    pub fn follow(&self) -> Result<(), FollowError> {
        let (started, since) = (self.clock)();
        let Some(_single) = Single::take(self.home, since).map_err(LedgerError::from)? else {
            return Ok(());
        };
        priority::lowest();
        let (sender, changes) = mpsc::channel();
        let stopped = Arc::new(AtomicBool::new(false));
        wait_for_signals(sender.clone(), Arc::clone(&stopped))?;
        // The notifications start before the first scan, so that no change is lost between the two.
        let mut watch = Watch::start(self.roots, sender);
        watch.add((self.others)());
        let life = FollowerLife::new(started, program_file(self.program));
        Following { how: self, elsewhere: true, watch, changes, stopped, life }
            .run()
            .map_err(FollowError::from)
    }
}

/// The state of a follower.
struct Following<'f> {
    how: &'f Follower<'f>,
    /// Whether something was written in the other folders.
    elsewhere: bool,
    watch: Watch,
    changes: Receiver<Change>,
    stopped: Arc<AtomicBool>,
    life: FollowerLife,
}

/// The sessions that have to be scanned.
#[derive(Debug)]
enum Due {
    /// Those of these transcripts, if there are any.
    These(BTreeSet<PathBuf>),
    Everything,
}

impl Due {
    const fn nothing() -> Self {
        Self::These(BTreeSet::new())
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::These(transcripts) if transcripts.is_empty())
    }
}

impl Following<'_> {
    fn run(mut self) -> Result<(), LedgerError> {
        let mut due = Due::Everything;
        loop {
            // It takes less time than a scan, and sessions wait for it.
            if std::mem::take(&mut self.elsewhere) {
                (self.how.changed)();
            }
            let scans = !due.is_nothing();
            due = self.read(due)?;
            if scans && self.watch.add((self.how.others)()) {
                (self.how.changed)();
            }
            let (now, _) = (self.how.clock)();
            if self.is_stopped() || self.life.is_over(now, program_file(self.how.program)) {
                return Ok(());
            }
            let wait = if due.is_nothing() { LOOK.min(self.life.left(now)) } else { AGAIN };
            match self.changes.recv_timeout(wait) {
                Ok(change) => self.take(change, &mut due),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            // Changes shortly after are read with it.
            let first = (self.how.clock)().0;
            while let Ok(change) = self.changes.recv_timeout(GATHER) {
                self.take(change, &mut due);
                let is_long = (self.how.clock)().0.duration_since(first) >= MOST_GATHER;
                if self.is_stopped() || matches!(due, Due::Everything) || is_long {
                    break;
                }
            }
        }
    }

    fn take(&mut self, change: Change, due: &mut Due) {
        match change {
            Change::Changed(paths) => {
                self.life.changed((self.how.clock)().0);
                if let Due::These(known) = due {
                    known.extend(paths);
                    if known.len() > MOST_CHANGED {
                        *due = Due::Everything;
                    }
                }
            }
            Change::Elsewhere => {
                self.life.changed((self.how.clock)().0);
                self.elsewhere = true;
            }
            Change::Missed => *due = Due::Everything,
            Change::Stop => self.stopped.store(true, Ordering::Relaxed),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Scans what is due. Returns what is still due because another scan is running.
    fn read(&self, due: Due) -> Result<Due, LedgerError> {
        let Follower { home, roots, options, clock, .. } = self.how;
        let options = ScanOptions { now: clock().1, ..options.clone() }.in_background();
        let mut on_progress =
            |_| if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let outcome = match &due {
            _ if due.is_nothing() => return Ok(due),
            Due::These(paths) => scan::run_for(home, paths, &options, &mut on_progress)?,
            Due::Everything => scan::run(home, roots, &options, &mut on_progress)?,
        };
        Ok(if outcome.is_none() { due } else { Due::nothing() })
    }
}

/// Starts a thread that waits for the signals that ask a program to end.
fn wait_for_signals(sender: Sender<Change>, stopped: Arc<AtomicBool>) -> Result<(), FollowError> {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        signals.add(signal);
    }
    signals.thread_block().map_err(FollowError::Signals)?;
    std::thread::spawn(move || {
        if signals.wait().is_ok() {
            stopped.store(true, Ordering::Relaxed);
            // The receiver is gone when the follower has ended by itself.
            let _ = sender.send(Change::Stop);
        }
    });
    Ok(())
}
