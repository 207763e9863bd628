//! Safe access to the program's own files.
//!
//! Every file and folder of the program is opened with `O_NOFOLLOW` and checked by `fstat` of the open
//! descriptor, so that it cannot be replaced between check and use. A file that belongs to
//! somebody else, or that others may write, is refused by name with the command that fixes it; the mode of a file
//! that others may only read is tightened.

use std::fs::{DirEntry, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

pub use crate::file_error::FileError;

/// Opens a regular file of the program for reading. `Ok(None)` if it does not exist.
///
/// `O_NONBLOCK` keeps a FIFO in its place from blocking the process before it is refused.
pub fn open(path: &Path) -> Result<Option<File>, FileError> {
    Ok(open_judged(path)?.map(|(file, _)| file))
}

/// Opens a file as [`open`] does, and returns its metadata too.
pub fn open_judged(path: &Path) -> Result<Option<(File, Metadata)>, FileError> {
    let opened = if_there(open_unfollowed(path)).map_err(|error| open_error(path, error))?;
    let Some(file) = opened else { return Ok(None) };
    let found = check_opened(path, &file, ExpectedKind::File)?;
    Ok(Some((file, found)))
}

/// Checks a file as [`open`] does, without opening it. `false` if it does not exist.
///
/// For a file on which this process may hold POSIX locks, as SQLite does: closing any descriptor of the file would drop
/// them all (fcntl(2), "Record locks").
pub fn check_unopened(path: &Path) -> Result<bool, FileError> {
    let found = if_there(path.symlink_metadata()).map_err(at(path))?;
    let Some(found) = found else { return Ok(false) };
    if found.is_symlink() {
        return Err(FileError::Link { path: path.to_owned() });
    }
    check(path, &found, ExpectedKind::File, |mode| std::fs::set_permissions(path, mode))?;
    Ok(true)
}

/// Opens a regular file of any owner, without following a link in its place and without waiting for a FIFO.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_unfollowed(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no regular file"));
    }
    Ok(file)
}

/// Opens a file for reading without following a link in its place and without waiting for a FIFO.
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    open_with(path, OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK)
}

/// Reads a regular file of the program, at most `limit` bytes. `Ok(None)` if it does not exist.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    open(path)?.map(|file| read_opened(path, &file, limit)).transpose()
}

/// Reads a regular file that may have any owner and be behind a link, at most `limit` bytes. `Ok(None)` if it
/// does not exist.
pub fn read_foreign(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    let opened = open_with(path, OFlag::O_NONBLOCK);
    let Some(file) = if_there(opened).map_err(at(path))? else { return Ok(None) };
    if !file.metadata().map_err(at(path))?.is_file() {
        return Err(FileError::Kind { path: path.to_owned(), expected: "regular file" });
    }
    read_opened(path, &file, limit).map(Some)
}

/// Reads a file that was opened at `path`, at most `limit` bytes.
pub fn read_opened(path: &Path, file: &File, limit: u64) -> Result<Vec<u8>, FileError> {
    let size = file.metadata().map_err(at(path))?.len();
    if size > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), size, limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // The file may grow while it is read: the limit applies all the same.
    file.take(limit).read_to_end(&mut bytes).map_err(at(path))?;
    Ok(bytes)
}

/// Makes sure that `path` is a folder of this user with mode 0700, creates it and its parents if needed, and opens it.
pub fn ensure_folder(path: &Path) -> Result<File, FileError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    if let Err(source) = made {
        // A link or a file in its place is reported below.
        if source.kind() != io::ErrorKind::AlreadyExists && !path.is_symlink() {
            return Err(at(path)(source));
        }
    }
    check_folder(path)
}

/// Checks that `path` is a folder of this user, makes it private if others may read it, and opens it.
pub fn check_folder(path: &Path) -> Result<File, FileError> {
    let folder = open_folder(path).map_err(|error| match open_error(path, error) {
        FileError::Link { path } => FileError::FolderLink { path },
        error => error,
    })?;
    check_opened(path, &folder, ExpectedKind::Folder)?;
    Ok(folder)
}

/// Takes the right to write a folder of this user from everybody else.
pub fn make_private(path: &Path) -> Result<(), FileError> {
    let folder = open_folder(path).map_err(|error| open_error(path, error))?;
    folder.set_permissions(std::fs::Permissions::from_mode(0o700)).map_err(at(path))?;
    check_folder(path).map(drop)
}

/// Opens a folder of any mode, without following a link in its place.
pub fn open_folder(path: &Path) -> io::Result<File> {
    open_with(path, OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY)
}

fn open_with(path: &Path, flags: OFlag) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)
}

/// Opens a file of the program as `options` say, without following a link in its place and without waiting for a FIFO. A
/// file that it creates has the mode 0600.
pub fn open_by(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.mode(0o600).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits()).open(path)
}

/// The entries of a folder, in no order. None if it does not exist.
pub fn entries(folder: &Path) -> Result<Vec<DirEntry>, FileError> {
    let entries = if_there(std::fs::read_dir(folder)).map_err(at(folder))?;
    entries.into_iter().flatten().map(|entry| entry.map_err(at(folder))).collect()
}

/// What a system call found; `None` where there is no such file.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Says at which path a system call failed.
fn at(path: &Path) -> impl Fn(io::Error) -> FileError {
    |source| FileError::Io { path: path.to_owned(), source }
}

/// Whether a path leads to what it names, or to the nearest folder of what is not there yet, without passing a link: then its
/// text without `.` and `..` is its canonical path. `false` where that cannot be known at once.
///
/// This costs two system calls, and one for each folder that is missing; to resolve a path costs one for each component.
pub fn passes_no_link(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use nix::errno::Errno;
        use nix::fcntl::{AT_FDCWD, OpenHow, ResolveFlag, openat2};
        let how = OpenHow::new()
            .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
            .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS | ResolveFlag::RESOLVE_NO_MAGICLINKS);
        let reach = |path: &Path| openat2(AT_FDCWD, path, how).map(drop);
        let is_there = |path| !matches!(path, Err(Errno::ENOENT));
        path.ancestors().map(reach).find(|reached| is_there(*reached)).is_some_and(|reached| reached.is_ok())
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// The kind that an opened file should have.
#[derive(Clone, Copy)]
enum ExpectedKind {
    File,
    Folder,
}

/// Checks an opened file, and tightens its mode.
fn check_opened(path: &Path, file: &File, expected: ExpectedKind) -> Result<Metadata, FileError> {
    let found = file.metadata().map_err(at(path))?;
    check(path, &found, expected, |mode| file.set_permissions(mode))?;
    Ok(found)
}

/// Checks kind, owner and mode of a file. A mode that lets others read is tightened with `set_mode`.
fn check(
    path: &Path,
    found: &Metadata,
    expected: ExpectedKind,
    set_mode: impl FnOnce(std::fs::Permissions) -> io::Result<()>,
) -> Result<(), FileError> {
    let path = || path.to_owned();
    let (right, name, mode) = match expected {
        ExpectedKind::File => (found.is_file(), "regular file", 0o600),
        ExpectedKind::Folder => (found.is_dir(), "folder", 0o700),
    };
    if !right {
        return Err(FileError::Kind { path: path(), expected: name });
    }
    let me = nix::unistd::geteuid().as_raw();
    if found.uid() != me {
        return Err(FileError::Owner { path: path(), owner: found.uid(), me });
    }
    if found.mode() & 0o022 != 0 {
        return Err(FileError::Writable { path: path() });
    }
    if found.mode() & 0o077 != 0 {
        // Best effort: on a read-only file system the mode cannot be changed, which does no harm.
        let _ = set_mode(std::fs::Permissions::from_mode(mode));
    }
    Ok(())
}

fn open_error(path: &Path, source: io::Error) -> FileError {
    let path = path.to_owned();
    // O_NOFOLLOW on a link: ELOOP, or ENOTDIR together with O_DIRECTORY.
    if path.is_symlink() {
        FileError::Link { path }
    } else if source.kind() == io::ErrorKind::NotADirectory {
        FileError::Kind { path, expected: "folder" }
    } else {
        FileError::Io { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_missing_file_is_none() {
        assert!(read(&scratch().path().join("x"), 10).unwrap().is_none());
    }

    #[test]
    fn a_file_is_checked_by_the_same_rules_without_being_opened() {
        let dir = scratch();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        assert!(!check_unopened(&file).unwrap());
        std::fs::write(&file, "text").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(check_unopened(&file).unwrap());
        assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(check_unopened(&link), Err(FileError::Link { .. })));
        assert!(matches!(check_unopened(dir.path()), Err(FileError::Kind { .. })));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o602)).unwrap();
        assert!(matches!(check_unopened(&file), Err(FileError::Writable { .. })));
    }

    #[test]
    fn a_link_a_folder_and_a_fifo_are_refused_without_blocking() {
        let dir = scratch();
        let (link, fifo) = (dir.path().join("link"), dir.path().join("fifo"));
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(matches!(read(&link, 10), Err(FileError::Link { .. })));
        assert!(matches!(read(&fifo, 10), Err(FileError::Kind { .. })));
        assert!(matches!(read(dir.path(), 10), Err(FileError::Kind { .. })));
    }

    #[test]
    fn somebody_elses_file_is_read_behind_a_link_and_nothing_without_an_end_is() {
        let dir = scratch();
        let (file, link, fifo) = (dir.path().join("file"), dir.path().join("link"), dir.path().join("fifo"));
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(read_foreign(&link, 4).unwrap().unwrap(), b"text");
        assert!(matches!(read_foreign(&link, 3), Err(FileError::TooLarge { .. })));
        assert!(read_foreign(&dir.path().join("none"), 4).unwrap().is_none());
        for endless in [fifo.as_path(), Path::new("/dev/zero"), dir.path()] {
            assert!(matches!(read_foreign(endless, 10), Err(FileError::Kind { .. })));
        }
    }

    #[test]
    fn a_file_that_others_may_write_is_refused_and_one_they_may_read_is_tightened() {
        let dir = scratch();
        let path = dir.path().join("f");
        std::fs::write(&path, "x").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        let error = read(&path, 10).unwrap_err().to_string();
        assert!(error.contains("chmod go-w"), "{error}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read(&path, 10).unwrap().unwrap(), b"x");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_over_its_limit_is_refused() {
        let dir = scratch();
        let path = dir.path().join("f");
        std::fs::write(&path, "12345").unwrap();
        assert!(matches!(read(&path, 4), Err(FileError::TooLarge { size: 5, limit: 4, .. })));
        assert_eq!(read(&path, 5).unwrap().unwrap().len(), 5);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_path_passes_a_link_wherever_one_is_on_its_way() {
        let dir = scratch();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("nowhere"), root.join("dangling")).unwrap();
        for (path, passes_none) in [
            ("real", true),
            ("real/new", true),
            ("real/../real/new", true),
            ("real/new/newer", true),
            ("link/new/newer", false),
            ("link", false),
            ("link/new", false),
            ("dangling", false),
        ] {
            assert_eq!(passes_no_link(&root.join(path)), passes_none, "{path}");
        }
        assert!(!passes_no_link(Path::new("/proc/self/cwd")));
    }

    #[test]
    fn a_folder_is_made_private_and_a_link_in_its_place_is_refused() {
        let dir = scratch();
        let path = dir.path().join("a/b");
        ensure_folder(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(ensure_folder(&link), Err(FileError::FolderLink { .. })));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(ensure_folder(&path), Err(FileError::Writable { .. })));
        make_private(&path).unwrap();
        assert!(ensure_folder(&path).is_ok() && make_private(&link).is_err());
    }
}
