//! The rewriting of extended globs in the lessons of another tool into braces: `@(a|b)` becomes `{a,b}`.
//!
//! Any other extended glob stays, and the check of patterns refuses it.

use lessons_lesson::lesson::Lesson;
use lessons_pattern::glob::extended::rewritten;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use crate::graph::{Graph, PutError};

/// Rewrites every lesson of `graph` that can be. Returns the ids of those that were.
pub(super) fn in_braces(graph: &mut Graph) -> Result<Vec<String>, PutError> {
    let lessons: Vec<Lesson> = graph.lessons().filter_map(lesson).collect();
    for lesson in &lessons {
        graph.put(lesson)?;
    }
    Ok(lessons.iter().map(|lesson| lesson.id.to_string()).collect())
}

/// The lesson with its globs in braces; `None` if there is nothing to rewrite.
fn lesson(lesson: &Lesson) -> Option<Lesson> {
    let mut said = lesson.clone();
    for list in [&mut said.triggers, &mut said.also, &mut said.unless] {
        let mut globs: Vec<Trigger> = Vec::with_capacity(list.len());
        for trigger in list.drain(..) {
            let glob = (trigger.kind == TriggerKind::FileGlob).then(|| rewritten(&trigger.pattern)).flatten();
            let trigger = glob.map_or(trigger, |glob| Trigger::new(TriggerKind::FileGlob, glob));
            if !globs.contains(&trigger) {
                globs.push(trigger);
            }
        }
        *list = globs;
    }
    (said != *lesson).then_some(said)
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    #[test]
    fn every_glob_of_a_lesson_is_said_in_braces_once() {
        let trigger = |kind, patterns: &[&str]| patterns.iter().map(|it| Trigger::new(kind, *it)).collect();
        let globs = |patterns| trigger(TriggerKind::FileGlob, patterns);
        let (id, topic) = (LessonId::new("a").unwrap(), TopicId::new("t").unwrap());
        let mut extended = Lesson::new(id, "Say it.", topic, "2026-01-01");
        extended.triggers = globs(&["*.@(ts|tsx)", "*.{ts,tsx}", "src/!(a)"]);
        extended.also = trigger(TriggerKind::PathPattern, &["@(a|b)"]);
        extended.unless = globs(&["?(x)y"]);
        let mut said = extended.clone();
        said.triggers = globs(&["*.{ts,tsx}", "src/!(a)"]);
        said.unless = globs(&["{,x}y"]);
        assert_eq!(lesson(&extended), Some(said.clone()));
        assert_eq!(lesson(&said), None);
    }
}
