//! Merging a candidate into an existing lesson.

use lessons_lesson::lesson::Lesson;
use lessons_pattern::trigger::{Trigger, TriggerKind};

/// `lesson` with the triggers of `proposed`; `None` if they would fire more often than `proposed` allows, because the
/// lesson does not have its conditions.
pub fn merged(proposed: &Lesson, lesson: &Lesson) -> Option<Lesson> {
    let fresh: Vec<&Trigger> =
        proposed.triggers.iter().filter(|trigger| !lesson.triggers.contains(trigger)).collect();
    if !fresh.is_empty() && !fits(proposed, lesson, &fresh) {
        return None;
    }
    let mut both = lesson.clone();
    both.triggers.extend(fresh.into_iter().cloned());
    Some(both)
}

/// Whether the conditions of the lesson are at least as narrow as those of the candidate.
fn fits(proposed: &Lesson, lesson: &Lesson, fresh: &[&Trigger]) -> bool {
    let holds = |all: &[Trigger], some: &[Trigger]| some.iter().all(|trigger| all.contains(trigger));
    // A command pattern matches calls of Bash only.
    let only_bash = fresh.iter().all(|trigger| trigger.kind == TriggerKind::CommandPattern)
        && proposed.tools.iter().any(|tool| tool == "Bash");
    let in_tools = proposed.tools.is_empty()
        || only_bash
        || (!lesson.tools.is_empty() && lesson.tools.iter().all(|tool| proposed.tools.contains(tool)));
    let in_place = !lesson.conditions().are_wider_than(&proposed.conditions());
    in_place && holds(&lesson.also, &proposed.also) && holds(&lesson.unless, &proposed.unless) && in_tools
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    fn lesson(trigger: Trigger) -> Lesson {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Rule.", topic, "2026-01-01");
        lesson.triggers = vec![trigger];
        lesson
    }

    fn command(pattern: &str) -> Trigger {
        Trigger::new(TriggerKind::CommandPattern, pattern)
    }

    #[test]
    fn a_lesson_gets_the_triggers_that_it_has_not_got() {
        let kept = lesson(command("a"));
        let mut proposed = lesson(command("b"));
        proposed.tools = vec!["Bash".into()];
        assert_eq!(merged(&proposed, &kept).unwrap().triggers, [command("a"), command("b")]);
        assert_eq!(merged(&lesson(command("a")), &kept).unwrap(), kept);
    }

    #[test]
    fn a_condition_that_the_lesson_has_not_got_is_not_lost() {
        let kept = lesson(command("a"));
        let mut proposed = lesson(command("b"));
        proposed.unless = vec![command("-u")];
        assert_eq!(merged(&proposed, &kept), None);
        let mut kept = kept;
        kept.unless = vec![command("-u"), command("-v")];
        assert!(merged(&proposed, &kept).is_some(), "quieter than proposed");
        let mut on_files = lesson(Trigger::new(TriggerKind::FileGlob, "**/*.ts"));
        on_files.tools = vec!["Edit".into()];
        assert_eq!(merged(&on_files, &lesson(command("a"))), None);
    }
}
