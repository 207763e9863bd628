//! Histories of sessions, written once in each run, and homes in which they are scanned.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use lessons_bench::stores;
use tempfile::TempDir;

use crate::process::lessons;
use crate::transcripts::{self, HistoryFacts};

/// The pause before the first scan of files that the second one must find unchanged. The scanner reads a file again
/// that was written within the last two seconds, as it may change once more at the same time.
const QUIET_PERIOD: Duration = Duration::from_secs(3);

/// A folder of the client with transcripts in it.
pub(crate) struct History {
    folder: TempDir,
    /// The counts of the transcripts.
    pub(crate) facts: HistoryFacts,
}

impl History {
    fn write(write: impl FnOnce(&Path) -> io::Result<HistoryFacts>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let facts = write(&folder.path().join("projects")).unwrap();
        thread::sleep(QUIET_PERIOD);
        Self { folder, facts }
    }

    /// 1 GB of sessions of all lengths.
    pub(crate) fn large() -> &'static Self {
        static LARGE: LazyLock<History> =
            LazyLock::new(|| History::write(|folder| transcripts::write(folder, 1_000_000_000)));
        &LARGE
    }

    /// 5,000 short sessions.
    pub(crate) fn small() -> &'static Self {
        static SMALL: LazyLock<History> =
            LazyLock::new(|| History::write(|folder| transcripts::write_short(folder, 5_000)));
        &SMALL
    }

    /// One line of 256 MiB.
    pub(crate) fn line() -> &'static Self {
        static LINE: LazyLock<History> =
            LazyLock::new(|| History::write(|folder| transcripts::write_line(folder, 256 << 20)));
        &LINE
    }

    fn projects(&self) -> PathBuf {
        self.folder.path().join("projects")
    }

    fn files(&self) -> Vec<PathBuf> {
        let of = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        of(self.projects()).flat_map(of).collect()
    }

    /// Reads all files on all cores.
    pub(crate) fn read(&self) {
        let (files, next) = (self.files(), AtomicUsize::new(0));
        let read = || {
            let mut buffer = vec![0; 256 << 10];
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut file = File::open(file).unwrap();
                while file.read(&mut buffer).unwrap() > 0 {}
            }
        };
        thread::scope(|scope| {
            for _ in 0..cores() {
                scope.spawn(read);
            }
        });
    }

    /// Searches all files for the marker of a lesson, on all cores: with ripgrep, or with a grep for each core.
    pub(crate) fn search(&self) {
        let script = "if command -v rg; then rg --no-config -uuu -c '#lesson' \"$0\"; else \
                      find \"$0\" -type f -print0 | xargs -0 -n 16 -P \"$1\" grep -c '#lesson'; fi";
        let mut search = Command::new("sh");
        search.args(["-c", script]).arg(self.projects()).arg(cores().to_string());
        // A search that prints to /dev/null may end at its first hit.
        search.stdout(tempfile::tempfile().unwrap()).stderr(Stdio::null()).status().unwrap();
    }

    /// Visits all files and asks for the size of each.
    pub(crate) fn find(&self) {
        let mut find = Command::new("find");
        find.arg(self.projects()).args(["-name", "*.jsonl", "-size", "+0"]);
        assert!(find.stdout(tempfile::tempfile().unwrap()).status().unwrap().success());
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A home with settings in which a history is scanned.
pub(crate) struct ScannedHome {
    home: TempDir,
    history: &'static History,
}

impl ScannedHome {
    pub(crate) fn new(history: &'static History, settings: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let data = stores::data(home.path());
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("config.toml"), settings).unwrap();
        // The first build accepts what it finds. Without an index a scan would build one, and that is not to be measured.
        lessons(home.path(), &["build"]).output().unwrap();
        Self { home, history }
    }

    /// A command of `lessons` that finds the history.
    pub(crate) fn lessons(&self, words: &[&str]) -> Command {
        let mut command = lessons(self.home.path(), words);
        command.env("CLAUDE_CONFIG_DIR", self.history.folder.path());
        command
    }

    /// A scan as a session start leaves it behind.
    pub(crate) fn scan(&self) -> Command {
        self.lessons(&["scan", "--background"])
    }

    /// Removes what scans have stored.
    pub(crate) fn forget(&self) {
        for name in ["lessons.db", "lessons.db-wal", "lessons.db-shm"] {
            // What was not made yet cannot be removed.
            let _ = fs::remove_file(stores::data(self.home.path()).join(name));
        }
    }

    /// Counts the candidates that scans have stored.
    pub(crate) fn candidates(&self) -> usize {
        let listed = self.lessons(&["candidates", "--json"]).output().unwrap();
        serde_json::from_slice::<Vec<serde_json::Value>>(&listed.stdout).unwrap().len()
    }
}
