use std::sync::atomic::Ordering;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::run::budget::ScanBudget;
use crate::run::options::ScanTarget;
use crate::transcript::timestamp::Timestamp;

/// A scanner that lives as long as its test.
fn scanner(cursors: &Cursors, wanted: ScanTarget, budget: ScanBudget) -> SessionScanner<'_> {
    let options = ScanOptions { wanted, budget, ..ScanOptions::at(Timestamp::START, 0) };
    SessionScanner::new(cursors, Box::leak(Box::new(options)), ReflectingSessions::default(), false)
}

/// A session with sub-agents on disk.
struct Scratch {
    _dir: tempfile::TempDir,
    session: Session,
}

impl Scratch {
    fn new(files: &[String]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("s");
        std::fs::create_dir_all(&folder).unwrap();
        let write = |(number, text): (usize, &String)| {
            let path = folder.join(format!("{number:05}.jsonl"));
            std::fs::write(&path, text).unwrap();
            path
        };
        let files = files.iter().enumerate().map(write).collect();
        Self { session: Session { folder, files }, _dir: dir }
    }

    /// What a survey of it hands in.
    fn scanner(&self, scanner: &SessionScanner<'_>) -> Vec<ScanStep> {
        let mut steps = Vec::new();
        scanner.session(&self.session, &mut |step, _| {
            steps.push(step);
            ControlFlow::Continue(())
        });
        steps
    }
}

fn line(kind: &str, uuid: &str, content: &Value) -> String {
    let line = json!({
        "type": kind, "uuid": uuid, "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/p",
        "message": {"role": kind, "content": content},
    });
    format!("{line}\n")
}

fn tag(number: usize) -> String {
    let text = format!(
        "#lesson\ntool: Bash\nmistake: thing number {number} broke\nfix: do thing {number} well\n#/lesson"
    );
    line("assistant", &format!("tag-{number}"), &json!([{"type": "text", "text": text}]))
}

/// A call that fails and its result.
fn failure(number: usize) -> String {
    let id = format!("toolu_{number}");
    let call = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "mytool push"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": "Exit code 1\nerror: no such remote"}]);
    line("assistant", &format!("call-{number}"), &call) + &line("user", &format!("result-{number}"), &result)
}

/// What was found, line by line, and where reading ended.
fn told(steps: &[ScanStep]) -> (Vec<String>, Vec<(String, u64)>) {
    let (mut found, mut ends) = (Vec::new(), Vec::<(String, u64)>::new());
    for scan in steps.iter().flat_map(|step| &step.scans) {
        for seen in &scan.found {
            let ScanItem::Seen { finding, sighting } = seen else { panic!("nothing is taken back") };
            found.push(format!("{} {} {:?}", sighting.uuid, sighting.line, finding.flags));
        }
        for signal in &scan.notes {
            found.push(format!("{} {} {}", signal.sighting.uuid, signal.sighting.line, signal.detector));
        }
        let end = (scan.cursor.path.clone(), scan.cursor.offset);
        match ends.last_mut().filter(|last| last.0 == end.0) {
            Some(last) => *last = end,
            None => ends.push(end),
        }
    }
    (found, ends)
}

#[test]
fn a_session_is_listened_through_a_few_times_only() {
    let texts: Vec<String> = (0..40).map(tag).collect();
    let scratch = Scratch::new(&[texts.concat()]);
    let cursors = Cursors::default();
    // Each block is a step of its own.
    let budget = ScanBudget { memory: 1, passes: 3, ..ScanBudget::FULL };
    let scanner = scanner(&cursors, ScanTarget::Everything, budget);
    let steps = scratch.scanner(&scanner);
    let unchecked = |step: &ScanStep| step.report.unchecked;
    assert_eq!(steps.iter().map(unchecked).collect::<Vec<_>>(), [vec![0; 3], vec![1; 37]].concat());
    assert_eq!(scanner.progress.compared.load(Ordering::Relaxed), 3 * texts.concat().len() as u64);
    let (found, _) = told(&steps);
    assert!(found[2].ends_with("[]") && found[3].contains(r#"name: "unchecked""#), "{found:?}");
}

#[test]
fn all_files_of_a_session_are_listened_through_once() {
    let texts: Vec<String> = (0..300).map(tag).collect();
    let scratch = Scratch::new(&texts);
    let cursors = Cursors::default();
    let scanner = scanner(&cursors, ScanTarget::Everything, ScanBudget::FULL);
    assert_eq!(scratch.scanner(&scanner).len(), 300);
    assert_eq!(scanner.progress.compared.load(Ordering::Relaxed), texts.concat().len() as u64);
}

#[test]
fn who_stops_hands_in_nothing_more() {
    let scratch = Scratch::new(&[tag(0), tag(1)]);
    let cursors = Cursors::default();
    let scanner =
        scanner(&cursors, ScanTarget::Everything, ScanBudget { memory: 1, passes: 9, ..ScanBudget::FULL });
    let mut handed_in = 0;
    scanner.session(&scratch.session, &mut |_, _| {
        handed_in += 1;
        scanner.progress.stop();
        ControlFlow::Continue(())
    });
    assert_eq!(handed_in, 1);
    assert_eq!(scratch.scanner(&scanner).len(), 0);
}

#[test]
fn who_looks_for_tags_sees_no_failures() {
    let scratch = Scratch::new(&[failure(0) + &tag(1)]);
    let cursors = Cursors::default();
    let found = |wanted| {
        let scanner = scanner(&cursors, wanted, ScanBudget::FULL);
        let steps = scratch.scanner(&scanner);
        (told(&steps), steps.iter().map(|step| step.report.lines).sum::<u64>())
    };
    let ((tags, tags_end), tags_lines) = found(ScanTarget::Tags);
    let ((all, all_end), all_lines) = found(ScanTarget::Everything);
    assert_eq!((tags.len(), all.len()), (1, 2));
    assert_eq!((tags_end, tags_lines), (all_end, all_lines));
}

proptest! {
    #[test]
    fn the_size_of_a_step_is_no_matter(
        kinds in prop::collection::vec((0_usize..3, 0_u8..3), 0..30),
        room in 1_usize..20_000,
        is_open in any::<bool>(),
    ) {
        let mut files = vec![String::new(); 3];
        for (number, (file, kind)) in kinds.into_iter().enumerate() {
            files[file].push_str(&match kind {
                0 => tag(number),
                1 => failure(number),
                _ => line("user", &format!("typed-{number}"), &json!("do thing well")),
            });
        }
        if is_open {
            files[0].pop();
        }
        let scratch = Scratch::new(&files);
        let cursors = Cursors::default();
        let scan = |room| {
            let scanner = scanner(&cursors, ScanTarget::Everything, ScanBudget { memory: room, passes: 99, ..ScanBudget::FULL });
            let (mut found, ends) = told(&scratch.scanner(&scanner));
            found.sort();
            (found, ends, scanner.progress.done())
        };
        prop_assert_eq!(scan(room), scan(usize::MAX));
    }
}
