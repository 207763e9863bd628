//! The look at the files with instructions for the agent that changed. What it finds is published for the hook at the start
//! of a session, which cannot look at all of them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_home::clock::SystemClock;
use lessons_home::files;
use lessons_ledger::database::Database;
use lessons_lesson::compiled::Clock as _;
use lessons_lesson::waiting::{MemoryFile, MemoryLook};
use lessons_store::durable;

use crate::check::IncidentChecker;
use crate::memory::{self, InMemory};

/// The largest published look that is read, in bytes.
const LIMIT: u64 = 256 << 10;
/// A file that changed so shortly before the last look began may have changed after it was read, in milliseconds: some
/// file systems keep whole seconds.
const SLACK: u64 = 2_000;

/// Looks at the files that changed since the last look, and again at those that it found. Where incidents became known since,
/// looks at all. An error is ignored: the nightly run looks at all, and `doctor`.
pub fn changed(context: &Context) {
    let _ = look(context, |last, file| {
        let since = last.at.saturating_sub(SLACK);
        last.held.contains(file) || changed_at(&file.path).is_some_and(|at| at >= since)
    });
}

/// Looks at all files, and returns what it found.
pub fn whole(context: &Context) -> Result<Vec<InMemory>> {
    look(context, |_, _| true)
}

/// The files that the last look found.
pub fn held(context: &Context) -> Vec<MemoryFile> {
    last(context).held
}

fn look(context: &Context, is_due: impl Fn(&MemoryLook, &MemoryFile) -> bool) -> Result<Vec<InMemory>> {
    let at = SystemClock.now();
    let last = last(context);
    let Some(checker) = IncidentChecker::of(context) else {
        publish(context, &last, &MemoryLook::default())?;
        return Ok(Vec::new());
    };
    let knows_all = changed_at(&context.home.incident_index()).is_some_and(|index| index < last.at);
    let roots: Vec<PathBuf> =
        Database::open(&context.home)?.project_roots()?.into_iter().map(|(root, _)| root.into()).collect();
    let files = memory::files(&roots).filter(|file| !knows_all || is_due(&last, file));
    let found = memory::find(&checker, files);
    let held = found.iter().map(|found| found.file.clone()).collect();
    publish(context, &last, &MemoryLook { at, held })?;
    Ok(found)
}

/// The last look; one at nothing where it is missing or damaged.
fn last(context: &Context) -> MemoryLook {
    let bytes = files::read(&context.home.memory_look(), LIMIT).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn publish(context: &Context, last: &MemoryLook, look: &MemoryLook) -> Result<()> {
    if last != look {
        drop(files::ensure_folder(&context.home.log())?);
        durable::replace(&context.home.memory_look(), &serde_json::to_vec(look)?)?;
    }
    Ok(())
}

/// The time of the last change of a file, its name and permissions included, in milliseconds since 1970.
fn changed_at(path: &Path) -> Option<u64> {
    let found = path.symlink_metadata().ok()?;
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec()).max((found.ctime(), found.ctime_nsec()));
    u64::try_from(seconds * 1_000 + nanos / 1_000_000).ok()
}
