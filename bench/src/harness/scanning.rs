//! What a scan of a history costs, beside programs that only look at the same files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use lessons_bench::transcripts::{self, Facts};
use tempfile::TempDir;

use super::process::{self, Cost};
use super::scratch::{self, Scratch};
use super::table::{Report, thousands};

/// How large the history is, in bytes.
pub(crate) const BYTES: u64 = 1_000_000_000;
/// How many files the history has of which nothing is new.
const FILES: usize = 5_000;
/// How long the longest line is, in bytes.
const LONG_LINE: u64 = 256 << 20;
/// How often each program is run.
const RUNS: usize = 5;
/// The most memory that a scan may have, in KiB.
const MOST_MEMORY_KIB: u64 = 64 << 10;
/// How many times the search for the marker the search for tags may take.
const TAGS: f64 = 1.0;
/// How many times the search for tags a search for everything may take.
const EVERYTHING: f64 = 4.0;
/// How long files lie before a scan after which there is nothing new. What was written within two seconds before, the
/// scanner reads again, as it may change once more at the same time; of thousands of files that is true of a few.
const LEFT_ALONE: Duration = Duration::from_secs(3);
/// How many times the visit of all files a scan may take that finds nothing new.
const NOTHING_NEW: f64 = 3.0;

/// A history on the disk, until this is dropped.
pub(crate) struct History {
    folder: TempDir,
    /// What is in it.
    pub(crate) facts: Facts,
}

impl History {
    /// Has it written into a folder of the client's.
    pub(crate) fn write(
        scratch: &Scratch,
        write: impl FnOnce(&Path) -> std::io::Result<Facts>,
    ) -> Result<Self> {
        let folder = scratch.passing()?;
        let facts = write(&folder.path().join("projects")).context("cannot write a history")?;
        Ok(Self { folder, facts })
    }

    /// What `CLAUDE_CONFIG_DIR` is set to.
    pub(crate) fn config(&self) -> &Path {
        self.folder.path()
    }

    fn projects(&self) -> PathBuf {
        self.folder.path().join("projects")
    }
}

/// Programs that were run over the same files.
#[derive(Debug)]
pub(crate) struct Scanned {
    title: String,
    beside: &'static str,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    words: String,
    cost: Cost,
    ratio: Option<f64>,
    limit: Option<f64>,
    over: Vec<&'static str>,
}

impl Scanned {
    /// Their table.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "\n| {} | seconds | {} | at most | | CPU seconds | peak MiB | runs |\n|---|--:|--:|--:|---|--:|--:|--:|\n",
            self.title, self.beside
        );
        for Line { words, cost, ratio, limit, over } in &self.lines {
            let number =
                |number: &Option<f64>| number.map(|number| format!("{number:.2}")).unwrap_or_default();
            let verdict = match (limit, over.is_empty()) {
                (_, false) => format!("**OVER**: {}", over.join(", ")),
                (Some(_), true) => "ok".into(),
                (None, true) => String::new(),
            };
            let _ = writeln!(
                text,
                "| {words} | {:.3} | {} | {} | {verdict} | {:.3} | {:.1} | {RUNS} |",
                cost.wall.as_secs_f64(),
                number(ratio),
                number(limit),
                cost.processor.as_secs_f64(),
                Duration::from_secs(cost.peak_kib).as_secs_f64() / 1024.0,
            );
        }
        text
    }
}

/// Measures scans.
pub(crate) fn measure(scratch: &Scratch, report: &mut Report) -> Result<()> {
    report.scans.push(whole(scratch)?);
    report.scans.push(nothing_new(scratch)?);
    report.scans.push(long_line(scratch)?);
    Ok(())
}

/// A scan of everything, from nothing.
fn whole(scratch: &Scratch) -> Result<Scanned> {
    let history = History::write(scratch, |folder| transcripts::write(folder, BYTES))?;
    let (tags, everything) =
        (Scan::new(scratch, &history, "scan.detectors = false\n")?, Scan::new(scratch, &history, "")?);
    let (words, mut search) = Search::here().command(&history.projects());
    let mut read = Command::new(&scratch.floors.read);
    read.arg(history.projects());
    let [read, search, with_tags, with_everything] = in_turn(&mut [
        &mut || process::run(&mut read),
        &mut || process::run(&mut search),
        &mut || tags.anew(),
        &mut || everything.anew(),
    ])?;
    for (scan, what) in [(&tags, "tags"), (&everything, "everything")] {
        let found = scan.candidates()?;
        ensure!(
            found >= history.facts.lessons,
            "the scan for {what} found {found} of {}",
            history.facts.lessons
        );
    }
    ensure!(tags.candidates()? == history.facts.lessons, "the scan for tags found more than tags");
    let lines = vec![
        Line::beside("reading the files, on all cores", read, None, None),
        Line::beside(words, search, None, None),
        Line::beside("`lessons-scan`, tags alone", with_tags, Some(search), Some(TAGS)),
        Line::beside(
            "`lessons-scan`, with all detectors, beside tags alone",
            with_everything,
            Some(with_tags),
            Some(EVERYTHING),
        ),
    ];
    let Facts { files, bytes, lessons, .. } = history.facts;
    let title = format!("scan of {:.2} GB in {} files with {lessons} lessons", giga(bytes), thousands(files));
    Ok(Scanned { title, beside: "x the search", lines })
}

/// A scan that finds nothing new.
fn nothing_new(scratch: &Scratch) -> Result<Scanned> {
    let history = History::write(scratch, |folder| transcripts::write_short(folder, FILES))?;
    let scan = Scan::new(scratch, &history, "")?;
    thread::sleep(LEFT_ALONE);
    scan.anew()?;
    let mut find = Command::new("find");
    // To know a size it has to ask for each file.
    find.arg(history.projects()).args(["-name", "*.jsonl", "-size", "+0"]);
    let [find, scan] = in_turn(&mut [&mut || process::run(&mut find), &mut || scan.again()])?;
    let lines = vec![
        Line::beside("`find -size +0`", find, None, None),
        Line::beside("`lessons-scan`, nothing new", scan, Some(find), Some(NOTHING_NEW)),
    ];
    let title = format!("{} files that were scanned before", thousands(history.facts.files));
    Ok(Scanned { title, beside: "x `find`", lines })
}

/// A scan of a line that is longer than memory should be.
fn long_line(scratch: &Scratch) -> Result<Scanned> {
    let history = History::write(scratch, |folder| transcripts::write_line(folder, LONG_LINE))?;
    let scan = Scan::new(scratch, &history, "")?;
    let mut read = Command::new(&scratch.floors.read);
    read.arg(history.projects());
    let [read, scan] = in_turn(&mut [&mut || process::run(&mut read), &mut || scan.anew()])?;
    let lines = vec![
        Line::beside("reading the file", read, None, None),
        Line::beside("`lessons-scan`, with all detectors", scan, Some(read), None),
    ];
    Ok(Scanned { title: format!("one line of {} MiB", LONG_LINE >> 20), beside: "x reading", lines })
}

impl Line {
    fn beside(words: impl Into<String>, cost: Cost, beside: Option<Cost>, limit: Option<f64>) -> Self {
        let ratio = beside.map(|beside| cost.wall.div_duration_f64(beside.wall));
        let mut over = Vec::new();
        if ratio.zip(limit).is_some_and(|(ratio, limit)| ratio > limit) {
            over.push("time");
        }
        // What is compared with may take what it likes.
        if beside.is_some() && cost.peak_kib > MOST_MEMORY_KIB {
            over.push("memory");
        }
        Self { words: words.into(), cost, ratio, limit, over }
    }
}

/// A way to scan a history.
struct Scan<'s> {
    scratch: &'s Scratch,
    history: &'s History,
    home: TempDir,
}

impl<'s> Scan<'s> {
    fn new(scratch: &'s Scratch, history: &'s History, settings: &str) -> Result<Self> {
        let home = scratch.passing()?;
        // The scan of a session start builds what is not built, which is not what is measured.
        scratch.build(home.path(), &["build", "--json"])?;
        fs::write(scratch::data(home.path()).join("config.toml"), settings)?;
        Ok(Self { scratch, history, home })
    }

    fn anew(&self) -> Result<Cost> {
        for name in ["lessons.db", "lessons.db-wal", "lessons.db-shm"] {
            let file = scratch::data(self.home.path()).join(name);
            if file.exists() {
                fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
            }
        }
        self.again()
    }

    fn again(&self) -> Result<Cost> {
        let mut command = self.scratch.program("lessons-scan", self.home.path());
        process::run(command.env("CLAUDE_CONFIG_DIR", self.history.config()))
    }

    fn candidates(&self) -> Result<usize> {
        let listed = self.scratch.build(self.home.path(), &["candidates", "--json"])?;
        listed.as_array().map(Vec::len).context("`lessons candidates` lists nothing")
    }
}

/// What searches for the marker on this machine.
enum Search {
    Ripgrep,
    Grep,
}

impl Search {
    fn here() -> Self {
        let is_there =
            Command::new("rg").arg("--version").output().is_ok_and(|output| output.status.success());
        if is_there { Self::Ripgrep } else { Self::Grep }
    }

    /// Its name for the table, and the search.
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

/// Runs programs in turn, after once without counting, and returns the median of what each took.
fn in_turn<const N: usize>(programs: &mut [&mut dyn FnMut() -> Result<Cost>; N]) -> Result<[Cost; N]> {
    let mut taken: [Vec<Cost>; N] = std::array::from_fn(|_| Vec::new());
    for round in 0..=RUNS {
        for (run, taken) in programs.iter_mut().zip(&mut taken) {
            let cost = run()?;
            if round > 0 {
                taken.push(cost);
            }
        }
    }
    Ok(taken.map(|costs| median(&costs)))
}

/// The median of each, and the most memory.
fn median(costs: &[Cost]) -> Cost {
    let middle = |of: fn(&Cost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(of).collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    Cost {
        wall: middle(|cost| cost.wall),
        processor: middle(|cost| cost.processor),
        peak_kib: costs.iter().map(|cost| cost.peak_kib).max().unwrap_or_default(),
    }
}

/// Bytes as gigabytes.
pub(crate) fn giga(bytes: u64) -> f64 {
    Duration::from_nanos(bytes).as_secs_f64()
}
