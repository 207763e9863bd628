//! The rewriting of look-ahead in the lessons of another tool into `unless`, if the meaning stays the same.
//!
//! An `unless` silences its lesson, whatever trigger matches. So it can replace the look-ahead of an `also` trigger, or
//! of the only trigger of a lesson; a second trigger would be silenced too. Any other look-ahead stays, and the check
//! of patterns refuses it.

use lessons_lesson::lesson::Lesson;
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};

use crate::graph::{Graph, PutError};
use crate::import::lookahead::{Rewritten, rewrite};

/// Rewrites every lesson of `graph` that can be. Returns the ids of those that were.
pub(super) fn without(graph: &mut Graph) -> Result<Vec<String>, PutError> {
    let rewritten: Vec<Lesson> = graph.lessons().filter_map(lesson).collect();
    for lesson in &rewritten {
        graph.put(lesson)?;
    }
    Ok(rewritten.iter().map(|lesson| lesson.id.to_string()).collect())
}

/// The lesson without look-ahead; `None` if it has none that can be rewritten.
fn lesson(lesson: &Lesson) -> Option<Lesson> {
    let mut said = lesson.clone();
    let only = match said.triggers.as_mut_slice() {
        [only] => Some(only),
        _ => None,
    };
    let mut unless = Vec::new();
    for condition in only.into_iter().chain(&mut said.also) {
        if let Some((fires, keeps_quiet)) = trigger(condition) {
            *condition = fires;
            unless.extend(keeps_quiet);
        }
    }
    unless.retain(|trigger| !said.unless.contains(trigger));
    said.unless.append(&mut unless);
    (said != *lesson).then_some(said)
}

/// The trigger that replaces one with look-ahead, and its `unless` triggers.
fn trigger(trigger: &Trigger) -> Option<(Trigger, Vec<Trigger>)> {
    let is_expression = matches!(
        trigger.kind,
        TriggerKind::CommandPattern | TriggerKind::PathPattern | TriggerKind::ContentPattern
    );
    // What can be matched as it is stays as it is.
    if !is_expression || prepared::check(trigger).is_ok() {
        return None;
    }
    let (prefix, source) = match trigger.pattern.strip_prefix("(?i)") {
        Some(source) => ("(?i)", source),
        None => ("", trigger.pattern.as_str()),
    };
    let Rewritten { pattern, unless } = rewrite(source);
    let made = |pattern: &String| {
        let made = Trigger::new(trigger.kind, format!("{prefix}{pattern}"));
        prepared::check(&made).is_ok().then_some(made)
    };
    let quiet = unless.iter().map(made).collect::<Option<Vec<_>>>()?;
    (!quiet.is_empty()).then_some((made(&pattern)?, quiet))
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    fn made(triggers: &[&str], also: &[&str]) -> Lesson {
        let list = |patterns: &[&str]| {
            patterns.iter().map(|pattern| Trigger::new(TriggerKind::CommandPattern, *pattern)).collect()
        };
        let (id, topic) = (LessonId::new("a").unwrap(), TopicId::new("t").unwrap());
        let mut lesson = Lesson::new(id, "Say it.", topic, "2026-01-01");
        lesson.triggers = list(triggers);
        lesson.also = list(also);
        lesson
    }

    fn patterns(list: &[Trigger]) -> Vec<&str> {
        list.iter().map(|trigger| trigger.pattern.as_str()).collect()
    }

    #[test]
    fn the_only_trigger_and_what_must_match_too_are_said_with_unless() {
        let said = lesson(&made(&["(?i)git push(?!.*--dry)"], &["^(?!x)git", "a"])).unwrap();
        assert_eq!(patterns(&said.triggers), ["(?i)git push"]);
        assert_eq!(patterns(&said.also), ["^git", "a"]);
        assert_eq!(patterns(&said.unless), ["(?i)git push(?:.*--dry)", "^(?:x)"]);
        assert_eq!(lesson(&said), None);
    }

    #[test]
    fn what_would_silence_another_trigger_or_cannot_be_said_stays_as_it_is() {
        assert_eq!(lesson(&made(&["git push(?!.*--dry)", "git stash"], &[])), None);
        for pattern in ["(?<!a)b", "a(?=b)", "a|b(?!c)", "a(?!b(?!c))", r"a(?!\1)", "git"] {
            assert_eq!(lesson(&made(&[pattern], &[])), None, "{pattern}");
        }
        let mut only_unless = made(&["git"], &[]);
        only_unless.unless = made(&["a(?!b)"], &[]).triggers;
        assert_eq!(lesson(&only_unless), None);
    }
}
