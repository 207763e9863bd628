use lessons_lesson::TopicId;
use lessons_pattern::{Trigger, TriggerKind};

use super::*;

fn lesson(id: &str, rule: &str, pattern: &str) -> Lesson {
    let (id, topic) = (LessonId::new(id).unwrap(), TopicId::new("general").unwrap());
    let mut lesson = Lesson::new(id, rule, topic, "2026-01-01");
    lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, pattern)];
    lesson
}

#[test]
fn what_differs_is_named_with_how() {
    let before = [lesson("changed", "One.", "a b"), lesson("gone", "r", "c d"), lesson("same", "r", "e f")];
    let after = [lesson("changed", "Two.", "a b"), lesson("new", "r", "g h"), lesson("same", "r", "e f")];
    let settings = |text: &str| SettingTexts::from([("enabled".to_owned(), text.to_owned())]);
    let (on, off) = (settings("true"), settings("false"));
    let unaccepted = Unaccepted::between((&before, &on), (&after, &off));
    let lessons: Vec<_> = unaccepted.lessons.iter().map(|(id, how)| (id.as_str(), how.name())).collect();
    assert_eq!(lessons, [("changed", "changed"), ("gone", "removed"), ("new", "new")]);
    assert_eq!(unaccepted.settings, ["enabled"]);
    assert!(Unaccepted::between((&before, &on), (&before, &on)).is_empty());
}
