//! Changes of `received.json`. The journal records which lessons of colleagues came into force or left it; what else was
//! received decides nothing, and is written along.

use std::collections::BTreeMap;

use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::Lesson;
use lessons_share::key::PublicKey;
use lessons_store::lock::Lock;
use lessons_store::received::Received;

use crate::database::Database;
use crate::error::LedgerError;
use crate::forget::Seeker;
use crate::journal::{Deed, Difference, Thing, ThingKind};
use crate::received_things::{journalled, parse};
use crate::transaction;

/// Changes the file and records that. Returns the number of the change; `None` where no lesson came into force or left it.
pub fn save<T>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut Received) -> T,
) -> Result<(T, Option<u64>), LedgerError> {
    save_as(lock, database, deed, None, change)
}

/// Puts lessons back as they were before the change `undoes`. What is taken out of force so is a person's decision: the
/// same version does not come back by itself.
pub(crate) fn put_back(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Option<u64>, LedgerError> {
    let decided = |received: &mut Received| {
        for Difference { thing, after, .. } in inverse {
            let lesson = after.as_deref().map(serde_json::from_str::<Lesson>).transpose();
            if let (Some((author, id)), Ok(lesson)) = (parse(&thing.name), lesson) {
                received.peer_mut(author).decide(&id, lesson);
            }
        }
    };
    Ok(save_as(lock, database, deed, Some(undoes), decided)?.1)
}

fn save_as<T>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: Option<u64>,
    change: impl FnOnce(&mut Received) -> T,
) -> Result<(T, Option<u64>), LedgerError> {
    let home = lock.home();
    transaction::settle_what_can_be(home, database);
    let before = Received::read(home)?;
    let mut after = before.clone();
    let value = change(&mut after);
    let (old, new) = (in_force(&before), in_force(&after));
    let names = old.keys().chain(new.keys()).collect::<std::collections::BTreeSet<_>>();
    let differences: Vec<Difference> = names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| Difference {
            thing: Thing::new(ThingKind::Received, name),
            before: old.get(name).map(|lesson| journalled(lesson)),
            after: new.get(name).map(|lesson| journalled(lesson)),
        })
        .collect();
    if differences.is_empty() {
        if after != before {
            after.write(home)?;
        }
        return Ok((value, None));
    }
    let write = || Ok::<_, LedgerError>(after.write(home)?);
    Ok((value, Some(transaction::carry_out(home, database, deed, undoes, &differences, write)?)))
}

/// Removes a text from the file: a lesson that holds it goes. Returns whether the file held it.
pub fn forget(lock: &Lock, seeker: &Seeker) -> Result<bool, LedgerError> {
    let home = lock.home();
    let mut received = Received::read(home)?;
    let holds = |id: &LessonId, lesson: Option<&Lesson>| {
        seeker.is_in(id.as_str().as_bytes())
            || lesson.is_some_and(|lesson| seeker.is_in(journalled(lesson).as_bytes()))
    };
    let authors: Vec<PublicKey> = received.peers().map(|(author, _)| author).collect();
    let mut held = false;
    for author in authors {
        held |= received.peer_mut(author).forget(holds);
    }
    if held {
        received.write(home)?;
    }
    Ok(held)
}

fn in_force(received: &Received) -> BTreeMap<String, &Lesson> {
    received.lessons().map(|(author, lesson)| (format!("{author}/{}", lesson.id), lesson)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lessons_home::home::Home;
    use lessons_lesson::id::TopicId;
    use lessons_share::event::EventId;
    use lessons_store::received::Newest;

    use super::*;
    use crate::undo;

    const AUTHOR: [u8; 32] = [0xab; 32];

    struct Scene {
        _folder: tempfile::TempDir,
        lock: Lock,
        database: Database,
    }

    impl Scene {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = Home::at(folder.path().join("data"));
            let lock = Lock::acquire(&home, Duration::from_secs(5)).unwrap();
            let database = Database::open(&home).unwrap();
            Self { _folder: folder, lock, database }
        }

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

        fn undo(&mut self, number: u64) -> u64 {
            undo::undo(&self.lock, &mut self.database, number, &Deed::new("you", "undone", 9)).unwrap().change
        }

        fn in_force(&self) -> Vec<String> {
            let received = Received::read(self.lock.home()).unwrap();
            received.lessons().map(|(_, lesson)| lesson.id.to_string()).collect()
        }
    }

    #[test]
    fn what_came_into_force_is_a_change_that_can_be_undone_and_redone() {
        let mut scene = Scene::new();
        assert_eq!(scene.receive("waits", None), None, "what decides nothing is no change");
        let change = scene.receive("a", Some("Use `frob push --safe`.")).unwrap();
        let entries = scene.database.whole_change(change).unwrap().unwrap().entries;
        assert_eq!(entries[0].thing.to_string(), "peer-abababab/a");
        let undone = scene.undo(change);
        assert!(scene.in_force().is_empty());
        let received = Received::read(scene.lock.home()).unwrap();
        let id = LessonId::new("a").unwrap();
        assert!(received.peer(PublicKey::of(AUTHOR)).unwrap().newest(&id).unwrap().declined);
        scene.undo(undone);
        assert_eq!(scene.in_force(), ["a"]);
    }

    #[test]
    fn a_forgotten_text_takes_its_lesson_along() {
        let mut scene = Scene::new();
        scene.receive("a", Some("Log in as zebra-account 9.")).unwrap();
        scene.receive("b", Some("Use `frob push --safe`.")).unwrap();
        let seeker = Seeker::new("zebra-account 9").unwrap();
        assert!(forget(&scene.lock, &seeker).unwrap());
        assert_eq!(scene.in_force(), ["b"]);
        assert!(!forget(&scene.lock, &seeker).unwrap());
    }
}
