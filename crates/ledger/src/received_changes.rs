//! Changes of `received.json`. The journal records which lessons of colleagues came into force or left it; what else was
//! received decides nothing, and is written along.

use std::collections::BTreeMap;

use lessons_home::home::Home;
use lessons_lesson::lesson::Lesson;
use lessons_store::lock::Lock;
use lessons_store::received::Received;

use crate::database::Database;
use crate::error::LedgerError;
use crate::forget::Seeker;
use crate::journal::{Deed, Difference, ThingKind};
use crate::received_things::{journalled, parse};
use crate::recorded_file::{self, RecordedFile, Saved};

impl RecordedFile for Received {
    const KIND: ThingKind = ThingKind::Received;

    fn read(home: &Home) -> Result<Self, LedgerError> {
        Ok(Self::read(home)?)
    }

    fn things(&self) -> BTreeMap<String, String> {
        self.lessons()
            .map(|(author, lesson)| (format!("{author}/{}", lesson.id), journalled(lesson)))
            .collect()
    }

    /// What is taken out of force so is a person's decision: the same version does not come back by itself.
    fn put_back(&mut self, name: &str, text: Option<&str>) {
        let lesson = text.map(serde_json::from_str::<Lesson>).transpose();
        if let (Some((author, id)), Ok(lesson)) = (parse(name), lesson) {
            self.peer_mut(author).decide(&id, lesson);
        }
    }

    fn write(&self, home: &Home, _: &[Difference]) -> Result<(), LedgerError> {
        Ok(self.write(home)?)
    }
}

/// Changes the file and records that. Returns the number of the change; `None` where no lesson came into force or left it.
pub fn save<T>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut Received) -> T,
) -> Result<(T, Option<u64>), LedgerError> {
    let Saved { value, before, after, change } = recorded_file::save(lock, database, deed, None, change)?;
    if change.is_none() && after != before {
        after.write(lock.home())?;
    }
    Ok((value, change))
}

/// Puts lessons back as they were before the change `undoes`.
pub(crate) fn put_back(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Option<u64>, LedgerError> {
    recorded_file::put_back::<Received>(lock, database, deed, undoes, inverse).map(|saved| saved.change)
}

/// Removes a text from the file: a lesson that holds it goes. Returns whether the file held it.
pub fn forget(lock: &Lock, seeker: &Seeker) -> Result<bool, LedgerError> {
    let home = lock.home();
    let mut received = Received::read(home)?;
    let held = received.forget(|text| seeker.is_in(text.as_bytes()));
    if held {
        received.write(home)?;
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_share::event::EventId;
    use lessons_share::key::PublicKey;
    use lessons_store::received::Newest;

    use super::*;
    use crate::scratch::Scratch;

    const AUTHOR: [u8; 32] = [0xab; 32];

    impl Scratch {
        fn receive(&mut self, name: &str, lesson: Option<&str>) -> Option<u64> {
            let id = LessonId::new(name).unwrap();
            let lesson = lesson.map(|rule| {
                Box::new(Lesson::new(id.clone(), rule, TopicId::new("frob").unwrap(), "2026-01-31"))
            });
            let deed = Deed::new("receive", "received", 7);
            let event = EventId::of([1; 32]);
            let newest = Newest { version: 1, created_at: 1, event, declined: false, lesson };
            save(&self.lock, &mut self.database, &deed, |received| {
                received.peer_mut(PublicKey::of(AUTHOR)).remember(&id, newest);
            })
            .unwrap()
            .1
        }

        fn in_force(&self) -> Vec<String> {
            let received = Received::read(self.lock.home()).unwrap();
            received.lessons().map(|(_, lesson)| lesson.id.to_string()).collect()
        }
    }

    #[test]
    fn what_came_into_force_is_a_change_that_can_be_undone_and_redone() {
        let mut scratch = Scratch::new();
        assert_eq!(scratch.receive("waits", None), None, "what decides nothing is no change");
        let change = scratch.receive("a", Some("Use `frob push --safe`.")).unwrap();
        let entries = scratch.database.whole_change(change).unwrap().unwrap().entries;
        assert_eq!(entries[0].thing.to_string(), "peer-abababab/a");
        let undone = scratch.undo(change);
        assert!(scratch.in_force().is_empty());
        let received = Received::read(scratch.lock.home()).unwrap();
        let id = LessonId::new("a").unwrap();
        assert!(received.peer(PublicKey::of(AUTHOR)).unwrap().newest(&id).unwrap().declined);
        scratch.undo(undone);
        assert_eq!(scratch.in_force(), ["a"]);
    }

    #[test]
    fn a_forgotten_text_takes_its_lesson_along() {
        let mut scratch = Scratch::new();
        scratch.receive("a", Some("Log in as zebra-account 9.")).unwrap();
        scratch.receive("b", Some("Use `frob push --safe`.")).unwrap();
        let seeker = Seeker::new("zebra-account 9").unwrap();
        assert!(forget(&scratch.lock, &seeker).unwrap());
        assert_eq!(scratch.in_force(), ["b"]);
        assert!(!forget(&scratch.lock, &seeker).unwrap());
    }
}
