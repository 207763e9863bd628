//! A trigger with everything that is known of it.

use std::borrow::Cow;

use lessons_core::automaton::compile::Built;
use lessons_core::index::record::{Note, Subjects, Test, Trigger as TriggerRecord, Writer};
use lessons_core::manifest::{Manifest, TriggerEntry};
use lessons_core::prepared::Compiled;
use lessons_core::trigger::Trigger;

use super::IndexError;
use super::keys::{self, Needs};
use crate::patterns::{Outcome, Patterns};

/// Who has a trigger among theirs, and on what they try it.
#[derive(Debug, Clone, Default)]
struct Owners {
    lessons: Vec<u32>,
    subjects: Subjects,
}

/// The triggers of `manifest`, in their order.
pub(super) fn all<'m>(manifest: &'m Manifest, patterns: &Patterns) -> Result<Vec<Tried<'m>>, IndexError> {
    let mut all = Vec::with_capacity(manifest.triggers.len());
    for (trigger, owners) in manifest.triggers.iter().zip(owners(manifest)) {
        all.push(Tried::of(trigger, owners, patterns)?);
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

/// A trigger with everything that is known of it: how it is tried.
pub(super) struct Tried<'m> {
    trigger: &'m TriggerEntry,
    owners: Owners,
    outcome: Outcome,
}

impl<'m> Tried<'m> {
    fn of(trigger: &'m TriggerEntry, owners: Owners, patterns: &Patterns) -> Result<Self, IndexError> {
        let outcome = patterns.get(&Trigger::new(trigger.kind, trigger.pattern.clone()));
        match outcome.as_ref() {
            Ok(_) => Ok(Self { trigger, owners, outcome }),
            Err(source) => {
                Err(IndexError::Pattern { pattern: trigger.pattern.clone(), source: source.clone() })
            }
        }
    }

    fn automaton(&self) -> &[u8] {
        let prepared = self.outcome.as_ref().as_ref().ok();
        prepared.and_then(|prepared| prepared.automaton.as_ref()).map_or(&[], Built::bytes)
    }

    /// On which of a command's texts it is tried.
    pub(super) fn subjects(&self) -> Subjects {
        self.owners.subjects
    }

    pub(super) fn needs(&self) -> Needs<'_> {
        match self.outcome.as_ref() {
            Ok(prepared) if !self.owners.lessons.is_empty() => keys::needs(self.trigger.kind, prepared),
            _ => Needs::Never,
        }
    }

    /// Writes its record. `place` knows where a lesson stands.
    pub(super) fn write(&self, to: &mut Writer, place: impl Fn(u32) -> u32) {
        let test = match &self.trigger.compiled {
            Compiled::Regex { .. } => Test::Pattern(self.automaton()),
            Compiled::Keyword { tokens } => Test::Words(tokens.clone()),
            Compiled::Tool { name } => Test::Tool(lessons_core::call::tool_name(name)),
        };
        to.trigger(&TriggerRecord {
            kind: self.trigger.kind,
            fanout: self.trigger.fanout,
            subjects: self.owners.subjects,
            test,
            lessons: self.owners.lessons.iter().map(|lesson| place(*lesson)).collect(),
        });
    }

    pub(super) fn note(&self) -> Option<Note<'_>> {
        let prepared = self.outcome.as_ref().as_ref().ok().filter(|prepared| prepared.automaton.is_some())?;
        Some(Note {
            pattern: &self.trigger.pattern,
            clauses: Cow::Borrowed(&prepared.clauses),
            endings: &prepared.endings,
        })
    }
}
