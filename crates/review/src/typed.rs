//! What a person types of a lesson: triggers, conditions and sample calls, read or refused.

use lessons_context::{Refused, Result, refused};
use lessons_lesson::{SampleCall, TopicId};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_text::{Named, line, listed, shortened};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cleaning;

/// The topic of a lesson without one.
const GENERAL: &str = "general";

/// The topic that the first `tool:` or `lang:` tag names, else `GENERAL`.
pub fn topic_of_tags(tags: &[String]) -> Result<TopicId> {
    let named = tags.iter().find_map(|tag| tag.strip_prefix("tool:").or_else(|| tag.strip_prefix("lang:")));
    let slug = named.and_then(|name| lessons_lesson::id::slug(name, 40));
    Ok(TopicId::new(slug.as_deref().unwrap_or(GENERAL))?)
}

/// Sets a list that is given: no value, or an empty one, clears it.
pub fn list<T>(from: Option<&[String]>, field: &mut Vec<T>, parse: impl Fn(&str) -> Result<T>) -> Result<()> {
    if let Some(given) = from {
        *field =
            given.iter().filter(|text| !text.is_empty()).map(|text| parse(text)).collect::<Result<_>>()?;
    }
    Ok(())
}

/// Reads a word of a condition.
pub fn condition<T: Named>(text: &str) -> Result<T> {
    let known = T::VALUES.iter().copied().find(|word| word.to_string() == text.trim());
    known.map_or_else(|| refused(format!("`{}` is not {}", quoted(text), one_of(T::VALUES))), Ok)
}

/// The names of several words, for a message: `bash, zsh or sh`.
fn one_of<T: Named>(words: &[T]) -> String {
    match words.split_last() {
        Some((last, others)) => format!("{} or {last}", listed(others)),
        None => String::new(),
    }
}

/// A typed text as a message may show it: short and redacted.
fn quoted(text: &str) -> String {
    shortened(&line(&cleaning::cleaned(text)), 60)
}

/// Reads `KIND=PATTERN`.
pub fn trigger(text: &str) -> Result<Trigger> {
    let Some((kind, pattern)) = text.split_once('=') else {
        return refused(format!(
            "`{}` is not KIND=PATTERN; for example cmd='\\bgit\\s+stash\\b' or glob='**/*.sql'",
            quoted(text)
        ));
    };
    let Some(kind) = TriggerKind::parse(kind) else {
        let kinds = listed(TriggerKind::ALL.iter().map(|kind| kind.short()));
        return refused(format!("`{}` is not a kind of trigger; there are {kinds}", quoted(kind)));
    };
    Ok(Trigger::new(kind, pattern))
}

/// Reads a sample call: JSON, or a command for Bash.
pub fn sample(text: &str) -> Result<SampleCall> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text)
            .map_err(|error| Refused(format!("`{}` is not a sample call: {error}", quoted(text))).into());
    }
    Ok(SampleCall::bash(text))
}

/// A sample call as [`sample()`] reads it.
pub fn typed_sample(sample: &SampleCall) -> String {
    match &sample.command {
        Some(command) if *sample == SampleCall::bash(command) && !command.trim_start().starts_with('{') => {
            command.clone()
        }
        _ => serde_json::to_string(sample).unwrap_or_default(),
    }
}

/// The longest error message about it, in characters.
const MAX_COMPLAINT_CHARS: usize = 500;

/// Converts JSON into a type; `what` names the type in an error.
pub fn understood<T: DeserializeOwned>(value: Value, what: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Refused(format!("{what}: {}", complaint(&error))).into())
}

/// A serde error, shortened: it may quote the input, secrets included.
pub fn complaint(error: &serde_json::Error) -> String {
    shortened(&line(&cleaning::cleaned(&error.to_string())), MAX_COMPLAINT_CHARS)
}

#[cfg(test)]
mod tests {
    use lessons_lesson::conditions::{Os, StateCheck};

    use super::*;

    #[test]
    fn a_pattern_may_hold_an_equals_sign() {
        assert_eq!(trigger("cmd=A=b").unwrap(), Trigger::new(TriggerKind::CommandPattern, "A=b"));
        assert!(trigger("git stash").unwrap_err().to_string().contains("KIND=PATTERN"));
        assert!(trigger("regex=x").unwrap_err().to_string().contains("cmd, glob"));
    }

    #[test]
    fn a_word_that_is_none_of_a_list_is_answered_with_the_list() {
        assert_eq!(condition::<Os>(" macos ").unwrap(), Os::Macos);
        assert_eq!(condition::<Os>("beos").unwrap_err().to_string(), "`beos` is not linux, macos or windows");
        assert_eq!(
            condition::<StateCheck>("").unwrap_err().to_string(),
            "`` is not cwd-ends-with-target, path-missing or path-exists"
        );
    }

    #[test]
    fn a_sample_is_a_command_or_json() {
        assert_eq!(sample("git stash").unwrap().command.as_deref(), Some("git stash"));
        assert_eq!(sample(r#"{"tool":"Edit","file":"a.ts"}"#).unwrap().file.as_deref(), Some("a.ts"));
        assert!(sample(r#"{"tool":"Edit","path":"a.ts"}"#).is_err());
    }

    #[test]
    fn the_topic_comes_from_a_tag_or_is_general() {
        assert_eq!(topic_of_tags(&["severity:hang".into(), "tool:git".into()]).unwrap().as_str(), "git");
        assert_eq!(topic_of_tags(&[]).unwrap().as_str(), "general");
    }
}
