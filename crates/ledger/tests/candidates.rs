//! How findings become candidates.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use lessons_home::home::Home;
use lessons_ledger::candidates::{Candidate, CandidateStatus, Doubt, Finding, Proposal, Sighting};
use lessons_ledger::database::Database;
use lessons_ledger::journal::Deed;
use lessons_ledger::recording::cursors::Cursor;
use lessons_ledger::recording::{FileScan, Recorded, ScanItem};
use lessons_pattern::trigger::{Trigger, TriggerKind};

struct Scratch {
    _folder: tempfile::TempDir,
    database: Database,
}

fn scratch() -> Scratch {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(&Home::at(folder.path().join("data"))).unwrap();
    Scratch { _folder: folder, database }
}

fn deed(now: u64) -> Deed {
    Deed::new("you", "decided", now)
}

fn cursor(offset: u64) -> Cursor {
    Cursor {
        path: "/t/a.jsonl".into(),
        device: u64::MAX,
        inode: 2,
        offset,
        size: offset,
        line: 1,
        prefix: 10,
        changed: 0,
        hash: "h".into(),
    }
}

fn seen(mistake: &str, uuid: &str, session: &str) -> ScanItem<'static> {
    let finding =
        Finding { source: "tag".into(), mistake: mistake.into(), fix: "fix".into(), ..Finding::default() };
    let sighting = Sighting { uuid: uuid.into(), session: session.into(), time: 5, ..Sighting::default() };
    ScanItem::Seen { finding: Box::new(finding), sighting }
}

fn taken_back(uuid: &str, session: &str, mistake: &'static str) -> ScanItem<'static> {
    let fits = Box::new(move |found: &str, _: Option<&str>| found == mistake);
    ScanItem::TakenBack { uuid: uuid.into(), session: session.into(), fits }
}

impl Scratch {
    fn record(&mut self, found: Vec<ScanItem<'_>>) -> Recorded {
        self.database
            .record_scans(
                &[FileScan { cursor: cursor(1), found, notes: Vec::new(), beginnings: Vec::new() }],
                5,
            )
            .unwrap()
    }

    fn waiting(&self) -> Vec<Candidate> {
        self.database.candidates(&[CandidateStatus::New]).unwrap()
    }
}

#[test]
fn a_finding_becomes_a_candidate_and_a_second_sighting_raises_its_counters() {
    let mut scratch = scratch();
    assert!(!scratch.database.has_new_candidates().unwrap());
    let first = scratch.record(vec![seen("It breaks", "u1", "s1")]);
    assert_eq!((first.new, first.again), (1, 0));
    let second = scratch.record(vec![seen("it  BREAKS", "u2", "s2")]);
    assert_eq!((second.new, second.again), (0, 1));
    let waiting = scratch.waiting();
    assert_eq!((waiting.len(), waiting[0].seen, waiting[0].sessions), (1, 2, 2));
    assert!(scratch.database.has_new_candidates().unwrap());
    assert_eq!(scratch.database.sightings(&waiting[0].id).unwrap().len(), 2);
}

#[test]
fn the_same_line_counts_once_and_a_forked_session_counts_as_the_one_it_came_from() {
    let mut scratch = scratch();
    scratch.record(vec![seen("a", "u1", "s1")]);
    assert_eq!(scratch.record(vec![seen("a", "u1", "s1")]), Recorded::default());
    // The fork holds the line again, and then says it once more itself.
    scratch.record(vec![seen("a", "u1", "fork"), seen("a", "u2", "fork")]);
    assert_eq!((scratch.waiting()[0].seen, scratch.waiting()[0].sessions), (2, 1));
}

#[test]
fn a_candidate_is_taken_back_in_its_own_session_once() {
    let mut scratch = scratch();
    scratch.record(vec![seen("a", "u1", "s1"), seen("b", "u2", "s1")]);
    assert_eq!(scratch.record(vec![taken_back("c0", "s2", "a")]).cancelled, 0);
    assert_eq!(scratch.record(vec![taken_back("c1", "s1", "a")]).cancelled, 1);
    assert_eq!(scratch.waiting().len(), 1);
    // Said again afterwards, it waits again; reading the old line again does not change that.
    scratch.record(vec![seen("a", "u3", "s1")]);
    scratch.record(vec![taken_back("c1", "s1", "a")]);
    assert_eq!(scratch.waiting().len(), 2);
}

#[test]
fn a_persons_no_stays() {
    let mut scratch = scratch();
    scratch.record(vec![seen("a", "u1", "s1")]);
    let id = scratch.waiting()[0].id.clone();
    assert!(
        scratch
            .database
            .set_status(&id, CandidateStatus::Rejected, Some("one-off"), &deed(6))
            .unwrap()
            .is_some()
    );
    scratch.record(vec![seen("a", "u2", "s2"), taken_back("c", "s2", "a")]);
    assert!(scratch.waiting().is_empty());
    let rejected = scratch.database.candidates(&[CandidateStatus::Rejected]).unwrap();
    assert_eq!((rejected[0].seen, rejected[0].reason.as_deref()), (2, Some("one-off")));
}

#[test]
fn what_nobody_touches_is_put_away_and_comes_back_when_it_happens_again() {
    let mut scratch = scratch();
    // Read just now, however old the session is: it waits from now on.
    scratch.record(vec![seen("a", "u1", "s1"), seen("b", "u2", "s1"), seen("kept", "u3", "s1")]);
    let id = |found: &[Candidate], mistake| {
        found.iter().find(|it| it.finding.mistake == mistake).unwrap().id.clone()
    };
    let waiting = scratch.waiting();
    let (a, kept) = (id(&waiting, "a"), [id(&waiting, "kept")].into());
    let archive = |database: &mut Database, before| {
        database.archive_untouched(before, "old", &kept, &deed(before)).unwrap()
    };
    assert_eq!(archive(&mut scratch.database, 5), [""; 0]);
    assert!(scratch.database.set_status(&a, CandidateStatus::New, None, &deed(6)).unwrap().is_none());
    assert_eq!(
        archive(&mut scratch.database, 6),
        [id(&waiting, "b")],
        "a person had to do with the other one"
    );
    assert_eq!(archive(&mut scratch.database, 7), [a]);
    let archived = scratch.database.candidates(&[CandidateStatus::Archived]).unwrap();
    assert_eq!((archived.len(), archived[0].reason.as_deref()), (2, Some("old")));
    // The same line again is nothing new, another one is.
    scratch.record(vec![seen("a", "u1", "s1"), seen("b", "u4", "s2")]);
    let waiting = scratch.waiting();
    assert_eq!(waiting.iter().map(|it| it.finding.mistake.as_str()).collect::<Vec<_>>(), ["b", "kept"]);
    assert_eq!(waiting[0].reason, None);
}

#[test]
fn what_says_nearly_what_a_person_has_put_away_is_doubtful() {
    let mut scratch = scratch();
    scratch.record(vec![seen("pushes fail when the mirror is not installed", "u1", "s1")]);
    let id = scratch.waiting()[0].id.clone();
    assert!(scratch.database.set_status(&id, CandidateStatus::Rejected, None, &deed(6)).unwrap().is_some());
    scratch.record(vec![
        seen("a push fails when the mirror is not installed there", "u2", "s2"),
        seen("quote the paths that hold spaces", "u3", "s2"),
    ]);
    let waiting = scratch.waiting();
    assert_eq!((waiting.len(), waiting[0].finding.flags.len()), (2, 0));
    assert_eq!(waiting[1].finding.flags[0].name, "near-rejected");
    assert!(waiting[1].finding.flags[0].meaning.contains(&id));
}

#[test]
fn a_doubt_is_kept_and_doubtful_ones_come_last() {
    let mut scratch = scratch();
    let doubt = Doubt { name: "echo".into(), meaning: "was read, not learned".into() };
    let mut doubtful = seen("a", "u1", "s1");
    if let ScanItem::Seen { finding, .. } = &mut doubtful {
        finding.flags.push(doubt.clone());
    }
    scratch.record(vec![doubtful, seen("b", "u2", "s1"), seen("a", "u3", "s2")]);
    let waiting = scratch.waiting();
    assert_eq!(waiting[0].finding.mistake, "b");
    assert_eq!(waiting[1].finding.flags, [doubt]);
}

#[test]
fn a_candidate_is_found_by_the_start_of_its_id() {
    let mut scratch = scratch();
    scratch.record(vec![seen("a", "u1", "s1")]);
    let id = scratch.waiting()[0].id.clone();
    assert_eq!(scratch.database.candidates_starting(&id[..6]).unwrap()[0].id, id);
    for nothing in ["", "abc", "zzzz", "' OR 1"] {
        assert!(scratch.database.candidates_starting(nothing).unwrap().is_empty());
    }
}

#[test]
fn a_cursor_is_stored_with_what_was_found_and_forgotten_with_its_file() {
    let mut scratch = scratch();
    scratch.record(vec![seen("a", "u1", "s1")]);
    assert_eq!(scratch.database.cursor("/t/a.jsonl").unwrap(), Some(cursor(1)));
    assert_eq!(scratch.database.cursors().unwrap().of("/moved", u64::MAX, 2), Some(&cursor(1)));
    scratch.database.forget_cursors(&["/t/another.jsonl"]).unwrap();
    assert_eq!(scratch.database.cursor("/t/a.jsonl").unwrap(), Some(cursor(1)));
    scratch.database.forget_cursors(&["/t/a.jsonl"]).unwrap();
    assert_eq!(scratch.database.cursor("/t/a.jsonl").unwrap(), None);
}

#[test]
fn projects_are_known_by_key_at_several_roots() {
    let mut scratch = scratch();
    for root in ["/b", "/a"] {
        scratch.database.remember_project(root, "github.com/o/n", "n", 1).unwrap();
    }
    assert_eq!(scratch.database.roots_of("github.com/o/n").unwrap(), ["/a", "/b"]);
    assert!(scratch.database.roots_of("other").unwrap().is_empty());
}

#[test]
fn proposals_are_what_detectors_made_and_nobody_has_decided_about() {
    let mut scratch = scratch();
    let proposed = |mistake: &str, source: &str, uuid: &str| match seen(mistake, uuid, "s") {
        ScanItem::Seen { mut finding, sighting } => {
            finding.source = source.into();
            ScanItem::Seen { finding, sighting }
        }
        taken_back @ ScanItem::TakenBack { .. } => taken_back,
    };
    scratch.record(vec![
        proposed("one", "correction", "u1"),
        proposed("two", "tag", "u2"),
        proposed("three", "reflected", "u3"),
        proposed("four", "repeated failure", "u4"),
    ]);
    let names = |scratch: &Scratch| {
        let proposals = scratch.database.new_proposals().unwrap();
        let mut names: Vec<_> = proposals.into_iter().map(|it| it.finding.mistake).collect();
        names.sort();
        names
    };
    assert_eq!(names(&scratch), ["four", "one"]);
    let waiting = scratch.waiting();
    let four = waiting.iter().find(|it| it.finding.mistake == "four").unwrap();
    scratch.database.set_status(&four.id, CandidateStatus::Rejected, None, &deed(6)).unwrap();
    assert_eq!(names(&scratch), ["one"]);
    assert_eq!(scratch.waiting().len(), 3);
}

#[test]
fn a_mark_comes_once_and_puts_a_candidate_behind_the_others() {
    let mut scratch = scratch();
    scratch.record(vec![seen("a", "u1", "s1"), seen("a", "u2", "s2"), seen("b", "u3", "s1")]);
    let first = scratch.waiting().swap_remove(0);
    let mark = Doubt { name: "fires-often".into(), meaning: "fires at 9 of the 300 calls".into() };
    let narrow = on_ls();
    assert!(scratch.database.mark_candidate(&first.id, &mark, &narrow).unwrap());
    let again = Doubt { meaning: "fires at 10 of the 300 calls".into(), ..mark.clone() };
    assert!(!scratch.database.mark_candidate(&first.id, &again, &Proposal::default()).unwrap());
    let waiting = scratch.waiting();
    let last = &waiting[1];
    assert_eq!(
        (&last.id, &last.finding.marks[..], &last.finding.proposal),
        (&first.id, &[mark][..], &narrow)
    );
}

#[test]
fn what_has_triggers_and_waits_is_tried_once() {
    let mut scratch = scratch();
    let ScanItem::Seen { mut finding, sighting } = seen("a", "u1", "s1") else { panic!() };
    finding.proposal = on_ls();
    scratch.record(vec![ScanItem::Seen { finding, sighting }, seen("no trigger", "u2", "s1")]);
    let untried = scratch.database.untried_candidates().unwrap();
    assert_eq!(untried.iter().map(|it| it.finding.mistake.as_str()).collect::<Vec<_>>(), ["a"]);
    scratch.database.note_tried(&untried[0].id).unwrap();
    assert_eq!(scratch.database.untried_candidates().unwrap(), []);
}

fn on_ls() -> Proposal {
    Proposal { triggers: vec![Trigger::new(TriggerKind::CommandPattern, r"\bls\b")], ..Proposal::default() }
}
