//! What came from peers, so that no older version of a lesson can come back, and the lessons of those whose lessons the user
//! takes automatically. It is part of `decisions.json` (see [`crate::decisions`]):
//!
//! ```json
//! {
//!   "<public key>": {
//!     "deletedEvents": ["<event>"],
//!     "deletedLessons": { "git-stash": 1769817600 },
//!     "lessons": { "git-push": { "createdAt": 1769817600, "event": "<event>", "lesson": { … }, "version": 2 } }
//!   }
//! }
//! ```
//!
//! Each entry of `lessons` is the newest version that was seen of a lesson, by its id; `lesson` is there where that
//! version was switched on automatically (then it is in force as long as its author is trusted so), `declined` where a person
//! has undone that. A deletion by name counts for every version up to its date, in seconds since 1970. Only lessons in force
//! are decisions, which the journal records; the rest is written along.
//!
//! Only verified events get here, so a build verifies none. The database can be lost: what waits for review is received
//! again, and an older version stays out.

mod peer;

use std::collections::BTreeMap;

use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Mode, Priority};
use lessons_share::key::PublicKey;
use serde::{Deserialize, Serialize};

pub use self::peer::{Freshness, FromPeer, MOST_IN_FORCE, Newest};
use crate::decisions_file::{self, DecisionsError};

/// What came from each author, to be changed and written back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Received {
    peers: BTreeMap<PublicKey, FromPeer>,
}

impl Received {
    /// Reads what `home` received.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        decisions_file::part(home, |file| &file.received)
    }

    /// The same with no lesson in force.
    #[must_use]
    pub fn without_lessons(&self) -> Self {
        let mut received = self.clone();
        received.peers.values_mut().for_each(FromPeer::end_all);
        received
    }

    /// Puts a lesson into force, or takes it out by a person's decision.
    pub fn decide(&mut self, author: PublicKey, id: &LessonId, lesson: Option<Lesson>) {
        self.peer_mut(author).decide(id, lesson);
    }

    /// Returns what came from each author, ascending by key.
    pub fn peers(&self) -> impl Iterator<Item = (PublicKey, &FromPeer)> {
        self.peers.iter().map(|(key, peer)| (*key, peer))
    }

    /// Returns what came from an author.
    pub fn peer(&self, author: PublicKey) -> Option<&FromPeer> {
        self.peers.get(&author)
    }

    /// Returns what came from an author, to be changed.
    pub fn peer_mut(&mut self, author: PublicKey) -> &mut FromPeer {
        self.peers.entry(author).or_default()
    }

    /// Removes every text for which `holds` says so: see [`FromPeer::forget`]. Returns whether there was any.
    pub fn forget(&mut self, holds: impl Fn(&str) -> bool) -> bool {
        let known = self.peers.len();
        self.peers.retain(|author, _| !holds(&author.to_string()));
        let mut held = self.peers.len() < known;
        for peer in self.peers.values_mut() {
            held |= peer.forget(&holds);
        }
        held
    }

    /// Returns every lesson that was switched on automatically, with its author.
    pub fn lessons(&self) -> impl Iterator<Item = (PublicKey, &Lesson)> {
        self.peers().flat_map(|(key, peer)| peer.lessons().map(move |lesson| (key, lesson)))
    }

    /// Returns a lesson that was switched on automatically.
    pub fn lesson(&self, author: PublicKey, id: &LessonId) -> Option<&Lesson> {
        self.peer(author)?.lesson(id)
    }
}

/// The highest priority of a lesson of somebody else.
const MAX_PRIORITY: u8 = 5;

/// Returns a colleague's lesson as it may be in force: it advises, ranks low, and holds in its project alone. `None` for one
/// without a project, which would be told everywhere.
pub fn confined(lesson: &Lesson) -> Option<Lesson> {
    if lesson.scope.projects.is_empty() {
        return None;
    }
    let mut lesson = lesson.clone();
    lesson.mode = Mode::Advise;
    lesson.priority = lesson.priority.min(Priority::new(MAX_PRIORITY).ok()?);
    Some(lesson)
}

#[cfg(test)]
mod tests;
