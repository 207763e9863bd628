use std::collections::BTreeSet;
use std::fs;

use lessons_home::Home;
use lessons_lesson::{Lesson, LessonId, Status, TopicId};
use lessons_pattern::{Trigger, TriggerKind};
use serde_json::json;

use super::*;
use crate::candidates::{CandidateStatus, Finding, Sighting};
use crate::decisions::{self, Approval};
use crate::forget::Seeker;
use crate::journal::State;
use crate::recording::cursors::Cursor;
use crate::recording::signals::Signal;
use crate::recording::{FileScan, ScanItem};
use lessons_store::durable::lock::PATIENCE;
use lessons_store::{ConfigFile, NodeKind, Refusals, curate, load};

struct Scratch {
    home: Home,
    database: Database,
    dir: tempfile::TempDir,
}

fn scratch() -> Scratch {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    let database = Database::open(&home).unwrap();
    Scratch { home, database, dir }
}

fn deed(action: &str) -> Deed {
    Deed::new("you", action, 1_000)
}

fn lesson(id: &str) -> Lesson {
    let topic = TopicId::new("shell").unwrap();
    let mut lesson = Lesson::new(LessonId::new(id).unwrap(), format!("Do {id}."), topic, "2026-01-01");
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, format!("git {id}")));
    lesson
}

impl Scratch {
    fn lock(&self) -> Lock {
        Lock::acquire(&self.home, PATIENCE).unwrap()
    }

    fn change(&mut self, action: &str, edit: impl FnOnce(&mut Graph)) -> u64 {
        let lock = self.lock();
        let changed = transaction::run(&lock, &mut self.database, &deed(action), |graph| {
            edit(graph);
            Ok::<_, std::convert::Infallible>(())
        });
        changed.unwrap().1.unwrap()
    }

    fn add(&mut self, id: &str) -> u64 {
        self.change("added", |graph| graph.put(&lesson(id)).unwrap())
    }

    fn undo(&mut self, number: u64) -> Result<Undone, UndoError> {
        let lock = self.lock();
        undo(&lock, &mut self.database, number, &deed("undone"))
    }

    fn must_undo(&mut self, number: u64) -> u64 {
        self.undo(number).unwrap().change
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.home.lessons()).unwrap_or_default()
    }

    fn graph(&self) -> Graph {
        load::lessons(&self.home).unwrap()
    }

    /// A candidate that a scan at `now` finds.
    fn find(&mut self, mistake: &str, now: u64) -> String {
        let finding = Finding {
            source: "tag".into(),
            mistake: mistake.into(),
            fix: "fix".into(),
            ..Finding::default()
        };
        let id = crate::candidates::id_of(&finding);
        let sighting = Sighting { uuid: mistake.into(), session: "s".into(), time: 5, ..Sighting::default() };
        let cursor = Cursor {
            path: format!("/t/{mistake}.jsonl"),
            device: 1,
            inode: 2,
            offset: 3,
            size: 3,
            line: 1,
            prefix: 10,
            changed: 0,
            hash: "h".into(),
        };
        let found = vec![ScanItem::Seen { finding: Box::new(finding), sighting }];
        self.database
            .record_scans(&[FileScan { cursor, found, notes: Vec::new(), beginnings: Vec::new() }], now)
            .unwrap();
        id
    }

    fn standing(&self, id: &str) -> (CandidateStatus, Option<String>) {
        let found = self.database.candidates_starting(id).unwrap().remove(0);
        (found.status, found.reason)
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.home.config()).unwrap_or_default()
    }
}

#[test]
fn a_lesson_is_as_it_was_and_as_it_is_again() {
    let mut scratch = scratch();
    scratch.add("a");
    let before = scratch.bytes();
    let edit = scratch.change("changed", |graph| {
        let mut lesson = lesson("a");
        lesson.rule = "Do it otherwise.".into();
        lesson.triggers = vec![Trigger::new(TriggerKind::Keyword, "other words")];
        lesson.topics = vec![TopicId::new("else").unwrap()];
        graph.put(&lesson).unwrap();
    });
    let after = scratch.bytes();
    let back = scratch.must_undo(edit);
    assert_eq!(scratch.bytes(), before);
    let again = scratch.must_undo(back);
    assert_eq!(scratch.bytes(), after);
    assert_eq!(scratch.database.whole_change(edit).unwrap().unwrap().undone_by, None, "it stands again");
    assert_eq!(scratch.database.whole_change(back).unwrap().unwrap().undone_by, Some(again));
    scratch.must_undo(edit);
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn a_lesson_with_what_we_do_not_know_comes_back_byte_for_byte() {
    let mut scratch = scratch();
    scratch.add("a");
    let text = String::from_utf8(scratch.bytes()).unwrap().replace(
        "\"rule\": \"Do a.\"",
        "\"confidence\": 0.7000000000000001, \"rule\": \"Do a.\", \"theirs\": { \"x\": [1.50, null] }",
    );
    fs::write(scratch.home.lessons(), text).unwrap();
    let gone = scratch.change("removed", |graph| graph.restore([("a", None)]));
    scratch.must_undo(gone);
    let raw = scratch.graph().raw("a").unwrap().to_string();
    assert!(raw.contains("0.7000000000000001") && raw.contains("theirs"), "{raw}");
}

#[test]
fn what_was_changed_since_is_not_touched_and_the_later_change_is_named() {
    let mut scratch = scratch();
    let added = scratch.add("a");
    let put_away = scratch.change("deprecated", |graph| {
        graph.put(&Lesson { status: Status::Deprecated, ..lesson("a") }).unwrap();
    });
    let before = scratch.bytes();
    let refused = scratch.undo(added).unwrap_err().to_string();
    assert_eq!(
        refused,
        "change 1 cannot be undone: user/a was changed since, by change 2 (deprecated, by you). Undo that one \
         first: lessons undo 2"
    );
    assert_eq!(scratch.bytes(), before);
    scratch.must_undo(put_away);
    scratch.must_undo(added);
    assert_eq!(scratch.graph().ids().count(), 0);
    let by_hand = scratch.add("b");
    let text = String::from_utf8(scratch.bytes()).unwrap().replace("Do b.", "Do b by hand.");
    fs::write(scratch.home.lessons(), text).unwrap();
    assert!(scratch.undo(by_hand).unwrap_err().to_string().contains("changed by hand"));
}

#[test]
fn a_change_is_taken_back_once() {
    let mut scratch = scratch();
    let added = scratch.add("a");
    scratch.must_undo(added);
    let again = scratch.undo(added).unwrap_err();
    assert!(matches!(again, UndoError::AlreadyUndone(1, 2)), "{again}");
    assert!(matches!(scratch.undo(99), Err(UndoError::Unknown(99))));
}

#[test]
fn many_lessons_of_one_change_come_back_together_or_not_at_all() {
    let mut scratch = scratch();
    let imported = scratch.change("imported", |graph| {
        for id in ["a", "b", "c"] {
            graph.put(&lesson(id)).unwrap();
        }
    });
    scratch.change("changed", |graph| graph.put(&Lesson { rule: "Else.".into(), ..lesson("b") }).unwrap());
    assert!(scratch.undo(imported).is_err());
    assert_eq!(scratch.graph().ids().count(), 3);
    scratch.must_undo(2);
    scratch.must_undo(imported);
    assert_eq!(scratch.graph().ids().count(), 0);
}

#[test]
fn topics_and_triggers_that_nobody_used_come_back_after_tidying() {
    let mut scratch = scratch();
    let text = json!({ "version": 1, "lessons": {},
        "topics": { "left": { "summary": "Left over", "theirs": 1 } },
        "triggers": { "t-cmd-78db9867": { "kind": "command_pattern", "pattern": "x" } } });
    fs::write(scratch.home.lessons(), text.to_string()).unwrap();
    scratch.add("a");
    let before = scratch.bytes();
    let pruned = scratch.change("pruned", |graph| drop(curate::prune(graph, None, Some(8))));
    assert!(!String::from_utf8(scratch.bytes()).unwrap().contains("Left over"));
    scratch.must_undo(pruned);
    assert_eq!(scratch.bytes(), before);
}

#[test]
fn a_topic_that_others_name_by_now_stays() {
    let mut scratch = scratch();
    let first = scratch.add("a");
    scratch.add("b");
    scratch.must_undo(first);
    let graph = scratch.graph();
    assert_eq!(graph.ids().collect::<Vec<_>>(), ["b"]);
    assert!(graph.node(NodeKind::Topic, "shell").is_some() && graph.problems().is_empty());
}

#[test]
fn a_change_that_is_as_it_was_already_says_so() {
    let mut scratch = scratch();
    let text = json!({ "version": 1, "lessons": {}, "topics": { "left": { "summary": "Left over" } } });
    fs::write(scratch.home.lessons(), text.to_string()).unwrap();
    let pruned = scratch.change("pruned", |graph| drop(curate::prune(graph, None, Some(8))));
    let back = scratch.must_undo(pruned);
    let mut needy = lesson("a");
    needy.topics = vec![TopicId::new("left").unwrap()];
    scratch.change("added", |graph| graph.put(&needy).unwrap());
    assert!(matches!(scratch.undo(back), Err(UndoError::NotAsLeft { .. })), "the topic is needed by now");
}

#[test]
fn an_import_of_many_lessons_is_taken_back_in_one_pass() {
    let mut scratch = scratch();
    let before = scratch.bytes();
    let many = scratch.change("imported", |graph| {
        for number in 0..2_000 {
            graph.put(&lesson(&format!("l-{number}"))).unwrap();
        }
    });
    let back = scratch.must_undo(many);
    assert_eq!(scratch.graph().ids().count(), 0);
    scratch.must_undo(back);
    assert_eq!(scratch.graph().lessons().len(), 2_000);
    assert_ne!(scratch.bytes(), before);
}

#[test]
fn what_a_forgotten_text_was_taken_out_of_is_not_put_back() {
    let mut scratch = scratch();
    let secret = "hunter2hunter2";
    let with = |rule: &str| Lesson { rule: rule.to_owned(), ..lesson("a") };
    scratch.change("added", |graph| graph.put(&with(&format!("Log in with {secret}."))).unwrap());
    let mended = scratch.change("edited", |graph| graph.put(&with("Log in.")).unwrap());
    scratch.database.take_out(&Seeker::new(secret).unwrap()).unwrap();
    let refused = scratch.undo(mended).unwrap_err();
    assert!(matches!(refused, UndoError::NotKept { .. }), "{refused}");
    assert_eq!(scratch.graph().lessons().next().unwrap().rule, "Log in.");
}

#[test]
fn a_decision_about_a_candidate_is_taken_back_with_its_reason() {
    let mut scratch = scratch();
    let id = scratch.find("one", 7);
    let reject = |scratch: &mut Scratch| {
        scratch.database.set_status(&id, CandidateStatus::Rejected, Some("too narrow"), &deed("rejected"))
    };
    let rejected = reject(&mut scratch).unwrap().unwrap();
    let back = scratch.must_undo(rejected);
    assert_eq!(scratch.standing(&id), (CandidateStatus::New, None));
    scratch.must_undo(back);
    assert_eq!(scratch.standing(&id), (CandidateStatus::Rejected, Some("too narrow".into())));
    assert_eq!(reject(&mut scratch).unwrap(), None, "that changes nothing");
}

#[test]
fn a_scan_is_one_change_and_what_it_found_is_put_away() {
    let mut scratch = scratch();
    let (one, two) = (scratch.find("one", 7), scratch.find("two", 7));
    let three = scratch.find("three", 8);
    let changes = scratch.database.changes(None, 10).unwrap();
    assert_eq!(changes.iter().map(|it| it.entries.len()).collect::<Vec<_>>(), [1, 2]);
    assert!(changes.iter().all(|it| it.actor == crate::journal::SCANNER && it.action == "found"));
    let back = scratch.must_undo(changes[1].number);
    for id in [&one, &two] {
        assert_eq!(scratch.standing(id).0, CandidateStatus::Archived);
    }
    assert_eq!(scratch.standing(&three).0, CandidateStatus::New);
    scratch.must_undo(back);
    assert_eq!(scratch.standing(&one), (CandidateStatus::New, None));
}

#[test]
fn a_proposal_that_was_withdrawn_since_does_not_keep_its_scan() {
    let mut scratch = scratch();
    let sighting = |uuid: &str| Sighting { uuid: uuid.into(), session: "s".into(), ..Sighting::default() };
    let finding = Finding { source: "contrast".into(), mistake: "m".into(), ..Finding::default() };
    let proposal = crate::candidates::id_of(&finding);
    let triggers = vec![Trigger::new(TriggerKind::Keyword, "other words")];
    let aimed = crate::candidates::Proposal { triggers, ..Default::default() };
    let says_more = Finding { mistake: "n".into(), proposal: aimed, ..finding.clone() };
    let signal = |key: &str, finding: &Finding| Signal {
        detector: "contrast".into(),
        key: key.into(),
        is_strong: true,
        finding: finding.clone(),
        sighting: sighting(key),
    };
    scratch.database.note(&[signal("k", &finding), signal("l", &says_more)]).unwrap();
    let kept = scratch.find("kept", 7);
    scratch.database.propose(&["k".into(), "l".into()], 7).unwrap();
    let proposed = scratch.database.changes(None, 1).unwrap()[0].number;
    // A later line says of the one what the other says.
    scratch.database.note(&[signal("k", &says_more)]).unwrap();
    scratch.database.propose(&[], 8).unwrap();
    assert!(scratch.database.candidates_starting(&proposal).unwrap().is_empty());
    let withdrawn = &scratch.database.changes(None, 1).unwrap()[0];
    assert_eq!(withdrawn.entries[0].after, None, "what goes is written down too");
    let withdrawn = withdrawn.number;
    assert!(matches!(scratch.undo(withdrawn), Err(UndoError::NotKept { .. })));
    scratch.must_undo(proposed);
    assert_eq!(scratch.standing(&kept).0, CandidateStatus::Archived);
}

#[test]
fn what_waited_too_long_waits_again() {
    let mut scratch = scratch();
    let id = scratch.find("one", 7);
    let kept = std::collections::HashSet::new();
    let away = deed("put away");
    assert_eq!(
        scratch.database.archive_untouched(8, "old", &kept, &away).unwrap(),
        std::slice::from_ref(&id)
    );
    let number = scratch.database.changes(None, 1).unwrap()[0].number;
    scratch.must_undo(number);
    assert_eq!(scratch.standing(&id), (CandidateStatus::New, None));
    // It waits from now on.
    assert!(scratch.database.archive_untouched(8, "old", &kept, &away).unwrap().is_empty());
}

#[test]
fn trust_and_its_end_are_taken_back_with_the_approved_bytes() {
    let mut scratch = scratch();
    let root = fs::canonicalize(scratch.dir.path()).unwrap().join("project");
    fs::create_dir_all(root.join(".lessons")).unwrap();
    let write = |rule: &str| {
        let lesson = json!({ "rule": rule, "topics": ["t"], "triggers": ["t1"], "evidence": [],
            "status": "active", "createdAt": "2026-01-01" });
        let graph = json!({ "version": 1, "lessons": { "theirs": lesson }, "topics": { "t": { "summary": "T" } },
            "triggers": { "t1": { "kind": "command_pattern", "pattern": "git push" } } });
        fs::write(root.join(".lessons/lessons.json"), graph.to_string()).unwrap();
    };
    let rules = |scratch: &Scratch| -> Vec<String> {
        let approved = trust::approved(&scratch.home).unwrap();
        approved.iter().flat_map(|it| it.lessons.iter().map(|lesson| lesson.rule.clone())).collect()
    };
    let approve = |scratch: &mut Scratch| {
        let approval = Approval {
            actor: "you".into(),
            at: "2026-01-01T00:00:00Z".into(),
            accept: BTreeSet::new(),
            refusals: Refusals::BecomeAdvice,
        };
        let (lock, preview) = (scratch.lock(), trust::preview(&scratch.home, &root).unwrap());
        decisions::approve_store(&lock, &mut scratch.database, &deed("trusted"), &preview, &approval)
            .unwrap();
    };
    write("First.");
    approve(&mut scratch);
    write("Second.");
    approve(&mut scratch);
    let name = root.to_str().unwrap();
    let lock = scratch.lock();
    decisions::withdraw_store(&lock, &mut scratch.database, &deed("untrusted"), name).unwrap();
    drop(lock);
    assert!(rules(&scratch).is_empty());
    scratch.must_undo(3);
    assert_eq!(rules(&scratch), ["Second."]);
    scratch.must_undo(2);
    assert_eq!(rules(&scratch), ["First."]);
    let back = scratch.must_undo(1);
    assert!(rules(&scratch).is_empty());
    scratch.must_undo(back);
    assert_eq!(rules(&scratch), ["First."]);
    // Somebody has thrown the kept copies away.
    fs::remove_dir_all(scratch.home.trusted_copies()).unwrap();
    assert!(scratch.undo(5).unwrap_err().to_string().contains("no longer kept"));
}

#[test]
fn a_switch_is_taken_back_and_what_else_stands_in_the_settings_stays() {
    let mut scratch = scratch();
    fs::write(scratch.home.config(), "# mine\nquery.limit = 3\n").unwrap();
    let off = |scratch: &mut Scratch, id: &str| {
        let lock = scratch.lock();
        setting_changes::save(&lock, &mut scratch.database, &deed("off"), |file| file.switch_off(id, None))
            .unwrap()
    };
    let one = off(&mut scratch, "user/a").unwrap();
    let two = off(&mut scratch, "user/b").unwrap();
    assert_eq!(off(&mut scratch, "user/b"), None, "that changes nothing");
    scratch.must_undo(one);
    let text = scratch.settings();
    assert!(text.starts_with("# mine\nquery.limit = 3\n") && !text.contains("user/a"), "{text}");
    assert!(text.contains("user/b"), "{text}");
    scratch.must_undo(two);
    let (config, bad) = ConfigFile::read(&scratch.home.config()).unwrap().settings();
    assert!(config.off.is_empty() && bad.is_empty());
}

#[test]
fn a_switch_can_be_taken_back_while_the_store_is_damaged() {
    let mut scratch = scratch();
    let lock = scratch.lock();
    let off = setting_changes::save(&lock, &mut scratch.database, &deed("off"), |file| {
        file.switch_off("all", None);
    });
    drop(lock);
    fs::write(scratch.home.lessons(), "{ \"version\": 1, ").unwrap();
    scratch.must_undo(off.unwrap().unwrap());
    assert!(!scratch.settings().contains("all"));
}

#[test]
fn forgetting_is_final() {
    let mut scratch = scratch();
    scratch.add("a");
    scratch.database.remember_forgotten("a text of somebody", [7; 32], &deed(FORGET)).unwrap();
    scratch.change(FORGET, |graph| graph.put(&Lesson { rule: "Gone.".into(), ..lesson("a") }).unwrap());
    for number in [2, 3] {
        assert!(matches!(scratch.undo(number), Err(UndoError::Final { .. })));
    }
    let refused = scratch.undo(1).unwrap_err().to_string();
    assert!(refused.ends_with("by forgetting a text (change 3), which cannot be undone"), "{refused}");
}

#[test]
fn the_last_change_is_the_last_that_stands() {
    let mut scratch = scratch();
    scratch.add("a");
    scratch.add("b");
    let last = |scratch: &Scratch| latest(&scratch.database, |_| true).unwrap().map(|change| change.number);
    assert_eq!(last(&scratch), Some(2));
    scratch.must_undo(2);
    assert_eq!(last(&scratch), Some(1));
    let back = scratch.must_undo(1);
    assert_eq!(last(&scratch), None);
    scratch.must_undo(back);
    assert_eq!(last(&scratch), Some(1));
    let others = latest(&scratch.database, |change| change.actor != "you").unwrap();
    assert_eq!(others, None);
}

#[test]
fn a_change_of_store_and_candidates_that_died_on_the_way_is_finished_or_never_was() {
    for written in [false, true] {
        let mut scratch = scratch();
        let id = scratch.find("one", 7);
        let mut graph = scratch.graph();
        graph.put(&lesson("a")).unwrap();
        let thing = Thing::new(ThingKind::Lesson, "a");
        let after = in_graph(&graph, &thing);
        let standing = Difference {
            thing: Thing::new(ThingKind::Candidate, &id),
            before: None,
            after: Some(target_of(None)),
        };
        let changes = [Difference { thing, before: None, after }, standing];
        let number = scratch.database.announce(&deed("reviewed"), &changes, None).unwrap().0;
        if written {
            fs::write(scratch.home.lessons(), graph.to_bytes()).unwrap();
        }
        transaction::recover(&scratch.lock(), &mut scratch.database).unwrap();
        let state = if written { State::Done } else { State::Undone };
        assert!(scratch.database.change(number).unwrap().iter().all(|entry| entry.state == state));
        let standing = if written { CandidateStatus::Archived } else { CandidateStatus::New };
        assert_eq!(scratch.standing(&id).0, standing);
    }
}
