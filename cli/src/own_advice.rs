//! The trial of a lesson on its own advice: the commands that its rule says to use.

use lessons_lesson::advised::advised_commands;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Examples, Lesson, SampleCall};
use lessons_manifest_builder::examples;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::TriggerKind;
use lessons_store::capture::Warning;
use lessons_text::neutral::line;

/// The advised commands at which a lesson fires because of a pattern: a keyword is there to find whatever speaks of it.
/// Empty for patterns that are none, which are reported elsewhere.
pub(crate) fn fired(lesson: &Lesson) -> Vec<String> {
    let advised: Vec<SampleCall> = advised_commands(&lesson.rule).into_iter().map(SampleCall::bash).collect();
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    let mut tried = Lesson { examples: Examples { fires: Vec::new(), quiet: advised }, ..lesson.clone() };
    tried.triggers.retain(|trigger| trigger.kind != TriggerKind::Keyword);
    let failing = examples::try_lesson(&id, &tried, &Patterns::default()).unwrap_or_default();
    failing.into_iter().filter_map(|failing| failing.sample.command).collect()
}

/// Whether a lesson fires on a call.
pub(crate) fn fires(lesson: &Lesson, sample: &SampleCall) -> bool {
    let id = QualifiedId { layer: Layer::User, id: lesson.id.clone() };
    let fires = vec![sample.clone()];
    let tried = Lesson { examples: Examples { fires, quiet: Vec::new() }, ..lesson.clone() };
    examples::try_lesson(&id, &tried, &Patterns::default()).is_ok_and(|failing| failing.is_empty())
}

/// A warning for each advised command at which a lesson fires.
pub(crate) fn warnings(lesson: &Lesson) -> Vec<Warning> {
    let does = if lesson.mode.refuses() { "blocks" } else { "fires at" };
    let warning = |command: String| {
        let message = format!(
            "it {does} `{}`, which its own rule advises; keep it quiet there with `unless`",
            line(&command)
        );
        Warning::coded("FIRES_ON_ITS_ADVICE", message)
    };
    fired(lesson).into_iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_lesson::lesson::Mode;
    use lessons_pattern::trigger::Trigger;

    use super::*;

    fn lesson(unless: &[&str]) -> Lesson {
        let rule = "Do not use `git stash` alone; use `git stash -u`";
        let mut lesson =
            Lesson::new(LessonId::new("a").unwrap(), rule, TopicId::new("t").unwrap(), "2026-01-01");
        let on = |pattern: &str| Trigger::new(TriggerKind::CommandPattern, pattern);
        lesson.triggers = vec![on(r"\bgit\s+stash\b")];
        lesson.unless = unless.iter().map(|pattern| on(pattern)).collect();
        lesson
    }

    #[test]
    fn a_lesson_that_fires_on_its_own_advice_is_warned_of() {
        assert_eq!(fired(&lesson(&[])), ["git stash -u"]);
        assert!(fired(&lesson(&[r"(?:^|\s)-u\b"])).is_empty());
        let mut refusing = lesson(&[]);
        refusing.mode = Mode::Bump;
        let warnings = warnings(&refusing);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].message.contains("blocks `git stash -u`"), "{}", warnings[0].message);
    }

    #[test]
    fn a_keyword_may_find_what_is_advised() {
        let mut found = lesson(&[]);
        found.triggers = vec![Trigger::new(TriggerKind::Keyword, "git stash")];
        assert!(fired(&found).is_empty());
    }

    #[test]
    fn a_pattern_that_is_none_is_not_tried() {
        let mut broken = lesson(&[]);
        broken.triggers = vec![Trigger::new(TriggerKind::CommandPattern, "(")];
        assert!(fired(&broken).is_empty());
    }
}
