//! Durable writes: the only code that writes, renames and removes our files.
//!
//! A file is replaced as a whole: a new one beside it, written, synced, renamed over it, and the
//! folder synced. So a reader sees the old bytes or the new ones, also after the power has gone.
//! Each step lies between two crash points (see [`crate::durable::crash`]), and `clippy.toml` forbids the
//! functions of the standard library that would get around them.

pub mod crash;
pub mod lock;
pub mod mapped;

use std::ffi::OsString;
use std::fs::{DirEntry, File, Metadata};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use lessons_home::file_error::hint;
use lessons_home::files::{self, FileError};
use nix::fcntl::OFlag;

use crate::durable::crash::point;

/// The mode of files of ours: nobody else reads them.
const PRIVATE: u32 = 0o600;
/// The mode of a new file of a project, from which the user's mask takes what it takes from every other one.
const SHARED: u32 = 0o666;
/// How files are opened: never through a link, and not for programs that are started.
const FLAGS: OFlag = OFlag::O_NOFOLLOW.union(OFlag::O_CLOEXEC);
/// The suffix of a file that is not finished.
const UNFINISHED: &str = ".unfinished";
/// What SQLite appends to the name of a database for its rollback journal, write-ahead log and shared memory.
const BESIDE_DATABASE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// An error that kept a file from being written. The old file is untouched.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file or its folder may not be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file system failed.
    #[error("cannot {step} {path}: {source}{}", hint(.path, .source))]
    Io {
        /// The operation that failed.
        step: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// A file that is being written, beside the one that it will replace. Dropping it removes it.
#[derive(Debug)]
pub struct Unfinished {
    /// The file that it will replace.
    path: PathBuf,
    /// Its own path.
    beside: PathBuf,
    file: File,
    /// Whether anything was written to it.
    is_begun: bool,
}

/// A file that is synced, beside the one that it will replace. Dropping it removes it.
#[derive(Debug)]
pub struct Finished(Unfinished);

impl Unfinished {
    /// Creates a file that will replace the one at `path`, mode 0600, in a folder of ours.
    pub fn begin(path: &Path) -> Result<Self, WriteError> {
        folder_of(path)?;
        // A link, or a file of somebody else, is refused rather than replaced.
        files::open(path)?;
        Self::beside(path, PRIVATE)
    }

    /// Creates a file that will replace whatever is at `path`, a link or a file of somebody else too: for a file that is
    /// made from others of ours, so that nothing is lost with what was there.
    pub fn anew(path: &Path) -> Result<Self, WriteError> {
        folder_of(path)?;
        Self::beside(path, PRIVATE)
    }

    /// Creates such a file in a folder of the user's, which is made where it is not there.
    fn elsewhere(path: &Path, mode: u32) -> Result<Self, WriteError> {
        let folder = parent(path);
        std::fs::create_dir_all(folder).map_err(io_error("make", folder))?;
        if path.is_symlink() {
            return Err(FileError::Link { path: path.to_owned() }.into());
        }
        sweep(folder)?;
        Self::beside(path, mode)
    }

    /// Creates such a file in any folder, which nobody else writes.
    fn beside(path: &Path, mode: u32) -> Result<Self, WriteError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let mut name = OsString::from(".");
            name.push(path.file_name().unwrap_or_default());
            name.push(format!(".{}-{number}{UNFINISHED}", std::process::id()));
            let beside = path.with_file_name(name);
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true).mode(mode).custom_flags(FLAGS.bits());
            match step("create", &beside, || options.open(&beside)) {
                Ok(file) => return Ok(Self { path: path.to_owned(), beside, file, is_begun: false }),
                // Left by an earlier process with our number; the next name is free.
                Err(WriteError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the metadata of the file, which a rename keeps.
    pub fn metadata(&self) -> Result<Metadata, WriteError> {
        self.file.metadata().map_err(io_error("look at", &self.beside))
    }

    /// Syncs the file to the disk.
    pub fn finish(self) -> Result<Finished, WriteError> {
        self.file.sync_all().map_err(io_error("sync", &self.beside))?;
        Ok(Finished(self))
    }

    /// Syncs the file to the disk, and runs `work` meanwhile.
    pub fn finish_while<T>(self, work: impl FnOnce() -> T) -> (Result<Finished, WriteError>, T) {
        let (synced, done) = thread::scope(|scope| {
            let syncing = thread::Builder::new().spawn_scoped(scope, || self.file.sync_all());
            let done = work();
            let synced = match syncing {
                Ok(syncing) => syncing.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Where there may be no more threads it takes longer.
                Err(_) => self.file.sync_all(),
            };
            (synced, done)
        });
        (synced.map_err(io_error("sync", &self.beside)).map(|()| Finished(self)), done)
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_begun {
            return self.file.write(bytes);
        }
        // A process can also die before all is written. What is written at once is the quicker to read.
        let nearly_all = bytes.len().saturating_sub(1).max(1);
        let written = self.file.write(bytes.get(..nearly_all).unwrap_or(bytes))?;
        point();
        self.is_begun = true;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Unfinished {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It has another name where it was published. Nothing more can be done about it here; `sweep` looks again.
        #[allow(clippy::disallowed_methods, reason = "this is the module that has the crash points")]
        let _ = std::fs::remove_file(&self.beside);
    }
}

impl Finished {
    /// Renames the file over the one that it replaces.
    pub fn publish(self) -> Result<(), WriteError> {
        rename(&self.0.beside, &self.0.path)?;
        sync_folder(parent(&self.0.path))
    }
}

/// Replaces the file at `path` by `bytes`, mode 0600, in a folder of ours.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    fill(Unfinished::begin(path)?, bytes)?.publish()
}

/// Replaces the file at `path` by what `write` makes, mode 0600. `write` is given the path of an empty file
/// beside it; where it fails, the file at `path` stays as it was.
pub fn replace_by<E: From<WriteError>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let unfinished = Unfinished::begin(path)?;
    write(&unfinished.beside)?;
    Ok(unfinished.finish()?.publish()?)
}

/// Makes an empty file of ours, mode 0600, unless there is one.
pub fn ensure(path: &Path) -> Result<(), FileError> {
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop).map_err(|source| FileError::Io { path: path.to_owned(), source }),
    }
}

/// Adds a line to the end of a file of ours, in one write; mode 0600. It is not synced: this is for what is of use,
/// but of which the last lines may be lost with the power.
pub fn append(path: &Path, line: &[u8]) -> Result<(), WriteError> {
    folder_of(path)?;
    files::open(path)?;
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true).mode(PRIVATE).custom_flags(FLAGS.bits());
    let mut file = step("write", path, || options.open(path))?;
    file.write_all(line).map_err(io_error("write", path))?;
    point();
    Ok(())
}

/// Writes `bytes` to a file of ours in a folder of the user's, such as a scheduler's; mode 0600.
/// The folder is made where it is not there, and otherwise left as it is.
pub fn replace_elsewhere(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    fill(Unfinished::elsewhere(path, PRIVATE)?, bytes)?.publish()
}

/// Writes `bytes` to a file that a project shares, such as one in a repository. It keeps the mode that it has; a new one
/// gets that of any other file which the user creates. The folder is made where it is not there. Neither may be a link.
pub fn replace_in_project(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = parent(path);
    if folder.is_symlink() {
        return Err(FileError::Link { path: folder.to_owned() }.into());
    }
    let unfinished = Unfinished::elsewhere(path, SHARED)?;
    if let Ok(known) = path.symlink_metadata() {
        let kept = unfinished.file.set_permissions(known.permissions());
        kept.map_err(io_error("set the mode of", &unfinished.beside))?;
    }
    fill(unfinished, bytes)?.publish()
}

/// Creates a file for others in a folder of the user's, which is made where it is not there. Both get the mode of whatever
/// the user creates. Fails where something is at `path`.
pub fn create_for_others(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = parent(path);
    std::fs::create_dir_all(folder).map_err(io_error("make", folder))?;
    let finished = fill(Unfinished::beside(path, SHARED)?, bytes)?;
    match link(&finished.0.beside, path) {
        // Some file systems have no second names.
        Err(WriteError::Io { source, .. })
            if source.kind() != io::ErrorKind::AlreadyExists && path.symlink_metadata().is_err() =>
        {
            finished.publish()
        }
        linked => linked.and_then(|()| sync_folder(folder)),
    }
}

/// Removes a folder of a project if nothing is in it.
pub fn remove_if_empty(folder: &Path) {
    // One that holds something stays, which is no error.
    let _ = std::fs::remove_dir(folder);
}

/// Removes such a file. A missing file is no error.
pub fn remove_elsewhere(path: &Path) -> Result<(), WriteError> {
    remove_from(parent(path), path)
}

/// Removes a file of ours. A missing file is no error.
pub fn remove(path: &Path) -> Result<(), WriteError> {
    remove_from(folder_of(path)?, path)
}

fn remove_from(folder: &Path, path: &Path) -> Result<(), WriteError> {
    point();
    #[allow(clippy::disallowed_methods, reason = "this is the module that has the crash points")]
    let removed = std::fs::remove_file(path);
    point();
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(io_error("remove", path)).and_then(|()| sync_folder(folder)),
    }
}

/// Moves a file of ours within its file system, over what is there.
#[allow(clippy::disallowed_methods, reason = "this is the module that has the crash points")]
pub fn rename(from: &Path, to: &Path) -> Result<(), WriteError> {
    step("replace", to, || std::fs::rename(from, to))
}

/// Gives a file of ours a second name in its file system, which nothing has.
pub fn link(from: &Path, to: &Path) -> Result<(), WriteError> {
    step("create", to, || std::fs::hard_link(from, to))
}

/// Removes unfinished files of dead processes from `folder`.
pub fn sweep(folder: &Path) -> Result<(), WriteError> {
    unfinished(folder)?.iter().try_for_each(|path| remove_from(folder, path))
}

/// Lists unfinished files of dead processes in `folder`.
pub fn unfinished(folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let mut left = files::entries(folder)?;
    left.retain(|entry| writer_of(&entry.file_name()).is_some_and(is_gone));
    Ok(left.iter().map(DirEntry::path).collect())
}

/// The process that an unfinished file names as its writer: `.name.<pid>-<n>.unfinished`. SQLite puts files beside a
/// database that it writes, which a killed process leaves too.
fn writer_of(name: &std::ffi::OsStr) -> Option<i32> {
    let name = name.to_str()?.strip_prefix('.')?;
    let name = BESIDE_DATABASE.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let name = name.strip_suffix(UNFINISHED)?;
    name.rsplit_once('.')?.1.split_once('-')?.0.parse().ok()
}

/// Whether a process has ended. One that nobody has reaped yet, as in a container without an init, can still be sent signals.
fn is_gone(process: i32) -> bool {
    let is_unknown =
        || nix::sys::signal::kill(nix::unistd::Pid::from_raw(process), None) == Err(nix::errno::Errno::ESRCH);
    let is_dead = || {
        let stat = std::fs::read(format!("/proc/{process}/stat")).unwrap_or_default();
        let stat = String::from_utf8_lossy(&stat);
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']))
    };
    process > 0 && (is_unknown() || is_dead())
}

fn folder_of(path: &Path) -> Result<&Path, WriteError> {
    let folder = parent(path);
    files::check_folder(folder)?;
    Ok(folder)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or_else(|| Path::new("/"))
}

fn fill(mut unfinished: Unfinished, bytes: &[u8]) -> Result<Finished, WriteError> {
    let written = unfinished.write_all(bytes);
    written.map_err(io_error("write", &unfinished.beside))?;
    unfinished.finish()
}

fn sync_folder(folder: &Path) -> Result<(), WriteError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_error("sync", folder))
}

/// Does something with a file between two crash points.
fn step<T>(name: &'static str, path: &Path, work: impl FnOnce() -> io::Result<T>) -> Result<T, WriteError> {
    point();
    let done = work();
    point();
    done.map_err(io_error(name, path))
}

fn io_error<'p>(step: &'static str, path: &'p Path) -> impl Fn(io::Error) -> WriteError + 'p {
    move |source| WriteError::Io { step, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
