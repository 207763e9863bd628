//! Files that nobody has touched since: they are not opened, and whatever happens to one of them is noticed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use lessons_ledger::recording::FileScan;

use crate::scratch::{Scratch, assistant, doubts, jsonl, lesson, tool_result, user};

/// Does something to a file until the time of its last change is another one: that time goes in steps.
fn until_it_shows(path: &Path, change: impl Fn()) {
    let changed = || fs::metadata(path).map(|found| (found.ctime(), found.ctime_nsec())).unwrap();
    let before = changed();
    while changed() == before {
        change();
    }
}

fn session(n: usize) -> String {
    jsonl(&[assistant(&format!("a{n}"), 1, &lesson(&format!("thing {n} broke badly"), "do it well"))])
}

/// Four sessions that have been scanned, long after they were written.
fn scanned() -> Scratch {
    let mut scratch = Scratch::new();
    for n in 0..4 {
        scratch.write(&format!("{n}.jsonl"), session(n));
    }
    assert_eq!(scratch.scan_in(&Scratch::long_after()).recorded.new, 4);
    scratch
}

#[test]
fn a_file_that_nobody_has_touched_is_not_opened() {
    let mut scratch = scanned();
    // Were it opened, this would not be taken for what was read of it.
    let path = scratch.path("1.jsonl").to_string_lossy().into_owned();
    let cursor = scratch.database().cursor(&path).unwrap().unwrap();
    let cursor = lessons_ledger::recording::cursors::Cursor { hash: "of something else".into(), ..cursor };
    let noted = FileScan { cursor, found: Vec::new(), notes: Vec::new(), beginnings: Vec::new() };
    scratch.database().record_scans(&[noted], 0).unwrap();
    let report = scratch.scan_in(&Scratch::long_after());
    assert_eq!((report.files, report.files_read, report.skipped_count), (4, 0, 0));
    // A scan that was not long after must look.
    until_it_shows(Path::new(&path), || {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    });
    assert_eq!(scratch.scan_in(&Scratch::long_after()).files_read, 1);
}

#[test]
fn a_file_of_the_same_size_and_time_with_other_lines_is_read() {
    let mut scratch = scanned();
    let path = scratch.path("2.jsonl");
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    until_it_shows(&path, || {
        scratch.write("2.jsonl", session(7));
        fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
    });
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.len(), found.modified().unwrap()), (session(2).len() as u64, written));
    let report = scratch.scan_in(&Scratch::long_after());
    assert_eq!((report.files_read, report.recorded.new), (1, 1));
    assert!(scratch.mistakes().contains(&"thing 7 broke badly".to_owned()));
}

#[test]
fn a_file_that_ends_in_an_open_line_is_read_once_however_long_that_line_is() {
    let mut scratch = scanned();
    // The rest of the first file, and all of the second, are holes: a line without an end.
    for (name, start) in [("0.jsonl", session(0)), ("hole.jsonl", String::new())] {
        scratch.write(name, start);
        fs::File::options().write(true).open(scratch.path(name)).unwrap().set_len(40 << 20).unwrap();
    }
    assert_eq!(scratch.scan_in(&Scratch::long_after()).files_read, 2);
    let again = scratch.scan_in(&Scratch::long_after());
    assert_eq!((again.files, again.files_read), (5, 0));
    // What is written after the hole is read, and what stood before it is not read again.
    scratch.append("0.jsonl", format!("\n{}", session(9)));
    let grown = scratch.scan_in(&Scratch::long_after());
    assert_eq!((grown.files_read, grown.recorded.new, grown.recorded.again), (1, 1, 0));
}

#[test]
fn one_that_grew_is_read_beside_those_that_did_not_and_one_that_went_is_forgotten() {
    let mut scratch = scanned();
    scratch.append("0.jsonl", session(8));
    fs::remove_file(scratch.path("1.jsonl")).unwrap();
    fs::rename(scratch.path("2.jsonl"), scratch.path("moved.jsonl")).unwrap();
    let report = scratch.scan_in(&Scratch::long_after());
    assert_eq!((report.files, report.files_read, report.recorded.new, report.recorded.again), (3, 1, 1, 0));
    let offsets =
        ["0.jsonl", "1.jsonl", "2.jsonl", "3.jsonl", "moved.jsonl"].map(|name| scratch.offset(name));
    let [one, two] = [session(0).len() as u64, 2 * session(0).len() as u64];
    assert_eq!(offsets, [two, 0, 0, one, one]);
    assert_eq!(scratch.scan_in(&Scratch::long_after()).files_read, 0);
}

#[test]
fn a_session_is_compared_with_its_files_that_did_not_change_too() {
    let (mistake, fix) =
        ("the mirror of the company answers too late", "wait for the mirror before each push");
    let mut scratch = Scratch::new();
    let page = tool_result("t", 2, &format!("{mistake}. {fix}"));
    scratch.write("s.jsonl", jsonl(&[user("u", 1, "push it"), page]));
    scratch.scan_in(&Scratch::long_after());
    let said = assistant("a", 9, &lesson(mistake, fix));
    scratch.write("s/subagents/agent-a.jsonl", jsonl(&[said]));
    assert_eq!(scratch.scan_in(&Scratch::long_after()).files_read, 1);
    assert_eq!(doubts(&scratch.waiting()[0]), ["echo"]);
}
