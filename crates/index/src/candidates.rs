//! The candidates of a call: the lessons of which at least one trigger matches.

use std::collections::BTreeMap;

use super::corrupt::Corrupt;
use super::reader::Index;
use crate::views::Views;
use lessons_lesson::Subject;

/// The results of the triggers that were tried on a call: for one that matches, its document frequency.
#[derive(Debug, Default)]
pub struct TriggerResults(BTreeMap<(u32, Subject), Option<u32>>);

impl TriggerResults {
    /// Whether a trigger was tried on any view of the command.
    pub fn was_tried(&self, trigger: u32) -> bool {
        Subject::ALL.iter().any(|subject| self.0.contains_key(&(trigger, *subject)))
    }

    /// The result of a trigger on this view of the command, if it was tried.
    pub fn get(&self, trigger: u32, subject: Subject) -> Option<Option<u32>> {
        self.0.get(&(trigger, subject)).copied()
    }

    /// Whether a trigger was tried on this view of the command, and matches.
    pub fn matches(&self, trigger: u32, subject: Subject) -> bool {
        self.get(trigger, subject).flatten().is_some()
    }

    /// Adds the result of a trigger.
    pub fn add(&mut self, trigger: u32, subject: Subject, result: Option<u32>) {
        self.0.insert((trigger, subject), result);
    }
}

impl Index<'_> {
    /// The positions of the lessons of which a trigger matches, ascending, each once. The results of the triggers that are
    /// tried for this go to `results`: of the triggers by which lessons fire, none but those matches.
    pub fn candidates(&self, views: &Views<'_>, results: &mut TriggerResults) -> Result<Vec<u32>, Corrupt> {
        let mut lessons = Vec::new();
        for position in self.possible_triggers(views)? {
            self.with_trigger(position, |trigger| {
                for subject in trigger.subjects.each() {
                    let result = trigger.document_frequency_on(views, subject)?;
                    results.add(position, subject, result);
                    if result.is_some() {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_may_be_tried_on_one_view_and_not_on_the_other() {
        let mut results = TriggerResults::default();
        results.add(2, Subject::Executable, None);
        assert!(!results.was_tried(1) && results.was_tried(2));
        let of = |subject| results.get(2, subject);
        assert_eq!((of(Subject::Executable), of(Subject::Command)), (Some(None), None));
    }
}
