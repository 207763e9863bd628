//! The comparison of the tags and rules of a session with what was put before the model in it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use memchr::memmem::{self, Finder};

use crate::echo::{Prefilter, Provenance, Question, ShingleMatches, ShingleSet};
use crate::run::budget::LongLines;
use crate::run::progress::SharedProgress;
use crate::transcript::line::{LineRegion, LineSearch, read_some};
use crate::transcript::resume::Transcript;
use crate::transcript::timestamp::Timestamp;
use crate::transcript::walk::Session;
use crate::transcript::{self, InputSource, ModelInput};

/// A query whether a block is an echo, with the place of the block.
#[derive(Debug)]
pub(crate) struct PlacedQuery {
    /// The number of the file in the session.
    pub(crate) file: usize,
    /// The offset of the line of the block, in bytes.
    pub(crate) offset: u64,
    /// The time of the block. Without one, everything in the other files counts as earlier.
    pub(crate) time: Option<Timestamp>,
    /// The shingles of its texts.
    pub(crate) question: Question,
    /// Whose words it is compared with. What the model says may repeat any that it had read; a person may repeat themselves.
    pub(crate) sources: &'static [InputSource],
}

/// Where the blocks came from. One pass over the files of the session, whatever their number; where everybody is to
/// stop, it means nothing. `None` where a line is left to others that may say something.
pub(crate) fn provenances(
    session: &Session,
    asked: &[PlacedQuery],
    long_lines: LongLines,
    progress: &SharedProgress,
) -> io::Result<Option<Vec<Provenance>>> {
    let spilled: Vec<(PathBuf, Question)> =
        spilled_files(&session.folder).into_iter().map(|path| (path.clone(), name_of(&path))).collect();
    let mut set = ShingleSet::default();
    let names = spilled.iter().map(|(_, name)| name);
    let questions = asked.iter().map(|asked| &asked.question).chain(names);
    questions.clone().for_each(|question| set.add(question));
    let prefilter = Prefilter::new(questions);
    let mut by_file = Vec::new();
    for (index, path) in session.files.iter().enumerate() {
        // Of a file that alone is asked about, what comes after its last block counts for none. A scan that leaves long
        // lines has to know of all.
        let is_alone = spilled.is_empty() && asked.iter().all(|asked| asked.file == index);
        let ends_early = is_alone && !long_lines.are_left();
        let last = asked.iter().map(|asked| asked.offset).max().filter(|_| ends_early);
        let end = last.unwrap_or(u64::MAX);
        let Some(matches) = in_transcript(path, end, &set, &prefilter, long_lines, progress)? else {
            return Ok(None);
        };
        by_file.push(matches);
    }
    let mut results = Vec::new();
    for (path, name) in &spilled {
        results.push((name, in_text(path, &set, progress)?));
    }
    let is_echo = |asked: &PlacedQuery| {
        let time = asked.time.unwrap_or(Timestamp::END);
        let read_before = |row: &str, sources: &[InputSource]| {
            by_file.iter().enumerate().any(|(index, matches)| {
                let is_own = index == asked.file;
                matches
                    .first(row, sources)
                    .any(|it| if is_own { it.offset < asked.offset } else { it.time <= time })
            })
        };
        // A result in a file of its own counts from where a transcript names it; one that no transcript names
        // counts from the start.
        let earlier: Vec<&ShingleMatches<'_>> = results
            .iter()
            .filter(|(name, _)| {
                name.is_echo(|row| read_before(row, &InputSource::ALL))
                    || !name.is_echo(|row| by_file.iter().any(|matches| matches.contains(row)))
            })
            .map(|(_, matches)| matches)
            .collect();
        asked.question.is_echo(|row| {
            read_before(row, asked.sources) || earlier.iter().any(|matches| matches.contains(row))
        })
    };
    let provenance = |asked| if is_echo(asked) { Provenance::Echo } else { Provenance::Own };
    Ok(Some(asked.iter().map(provenance).collect()))
}

/// The shingles that were put before the model in one transcript up to an offset. There are none where the transcript cannot be
/// opened: then it has no tags to compare either.
fn in_transcript<'e>(
    path: &Path,
    end: u64,
    set: &'e ShingleSet,
    prefilter: &Prefilter,
    long_lines: LongLines,
    progress: &SharedProgress,
) -> io::Result<Option<ShingleMatches<'e>>> {
    let mut matches = ShingleMatches::new(set);
    let Ok(transcript) = Transcript::open(path) else { return Ok(Some(matches)) };
    let mut search = LineSearch::with_limits(transcript.file, 0, long_lines.limits());
    let mut lower = Vec::new();
    while let Some(region) = search.next_region()?.filter(|_| !progress.is_stopped()) {
        match region {
            LineRegion::Lines(lines) if lines.offset >= end => break,
            LineRegion::Lines(lines) => {
                let candidates = prefilter.lines(lines, &mut lower).take_while(|line| line.offset < end);
                for line in candidates.filter(|line| !is_of_assistant(line.bytes)) {
                    matches.scan_line(line.offset, line.bytes, || {
                        transcript::model_input(line.bytes).unwrap_or(Some(ModelInput::default()))
                    });
                }
            }
            // A scan that can keep the whole line knows who speaks in it, and when.
            LineRegion::LongPiece(_) if long_lines.are_left() => return Ok(None),
            // Nobody types 8 MiB at once: it was a result.
            LineRegion::LongPiece(piece) => matches.scan_piece(piece.offset, piece.bytes),
        }
    }
    matches.end_line();
    progress.compared.fetch_add(search.end(), Ordering::Relaxed);
    Ok(Some(matches))
}

/// Whether the model itself wrote a line, as far as its bytes show: a value cannot stand unescaped inside a string of JSON.
/// Such lines are long, and none of them counts.
fn is_of_assistant(line: &[u8]) -> bool {
    static KINDS: LazyLock<[Finder<'static>; 4]> = LazyLock::new(|| {
        ["\"user\"", "\"attachment\"", "\"system\"", "\"queue-operation\""].map(Finder::new)
    });
    memmem::find(line, b"\"assistant\"").is_some() && KINDS.iter().all(|kind| kind.find(line).is_none())
}

/// The shingles of a text file.
fn in_text<'e>(
    path: &Path,
    set: &'e ShingleSet,
    progress: &SharedProgress,
) -> io::Result<ShingleMatches<'e>> {
    let mut matches = ShingleMatches::new(set);
    let Ok(Transcript { mut file, .. }) = Transcript::open(path) else { return Ok(matches) };
    let mut chunk = vec![0; 256 << 10];
    while let read @ 1.. = read_some(&mut file, &mut chunk)?
        && !progress.is_stopped()
    {
        matches.scan_piece(0, &chunk[..read]);
    }
    matches.end_line();
    Ok(matches)
}

/// The files with results that were too long for a line: the client puts them into `tool-results/`.
fn spilled_files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder.join("tool-results")).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.path()).collect()
}

/// The name by which a transcript mentions such a file. The text of a hook is named by the call it belongs to,
/// `hook-<id of the call>-<event>-…`; other results are named by their file.
fn name_of(path: &Path) -> Question {
    const EVENTS: [&str; 6] = [
        "-PreToolUse-",
        "-PostToolUse-",
        "-PostToolUseFailure-",
        "-SessionStart-",
        "-UserPromptSubmit-",
        "-Subagent",
    ];
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let of_call = stem
        .strip_prefix("hook-")
        .and_then(|rest| EVENTS.iter().find_map(|event| rest.split_once(event).map(|(call, _)| call)));
    Question::of_name(of_call.unwrap_or(&stem))
}

#[cfg(test)]
mod tests {
    use lessons_ledger::Finding;
    use serde_json::json;

    use super::*;
    use crate::tag::Tag;

    const FIX: &str = "run the installer of the mirror before every git push";

    fn asked(file: usize, offset: u64, second: u64) -> PlacedQuery {
        let (mistake, fix) = ("pushes fail without the mirror".into(), FIX.into());
        let tag = Tag { finding: Finding { mistake, fix, ..Finding::default() }, ..Tag::default() };
        let time = Timestamp::parse(&format!("2026-01-01T00:00:{second:02}Z"));
        PlacedQuery { file, offset, time, question: Question::of_lesson(&tag), sources: &InputSource::ALL }
    }

    fn line(kind: &str, second: u64, text: &str) -> String {
        let time = format!("2026-01-01T00:00:{second:02}Z");
        json!({"type": kind, "timestamp": time, "message": {"content": text}}).to_string() + "\n"
    }

    struct Scratch {
        dir: tempfile::TempDir,
        session: Session,
    }

    impl Scratch {
        /// A session with a sub-agent's transcript (file 0) and the main one (file 1).
        fn new(agent: &str, main: &str) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let folder = dir.path().join("s");
            let files = vec![folder.join("subagents/agent-a.jsonl"), dir.path().join("s.jsonl")];
            std::fs::create_dir_all(folder.join("subagents")).unwrap();
            std::fs::write(&files[0], agent).unwrap();
            std::fs::write(&files[1], main).unwrap();
            Self { dir, session: Session { folder, files } }
        }

        fn is_echo(&self, asked: PlacedQuery) -> bool {
            let provenances =
                provenances(&self.session, &[asked], LongLines::Skip, &SharedProgress::default());
            provenances.unwrap().unwrap()[0] == Provenance::Echo
        }
    }

    #[test]
    fn only_what_came_earlier_in_the_same_file_counts() {
        let (before, after) = (line("user", 9, "go"), line("user", 1, FIX));
        let offset = before.len() as u64;
        let scratch = Scratch::new("", &(before + &after));
        assert!(!scratch.is_echo(asked(1, offset, 30)), "its own place, whatever the clock says");
        assert!(scratch.is_echo(asked(1, offset + 1, 0)));
    }

    #[test]
    fn what_came_earlier_in_another_file_of_the_session_counts_by_time() {
        let scratch = Scratch::new(&line("user", 10, FIX), "");
        assert!(!scratch.is_echo(asked(1, 0, 9)));
        assert!(scratch.is_echo(asked(1, 0, 10)));
        assert!(scratch.is_echo(PlacedQuery { time: None, ..asked(1, 0, 9) }));
    }

    #[test]
    fn a_person_may_repeat_themselves() {
        let typed = line("user", 1, FIX);
        let brought =
            json!({"type": "user", "message": {"content": [{"type": "tool_result", "content": FIX}]}});
        let rule = || PlacedQuery {
            question: Question::of_rule(FIX).unwrap(),
            sources: &[InputSource::Others],
            ..asked(1, 10_000, 30)
        };
        assert!(!Scratch::new("", &typed).is_echo(rule()));
        assert!(Scratch::new("", &format!("{brought}\n")).is_echo(rule()));
        assert_eq!(Question::of_rule("use pnpm"), None);
    }

    #[test]
    fn what_the_assistant_itself_said_or_did_does_not_count() {
        let scratch = Scratch::new("", &line("assistant", 1, FIX));
        assert!(!scratch.is_echo(asked(1, 10_000, 30)));
    }

    #[test]
    fn a_file_that_was_attached_or_a_line_that_cannot_be_read_counts() {
        let scratch = Scratch::new("", &line("attachment", 1, &format!("> - **Fix:** {FIX}\n")));
        assert!(scratch.is_echo(asked(1, 10_000, 30)));
        let scratch = Scratch::new("", &format!("broken {FIX}\n"));
        assert!(scratch.is_echo(asked(1, 10_000, 30)));
    }

    #[test]
    fn a_result_in_a_file_of_its_own_counts_from_where_it_is_named() {
        let named = line("user", 5, "Full output saved to: /x/s/tool-results/b7k2q.txt");
        let offset = named.len() as u64;
        let scratch = Scratch::new("", &named);
        let folder = scratch.dir.path().join("s/tool-results");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("b7k2q.txt"), format!("{}{FIX}", "filler ".repeat(100_000))).unwrap();
        assert!(!scratch.is_echo(asked(1, 0, 4)));
        assert!(scratch.is_echo(asked(1, offset, 6)));
        assert!(scratch.is_echo(asked(0, 0, 6)));
    }

    #[test]
    fn the_text_of_a_hook_is_named_by_its_call() {
        let named = line("attachment", 5, "toolu_mock_0001_0");
        let offset = named.len() as u64;
        let scratch = Scratch::new("", &named);
        let folder = scratch.dir.path().join("s/tool-results");
        std::fs::create_dir_all(&folder).unwrap();
        let name = "hook-toolu_mock_0001_0-PreToolUse-504ca9b9c9940110-additionalContext.txt";
        std::fs::write(folder.join(name), FIX).unwrap();
        assert!(!scratch.is_echo(asked(1, 0, 4)));
        assert!(scratch.is_echo(asked(1, offset, 6)));
    }

    #[test]
    fn a_result_that_nobody_names_counts() {
        let scratch = Scratch::new("", "");
        let folder = scratch.dir.path().join("s/tool-results");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("unknown.txt"), FIX).unwrap();
        assert!(scratch.is_echo(asked(1, 0, 1)));
    }
}
