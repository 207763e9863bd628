//! Transcripts that are copied, moved, or bear another time than they should: nothing is missed, nothing doubled.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::pieces::state;
use crate::scratch::{Scratch, assistant, doubts, jsonl, lesson, tool_result, user};

const MISTAKE: &str = "pushes fail without the mirror of the company";
const FIX: &str = "run the installer of the mirror before every push to it";

/// The lines of a session as a fork of it copies them.
fn copied(lines: &[Value], session: &str) -> Vec<Value> {
    let copy = |line: &Value| {
        let mut line = line.clone();
        line["sessionId"] = session.into();
        line
    };
    lines.iter().map(copy).collect()
}

#[test]
fn what_the_copied_part_of_a_fork_holds_was_there_before() {
    let page = format!("{MISTAKE}. {FIX}");
    let before = [user("u", 1, "push it"), tool_result("t", 2, &page), assistant("a", 3, "I see.")];
    let mut scratch = Scratch::with(&before);
    scratch.scan();
    let mut said = assistant("b", 9, &lesson(MISTAKE, FIX));
    said["sessionId"] = "s-2".into();
    scratch.write("b.jsonl", jsonl(&[copied(&before, "s-2"), vec![said.clone()]].concat()));
    scratch.scan();
    let waiting = scratch.waiting();
    assert_eq!((waiting.len(), doubts(&waiting[0])), (1, vec!["echo"]));

    // A fork from before the page was read has not seen it.
    let mut scratch = Scratch::with(&before);
    scratch.write("b.jsonl", jsonl(&[copied(&before[..1], "s-2"), vec![said]].concat()));
    scratch.scan();
    assert_eq!(doubts(&scratch.waiting()[0]), [] as [&str; 0]);
}

/// Two lines with a lesson each, which a clock that was set back in between has dated.
fn dated(seconds: [u64; 2]) -> [Value; 2] {
    [
        assistant("a", seconds[0], &lesson("the first broke when run twice", "run it once")),
        assistant("b", seconds[1], &lesson("the second broke without a net", "hang the net first")),
    ]
}

fn set_clock_of(path: &Path, time: SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_clock_that_jumps_makes_nothing_missed_or_double() {
    let year = Duration::from_hours(365 * 24);
    let [long_ago, far_ahead] = [SystemTime::UNIX_EPOCH, SystemTime::now() + 50 * year];
    for seconds in [[80_000, 1], [1, 80_000], [5, 5]] {
        for times in [[far_ahead, long_ago], [long_ago, long_ago], [long_ago, far_ahead]] {
            let [first, second] = dated(seconds);
            let mut scratch = Scratch::with(std::slice::from_ref(&first));
            set_clock_of(&scratch.path("a.jsonl"), times[0]);
            scratch.scan();
            scratch.append("a.jsonl", jsonl(&[second]));
            set_clock_of(&scratch.path("a.jsonl"), times[1]);
            let report = scratch.scan();
            assert_eq!((report.recorded.new, report.recorded.again), (1, 0), "{seconds:?} {times:?}");
            let report = scratch.scan();
            assert_eq!((report.bytes, report.recorded.again), (0, 0), "nothing is new");
            assert!(scratch.waiting().iter().all(|found| (found.seen, found.sessions) == (1, 1)));
            assert_eq!(scratch.waiting().len(), 2);
        }
    }
}

/// A project with a session and a sub-agent of it.
fn project(scratch: &Scratch, folder: &str) {
    let [first, second] = dated([3, 4]);
    scratch.write(&format!("{folder}/s.jsonl"), jsonl(&[user("u", 1, "go"), first]));
    scratch.write(&format!("{folder}/s/subagents/agent-a.jsonl"), jsonl(&[second]));
}

const FILES: [&str; 2] = ["s.jsonl", "s/subagents/agent-a.jsonl"];

fn copy(scratch: &Scratch, from: &str, to: &str) {
    for file in FILES {
        let bytes = fs::read(scratch.path(&format!("{from}/{file}"))).unwrap();
        scratch.write(&format!("{to}/{file}"), bytes);
    }
}

#[test]
fn a_folder_that_was_copied_adds_nothing_and_goes_its_own_way() {
    let mut scratch = Scratch::new();
    project(&scratch, "one");
    scratch.scan();
    let before = state(&mut scratch, &[]);
    copy(&scratch, "one", "two");
    let report = scratch.scan();
    assert_eq!((report.files_read, report.recorded.new, report.recorded.again), (2, 0, 0));
    assert_eq!(state(&mut scratch, &[]), before);
    // What only one of them says later counts, once.
    let more = assistant("c", 9, &lesson("the third broke in the rain", "take it inside"));
    scratch.append("two/s.jsonl", jsonl(&[more]));
    assert_eq!(scratch.scan().recorded.new, 1);
    assert_eq!(scratch.scan().bytes, 0);
}

#[test]
fn a_home_that_was_moved_is_not_read_again_and_one_that_was_copied_adds_nothing() {
    let mut scratch = Scratch::new();
    project(&scratch, "old/projects");
    scratch.scan();
    let before = state(&mut scratch, &[]);
    fs::rename(scratch.path("old"), scratch.path("new")).unwrap();
    let report = scratch.scan();
    assert_eq!((report.files, report.bytes), (2, 0), "the same files in another place");
    assert_eq!(state(&mut scratch, &[]), before);
    assert_eq!(scratch.scan().bytes, 0, "which is remembered");

    copy(&scratch, "new/projects", "newer/projects");
    fs::remove_dir_all(scratch.path("new")).unwrap();
    let more = assistant("c", 9, &lesson("the third broke in the rain", "take it inside"));
    scratch.append("newer/projects/s.jsonl", jsonl(&[more]));
    let report = scratch.scan();
    assert_eq!((report.files_read, report.recorded.new, report.recorded.again), (2, 1, 0));
    assert_eq!(scratch.offset("new/projects/s.jsonl"), 0, "the place of a file that is gone is forgotten");
    assert_eq!(scratch.scan().bytes, 0);
}
