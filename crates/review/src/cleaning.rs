//! Cleaning a typed lesson before any byte of it is stored: secrets, control characters and format characters go.
//!
//! A pattern is refused instead of cleaned: with a part replaced it would mean something else.

use std::iter;

use lessons_context::Refused;
use lessons_lesson::{Lesson, SampleCall};
use lessons_text::{line, neutral, redact, shortened};

/// What was removed from a text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Taken {
    hidden: bool,
    secrets: Vec<&'static str>,
}

/// Cleans every text of a lesson. Returns warnings that name the field, never the removed text.
pub fn clean(lesson: &mut Lesson) -> Result<Vec<String>, Refused> {
    for (role, trigger) in lesson.all_triggers() {
        let taken = clean_text(&mut trigger.pattern.clone());
        if let Some(kind) = taken.secrets.first() {
            return Err(Refused(format!(
                "a pattern of `{role}` holds what looks like a secret ({kind}); write the pattern without it"
            )));
        }
        if taken.hidden {
            return Err(Refused(format!(
                "a pattern of `{role}` holds a hidden character; write it as an escape such as \\u200b"
            )));
        }
    }
    let optional = [
        ("mistake", &mut lesson.mistake),
        ("summary", &mut lesson.summary),
        ("rationale", &mut lesson.rationale),
        ("detail", &mut lesson.detail),
        ("metacognition", &mut lesson.metacognition),
        ("phase", &mut lesson.phase),
    ];
    let optional = optional.into_iter().filter_map(|(name, text)| Some((name, text.as_mut()?)));
    let lists = [
        ("tags", &mut lesson.tags),
        ("tools", &mut lesson.tools),
        ("evidence", &mut lesson.evidence),
        ("scope.agents", &mut lesson.scope.agents),
        ("scope.projects", &mut lesson.scope.projects),
    ];
    let lists = lists.into_iter().flat_map(|(name, words)| words.iter_mut().map(move |word| (name, word)));
    let samples = [("fires", &mut lesson.examples.fires), ("quiet", &mut lesson.examples.quiet)];
    let calls = samples.into_iter().flat_map(|(name, calls)| calls.iter_mut().map(move |call| (name, call)));
    let samples = calls.flat_map(|(name, SampleCall { tool: _, command, file, content, error, cwd })| {
        [command, file, content, error, cwd].into_iter().flatten().map(move |text| (name, text))
    });
    let mut warnings = Vec::new();
    for (name, text) in iter::once(("rule", &mut lesson.rule)).chain(optional).chain(lists).chain(samples) {
        let Taken { hidden, secrets } = clean_text(text);
        let hidden = hidden.then(|| format!("control or hidden characters were removed from `{name}`"));
        let secret = |kind| format!("a secret ({kind}) in `{name}` was replaced; nothing of it is stored");
        for warning in hidden.into_iter().chain(secrets.into_iter().map(secret)) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    Ok(warnings)
}

/// A text without secrets and hidden characters, for example a reason that is stored.
pub fn cleaned(text: &str) -> String {
    let mut text = text.to_owned();
    clean_text(&mut text);
    text
}

/// Removes hidden characters first: one inside a secret would keep it from being recognised.
fn clean_text(text: &mut String) -> Taken {
    let visible = neutral::visible(text);
    let redacted = redact(&visible);
    let taken = Taken { hidden: visible != *text, secrets: redacted.kinds };
    *text = redacted.text;
    taken
}

/// The longest stored reason, in characters.
const MOST: usize = 150;

/// A reason in the form that is stored: one line, redacted, then shortened (in that order, or half a secret would stay).
pub fn reason(text: &str) -> String {
    shortened(line(&cleaned(text)).trim(), MOST)
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_pattern::trigger::{Trigger, TriggerKind};

    use super::*;

    fn lesson(rule: &str) -> Lesson {
        Lesson::new(LessonId::new("a").unwrap(), rule, TopicId::new("t").unwrap(), "2026-01-01")
    }

    fn token() -> String {
        ["gh", "p_", &"c".repeat(36)].concat()
    }

    #[test]
    fn a_secret_goes_even_with_a_hidden_character_in_it() {
        let mut lesson = lesson("Say it.");
        lesson.mistake = Some(format!("failed with {}", token().replace("p_", "p\u{200b}_")));
        lesson.evidence = vec![token()];
        let warnings = clean(&mut lesson).unwrap();
        let stored = serde_json::to_string(&lesson).unwrap();
        assert!(!stored.contains("cccc") && stored.contains("[REDACTED:"), "{stored}");
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings.iter().all(|warning| !warning.contains("cccc")));
    }

    #[test]
    fn escapes_and_direction_marks_go_and_lines_stay() {
        let mut lesson = lesson("a\u{1b}[2Jb\u{202e}c\r\nd");
        assert_eq!(clean(&mut lesson).unwrap(), ["control or hidden characters were removed from `rule`"]);
        assert_eq!(lesson.rule, "a[2Jbc\nd");
    }

    #[test]
    fn a_commit_and_a_placeholder_are_no_secrets() {
        let mut lesson = lesson("pin to 89e6c98d92887913cadf06b2adb97f26cde4849b");
        lesson.mistake = Some("set OPENAI_API_KEY=$OPENAI_API_KEY or <your-key>".into());
        let before = lesson.clone();
        assert!(clean(&mut lesson).unwrap().is_empty());
        assert_eq!(lesson, before);
    }

    #[test]
    fn a_pattern_is_refused_rather_than_changed() {
        let mut lesson = lesson("Say it.");
        lesson.unless = vec![Trigger::new(TriggerKind::CommandPattern, token())];
        let refused = clean(&mut lesson).unwrap_err().to_string();
        assert!(refused.contains("looks like a secret") && !refused.contains("cccc"), "{refused}");
        lesson.unless = vec![Trigger::new(TriggerKind::CommandPattern, "a\u{200b}b")];
        assert!(clean(&mut lesson).unwrap_err().to_string().contains("hidden character"));
    }

    #[test]
    fn a_secret_goes_also_where_the_reason_is_cut() {
        let token = ["gh", "p_", &"c".repeat(36)].concat();
        for before in [0, 120, 140, 149] {
            let kept = reason(&format!("{} {token}", "a ".repeat(before / 2)));
            assert!(!kept.contains("cc") && kept.chars().count() <= MOST, "{kept}");
        }
        assert_eq!(reason(" a \u{1b}reason\nof two lines "), "a reason of two lines");
    }
}
