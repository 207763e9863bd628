//! The sessions in which something may be new: a few of thousands.
//!
//! The version of every file is compared with its cursor, and no file is opened. A session whose files are all
//! unchanged needs no thread.

use std::collections::HashSet;

use lessons_ledger::Cursors;

use crate::transcript::foreign;
use crate::transcript::resume;
use crate::transcript::walk::{Session, WalkedTree};

/// The sessions that have to be read, among all that were found.
#[derive(Debug)]
pub(crate) struct ChangedSessions<'w> {
    /// All sessions that were found.
    pub(crate) walked: &'w WalkedTree,
    /// The places where earlier scans stopped.
    pub(crate) cursors: &'w Cursors,
    /// The sessions in which something may be new, in their order.
    pub(crate) sessions: Vec<&'w Session>,
    /// The bytes of all files.
    pub(crate) total: u64,
    /// The bytes of the files of all other sessions.
    pub(crate) done: u64,
    /// The paths of cursors at which no file was found.
    pub(crate) unseen: Vec<&'w str>,
}

/// Finds the sessions that may hold something new.
pub(crate) fn find<'w>(walked: &'w WalkedTree, cursors: &'w Cursors) -> ChangedSessions<'w> {
    let mut changed =
        ChangedSessions { walked, cursors, sessions: Vec::new(), total: 0, done: 0, unseen: Vec::new() };
    let mut seen = HashSet::new();
    for session in &walked.sessions {
        let (mut size, mut is_unchanged) = (0, true);
        for file in &session.files {
            // The scan of the session reports a file that is gone.
            let version = foreign::version(file).ok();
            size += version.map_or(0, |version| version.size);
            let cursor = cursors.0.get(&*resume::name_of(file));
            is_unchanged &=
                version.zip(cursor).is_some_and(|(version, cursor)| resume::is_unchanged(cursor, &version));
            seen.extend(cursor.map(|cursor| cursor.path.as_str()));
        }
        changed.total += size;
        if is_unchanged {
            changed.done += size;
        } else {
            changed.sessions.push(session);
        }
    }
    let known = cursors.0.values().map(|cursor| cursor.path.as_str());
    changed.unseen = known.filter(|path| !seen.contains(path)).collect();
    changed
}
