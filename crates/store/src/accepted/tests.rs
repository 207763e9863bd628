use lessons_lesson::id::TopicId;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::*;

/// A whole file of this version. A change that breaks it must raise [`VERSION`].
pub(super) const GOLDEN: &str = r#"{
  "graph": {
    "lessons": {
      "frob": {
        "createdAt": "2026-01-01",
        "evidence": [],
        "mode": "block",
        "rule": "Never wipe the frob.",
        "status": "active",
        "topics": [
          "general"
        ],
        "triggers": [
          "t-cmd-b525542d"
        ]
      }
    },
    "topics": {
      "general": {
        "summary": "General"
      }
    },
    "triggers": {
      "t-cmd-b525542d": {
        "kind": "command_pattern",
        "pattern": "frob wipe"
      }
    },
    "version": 1
  },
  "settings": {
    "off.user/other": "\"\"",
    "seeds.off": "[\"rm-rf\"]"
  },
  "version": 1
}
"#;

pub(super) fn scratch() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    files::ensure_folder(home.root()).unwrap();
    (dir, home)
}

fn read(home: &Home, text: &str) -> Result<Option<Accepted>, AcceptedError> {
    durable::replace(&home.accepted(), text.as_bytes()).unwrap();
    Accepted::read(home)
}

fn lesson(id: &str, rule: &str, pattern: &str) -> Lesson {
    let (id, topic) = (LessonId::new(id).unwrap(), TopicId::new("general").unwrap());
    let mut lesson = Lesson::new(id, rule, topic, "2026-01-01");
    lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, pattern)];
    lesson
}

#[test]
fn the_golden_file_is_read_and_round_trips() {
    let (_dir, home) = scratch();
    let accepted = read(&home, GOLDEN).unwrap().unwrap();
    assert_eq!(String::from_utf8(accepted.to_bytes()).unwrap(), GOLDEN);
    accepted.write(&home).unwrap();
    assert_eq!(std::fs::read_to_string(home.accepted()).unwrap(), GOLDEN);
    let copies = AcceptedCopies::read(&home).unwrap();
    assert_eq!(copies.lessons.lessons().len(), 1);
    assert_eq!(copies.settings["seeds.off"], "[\"rm-rf\"]");
}

#[test]
fn a_corrupt_file_and_one_of_a_later_version_are_named_with_the_way_out() {
    let (_dir, home) = scratch();
    assert!(Accepted::read(&home).unwrap().is_none());
    for text in ["{", "", &GOLDEN.replace("graph", "lessons")] {
        let error = read(&home, text).unwrap_err();
        assert!(matches!(error, AcceptedError::Corrupt { .. }));
        let error = error.to_string();
        assert!(error.contains("accepted.json") && error.contains("`lessons accept`"), "{error}");
        assert!(AcceptedCopies::read(&home).is_err() && Accepted::exist(&home).is_err());
    }
    let later = GOLDEN.replace("\n  \"version\": 1", "\n  \"version\": 2");
    let error = read(&home, &later).unwrap_err();
    assert!(matches!(error, AcceptedError::Version { found: 2, .. }), "{error}");
    assert!(
        error.to_string().contains("accepted.json") && error.to_string().contains("Update lessons"),
        "{error}"
    );
}

#[test]
fn what_differs_is_named_with_how() {
    let before = [lesson("changed", "One.", "a b"), lesson("gone", "r", "c d"), lesson("same", "r", "e f")];
    let after = [lesson("changed", "Two.", "a b"), lesson("new", "r", "g h"), lesson("same", "r", "e f")];
    let settings = |text: &str| SettingTexts::from([("enabled".to_owned(), text.to_owned())]);
    let (on, off) = (settings("true"), settings("false"));
    let unaccepted = Unaccepted::between((&before, &on), (&after, &off));
    let lessons: Vec<_> = unaccepted.lessons.iter().map(|(id, how)| (id.as_str(), how.word())).collect();
    assert_eq!(lessons, [("changed", "changed"), ("gone", "removed"), ("new", "new")]);
    assert_eq!(unaccepted.settings, ["enabled"]);
    assert!(Unaccepted::between((&before, &on), (&before, &on)).is_empty());
}
