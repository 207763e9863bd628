//! Histories: transcripts of sessions as the client writes them, the same bytes at every run.
//!
//! Most of the bytes are results of calls, as in real ones. One command in ten fails, and of those one in ten is made
//! again in another way at once. One session in four holds a lesson that the agent wrote down, and every session begins with the
//! protocol that asks for them. The texts come from a fixed stock, so that a gigabyte is written in seconds.

#![allow(clippy::disallowed_methods, reason = "what it writes is measured, not kept")]

mod lines;
mod stock;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

pub(crate) use lines::RARE_COMMAND;
use lines::{ToolCall, TranscriptLines};
use stock::{Dice, TextStock};

/// The lengths of sessions in bytes: many short ones and few long ones, which hold most of the bytes.
const LENGTHS: [u64; 8] = [40 << 10, 120 << 10, 120 << 10, 600 << 10, 600 << 10, 2 << 20, 4 << 20, 14 << 20];
/// The number of projects.
const PROJECTS: usize = 17;
/// One session in this many holds a lesson.
const WITH_LESSON: usize = 4;
/// One command in this many is [`RARE_COMMAND`].
const RARE: usize = 50;
/// One command in this many fails.
const FAILING: usize = 10;
/// One failed command in this many is tried again in another way.
const RETRIED: usize = 10;

/// The program of [`RARE_COMMAND`], a word that nothing else in a history holds.
pub(crate) const RARE_WORD: &str = "flightdeck";

/// The contents of a history, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct HistoryFacts {
    /// The number of files.
    pub(crate) files: usize,
    /// The size of all files in bytes.
    pub(crate) bytes: u64,
    /// The number of lessons that the agent wrote down.
    pub(crate) lessons: usize,
    /// The number of tool calls.
    pub(crate) calls: usize,
    /// The number of calls with [`RARE_COMMAND`].
    pub(crate) rare: usize,
}

/// Writes sessions of at least `bytes` in all below the folder `projects`.
pub(crate) fn write(projects: &Path, bytes: u64) -> io::Result<HistoryFacts> {
    let stock = TextStock::new();
    let mut facts = HistoryFacts::default();
    while facts.bytes < bytes {
        let length = LENGTHS[facts.files % LENGTHS.len()].min(bytes);
        session(projects, &stock, length, &mut facts)?;
    }
    Ok(facts)
}

/// Writes `sessions` sessions of a few lines each below the folder `projects`.
pub(crate) fn write_short(projects: &Path, sessions: usize) -> io::Result<HistoryFacts> {
    let stock = TextStock::new();
    let mut facts = HistoryFacts::default();
    for _ in 0..sessions {
        session(projects, &stock, 1, &mut facts)?;
    }
    Ok(facts)
}

/// Writes one file with a single line of at least `bytes` bytes that holds nothing of interest.
pub(crate) fn write_line(projects: &Path, bytes: u64) -> io::Result<HistoryFacts> {
    let folder = projects.join("-home-dev-long");
    fs::create_dir_all(&folder)?;
    let mut out = BufWriter::new(File::create(folder.join("long.jsonl"))?);
    let piece = vec![b'x'; 64 << 10];
    out.write_all(br#"{"type":"user","message":{"role":"user","content":""#)?;
    for _ in 0..bytes / piece.len() as u64 {
        out.write_all(&piece)?;
    }
    out.write_all(b"\"}}\n")?;
    out.flush()?;
    Ok(HistoryFacts { files: 1, bytes, ..HistoryFacts::default() })
}

/// Writes the next session, of at least `length` bytes, and counts it in `facts`.
fn session(projects: &Path, stock: &TextStock, length: u64, facts: &mut HistoryFacts) -> io::Result<()> {
    let number = facts.files;
    let project = format!("project-{}", number % PROJECTS);
    let folder = projects.join(format!("-home-dev-{project}"));
    fs::create_dir_all(&folder)?;
    let mut lines = TranscriptLines::new(number, &project);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(folder.join(lines.file_name()))?);
    let mut dice = Dice::new(number);
    let mut written = 0;
    let mut put = |line: &str| {
        written += line.len() as u64;
        out.write_all(line.as_bytes()).map(|()| written)
    };
    put(&lines.beginning())?;
    put(&lines.typed(stock.sentence(&mut dice)))?;
    let mut lesson = number.is_multiple_of(WITH_LESSON).then_some(number);
    loop {
        if dice.one_in(4) {
            put(&lines.said(stock.sentence(&mut dice)))?;
        }
        if dice.one_in(30) {
            put(&lines.typed(stock.sentence(&mut dice)))?;
        }
        let so_far = call(&mut lines, stock, &mut dice, facts, &mut put)?;
        // Lessons are written in the middle of a session.
        if so_far >= length / 2
            && let Some(number) = lesson.take()
        {
            put(&lines.lesson(number))?;
            facts.lessons += 1;
        }
        if so_far >= length {
            break;
        }
    }
    facts.bytes += written;
    facts.files += 1;
    out.flush()
}

/// Writes a call and its result, and sometimes a second try after a failure. Returns what `put` returns for the last
/// line: the number of bytes written so far.
fn call(
    lines: &mut TranscriptLines,
    stock: &TextStock,
    dice: &mut Dice,
    facts: &mut HistoryFacts,
    put: &mut dyn FnMut(&str) -> io::Result<u64>,
) -> io::Result<u64> {
    facts.calls += 1;
    let call = match dice.below(10) {
        0..5 if dice.one_in(RARE) => {
            facts.rare += 1;
            ToolCall::Rare
        }
        0..5 => ToolCall::Command(stock.command(dice)),
        5..8 => ToolCall::Read(stock.path(dice)),
        _ => ToolCall::Edit(stock.path(dice), stock.code(dice), stock.code(dice)),
    };
    put(&lines.call(&call))?;
    if let ToolCall::Command(command) = call
        && dice.one_in(FAILING)
    {
        let so_far = put(&lines.failed(stock.error(dice)))?;
        if !dice.one_in(RETRIED) {
            return Ok(so_far);
        }
        facts.calls += 1;
        put(&lines.call(&ToolCall::Retry(command)))?;
    }
    put(&lines.succeeded(stock.result(dice)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(folder: &Path) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for project in fs::read_dir(folder).unwrap() {
            for file in fs::read_dir(project.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                files.push((path.to_string_lossy().into_owned(), fs::read_to_string(path).unwrap()));
            }
        }
        files.sort();
        files
    }

    #[test]
    fn a_history_is_lines_of_json_and_its_counts_are_right() {
        let dir = tempfile::tempdir().unwrap();
        let facts = write(dir.path(), 2_000_000).unwrap();
        let files = read(dir.path());
        assert_eq!(facts.files, files.len());
        assert_eq!(facts.bytes, files.iter().map(|(_, text)| text.len() as u64).sum::<u64>());
        let lines: Vec<Value> = files
            .iter()
            .flat_map(|(_, text)| text.lines())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let blocks = || lines.iter().filter_map(|line| line.pointer("/message/content/0"));
        assert_eq!(facts.calls, blocks().filter(|block| block["type"] == "tool_use").count());
        let rare =
            |block: &&Value| block.pointer("/input/command").is_some_and(|command| command == RARE_COMMAND);
        assert_eq!(facts.rare, blocks().filter(rare).count());
        assert!(facts.rare > 0);
        let is_lesson = |block: &&Value| block["text"].as_str().is_some_and(|text| text.contains("#lesson"));
        assert_eq!(facts.lessons, blocks().filter(is_lesson).count());
        assert_eq!(facts.lessons, facts.files.div_ceil(WITH_LESSON));
        assert!(blocks().any(|block| block["is_error"] == true));
    }

    #[test]
    fn a_history_is_the_same_every_time() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write_short(one.path(), 20).unwrap();
        write_short(two.path(), 20).unwrap();
        let texts = |folder: &Path| read(folder).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(one.path()), texts(two.path()));
    }
}
