//! Turning the flags of a command into a lesson.

use anyhow::{Result, bail};
use lessons_context::error::Refused;
use lessons_lesson::conditions::ConditionWord;
use lessons_lesson::id::TopicId;
use lessons_lesson::lesson::{Confidence, Lesson, Priority, SampleCall};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_review::cleaning;
use lessons_review::proof;
use lessons_text::neutral::{line, shortened};

use crate::args::Fields;

/// The topic of a lesson without one.
const GENERAL: &str = "general";

/// Writes the given fields over `lesson`. `project` turns a typed project into its key.
pub fn apply(fields: &Fields, lesson: &mut Lesson, project: &dyn Fn(&str) -> Result<String>) -> Result<()> {
    if let Some(rule) = &fields.rule {
        lesson.rule.clone_from(rule);
    }
    text(fields.mistake.as_ref(), &mut lesson.mistake);
    text(fields.summary.as_ref(), &mut lesson.summary);
    text(fields.rationale.as_ref(), &mut lesson.rationale);
    text(fields.detail.as_ref(), &mut lesson.detail);
    text(fields.worth.as_ref(), &mut lesson.metacognition);
    text(fields.phase.as_ref(), &mut lesson.phase);
    list(&fields.trigger, &mut lesson.triggers, trigger)?;
    list(&fields.also, &mut lesson.also, trigger)?;
    list(&fields.unless, &mut lesson.unless, trigger)?;
    list(&fields.tool, &mut lesson.tools, |name| Ok(name.trim().to_owned()))?;
    list(&fields.os, &mut lesson.os, condition)?;
    list(&fields.shell, &mut lesson.shell, condition)?;
    list(&fields.state, &mut lesson.state, condition)?;
    list(&fields.scope_project, &mut lesson.scope.projects, project)?;
    list(&fields.scope_agent, &mut lesson.scope.agents, as_is)?;
    list(&fields.fires, &mut lesson.examples.fires, sample)?;
    list(&fields.quiet, &mut lesson.examples.quiet, sample)?;
    list(&fields.topic, &mut lesson.topics, |topic| Ok(TopicId::new(topic).map_err(refused)?))?;
    list(&fields.tag, &mut lesson.tags, as_is)?;
    let before = lesson.evidence.clone();
    list(&fields.evidence, &mut lesson.evidence, as_is)?;
    proof::keep_reasons(lesson, &before);
    lesson.subject = fields.subject.or(lesson.subject);
    lesson.mode = fields.mode.unwrap_or(lesson.mode);
    lesson.when = fields.when.unwrap_or(lesson.when);
    lesson.severity = fields.severity.unwrap_or(lesson.severity);
    lesson.quality = fields.quality.unwrap_or(lesson.quality);
    if let Some(priority) = fields.priority {
        lesson.priority = Priority::new(priority).map_err(refused)?;
    }
    if let Some(confidence) = fields.confidence {
        lesson.confidence = Confidence::new(confidence).map_err(refused)?;
    }
    if lesson.topics.is_empty() {
        lesson.topics.push(topic_of_tags(&lesson.tags)?);
    }
    if let Some(reason) = &fields.force_block {
        proof::force(lesson, reason)?;
    }
    Ok(())
}

/// The names of the given fields, except the mode.
pub fn given(fields: &Fields) -> Vec<&'static str> {
    let list = |list: &[String]| !list.is_empty();
    let all = [
        ("rule", fields.rule.is_some()),
        ("mistake", fields.mistake.is_some()),
        ("summary", fields.summary.is_some()),
        ("rationale", fields.rationale.is_some()),
        ("detail", fields.detail.is_some()),
        ("worth", fields.worth.is_some()),
        ("phase", fields.phase.is_some()),
        ("trigger", list(&fields.trigger)),
        ("also", list(&fields.also)),
        ("unless", list(&fields.unless)),
        ("tool", list(&fields.tool)),
        ("os", list(&fields.os)),
        ("shell", list(&fields.shell)),
        ("state", list(&fields.state)),
        ("subject", fields.subject.is_some()),
        ("projects", list(&fields.scope_project)),
        ("agents", list(&fields.scope_agent)),
        ("fires", list(&fields.fires)),
        ("quiet", list(&fields.quiet)),
        ("when", fields.when.is_some()),
        ("priority", fields.priority.is_some()),
        ("confidence", fields.confidence.is_some()),
        ("severity", fields.severity.is_some()),
        ("quality", fields.quality.is_some()),
        ("topic", list(&fields.topic)),
        ("tag", list(&fields.tag)),
        ("evidence", list(&fields.evidence)),
        ("force_block", fields.force_block.is_some()),
    ];
    all.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
}

/// The topic that the first `tool:` or `lang:` tag names, else `GENERAL`.
pub fn topic_of_tags(tags: &[String]) -> Result<TopicId> {
    let named = tags.iter().find_map(|tag| tag.strip_prefix("tool:").or_else(|| tag.strip_prefix("lang:")));
    let slug = named.and_then(|name| lessons_lesson::id::slug(name, 40));
    Ok(TopicId::new(slug.as_deref().unwrap_or(GENERAL))?)
}

/// Sets an optional text: a given empty value clears it.
fn text(given: Option<&String>, field: &mut Option<String>) {
    if let Some(given) = given {
        *field = Some(given.clone()).filter(|text| !text.trim().is_empty());
    }
}

/// Sets a list: given values replace it, one empty value clears it, none leave it.
fn list<T>(given: &[String], field: &mut Vec<T>, parse: impl Fn(&str) -> Result<T>) -> Result<()> {
    if given.is_empty() {
        return Ok(());
    }
    *field = given.iter().filter(|text| !text.is_empty()).map(|text| parse(text)).collect::<Result<_>>()?;
    Ok(())
}

#[allow(clippy::unnecessary_wraps, reason = "it stands beside parsers that can fail")]
fn as_is(text: &str) -> Result<String> {
    Ok(text.to_owned())
}

/// Parses a word of a condition.
fn condition<T: ConditionWord>(text: &str) -> Result<T> {
    let known = T::parse(text.trim());
    Ok(known.ok_or_else(|| Refused(format!("`{}` is not {}", quoted(text), T::names())))?)
}

/// Turns a parse error into a usage error.
fn refused(error: impl std::fmt::Display) -> Refused {
    Refused(error.to_string())
}

/// A typed text as a message may show it: short and redacted.
fn quoted(text: &str) -> String {
    shortened(&line(&cleaning::cleaned(text)), 60)
}

/// Parses `KIND=PATTERN`.
pub fn trigger(text: &str) -> Result<Trigger> {
    let Some((kind, pattern)) = text.split_once('=') else {
        bail!(Refused(format!(
            "`{}` is not KIND=PATTERN; for example cmd='\\bgit\\s+stash\\b' or glob='**/*.sql'",
            quoted(text)
        )));
    };
    let Some(kind) = TriggerKind::parse(kind) else {
        let kinds: Vec<_> = TriggerKind::ALL.iter().map(|kind| kind.short()).collect();
        bail!(Refused(format!(
            "`{}` is not a kind of trigger; there are {}",
            quoted(kind),
            kinds.join(", ")
        )));
    };
    Ok(Trigger::new(kind, pattern))
}

/// Parses a sample call: JSON, or a command for Bash.
fn sample(text: &str) -> Result<SampleCall> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text)
            .map_err(|error| Refused(format!("`{}` is not a sample call: {error}", quoted(text))).into());
    }
    Ok(SampleCall::bash(text))
}

/// A sample call as [`sample`] reads it.
pub fn typed_sample(sample: &SampleCall) -> String {
    match &sample.command {
        Some(command) if *sample == SampleCall::bash(command) && !command.trim_start().starts_with('{') => {
            command.clone()
        }
        _ => serde_json::to_string(sample).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::LessonId;

    use super::*;

    fn lesson() -> Lesson {
        let topic = TopicId::new("git").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Rule.", topic, "2026-01-01");
        lesson.mistake = Some("Mistake.".into());
        lesson.triggers = vec![Trigger::new(TriggerKind::Tool, "Bash")];
        lesson
    }

    fn applied(fields: &Fields) -> Lesson {
        let mut lesson = lesson();
        apply(fields, &mut lesson, &|key| Ok(key.to_owned())).unwrap();
        lesson
    }

    #[test]
    fn every_field_that_is_given_is_named() {
        let json = serde_json::json!({
            "rule": "a", "mistake": "a", "summary": "a", "rationale": "a", "detail": "a", "worth": "a", "phase": "a",
            "trigger": ["kw=a"],
            "also": [], "unless": [], "tool": [], "os": [], "shell": [], "state": [], "subject": "command", "scopeProject": [], "scopeAgent": [],
            "fires": [], "quiet": [], "mode": "bump", "when": "tool", "priority": 1, "confidence": 1.0,
            "severity": "low", "quality": "trivial", "topic": [], "tag": [], "evidence": []
        });
        let number = json.as_object().unwrap().len();
        let fields: Fields = serde_json::from_value(json).unwrap();
        assert_eq!(given(&fields).len(), number - 1, "all but the mode");
        assert_eq!(fields.also, [""], "an empty list empties");
        assert!(given(&Fields::default()).is_empty());
        assert!(serde_json::from_str::<Fields>(r#"{"status": "active"}"#).is_err(), "an unknown field");
    }

    #[test]
    fn what_is_not_given_stays() {
        assert_eq!(applied(&Fields::default()), lesson());
    }

    #[test]
    fn a_list_is_replaced_and_one_empty_value_empties_it() {
        let given = Fields { trigger: vec!["cmd=a".into(), "glob=b".into()], ..Fields::default() };
        assert_eq!(applied(&given).triggers.len(), 2);
        let emptied =
            Fields { trigger: vec![String::new()], mistake: Some(String::new()), ..Fields::default() };
        assert!(applied(&emptied).triggers.is_empty() && applied(&emptied).mistake.is_none());
    }

    #[test]
    fn a_pattern_may_hold_an_equals_sign() {
        assert_eq!(trigger("cmd=A=b").unwrap(), Trigger::new(TriggerKind::CommandPattern, "A=b"));
        assert!(trigger("git stash").unwrap_err().to_string().contains("KIND=PATTERN"));
        assert!(trigger("regex=x").unwrap_err().to_string().contains("cmd, glob"));
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
