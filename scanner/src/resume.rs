//! Where reading a transcript goes on.
//!
//! A transcript grows at its end while it is read, but it may also be cut, replaced, copied or moved
//! in between. So a cursor names the file by device and inode, and the part that was read by a hash
//! of where it begins and where it ends; if anything differs, the file is read from its start. That
//! costs time and nothing else, because a line that was seen counts once.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use lessons_core::{digest, files};
use lessons_store::cursors::{Cursor, Cursors};

/// How many bytes are hashed at the start, and how many before the place where reading stopped. The
/// first line of a session holds its id and time.
const WINDOW: u64 = 1024;
/// How many hex digits of the hash are kept.
const HASH_DIGITS: usize = 32;

/// A transcript, opened.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) file: File,
    /// Its name in the database.
    pub(crate) path: String,
    device: u64,
    inode: u64,
    /// Its size when it was opened. What comes later is for the next scan.
    pub(crate) size: u64,
}

/// A place in a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// Bytes before it.
    pub(crate) offset: u64,
    /// Lines before it.
    pub(crate) lines: u64,
}

impl Transcript {
    /// Opens a transcript without following a link and without waiting for a FIFO.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = files::open_regular(path)?;
        let found = file.metadata()?;
        let path = path.to_string_lossy().into_owned();
        Ok(Self { file, path, device: found.dev(), inode: found.ino(), size: found.len() })
    }

    /// Where reading goes on: after what was read, or at the start.
    pub(crate) fn resume(&self, cursors: &Cursors) -> Place {
        let known = cursors.of(&self.path, self.device, self.inode).filter(|cursor| self.is_same(cursor));
        known.map_or_else(Place::default, |cursor| Place { offset: cursor.offset, lines: cursor.line })
    }

    /// The cursor for having read up to `place`.
    pub(crate) fn cursor(&self, place: Place) -> io::Result<Cursor> {
        Ok(Cursor {
            path: self.path.clone(),
            device: self.device,
            inode: self.inode,
            offset: place.offset,
            line: place.lines,
            prefix: place.offset.min(WINDOW),
            hash: self.hash(place.offset)?,
        })
    }

    /// The same place as a reader counts from there: the line feed of a line that was taken without it is read
    /// after it, and does not count again.
    pub(crate) fn without_open_line(&self, place: Place) -> io::Result<Place> {
        let is_open = u64::from(self.is_after_open_line(place)?);
        Ok(Place { lines: place.lines.saturating_sub(is_open), ..place })
    }

    /// Whether `place` stands after a line whose line feed had not been written.
    fn is_after_open_line(&self, place: Place) -> io::Result<bool> {
        if place.offset == 0 {
            return Ok(false);
        }
        let mut last = [0];
        self.file.read_exact_at(&mut last, place.offset - 1)?;
        Ok(last != *b"\n")
    }

    fn is_same(&self, cursor: &Cursor) -> bool {
        (cursor.device, cursor.inode) == (self.device, self.inode)
            && cursor.offset <= self.size
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use lessons_core::home::Home;
    use lessons_store::database::Database;
    use lessons_store::recording::FileScan;

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
            let cursor = transcript.cursor(Place { offset: transcript.size, lines: 7 }).unwrap();
            self.database
                .record_scan(&FileScan { cursor, now: 0, found: Vec::new(), notes: Vec::new() })
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
        let at = |offset| transcript.is_after_open_line(Place { offset, lines: 0 }).unwrap();
        assert_eq!([at(0), at(3), at(5)], [false, false, true]);
    }
}
