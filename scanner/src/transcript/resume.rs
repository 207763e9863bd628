//! The cursor of a transcript: where the next scan goes on.
//!
//! A transcript grows at its end while it is read, but it may also be cut, replaced, copied or moved. So a cursor
//! names the file by device and inode, and the part that was read by a hash of its start and its end; if anything
//! differs, the file is read from its start. That costs only time, because a line that was seen before counts once.
//!
//! Most files have not changed. A file whose size, inode and time of change are those of its cursor is not opened.
//! Nobody can set the time of change, but its resolution is coarse, so it is recorded only once it is a while ago.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use lessons_ledger::Cursors;
use lessons_ledger::recording::cursors::Cursor;
use lessons_text::digest;

use crate::transcript::file_version::FileVersion;
use crate::transcript::foreign;
use crate::transcript::timestamp::Timestamp;

/// The number of bytes that are hashed at the start, and before the place where reading stopped. The first line of
/// a session holds its id and time.
const WINDOW: u64 = 1024;
/// The number of hex digits of the hash that are kept.
const HASH_DIGITS: usize = 32;
/// The age from which a time of change identifies one change, in milliseconds. Some file systems count in whole
/// seconds.
const SETTLED: u64 = 2_000;

/// An open transcript.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) file: File,
    /// The name of the transcript in the database.
    pub(crate) path: String,
    /// The version of the file when it was opened. What is written later is for the next scan.
    pub(crate) version: FileVersion,
    /// The bytes in it. Of another client's transcript, those of the lines that stand for it.
    pub(crate) length: u64,
}

/// A position up to which a transcript was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ReadPosition {
    /// The number of bytes before it.
    pub(crate) offset: u64,
    /// The number of lines before it.
    pub(crate) lines: u64,
}

impl Transcript {
    /// Opens a transcript without following a link and without waiting for a FIFO.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let on_disk = foreign::version(path)?;
        let file = foreign::open(path)?;
        let found = FileVersion::of(&file.metadata()?);
        let is_itself = (found.device, found.inode) == (on_disk.device, on_disk.inode);
        // What was written between the two looks is for the next scan.
        let version = if is_itself { found } else { on_disk };
        Ok(Self { file, path: name_of(path).into_owned(), version, length: found.size })
    }

    /// The position where reading goes on: after what was read, or the start.
    pub(crate) fn resume(&self, cursors: &Cursors) -> ReadPosition {
        let FileVersion { device, inode, .. } = self.version;
        let known = cursors.of(&self.path, device, inode).filter(|cursor| self.is_same(cursor));
        known.map(|cursor| ReadPosition { offset: cursor.offset, lines: cursor.line }).unwrap_or_default()
    }

    /// The cursor for having read up to `place`, and nothing of what follows.
    pub(crate) fn cursor(&self, place: ReadPosition) -> io::Result<Cursor> {
        Ok(Cursor {
            path: self.path.clone(),
            device: self.version.device,
            inode: self.version.inode,
            offset: place.offset,
            line: place.lines,
            prefix: place.offset.min(WINDOW),
            hash: self.hash(place.offset)?,
            size: place.offset,
            changed: self.version.changed,
        })
    }

    /// The same position with its line count corrected for a line that was taken without its line feed: the line feed
    /// is read after it, and must not count again.
    pub(crate) fn without_open_line(&self, place: ReadPosition) -> io::Result<ReadPosition> {
        let mut last = *b"\n";
        if place.offset > 0 {
            self.file.read_exact_at(&mut last, place.offset - 1)?;
        }
        let is_open = u64::from(last != *b"\n");
        Ok(ReadPosition { lines: place.lines.saturating_sub(is_open), ..place })
    }

    fn is_same(&self, cursor: &Cursor) -> bool {
        (cursor.device, cursor.inode) == (self.version.device, self.version.inode)
            && cursor.offset <= self.length
            && self.hash(cursor.offset).is_ok_and(|hash| hash == cursor.hash)
    }

    /// The hash of the start of the first `offset` bytes, and of their end.
    fn hash(&self, offset: u64) -> io::Result<String> {
        let length = offset.min(WINDOW);
        let mut start = vec![0; usize::try_from(length).unwrap_or(0)];
        let mut end = start.clone();
        self.file.read_exact_at(&mut start, 0)?;
        self.file.read_exact_at(&mut end, offset - length)?;
        Ok(digest::hex_of_parts(&[&start, &end], HASH_DIGITS))
    }
}

/// The name of a transcript in the database.
pub(crate) fn name_of(path: &Path) -> Cow<'_, str> {
    // The check alone takes much less time than replacing invalid UTF-8.
    path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed)
}

/// Whether a file is the one that the cursor was made for, read to its end and unchanged since.
pub(crate) fn is_unchanged(cursor: &Cursor, found: &FileVersion) -> bool {
    let Cursor { device, inode, size, changed, .. } = *cursor;
    changed != 0 && FileVersion { device, inode, size, changed } == *found
}

/// The cursor without its time of change, where the file may change again within the same clock tick.
pub(crate) fn settled(cursor: Cursor, now: Timestamp) -> Cursor {
    let is_old = (cursor.changed / 1_000_000).saturating_add(SETTLED) < now.millis();
    Cursor { changed: if is_old { cursor.changed } else { 0 }, ..cursor }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use lessons_home::home::Home;
    use lessons_ledger::database::Database;
    use lessons_ledger::recording::FileScan;

    use super::*;

    struct Scratch {
        dir: tempfile::TempDir,
        database: Database,
    }

    impl Scratch {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
            Self { dir, database }
        }

        fn path(&self) -> PathBuf {
            self.dir.path().join("a.jsonl")
        }

        fn write(&self, bytes: &[u8]) {
            std::fs::write(self.path(), bytes).unwrap();
        }

        /// Notes that the file was read to its end.
        fn read_to_end(&mut self) {
            let transcript = Transcript::open(&self.path()).unwrap();
            let cursor =
                transcript.cursor(ReadPosition { offset: transcript.version.size, lines: 7 }).unwrap();
            self.database
                .record_scans(
                    &[FileScan { cursor, found: Vec::new(), notes: Vec::new(), beginnings: Vec::new() }],
                    0,
                )
                .unwrap();
        }

        fn offset(&self, path: &Path) -> u64 {
            Transcript::open(path).unwrap().resume(&self.database.cursors().unwrap()).offset
        }
    }

    fn long(text: &str) -> Vec<u8> {
        [text.as_bytes(), &vec![b'.'; 5000], text.as_bytes()].concat()
    }

    #[test]
    fn a_file_that_grew_goes_on_where_it_stopped() {
        let mut scratch = Scratch::new();
        for start in [b"short".to_vec(), long("x")] {
            scratch.write(&start);
            scratch.read_to_end();
            scratch.write(&[start.as_slice(), b" and more"].concat());
            assert_eq!(scratch.offset(&scratch.path()), start.len() as u64);
        }
    }

    #[test]
    fn a_file_that_was_cut_or_written_anew_is_read_from_its_start() {
        let mut scratch = Scratch::new();
        for (before, after) in [
            (long("x"), long("x")[..100].to_vec()),
            (long("x"), [b"y".to_vec(), long("x")].concat()),
            // The same beginning, the same size, another end.
            (long("x"), [&long("x")[..5000], b"yy"].concat()),
        ] {
            scratch.write(&before);
            scratch.read_to_end();
            scratch.write(&after);
            assert_eq!(scratch.offset(&scratch.path()), 0);
        }
    }

    #[test]
    fn another_file_in_its_place_is_read_from_its_start() {
        // ADV-112.
        let mut scratch = Scratch::new();
        scratch.write(&long("x"));
        scratch.read_to_end();
        let other = scratch.dir.path().join("other");
        std::fs::write(&other, long("x")).unwrap();
        std::fs::rename(&other, scratch.path()).unwrap();
        assert_eq!(scratch.offset(&scratch.path()), 0);
    }

    #[test]
    fn a_file_that_was_moved_goes_on_and_a_copy_does_not() {
        let mut scratch = Scratch::new();
        scratch.write(&long("x"));
        scratch.read_to_end();
        let (moved, copy) = (scratch.dir.path().join("moved.jsonl"), scratch.dir.path().join("copy.jsonl"));
        std::fs::copy(scratch.path(), &copy).unwrap();
        std::fs::rename(scratch.path(), &moved).unwrap();
        assert_eq!(scratch.offset(&moved), 5002);
        assert_eq!(scratch.offset(&copy), 0);
    }

    #[test]
    fn only_a_file_that_nobody_has_touched_is_as_it_was() {
        let mut scratch = Scratch::new();
        scratch.write(&long("x"));
        scratch.read_to_end();
        let path = scratch.path();
        let name = path.to_str().unwrap().to_owned();
        let found = || FileVersion::at(&path).unwrap();
        let before = found().changed;
        let is_so =
            |scratch: &Scratch| is_unchanged(&scratch.database.cursor(&name).unwrap().unwrap(), &found());
        assert!(is_so(&scratch));
        // The same size, the same inode: only the time of the change is another one.
        while found().changed == before {
            scratch.write(&long("y"));
        }
        assert!(!is_so(&scratch));
        scratch.write(&[long("y"), long("y")].concat());
        assert!(!is_so(&scratch));
    }

    #[test]
    fn a_change_that_may_not_be_the_last_of_its_time_is_not_noted() {
        let scratch = Scratch::new();
        scratch.write(b"{}");
        let transcript = Transcript::open(&scratch.path()).unwrap();
        let cursor = transcript.cursor(ReadPosition { offset: 2, lines: 0 }).unwrap();
        let noted = |after: u64| {
            settled(cursor.clone(), Timestamp::from_millis(cursor.changed / 1_000_000 + after)).changed
        };
        assert_eq!([noted(0), noted(SETTLED), noted(SETTLED + 1)], [0, 0, cursor.changed]);
    }

    #[test]
    fn no_link_is_opened_and_no_fifo_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let (link, fifo) = (dir.path().join("link"), dir.path().join("fifo"));
        std::os::unix::fs::symlink("/etc/hostname", &link).unwrap();
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(Transcript::open(&link).is_err());
        assert_eq!(Transcript::open(&fifo).unwrap_err().to_string(), "no regular file");
    }

    #[test]
    fn a_line_without_its_line_feed_is_noticed() {
        let scratch = Scratch::new();
        scratch.write(b"{}\n{}");
        let transcript = Transcript::open(&scratch.path()).unwrap();
        let lines = |offset| transcript.without_open_line(ReadPosition { offset, lines: 2 }).unwrap().lines;
        assert_eq!([lines(0), lines(3), lines(5)], [2, 2, 1]);
    }
}
