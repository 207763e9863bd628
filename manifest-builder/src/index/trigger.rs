//! A trigger of the manifest with everything that an index holds about it.

use std::borrow::Cow;
use std::rc::Rc;

use lessons_index::record::{PatternNote, Subjects, Trigger as TriggerRecord};
use lessons_index::{Manifest, Test, TriggerEntry, Writer};
use lessons_pattern::{Compiled, Prepared, Trigger};

use super::IndexError;
use super::keys::{self, Needs};
use crate::patterns::Patterns;

/// The lessons that have a trigger among their triggers, and the views of a command that they try it on.
#[derive(Debug, Clone, Default)]
struct Owners {
    lessons: Vec<u32>,
    subjects: Subjects,
}

/// The triggers of `manifest`, in their order.
pub(super) fn all<'m>(
    manifest: &'m Manifest,
    patterns: &Patterns,
) -> Result<Vec<IndexedTrigger<'m>>, IndexError> {
    let mut all = Vec::with_capacity(manifest.triggers.len());
    for (trigger, owners) in manifest.triggers.iter().zip(owners(manifest)) {
        all.push(IndexedTrigger::of(trigger, owners, patterns)?);
    }
    Ok(all)
}

fn owners(manifest: &Manifest) -> Vec<Owners> {
    let mut owners = vec![Owners::default(); manifest.triggers.len()];
    for (position, lesson) in (0..).zip(&manifest.lessons) {
        for &trigger in &lesson.terms.triggers {
            if let Some(owner) = owners.get_mut(trigger as usize) {
                owner.lessons.push(position);
                owner.subjects = owner.subjects.with(lesson.terms.subject);
            }
        }
    }
    owners
}

/// A trigger of the manifest, its owners, and what was worked out from its pattern.
pub(super) struct IndexedTrigger<'m> {
    trigger: &'m TriggerEntry,
    owners: Owners,
    prepared: Rc<Prepared>,
}

impl<'m> IndexedTrigger<'m> {
    fn of(trigger: &'m TriggerEntry, owners: Owners, patterns: &Patterns) -> Result<Self, IndexError> {
        let prepared = patterns.get(&Trigger::new(trigger.kind, trigger.pattern.clone()));
        let refused = |source| IndexError::Pattern { pattern: trigger.pattern.clone(), source };
        Ok(Self { trigger, owners, prepared: prepared.map_err(refused)? })
    }

    /// The views of a command that the trigger is tried on.
    pub(super) fn subjects(&self) -> Subjects {
        self.owners.subjects
    }

    /// Whether a lesson fires by the trigger, and it looks at the files of a call.
    pub(super) fn fires_on_files(&self) -> bool {
        self.trigger.kind.is_about_files() && !self.owners.lessons.is_empty()
    }

    /// The text that a call must contain for the trigger to match.
    pub(super) fn needs(&self) -> Needs<'_> {
        if self.owners.lessons.is_empty() {
            Needs::Never
        } else {
            keys::needs(self.trigger.kind, &self.prepared)
        }
    }

    /// Writes the trigger's record. `place` knows the place of a lesson.
    pub(super) fn write(&self, to: &mut Writer, place: impl Fn(u32) -> u32) {
        let test = match &self.prepared.compiled {
            Compiled::Pattern(automaton) => Test::Pattern(automaton.bytes()),
            Compiled::Keyword(tokens) => Test::Words(tokens.clone()),
            Compiled::Tool(name) => Test::Tool(lessons_lesson::call::tool_name(name)),
        };
        to.trigger(&TriggerRecord {
            kind: self.trigger.kind,
            document_frequency: self.trigger.document_frequency,
            subjects: self.owners.subjects,
            test,
            lessons: self.owners.lessons.iter().map(|lesson| place(*lesson)).collect(),
        });
    }

    /// The note about the trigger's pattern.
    pub(super) fn note(&self) -> PatternNote<'_> {
        PatternNote {
            pattern: &self.trigger.pattern,
            clauses: Cow::Borrowed(&self.prepared.clauses),
            endings: &self.prepared.endings,
        }
    }
}
