//! Scans that record at the same time.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use lessons_home::home::Home;
use lessons_ledger::candidates::{CandidateStatus, Finding, Sighting};
use lessons_ledger::database::Database;
use lessons_ledger::recording::cursors::Cursor;
use lessons_ledger::recording::{FileScan, ScanItem};

/// What file `n` of scanner `scanner` gave: one mistake that all share.
fn scan(scanner: u64, n: u64) -> FileScan<'static> {
    let finding =
        Finding { source: "tag".into(), mistake: "m".into(), fix: "f".into(), ..Finding::default() };
    let path = format!("/t/{scanner}-{n}.jsonl");
    let sighting = Sighting {
        uuid: format!("u-{scanner}-{n}"),
        file: path.clone(),
        session: format!("s-{scanner}-{n}"),
        line: 1,
        time: n,
        ..Sighting::default()
    };
    let cursor = Cursor {
        path,
        device: 1,
        inode: n,
        offset: 9,
        line: 1,
        prefix: 0,
        hash: String::new(),
        size: 9,
        changed: 0,
    };
    FileScan {
        cursor,
        found: vec![ScanItem::Seen { finding: Box::new(finding), sighting }],
        notes: Vec::new(),
        beginnings: Vec::new(),
    }
}

#[test]
fn scans_that_record_at_once_wait_for_each_other_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    drop(Database::open(&home).unwrap());
    std::thread::scope(|scope| {
        for scanner in 0..4 {
            let home = &home;
            scope.spawn(move || {
                let mut database = Database::open(home).unwrap();
                for n in 0..50 {
                    database.record_scans(&[scan(scanner, n)], 0).unwrap();
                    database.forget_cursors(&["/gone.jsonl"]).unwrap();
                }
            });
        }
    });
    let database = Database::open(&home).unwrap();
    let candidates = database.candidates(&[CandidateStatus::New]).unwrap();
    assert_eq!(candidates.len(), 1);
    assert_eq!(database.sightings(&candidates[0].id).unwrap().len(), 200);
}
