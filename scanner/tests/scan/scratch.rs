//! A scratch folder with transcripts and a data folder.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lessons_home::home::Home;
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_scanner::run::report::Report;
use lessons_scanner::run::scan::{self, ScanOptions};
use lessons_scanner::transcript::timestamp::Timestamp;
use serde_json::{Value, json};

/// The time of what bears none: 2026-01-02.
pub(crate) const NOW: u64 = 1_767_312_000_000;

pub(crate) struct Scratch {
    dir: tempfile::TempDir,
    database: Database,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("projects")).unwrap();
        let database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
        Self { dir, database }
    }

    /// A scratch folder with one transcript, `a.jsonl`.
    pub(crate) fn with(lines: &[Value]) -> Self {
        let scratch = Self::new();
        scratch.write("a.jsonl", jsonl(lines));
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("projects").join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn append(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let mut all = fs::read(self.path(name)).unwrap_or_default();
        all.extend(bytes.as_ref());
        self.write(name, all);
    }

    pub(crate) fn home(&self) -> Home {
        Home::at(self.dir.path().join("data"))
    }

    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        vec![self.dir.path().join("projects")]
    }

    pub(crate) fn database(&mut self) -> &mut Database {
        &mut self.database
    }

    /// How its scans are.
    pub(crate) fn options() -> ScanOptions {
        ScanOptions::at(Timestamp::from_millis(NOW), 10)
    }

    /// How they are in 2100, when nothing has changed for long.
    pub(crate) fn long_after() -> ScanOptions {
        ScanOptions { now: Timestamp::from_millis(4_102_444_800_000), ..Self::options() }
    }

    pub(crate) fn scan(&mut self) -> Report {
        self.scan_in(&Self::options())
    }

    pub(crate) fn scan_in(&mut self, options: &ScanOptions) -> Report {
        let roots = self.roots();
        scan::scan(&mut self.database, &roots, options, None, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    /// The candidates that wait for a person, the first seen first.
    pub(crate) fn waiting(&self) -> Vec<Candidate> {
        let mut found = self.database.candidates(&[CandidateStatus::New]).unwrap();
        found.sort_by_key(|candidate| (candidate.first_seen, candidate.finding.mistake.clone()));
        found
    }

    pub(crate) fn mistakes(&self) -> Vec<String> {
        self.waiting().into_iter().map(|candidate| candidate.finding.mistake).collect()
    }

    /// Where reading of a transcript stopped.
    pub(crate) fn offset(&self, name: &str) -> u64 {
        self.database.cursor(&self.path(name).to_string_lossy()).unwrap().map_or(0, |cursor| cursor.offset)
    }

    /// Whether any file of the data folder holds these bytes.
    pub(crate) fn data_holds(&self, bytes: &[u8]) -> bool {
        let data: &Path = &self.dir.path().join("data");
        fs::read_dir(data).unwrap().flatten().any(|file| {
            let held = fs::read(file.path()).unwrap_or_default();
            memchr::memmem::find(&held, bytes).is_some()
        })
    }
}

/// The names of the doubts about a candidate.
pub(crate) fn doubts(candidate: &Candidate) -> Vec<&str> {
    candidate.finding.flags.iter().map(|doubt| doubt.name.as_str()).collect()
}

pub(crate) fn jsonl(lines: &[Value]) -> String {
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

pub(crate) fn lesson(mistake: &str, fix: &str) -> String {
    format!("#lesson\ntool: Bash\ntrigger: git push\nmistake: {mistake}\nfix: {fix}\n#/lesson")
}

/// A line as the client writes it, at a second of 2026-01-01.
pub(crate) fn assistant(uuid: &str, second: u64, text: &str) -> Value {
    json!({
        "parentUuid": "p", "isSidechain": false, "type": "assistant", "uuid": uuid, "sessionId": "s-1",
        "timestamp": time(second), "cwd": "/home/dev/project", "version": "2.1.329",
        "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                    "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 10}},
    })
}

pub(crate) fn user(uuid: &str, second: u64, text: &str) -> Value {
    json!({
        "parentUuid": "p", "type": "user", "uuid": uuid, "sessionId": "s-1", "timestamp": time(second),
        "cwd": "/home/dev/project", "message": {"role": "user", "content": text},
    })
}

pub(crate) fn tool_result(uuid: &str, second: u64, text: &str) -> Value {
    json!({
        "parentUuid": "p", "type": "user", "uuid": uuid, "sessionId": "s-1", "timestamp": time(second),
        "message": {"role": "user", "content": [{"tool_use_id": "t", "type": "tool_result", "content": text}]},
        "toolUseResult": {"stdout": text},
    })
}

pub(crate) fn time(second: u64) -> String {
    format!("2026-01-01T{:02}:{:02}:{:02}.000Z", second / 3600, second / 60 % 60, second % 60)
}
