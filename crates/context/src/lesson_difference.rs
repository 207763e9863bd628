//! A lesson before and after a change, field by field, for a person who decides about the change.

use std::fmt;

use lessons_lesson::{Lesson, Priority, Status, When, names_of};
use lessons_pattern::Trigger;
use lessons_store::LessonChange;
use lessons_text::line;
use serde::Serialize;

use crate::known_projects::KnownProjects;

/// A lesson that differs, with every field in which it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedLesson {
    /// Its id.
    pub id: String,
    /// How it differs.
    pub change: LessonChange,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
}

/// A field that differs. Nothing of its values is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// Its name.
    pub field: &'static str,
    /// What it holds before; empty where it is not set.
    pub before: Vec<String>,
    /// What it holds after.
    pub after: Vec<String>,
}

impl ChangedLesson {
    /// Compares a lesson before and after a change. A lesson that is not there, or cannot be used, has no fields.
    pub fn between(id: &str, change: LessonChange, before: Option<&Lesson>, after: Option<&Lesson>) -> Self {
        let [before, after]: [Fields; 2] =
            [before, after].map(|lesson| lesson.map(fields).unwrap_or_default());
        // Every lesson has the same fields in the same order.
        let of =
            |fields: &Fields, at: usize| fields.get(at).map(|(_, values)| values.clone()).unwrap_or_default();
        let named = if after.is_empty() { &before } else { &after };
        let changes = named.iter().enumerate().map(|(at, (field, _))| FieldChange {
            field,
            before: of(&before, at),
            after: of(&after, at),
        });
        Self { id: id.to_owned(), change, fields: changes.filter(|it| it.before != it.after).collect() }
    }

    /// The same with the projects as a person knows them.
    #[must_use]
    pub fn with_folders(mut self, known: &KnownProjects) -> Self {
        for field in self.fields.iter_mut().filter(|field| field.field == "project") {
            for key in field.before.iter_mut().chain(&mut field.after) {
                *key = known.name(key);
            }
        }
        self
    }
}

impl fmt::Display for ChangedLesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:7}  {}", self.change, line(&self.id))?;
        if self.fields.is_empty() && self.change == LessonChange::Changed {
            write!(f, "\n  (only in notes, such as its evidence, that decide nothing)")?;
        }
        for FieldChange { field, before, after } in &self.fields {
            for (sign, values) in [('-', before), ('+', after)] {
                for value in values {
                    write!(f, "\n  {sign} {field:9}  {}", line(value))?;
                }
            }
        }
        Ok(())
    }
}

/// Fields with their values.
type Fields = Vec<(&'static str, Vec<String>)>;

/// The fields of a lesson that decide when it fires, what it does then, and what the model is told. A default is left out.
fn fields(lesson: &Lesson) -> Fields {
    let Lesson {
        mode,
        rule,
        mistake,
        rationale,
        summary,
        detail,
        triggers,
        also,
        unless,
        tools,
        scope,
        os,
        shell,
        state,
        subject,
        when,
        priority,
        confidence,
        status,
        tags,
        topics,
        examples,
        // These decide nothing: they say where the lesson comes from and what it is worth.
        id: _,
        severity: _,
        quality: _,
        metacognition: _,
        phase: _,
        author: _,
        evidence: _,
        superseded_by: _,
        created_at: _,
        updated_at: _,
    } = lesson;
    let text = |text: &Option<String>| text.iter().cloned().collect();
    let patterns = |triggers: &[Trigger]| triggers.iter().map(ToString::to_string).collect();
    let one = |value: Option<String>| value.into_iter().collect();
    let calls = |calls: &[_]| calls.iter().map(ToString::to_string).collect();
    vec![
        ("mode", vec![mode.to_string()]),
        ("status", one((*status != Status::Active).then(|| status.to_string()))),
        ("rule", vec![rule.clone()]),
        ("mistake", text(mistake)),
        ("rationale", text(rationale)),
        ("summary", text(summary)),
        ("detail", text(detail)),
        ("trigger", patterns(triggers)),
        ("also", patterns(also)),
        ("unless", patterns(unless)),
        ("tool", tools.clone()),
        ("os", names_of(os)),
        ("shell", names_of(shell)),
        ("state", names_of(state)),
        ("project", scope.projects.clone()),
        ("agent", scope.agents.clone()),
        ("subject", one(subject.map(|it| it.to_string()))),
        ("when", one((*when != When::Tool).then(|| when.to_string()))),
        ("priority", one((*priority != Priority::default()).then(|| priority.get().to_string()))),
        ("confidence", one((confidence.get() < 1.0).then(|| confidence.get().to_string()))),
        ("topic", topics.iter().map(ToString::to_string).collect()),
        ("tag", tags.clone()),
        ("fires", calls(&examples.fires)),
        ("quiet", calls(&examples.quiet)),
    ]
}

/// The texts of a lesson that a person or a model reads.
pub fn text_of(lesson: &Lesson) -> String {
    lesson.texts().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_lesson::lesson::Mode;
    use lessons_pattern::trigger::TriggerKind;

    use super::*;

    fn lesson(rule: &str) -> Lesson {
        let id = LessonId::new("guard").unwrap();
        let mut lesson = Lesson::new(id, rule, TopicId::new("frob").unwrap(), "2026-01-01");
        lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, "frob wipe")];
        lesson
    }

    #[test]
    fn a_new_lesson_shows_every_field_and_a_changed_one_those_that_differ() {
        let before = Lesson { mistake: Some("It wipes.".into()), ..lesson("Never wipe.") };
        let new = ChangedLesson::between("guard", LessonChange::New, None, Some(&before));
        assert_eq!(
            new.to_string(),
            "new      guard\n  + mode       advise\n  + rule       Never wipe.\n  + mistake    It wipes.\n  \
             + trigger    cmd=frob wipe\n  + topic      frob"
        );
        let after = Lesson { mode: Mode::Block, tools: vec!["Bash".into()], ..lesson("Never wipe.") };
        let changed = ChangedLesson::between("guard", LessonChange::Changed, Some(&before), Some(&after));
        assert_eq!(
            changed.to_string(),
            "changed  guard\n  - mode       advise\n  + mode       block\n  - mistake    It wipes.\n  + tool       Bash"
        );
        let gone = ChangedLesson::between("guard", LessonChange::Removed, Some(&after), None);
        assert!(gone.to_string().starts_with("removed  guard\n  - mode       block\n"), "{gone}");
    }

    #[test]
    fn nothing_of_a_long_or_hostile_text_is_cut_and_no_line_of_it_looks_like_another_field() {
        let long = format!("{}\n  + mode       advise", "x".repeat(1900));
        let shown = ChangedLesson::between("guard", LessonChange::New, None, Some(&lesson(&long)));
        let text = shown.to_string();
        assert!(text.contains(&"x".repeat(1900)));
        assert_eq!(text.lines().filter(|line| line.starts_with("  + mode")).count(), 1);
    }

    #[test]
    fn a_change_of_notes_alone_is_called_so() {
        let after = Lesson { evidence: vec!["commit:1".into()], ..lesson("r") };
        let shown = ChangedLesson::between("guard", LessonChange::Changed, Some(&lesson("r")), Some(&after));
        assert!(shown.fields.is_empty() && shown.to_string().contains("only in notes"));
    }
}
