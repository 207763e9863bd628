//! Lessons of earlier programs whose globs have extensions that globset lacks.

use std::borrow::Cow;

use lessons_lesson::lesson::Lesson;
use lessons_pattern::glob::extended;
use lessons_pattern::trigger::{Trigger, TriggerKind};

/// The lesson with every extended glob in its supported form, `@(a|b)` as `{a,b}`. A glob without an equivalent stays as it
/// is, and compiling it says how to write it instead.
pub(crate) fn supported(lesson: &Lesson) -> Cow<'_, Lesson> {
    let lists = [&lesson.triggers, &lesson.also, &lesson.unless];
    if !lists.into_iter().flatten().any(|trigger| rewritten(trigger).is_some()) {
        return Cow::Borrowed(lesson);
    }
    let mut lesson = lesson.clone();
    for list in [&mut lesson.triggers, &mut lesson.also, &mut lesson.unless] {
        for trigger in list {
            if let Some(supported) = rewritten(trigger) {
                *trigger = supported;
            }
        }
    }
    Cow::Owned(lesson)
}

fn rewritten(trigger: &Trigger) -> Option<Trigger> {
    let is_glob = trigger.kind == TriggerKind::FileGlob;
    let pattern = is_glob.then(|| extended::rewritten(&trigger.pattern))??;
    Some(Trigger::new(TriggerKind::FileGlob, pattern))
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    fn lesson(glob: &str) -> Lesson {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Do not.", topic, "2026-01-01");
        lesson.unless = vec![Trigger::new(TriggerKind::FileGlob, glob)];
        lesson
    }

    #[test]
    fn a_choice_becomes_braces_and_everything_else_stays() {
        assert_eq!(supported(&lesson("src/@(a|b).ts")).unless[0].pattern, "src/{a,b}.ts");
        for glob in ["src/*.ts", "!(keep)/x", "+(a).ts"] {
            assert!(matches!(supported(&lesson(glob)), Cow::Borrowed(_)), "{glob}");
        }
        let mut command = lesson("x");
        command.unless[0] = Trigger::new(TriggerKind::CommandPattern, "x@(a|b)");
        assert!(matches!(supported(&command), Cow::Borrowed(_)), "no glob");
    }
}
