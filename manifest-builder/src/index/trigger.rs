//! A trigger of the manifest with everything that an index holds about it.

use std::borrow::Cow;
use std::rc::Rc;

use lessons_index::record::{PatternNote, Subjects, Trigger as TriggerRecord};
use lessons_index::{Manifest, Test, TriggerEntry};
use lessons_lesson::call::tool_name;
use lessons_pattern::{Compiled, Prepared, Trigger};

use super::IndexError;
use crate::patterns::Patterns;

/// A trigger of the manifest, and what was worked out from its pattern.
pub(super) struct IndexedTrigger<'m> {
    pub(super) entry: &'m TriggerEntry,
    pub(super) prepared: Rc<Prepared>,
    /// The lessons that have it among their triggers.
    pub(super) lessons: Vec<u32>,
    /// The views of a command that they try it on.
    pub(super) subjects: Subjects,
}

/// The triggers of `manifest`, in their order.
pub(super) fn all<'m>(
    manifest: &'m Manifest,
    patterns: &Patterns,
) -> Result<Vec<IndexedTrigger<'m>>, IndexError> {
    let mut all = Vec::with_capacity(manifest.triggers.len());
    for entry in &manifest.triggers {
        let prepared = patterns.get(&Trigger::new(entry.kind, entry.pattern.clone()));
        let refused = |source| IndexError::Pattern { pattern: entry.pattern.clone(), source };
        let (lessons, subjects) = Default::default();
        all.push(IndexedTrigger { entry, prepared: prepared.map_err(refused)?, lessons, subjects });
    }
    for (position, lesson) in (0..).zip(&manifest.lessons) {
        for &trigger in &lesson.terms.triggers {
            if let Some(trigger) = all.get_mut(trigger as usize) {
                trigger.lessons.push(position);
                trigger.subjects = trigger.subjects.with(lesson.terms.subject);
            }
        }
    }
    Ok(all)
}

impl IndexedTrigger<'_> {
    /// The trigger's record, in which its lessons have these places.
    pub(super) fn record(&self, lessons: Vec<u32>) -> TriggerRecord<'_> {
        TriggerRecord {
            kind: self.entry.kind,
            document_frequency: self.entry.document_frequency,
            subjects: self.subjects,
            test: match &self.prepared.compiled {
                Compiled::Pattern(automaton) => Test::Pattern(automaton.bytes()),
                Compiled::Keyword(tokens) => Test::Words(tokens.clone()),
                Compiled::Tool(name) => Test::Tool(tool_name(name)),
            },
            lessons,
        }
    }

    /// The note about the trigger's pattern.
    pub(super) fn note(&self) -> PatternNote<'_> {
        PatternNote {
            pattern: &self.entry.pattern,
            clauses: Cow::Borrowed(&self.prepared.clauses),
            endings: &self.prepared.endings,
        }
    }
}
