//! Turning the flags of a command into a lesson.

use lessons_context::{Context, Refused, Result};
use lessons_lesson::{Confidence, Lesson, Priority, Subject, TopicId, When};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_review::typed::{condition, list, sample, topic_of_tags, trigger};
use lessons_review::{GivenFields, SettledFields, own_advice, project_names, proof};

use crate::args::Fields;

/// Writes the given fields over `lesson`. `project` turns a typed project into its key.
pub(crate) fn apply(
    fields: &Fields,
    lesson: &mut Lesson,
    project: &dyn Fn(&str) -> Result<String>,
) -> Result<()> {
    if let Some(rule) = &fields.rule {
        lesson.rule.clone_from(rule);
    }
    text(fields.mistake.as_ref(), &mut lesson.mistake);
    text(fields.summary.as_ref(), &mut lesson.summary);
    text(fields.rationale.as_ref(), &mut lesson.rationale);
    text(fields.detail.as_ref(), &mut lesson.detail);
    text(fields.worth.as_ref(), &mut lesson.metacognition);
    text(fields.phase.as_ref(), &mut lesson.phase);
    let as_is = |text: &str| Ok(text.to_owned());
    let fired_on_nothing = lesson.triggers.is_empty();
    list(fields.trigger.as_deref(), &mut lesson.triggers, trigger)?;
    list(fields.also.as_deref(), &mut lesson.also, trigger)?;
    list(fields.unless.as_deref(), &mut lesson.unless, trigger)?;
    list(fields.tool.as_deref(), &mut lesson.tools, |name| Ok(name.trim().to_owned()))?;
    list(fields.os.as_deref(), &mut lesson.os, condition)?;
    list(fields.shell.as_deref(), &mut lesson.shell, condition)?;
    list(fields.state.as_deref(), &mut lesson.state, condition)?;
    list(fields.scope_project.as_deref(), &mut lesson.scope.projects, project)?;
    list(fields.scope_agent.as_deref(), &mut lesson.scope.agents, as_is)?;
    list(fields.fires.as_deref(), &mut lesson.examples.fires, sample)?;
    list(fields.quiet.as_deref(), &mut lesson.examples.quiet, sample)?;
    list(fields.topic.as_deref(), &mut lesson.topics, |topic| Ok(TopicId::new(topic).map_err(refused)?))?;
    list(fields.tag.as_deref(), &mut lesson.tags, as_is)?;
    let before = lesson.evidence.clone();
    list(fields.evidence.as_deref(), &mut lesson.evidence, as_is)?;
    proof::keep_reasons(lesson, &before);
    lesson.subject = fields.subject.or(lesson.subject);
    lesson.mode = fields.mode.unwrap_or(lesson.mode);
    // The trigger of a lesson that had none says when it is told.
    let gets_a_trigger = fired_on_nothing && !lesson.triggers.is_empty();
    lesson.when = fields.when.unwrap_or(if gets_a_trigger { When::Tool } else { lesson.when });
    lesson.severity = fields.severity.unwrap_or(lesson.severity);
    lesson.quality = fields.quality.unwrap_or(lesson.quality);
    if fields.trigger.is_some() && lesson.subject.is_none() && begins_with_programs(lesson) {
        lesson.subject = Some(Subject::Program);
    }
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

/// Whether a lesson that stops commands means programs: `^git commit` is about `cd api && git commit` too. Its examples tell
/// whether it fires on each program as well as on the line.
fn begins_with_programs(lesson: &Lesson) -> bool {
    let begins = |it: &Trigger| it.kind == TriggerKind::CommandPattern && it.pattern.starts_with('^');
    let program = Lesson { subject: Some(Subject::Program), ..lesson.clone() };
    let fires = &lesson.examples.fires;
    lesson.mode.refuses()
        && lesson.triggers.iter().all(begins)
        && !fires.is_empty()
        && fires.iter().all(|sample| own_advice::fires(&program, sample))
}

impl GivenFields for Fields {
    fn write_over(&self, context: &Context, lesson: &mut Lesson) -> Result<SettledFields> {
        apply(self, lesson, &|text| project_names::project_key(context, text))?;
        Ok(SettledFields {
            triggers: self.trigger.is_some(),
            projects: self.scope_project.is_some(),
            when: self.when.is_some(),
        })
    }

    fn force(&self) -> Option<&String> {
        self.force_block.as_ref()
    }
}

/// Sets an optional text: a given empty value clears it.
fn text(given: Option<&String>, field: &mut Option<String>) {
    if let Some(given) = given {
        *field = Some(given.clone()).filter(|text| !text.trim().is_empty());
    }
}

/// Turns a parse error into a usage error.
fn refused(error: impl std::fmt::Display) -> Refused {
    Refused(error.to_string())
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::LessonId;
    use lessons_lesson::lesson::Mode;

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
    fn a_pattern_from_the_start_on_that_stops_commands_means_programs() {
        let subject = |pattern: &str, fires: &str, mode| {
            let given = Fields {
                trigger: Some(vec![format!("cmd={pattern}")]),
                fires: Some(vec![fires.into()]),
                mode: Some(mode),
                ..Fields::default()
            };
            applied(&given).subject
        };
        assert_eq!(subject(r"^git\s+commit\b", "git commit -m x", Mode::Bump), Some(Subject::Program));
        assert_eq!(subject(r"^git\s+commit\b", "git commit -m x", Mode::Advise), None);
        assert_eq!(subject(r"\bgit\s+commit\b", "git commit -m x", Mode::Bump), None);
        assert_eq!(subject("^sudo git", "sudo git commit", Mode::Bump), None);
        assert_eq!(subject("^bin/migrate", "bin/migrate up", Mode::Bump), None);
    }

    #[test]
    fn an_empty_list_in_json_empties_and_an_unknown_field_is_refused() {
        let fields: Fields = serde_json::from_str(r#"{"also": []}"#).unwrap();
        assert_eq!(fields.also, Some(Vec::new()));
        assert!(serde_json::from_str::<Fields>(r#"{"status": "active"}"#).is_err());
    }

    #[test]
    fn what_is_not_given_stays() {
        assert_eq!(applied(&Fields::default()), lesson());
    }

    #[test]
    fn a_list_is_replaced_and_one_empty_value_empties_it() {
        let given = Fields { trigger: Some(vec!["cmd=a".into(), "glob=b".into()]), ..Fields::default() };
        assert_eq!(applied(&given).triggers.len(), 2);
        let emptied =
            Fields { trigger: Some(vec![String::new()]), mistake: Some(String::new()), ..Fields::default() };
        assert!(applied(&emptied).triggers.is_empty() && applied(&emptied).mistake.is_none());
    }
}
