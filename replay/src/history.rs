//! The history: every call in the transcripts of this machine.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use lessons_home::ThisMachine;
use lessons_lesson::{Contents, ProjectLocation, ProjectRoots, find_roots};
use lessons_scanner::run::cores;
use lessons_scanner::run::report::Skipped;
use lessons_scanner::transcript::walk;
use lessons_text::path::lexical;

use crate::call_log::{CallLog, CallOutcome, RecordedCall};
use crate::log_reader;
use crate::past_machine::PastMachine;

/// A session: a main thread and its sub-agents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// The id, which names its files.
    pub id: String,
    /// The folder in which it was started. The client passes it to hooks, so it identifies the project.
    pub start: Option<String>,
    /// The roots of the project there, as they are on the disk today.
    pub roots: Option<ProjectRoots>,
}

impl Session {
    /// The session of this id, which these transcripts hold, that of the main thread last.
    pub fn of(id: String, files: &[PathBuf]) -> Self {
        let start = files.iter().rev().find_map(|file| log_reader::first_folder(file));
        let roots = start.as_deref().map(|start| find_roots(&lexical(start), &ThisMachine));
        Self { id, start, roots }
    }

    /// The project's root, that of the main work tree where there are several.
    pub fn project(&self) -> Option<&str> {
        let roots = self.roots.as_ref()?;
        Some(roots.main.as_deref().unwrap_or(&roots.root))
    }

    /// The place of the session's calls. The disk was read with the session.
    pub fn place(&self) -> ProjectLocation<'static> {
        ProjectLocation::known(self.roots.clone(), &PastMachine)
    }
}

/// An observer of the reading, which is called from several threads.
pub trait ReadingWatcher: fmt::Debug + Send + Sync {
    /// Reports the bytes that were read, of all.
    fn progress(&self, _done: u64, _total: u64) {}

    /// Reports that nothing more is read.
    fn done(&self) {}
}

/// The observer that ignores everything.
impl ReadingWatcher for () {}

/// The calls of all transcripts.
#[derive(Debug, Default)]
pub struct History {
    /// The sessions, by the numbers in the logs.
    pub sessions: Vec<Session>,
    /// The logs of the transcripts, those first that were written last.
    pub logs: Vec<CallLog>,
    /// The size of all transcripts, in bytes.
    pub bytes: u64,
    /// Lines that may hold calls and could not be read: no JSON, or longer than 8 MiB.
    pub lost: u64,
    /// The files that could not be read, and why.
    pub skipped: Vec<Skipped>,
}

/// A transcript that has to be read.
struct Job<'w> {
    path: &'w PathBuf,
    session: usize,
    changed: SystemTime,
    size: u64,
}

impl History {
    /// Reads the transcripts of some sessions, by their ids.
    pub fn of_sessions(roots: &[PathBuf], is_wanted: &dyn Fn(&str) -> bool, contents: Contents) -> Self {
        let mut walked = walk::walk(roots);
        walked.sessions.retain(|session| is_wanted(&session.id()));
        Self::read_walked(walked, contents, &())
    }

    /// Reads all transcripts below `roots`. With [`Contents::Skip`] the contents of edits are left out, which saves
    /// most of the memory, for lessons that do not look at them.
    pub fn read(roots: &[PathBuf], contents: Contents, watcher: &dyn ReadingWatcher) -> Self {
        Self::read_walked(walk::walk(roots), contents, watcher)
    }

    fn read_walked(walked: walk::WalkedTree, contents: Contents, watcher: &dyn ReadingWatcher) -> Self {
        let mut history = Self { skipped: walked.skipped, ..Self::default() };
        let mut jobs = Vec::new();
        for (number, session) in walked.sessions.iter().enumerate() {
            history.sessions.push(Session::of(session.id(), &session.files));
            jobs.extend(session.files.iter().map(|path| {
                let found = path.symlink_metadata().ok();
                let changed = found.as_ref().and_then(|found| found.modified().ok());
                let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
                Job { path, session: number, changed, size: found.map_or(0, |found| found.len()) }
            }));
        }
        jobs.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(b.path)));
        history.bytes = jobs.iter().map(|job| job.size).sum();
        let done = AtomicU64::new(0);
        let read = cores::each(&jobs, |job| {
            let log = log_reader::read(job.path, job.session, contents);
            watcher.progress(done.fetch_add(job.size, Ordering::Relaxed) + job.size, history.bytes);
            Some(log)
        });
        for (job, (_, read)) in jobs.iter().zip(read) {
            match read {
                Ok(log) => {
                    history.lost += log.lost;
                    history.logs.push(log);
                }
                Err(error) => history.skipped.push(Skipped::new(job.path, error.to_string())),
            }
        }
        watcher.done();
        history.drop_copies();
        history
    }

    /// Removes copies: a fork copies what was before it, perhaps a call without its result. The oldest copy stays,
    /// with the worst outcome of all copies.
    fn drop_copies(&mut self) {
        let mut outcomes: HashMap<u64, CallOutcome> = HashMap::new();
        for call in self.calls() {
            let Some(twin) = call.twin else { continue };
            let known = outcomes.entry(twin).or_insert(call.outcome);
            *known = call.outcome.max(*known);
        }
        let mut known = HashSet::new();
        for log in self.logs.iter_mut().rev() {
            let own: Vec<u64> = log.calls.iter().filter_map(|call| call.twin).collect();
            log.calls.retain_mut(|call| {
                let Some(twin) = call.twin else { return true };
                call.outcome = outcomes.get(&twin).copied().unwrap_or(call.outcome);
                !known.contains(&twin)
            });
            known.extend(own);
        }
    }

    /// The session of a log.
    pub fn session(&self, log: &CallLog) -> Option<&Session> {
        self.sessions.get(log.session)
    }

    /// All calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &RecordedCall> {
        self.logs.iter().flat_map(|log| &log.calls)
    }

    /// The number of calls.
    pub fn len(&self) -> usize {
        self.logs.iter().map(|log| log.calls.len()).sum()
    }

    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of projects of some sessions, given by their numbers.
    pub(crate) fn projects(&self, sessions: &BTreeSet<usize>) -> usize {
        let project = |session: &usize| self.sessions.get(*session)?.project();
        sessions.iter().filter_map(project).collect::<BTreeSet<_>>().len()
    }
}
