//! The rewriting of extended globs in the lessons of another tool into braces: `@(a|b)` becomes `{a,b}`.
//!
//! Any other extended glob stays, and the check of patterns refuses it.

use lessons_lesson::lesson::Lesson;
use lessons_pattern::glob::extended::rewritten;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use crate::graph::{Graph, PutError};

/// Rewrites every lesson of `graph` that can be. Returns the ids of those that were.
pub(super) fn in_braces(graph: &mut Graph) -> Result<Vec<String>, PutError> {
    let lessons: Vec<Lesson> = graph.lessons().filter_map(lesson_in_braces).collect();
    for lesson in &lessons {
        graph.put(lesson)?;
    }
    Ok(lessons.iter().map(|lesson| lesson.id.to_string()).collect())
}

/// The lesson with its globs in braces; `None` if there is nothing to rewrite.
pub fn lesson_in_braces(lesson: &Lesson) -> Option<Lesson> {
    let lists = [&lesson.triggers, &lesson.also, &lesson.unless];
    lists.into_iter().flatten().find_map(glob)?;
    let mut said = lesson.clone();
    for list in [&mut said.triggers, &mut said.also, &mut said.unless] {
        let mut globs: Vec<Trigger> = Vec::with_capacity(list.len());
        for trigger in list.drain(..) {
            let trigger = glob(&trigger).unwrap_or(trigger);
            if !globs.contains(&trigger) {
                globs.push(trigger);
            }
        }
        *list = globs;
    }
    Some(said)
}

fn glob(trigger: &Trigger) -> Option<Trigger> {
    let is_glob = trigger.kind == TriggerKind::FileGlob;
    let pattern = is_glob.then(|| rewritten(&trigger.pattern))??;
    Some(Trigger::new(TriggerKind::FileGlob, pattern))
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
        assert_eq!(lesson_in_braces(&extended), Some(said.clone()));
        assert_eq!(lesson_in_braces(&said), None);
    }
}
