//! The trials of a call: which of its triggers match, and the lessons of which one does.

use std::collections::{BTreeMap, BTreeSet};

use crate::corrupt::Result;
use crate::reader::Index;
use crate::record::Trigger;
use crate::views::Views;
use lessons_lesson::Subject;
use lessons_pattern::TriggerKind;

/// A trigger that was tried on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// The kind of the trigger.
    pub kind: TriggerKind,
    /// Its document frequency, if it matches: how many lessons have it among their triggers.
    pub document_frequency: Option<u32>,
}

type TriggerTest<'t> = dyn Fn(&Trigger<'_>, &Views<'_>, Subject) -> Result<bool> + 't;

/// The test of calls: [`Trigger::matches`].
pub fn matches_call(trigger: &Trigger<'_>, views: &Views<'_>, subject: Subject) -> Result<bool> {
    trigger.matches(views, subject)
}

/// The trials of a call. Each trigger is tried at most once on each view of the command.
pub struct Trials<'i, 'f, 'c> {
    index: &'i Index<'f>,
    views: &'i Views<'c>,
    test: Box<TriggerTest<'i>>,
    known: BTreeMap<(u32, Subject), Trial>,
}

impl<'i, 'f, 'c> Trials<'i, 'f, 'c> {
    /// No trial yet. Those to come are made by `test`: that of calls is [`matches_call`].
    pub fn new(
        index: &'i Index<'f>,
        views: &'i Views<'c>,
        test: impl Fn(&Trigger<'_>, &Views<'_>, Subject) -> Result<bool> + 'i,
    ) -> Self {
        Self { index, views, test: Box::new(test), known: BTreeMap::new() }
    }

    /// The positions of the lessons of which a trigger matches, ascending, each once, if only `possible` triggers can match.
    /// Afterwards no other triggers by which lessons fire match.
    pub fn candidates(&mut self, possible: BTreeSet<u32>) -> Result<Vec<u32>> {
        let mut lessons = Vec::new();
        for position in possible {
            self.index.with_trigger(position, |trigger| {
                for subject in trigger.subjects.each() {
                    let trial = self.tried(&trigger, subject)?;
                    self.known.insert((position, subject), trial);
                    if trial.document_frequency.is_some() {
                        lessons.extend_from_slice(&trigger.lessons);
                        break;
                    }
                }
                Ok(())
            })?;
        }
        lessons.sort_unstable();
        lessons.dedup();
        Ok(lessons)
    }

    /// The trial of a trigger on this view of the command, which is made if it is not known.
    pub fn of(&mut self, trigger: u32, subject: Subject) -> Result<Trial> {
        if let Some(known) = self.known(trigger, subject) {
            return Ok(known);
        }
        let trial = self.index.with_trigger(trigger, |trigger| self.tried(&trigger, subject))?;
        self.known.insert((trigger, subject), trial);
        Ok(trial)
    }

    /// The trial of a trigger on this view of the command, if it was tried.
    pub fn known(&self, trigger: u32, subject: Subject) -> Option<Trial> {
        self.known.get(&(trigger, subject)).copied()
    }

    /// Whether a trigger was tried on any view of the command.
    pub fn was_tried(&self, trigger: u32) -> bool {
        Subject::ALL.into_iter().any(|subject| self.known(trigger, subject).is_some())
    }

    fn tried(&self, trigger: &Trigger<'_>, subject: Subject) -> Result<Trial> {
        let matches = (self.test)(trigger, self.views, subject)?;
        let document_frequency = matches.then_some(trigger.document_frequency);
        Ok(Trial { kind: trigger.kind, document_frequency })
    }
}
