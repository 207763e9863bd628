//! The author's wish that events of theirs are used no more: kind 5, NIP-09.
//!
//! An event names what it deletes by id (`e`) and with its kind (`k`). Ours also name the lesson, as `a` with
//! `4129:<author>:<id of the lesson>`: all its versions up to that date are meant, also one that arrives later. Only
//! events of the same author are meant, whatever the tags say.

use std::collections::BTreeSet;

use lessons_lesson::LessonId;

use crate::event::{EventId, Tags, Unsigned, Verified};
use crate::key::PublicKey;
use crate::shared_lesson;

/// The kind of the event.
pub const KIND: u16 = 5;

/// What an author wants to be used no more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deletion {
    /// The events.
    pub events: BTreeSet<EventId>,
    /// The lessons, with each of their versions up to the date of the deletion.
    pub lessons: BTreeSet<LessonId>,
}

impl Deletion {
    /// Reads a deletion. `None` if it is an event of another kind. What it names that cannot be ours is left out.
    pub fn read(event: &Verified) -> Option<Self> {
        if event.said().kind != KIND {
            return None;
        }
        let tags = Tags(&event.said().tags);
        let first = |name| tags.all(name).filter_map(<[String]>::first);
        let own = prefix(event.author());
        Some(Self {
            events: first("e").filter_map(|id| id.parse().ok()).collect(),
            lessons: first("a")
                .filter_map(|coordinate| LessonId::new(coordinate.strip_prefix(&own)?).ok())
                .collect(),
        })
    }

    /// The event that says it, at `created_at` seconds since 1970.
    pub fn to_unsigned(&self, author: PublicKey, created_at: u64) -> Unsigned {
        let pair = |name: &str, value: String| vec![name.to_owned(), value];
        let events = self.events.iter().map(|id| pair("e", id.to_string()));
        let own = prefix(author);
        let lessons = self.lessons.iter().map(|id| pair("a", format!("{own}{id}")));
        let kind = pair("k", shared_lesson::KIND.to_string());
        Unsigned {
            created_at,
            kind: KIND,
            tags: events.chain(lessons).chain([kind]).collect(),
            content: String::new(),
        }
    }
}

fn prefix(author: PublicKey) -> String {
    format!("{}:{author}:", shared_lesson::KIND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::SecretKey;

    fn signed(unsigned: Unsigned) -> Verified {
        unsigned.sign(&SecretKey::of(&[3; 32]).unwrap(), &[0; 32]).unwrap()
    }

    #[test]
    fn a_deletion_is_read_as_it_was_written() {
        let author = SecretKey::of(&[3; 32]).unwrap().public();
        let deletion = Deletion {
            events: [EventId::of([1; 32]), EventId::of([2; 32])].into(),
            lessons: [LessonId::new("git-stash").unwrap()].into(),
        };
        let event = signed(deletion.to_unsigned(author, 7));
        assert_eq!(Deletion::read(&event), Some(deletion));
        assert!(event.to_json().contains(r#"["k","4129"]"#));
    }

    #[test]
    fn the_lessons_of_others_cannot_be_meant() {
        let other = SecretKey::of(&[4; 32]).unwrap().public();
        let lessons = [LessonId::new("git-stash").unwrap()].into();
        let event = signed(Deletion { lessons, ..Deletion::default() }.to_unsigned(other, 7));
        assert_eq!(Deletion::read(&event), Some(Deletion::default()));
    }

    #[test]
    fn what_names_nothing_is_left_out_and_another_kind_is_no_deletion() {
        let tags = vec![vec!["e".into()], vec!["e".into(), "x".into()], vec!["a".into(), "5".into()]];
        let unsigned = Unsigned { created_at: 7, kind: KIND, tags, content: "sorry".into() };
        assert_eq!(Deletion::read(&signed(unsigned.clone())), Some(Deletion::default()));
        assert_eq!(Deletion::read(&signed(Unsigned { kind: 1, ..unsigned })), None);
    }
}
