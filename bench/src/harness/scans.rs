//! The cost of `lessons-scan`, beside that of programs that only read or search the same files.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use lessons_bench::transcripts::{self, HistoryFacts};
use tempfile::TempDir;

use super::history::{BYTES, HistoryFolder};
use super::process::{self, ProcessCost, in_turn};
use super::report::{Report, ScanRow, ScanTable, gigabytes, thousands};
use super::scratch::{self, Scratch};

/// The number of files in the history that a second scan finds unchanged.
const FILES: usize = 5_000;
/// The length of the longest line, in bytes.
const LONG_LINE: u64 = 256 << 20;
/// The number of counted runs of each program.
const RUNS: usize = 5;
/// The longest scan for tags, as a multiple of a search for the marker.
const TAGS_LIMIT: f64 = 1.0;
/// The longest scan with all detectors, as a multiple of a search for the marker.
const DETECTORS_LIMIT: f64 = 4.0;
/// The pause before the first scan of files that the second one must find unchanged. The scanner reads a file again
/// that was written within the last two seconds, as it may change once more at the same time.
const QUIET_PERIOD: Duration = Duration::from_secs(3);
/// The longest scan that finds nothing new, as a multiple of a visit of all files. It also counts the waiting candidates, of
/// which this history has one for each session with a lesson.
const NOTHING_NEW_LIMIT: f64 = 3.5;

/// Measures all scans and adds the tables to `report`.
pub(crate) fn measure(scratch: &Scratch, report: &mut Report) -> Result<()> {
    report.scans.push(whole(scratch)?);
    report.scans.push(nothing_new(scratch)?);
    report.scans.push(long_line(scratch)?);
    Ok(())
}

/// Measures a first scan of a large history: for tags alone, with all detectors, and with the search for incidents too.
fn whole(scratch: &Scratch) -> Result<ScanTable> {
    let history = HistoryFolder::write(scratch, |folder| transcripts::write(folder, BYTES))?;
    let (tags, detectors, everything) = (
        ScanSetup::new(scratch, &history, "scan.detectors = false\nincidents.enabled = false\n")?,
        ScanSetup::new(scratch, &history, "incidents.enabled = false\n")?,
        ScanSetup::new(scratch, &history, "")?,
    );
    let (label, mut search) = SearchProgram::installed().command(&history.projects());
    let mut read = Command::new(&scratch.floors.read);
    read.arg(history.projects());
    let [read, search, with_tags, with_detectors, with_everything] = in_turn(
        RUNS,
        &mut [
            &mut || process::run(&mut read),
            &mut || process::run(&mut search),
            &mut || tags.scan_from_nothing(),
            &mut || detectors.scan_from_nothing(),
            &mut || everything.scan_from_nothing(),
        ],
    )?;
    for (scan, what) in [(&tags, "tags"), (&detectors, "mistakes"), (&everything, "everything")] {
        let found = scan.candidates()?;
        ensure!(
            found >= history.facts.lessons,
            "the scan for {what} found {found} of {}",
            history.facts.lessons
        );
    }
    ensure!(tags.candidates()? == history.facts.lessons, "the scan for tags found more than tags");
    let rows = vec![
        ScanRow::new("reading the files, on all cores", read, None, None),
        ScanRow::new(label, search, None, None),
        ScanRow::new("`lessons-scan`, tags alone", with_tags, Some(search), Some(TAGS_LIMIT)),
        ScanRow::new(
            "`lessons-scan`, with all detectors",
            with_detectors,
            Some(search),
            Some(DETECTORS_LIMIT),
        ),
        ScanRow::new("the same, and incidents: as it comes", with_everything, Some(search), None),
    ];
    let HistoryFacts { files, bytes, lessons, .. } = history.facts;
    let title =
        format!("scan of {:.2} GB in {} files with {lessons} lessons", gigabytes(bytes), thousands(files));
    Ok(ScanTable { title, ratio_heading: "x the search", rows, runs: RUNS })
}

/// Measures a scan that finds nothing new.
fn nothing_new(scratch: &Scratch) -> Result<ScanTable> {
    let history = HistoryFolder::write(scratch, |folder| transcripts::write_short(folder, FILES))?;
    let scan = ScanSetup::new(scratch, &history, "")?;
    thread::sleep(QUIET_PERIOD);
    scan.scan_from_nothing()?;
    let mut find = Command::new("find");
    // A test of the size makes it ask the kernel about each file.
    find.arg(history.projects()).args(["-name", "*.jsonl", "-size", "+0"]);
    let [find, scan] = in_turn(RUNS, &mut [&mut || process::run(&mut find), &mut || scan.scan()])?;
    let rows = vec![
        ScanRow::new("`find -size +0`", find, None, None),
        ScanRow::new("`lessons-scan`, nothing new", scan, Some(find), Some(NOTHING_NEW_LIMIT)),
    ];
    let title = format!("{} files that were scanned before", thousands(history.facts.files));
    Ok(ScanTable { title, ratio_heading: "x `find`", rows, runs: RUNS })
}

/// Measures a scan of a line that does not fit the scanner's memory.
fn long_line(scratch: &Scratch) -> Result<ScanTable> {
    let history = HistoryFolder::write(scratch, |folder| transcripts::write_line(folder, LONG_LINE))?;
    let scan = ScanSetup::new(scratch, &history, "")?;
    let mut read = Command::new(&scratch.floors.read);
    read.arg(history.projects());
    let [read, scan] =
        in_turn(RUNS, &mut [&mut || process::run(&mut read), &mut || scan.scan_from_nothing()])?;
    let rows = vec![
        ScanRow::new("reading the file", read, None, None),
        ScanRow::new("`lessons-scan`, as it comes", scan, Some(read), None),
    ];
    Ok(ScanTable {
        title: format!("one line of {} MiB", LONG_LINE >> 20),
        ratio_heading: "x reading",
        rows,
        runs: RUNS,
    })
}

/// A home with settings in which a history is scanned.
struct ScanSetup<'s> {
    scratch: &'s Scratch,
    history: &'s HistoryFolder,
    home: TempDir,
}

impl<'s> ScanSetup<'s> {
    fn new(scratch: &'s Scratch, history: &'s HistoryFolder, settings: &str) -> Result<Self> {
        let home = scratch.temporary_folder()?;
        // The first build accepts what it finds. Without an index a scan would build one, and that is not to be measured.
        let data = scratch::data(home.path());
        fs::create_dir_all(&data)?;
        fs::write(data.join("config.toml"), settings)?;
        scratch.json(home.path(), &["build", "--json"])?;
        Ok(Self { scratch, history, home })
    }

    /// Scans without what earlier scans have stored.
    fn scan_from_nothing(&self) -> Result<ProcessCost> {
        for name in ["lessons.db", "lessons.db-wal", "lessons.db-shm"] {
            let file = scratch::data(self.home.path()).join(name);
            if file.exists() {
                fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
            }
        }
        self.scan()
    }

    /// Scans with what earlier scans have stored.
    fn scan(&self) -> Result<ProcessCost> {
        let mut command = self.scratch.program("lessons-scan", self.home.path());
        process::run(command.env("CLAUDE_CONFIG_DIR", self.history.config()))
    }

    /// Counts the candidates that scans have stored.
    fn candidates(&self) -> Result<usize> {
        let listed = self.scratch.json(self.home.path(), &["candidates", "--json"])?;
        listed.as_array().map(Vec::len).context("`lessons candidates` lists nothing")
    }
}

/// The search program of this machine.
enum SearchProgram {
    Ripgrep,
    Grep,
}

impl SearchProgram {
    fn installed() -> Self {
        let has_ripgrep =
            Command::new("rg").arg("--version").output().is_ok_and(|output| output.status.success());
        if has_ripgrep { Self::Ripgrep } else { Self::Grep }
    }

    /// Returns the label for the table and a search for the marker in all files below `folder`.
    fn command(&self, folder: &Path) -> (&'static str, Command) {
        match self {
            Self::Ripgrep => {
                let mut command = Command::new("rg");
                // All files, however they are named or listed to be ignored.
                command.args(["--no-config", "-uuu", "-c", "#lesson"]).arg(folder);
                ("`rg -c '#lesson'`", command)
            }
            Self::Grep => {
                let mut command = Command::new("sh");
                let script = "find \"$0\" -type f -print0 | xargs -0 -n 16 -P \"$1\" grep -c '#lesson'";
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                command.args(["-c", script]).arg(folder).arg(cores.to_string());
                ("`grep -c '#lesson'`, a process for each core", command)
            }
        }
    }
}
