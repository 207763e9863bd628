//! Counts of how often lessons are asked for and recorded, kept where the user wants it.
//!
//! Off unless `telemetry` is set. A row says what was there and how often, never a text: not what was asked, not
//! what was found. Lessons stand in it as hashes of their ids, since an id is made of the words of a rule. Rows
//! stay on this machine, in `log/telemetry.jsonl`. When that is full it becomes `telemetry.old.jsonl`, over the
//! one before, so at most twice [`MAX_FILE`] is kept.
//!
//! A hook writes no row: its reminders are in the events already. A call that nothing matches
//! leaves no trace anywhere.
//!
//! **Version.** Every line holds `"v":1`. A field is only ever added; a line that is torn, or of a version that
//! is not known, is skipped.
//!
//! - [`Row`], [`record`], [`read`]: the file. [`UsageReport`]: its summary.

mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_lesson::{Lesson, TopicId};
use lessons_pattern::TriggerKind;
use lessons_text::digest;
use serde::{Deserialize, Serialize};

pub use self::report::{
    BreakEven, Bucket, Captures, Reachability, Redundancy, Standing, Tokens, UsageReport,
};
use crate::durable::lock::Lock;
use crate::durable::{self, WriteError};
use crate::graph::Graph;

/// The most bytes of the file before it is put aside.
pub const MAX_FILE: u64 = 1 << 20;
/// The most lessons that a row names. Of a recall that showed more it is not known which.
const MAX_NAMED: usize = 100;
/// The version of a line.
const VERSION: u8 = 1;

/// A row of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Row {
    /// A query for lessons, or a reminder of a hook.
    Recall(Recall),
    /// An attempt to record a lesson.
    Capture(Capture),
}

/// A query for lessons, or a reminder of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// The time in milliseconds since 1970.
    pub t: u64,
    /// The hash of the session's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The number of lessons that matched.
    pub matches: usize,
    /// Whether keywords alone led to them; never of a hook.
    #[serde(default)]
    pub keyword_only: bool,
    /// The number of tokens of the rules that were shown.
    pub tokens: usize,
    /// The hashes of the ids of the lessons shown, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lessons: Option<Vec<String>>,
    /// Whether every match was asked for, without a limit.
    #[serde(default)]
    pub all: bool,
}

/// An attempt to record a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The time in milliseconds since 1970.
    pub t: u64,
    /// The outcome of the attempt.
    pub outcome: CaptureOutcome,
    /// The number of warnings.
    pub warnings: usize,
    /// The hash of the session's id, where an agent recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The codes of the warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// The parts of the lesson that no lesson had before.
    #[serde(default, skip_serializing_if = "NewParts::is_empty")]
    pub new: NewParts,
}

/// The number of parts of recorded lessons that no lesson had before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewParts {
    /// The topics.
    pub topics: usize,
    /// The triggers, by kind.
    pub triggers: BTreeMap<TriggerKind, usize>,
}

impl NewParts {
    /// The parts of `lesson` that are not in the graph `before` it.
    pub fn of(lesson: &Lesson, before: &Graph) -> Self {
        let is_new_topic = |topic: &&TopicId| before.topics().all(|(known, _)| known != topic.as_str());
        let mut new =
            Self { topics: lesson.topics.iter().filter(is_new_topic).count(), triggers: BTreeMap::new() };
        for trigger in lesson.triggers.iter().chain(&lesson.also).chain(&lesson.unless) {
            if before.triggers().all(|(_, known)| known != trigger) {
                *new.triggers.entry(trigger.kind).or_default() += 1;
            }
        }
        new
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, other: &Self) {
        self.topics += other.topics;
        for (kind, number) in &other.triggers {
            *self.triggers.entry(*kind).or_default() += number;
        }
    }
}

/// The outcome of an attempt to record a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaptureOutcome {
    /// A person recorded it, and it is new.
    Added,
    /// It was a candidate.
    Promoted,
    /// It added something to a lesson that says the same.
    Updated,
    /// There was nothing in it that was not known.
    Unchanged,
    /// It was refused.
    Refused,
}

#[derive(Serialize, Deserialize)]
struct Line {
    v: u8,
    #[serde(flatten)]
    row: Row,
}

impl Recall {
    /// Adds the lessons that were shown, by their ids with their layers.
    pub fn name(&mut self, ids: impl IntoIterator<Item = impl AsRef<str>>) {
        let hashes: Vec<String> =
            ids.into_iter().take(MAX_NAMED + 1).map(|id| hash_of_id(id.as_ref())).collect();
        self.lessons = (hashes.len() <= MAX_NAMED).then_some(hashes);
    }
}

impl Row {
    /// Returns the line, with its newline.
    pub fn line(&self) -> String {
        let line = Line { v: VERSION, row: self.clone() };
        // Numbers, names and hashes: there is nothing in a row that JSON could not hold.
        serde_json::to_string(&line).unwrap_or_default() + "\n"
    }
}

/// Returns the hash that names a lesson in a row.
fn hash_of_id(id: &str) -> String {
    digest::hex(id.as_bytes(), 12)
}

/// The file, and behind it the one that was put aside.
fn files_of(home: &Home) -> [PathBuf; 2] {
    ["telemetry.jsonl", "telemetry.old.jsonl"].map(|name| home.log().join(name))
}

/// Adds a row.
pub fn record(home: &Home, row: &Row) -> Result<(), WriteError> {
    files::ensure_folder(&home.log())?;
    let [path, old] = files_of(home);
    // Without the lock, the next row does it.
    if is_full(&path)?
        && let Ok(_lock) = Lock::acquire(home, Duration::ZERO)
        && is_full(&path)?
    {
        durable::rename(&path, &old)?;
    }
    durable::append(&path, row.line().as_bytes())
}

fn is_full(path: &Path) -> Result<bool, FileError> {
    Ok(files::open(path)?.is_some_and(|file| file.metadata().is_ok_and(|found| found.len() >= MAX_FILE)))
}

/// Reads every row that is kept, the oldest first.
pub fn read(home: &Home) -> Result<Vec<Row>, FileError> {
    let mut rows = Vec::new();
    for path in files_of(home).into_iter().rev() {
        // One row over the limit, and what was added while the lock was taken.
        let bytes = files::read(&path, MAX_FILE * 2)?.unwrap_or_default();
        let lines = bytes.split(|&byte| byte == b'\n');
        let known = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        rows.extend(known.filter(|line| line.v == VERSION).map(|line| line.row));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        files::ensure_folder(home.root()).unwrap();
        (dir, home)
    }

    fn capture(t: u64) -> Row {
        Row::Capture(Capture {
            t,
            outcome: CaptureOutcome::Added,
            warnings: 1,
            session: None,
            codes: Vec::new(),
            new: NewParts::default(),
        })
    }

    #[test]
    fn the_golden_lines_are_these() {
        assert_eq!(
            capture(1).line(),
            "{\"v\":1,\"what\":\"capture\",\"t\":1,\"outcome\":\"added\",\"warnings\":1}\n"
        );
        let Row::Capture(mut full) = capture(1) else { panic!() };
        full.new = NewParts { topics: 1, triggers: [(TriggerKind::Keyword, 2)].into() };
        let line = Row::Capture(full.clone()).line();
        assert!(line.ends_with(",\"new\":{\"topics\":1,\"triggers\":{\"keyword\":2}}}\n"), "{line}");
        assert_eq!(serde_json::from_str::<Line>(&line).unwrap().row, Row::Capture(full));
        let mut recall = Recall { t: 2, matches: 3, tokens: 9, ..Recall::default() };
        recall.name(["user/git-stash"]);
        assert_eq!(
            Row::Recall(recall).line(),
            concat!(
                r#"{"v":1,"what":"recall","t":2,"matches":3,"keyword_only":false,"tokens":9,"#,
                r#""lessons":["d7b8f61e4d92"],"all":false}"#,
                "\n"
            )
        );
    }

    #[test]
    fn what_is_torn_or_unknown_is_skipped() {
        let (_dir, home) = scratch();
        record(&home, &capture(1)).unwrap();
        durable::append(&files_of(&home)[0], b"{\"v\":1,\"what\":\"rec").unwrap();
        durable::append(
            &files_of(&home)[0],
            b"\n{\"v\":2,\"what\":\"capture\",\"t\":1,\"outcome\":\"added\",\"warnings\":1}\n\xff\n\n",
        )
        .unwrap();
        record(&home, &capture(2)).unwrap();
        assert_eq!(read(&home).unwrap(), [capture(1), capture(2)]);
    }

    #[test]
    fn a_full_file_is_put_aside_and_the_one_before_goes() {
        let (_dir, home) = scratch();
        let fill = |t| {
            record(&home, &capture(t)).unwrap();
            std::fs::File::options()
                .append(true)
                .open(&files_of(&home)[0])
                .unwrap()
                .set_len(MAX_FILE)
                .unwrap();
        };
        fill(1);
        fill(2);
        record(&home, &capture(3)).unwrap();
        assert_eq!(read(&home).unwrap(), [capture(2), capture(3)]);
        let lock = Lock::acquire(&home, Duration::ZERO).unwrap();
        fill(4);
        record(&home, &capture(5)).unwrap();
        drop(lock);
        assert!(
            std::fs::metadata(&files_of(&home)[0]).unwrap().len() > MAX_FILE,
            "whoever has the lock is not waited for"
        );
    }

    #[test]
    fn a_row_that_would_name_too_many_names_none() {
        let mut recall = Recall::default();
        recall.name((0..=MAX_NAMED).map(|n| format!("user/{n}")));
        assert_eq!(recall.lessons, None);
        recall.name((0..MAX_NAMED).map(|n| format!("user/{n}")));
        assert_eq!(recall.lessons.as_ref().map(Vec::len), Some(MAX_NAMED));
        assert!(Row::Recall(recall).line().len() < 4096, "one write");
    }
}
