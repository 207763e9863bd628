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

use std::collections::{BTreeMap, BTreeSet};

use lessons_home::Home;
use lessons_lesson::{Lesson, LessonId, MAIN, Mode, Priority};
use lessons_share::{Deletion, EventId, PublicKey};
use serde::{Deserialize, Serialize};

use crate::decisions_file::{self, DecisionsError};

/// What came from each author, to be changed and written back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Received {
    /// What came from each, by key.
    pub peers: BTreeMap<PublicKey, FromPeer>,
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
        let newest = received.peers.values_mut().flat_map(|peer| peer.lessons.values_mut());
        newest.for_each(|newest| newest.lesson = None);
        received
    }

    /// Returns what came from an author, to be changed.
    pub fn peer_mut(&mut self, author: PublicKey) -> &mut FromPeer {
        self.peers.entry(author).or_default()
    }

    /// Removes every text for which `holds` says so: see [`FromPeer::forget`].
    pub fn forget(&mut self, holds: impl Fn(&str) -> bool) {
        self.peers.retain(|author, _| !holds(&author.to_string()));
        self.peers.values_mut().for_each(|peer| peer.forget(&holds));
    }

    /// Returns every lesson that was switched on automatically, with its author.
    pub fn lessons(&self) -> impl Iterator<Item = (PublicKey, &Lesson)> {
        self.peers.iter().flat_map(|(key, peer)| peer.in_force().map(move |lesson| (*key, lesson)))
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

/// The most lessons of one author that are in force for each agent: more would drown what the user has reviewed.
pub const MOST_IN_FORCE: usize = 50;
/// The most ids of lessons, and of deleted events, that are remembered of one author. One who shares more is flooding.
const MOST_REMEMBERED: usize = 10_000;
/// The most lessons of one author that are in force in all, as one may invent agents.
const MOST_IN_ALL: usize = 1_000;

/// The newest version of a lesson that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Newest {
    /// The version, from 1 on.
    pub version: u32,
    /// Its date, in seconds since 1970.
    pub created_at: u64,
    /// Its event.
    pub event: EventId,
    /// Whether a person has undone that it was switched on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
    /// The lesson, where it was switched on automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Box<Lesson>>,
}

/// How a version of a lesson compares with what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It is newer than what is known, or nothing is.
    New,
    /// It is what is known.
    Same,
    /// It is older, or deleted by its author.
    Stale,
}

/// What came from one author.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FromPeer {
    /// The deleted events.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    deleted_events: BTreeSet<EventId>,
    /// The deleted lessons, each with the date up to which its versions are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    deleted_lessons: BTreeMap<LessonId, u64>,
    /// The newest version of each lesson.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lessons: BTreeMap<LessonId, Newest>,
}

impl FromPeer {
    /// Returns how a version of the lesson `id` compares with what is known.
    pub fn freshness(&self, id: &LessonId, seen: &Newest) -> Freshness {
        let deleted_up_to = self.deleted_lessons.get(id).copied();
        let is_deleted = |version: &Newest| {
            deleted_up_to.is_some_and(|date| version.created_at <= date)
                || self.deleted_events.contains(&version.event)
        };
        match self.lessons.get(id) {
            _ if is_deleted(seen) => Freshness::Stale,
            // A lesson that is shared again after it was deleted may count its versions anew.
            Some(known) if deleted_up_to.is_some_and(|date| known.created_at <= date) => Freshness::New,
            Some(known) if known.event == seen.event => Freshness::Same,
            Some(known) if (seen.version, seen.created_at) <= (known.version, known.created_at) => {
                Freshness::Stale
            }
            Some(_) | None => Freshness::New,
        }
    }

    /// Remembers a version as the newest one. Returns whether there was room for it.
    pub fn remember(&mut self, id: &LessonId, newest: Newest) -> bool {
        let has_room = self.lessons.len() < MOST_REMEMBERED || self.lessons.contains_key(id);
        if has_room {
            self.lessons.insert(id.clone(), newest);
        }
        has_room
    }

    /// Returns whether one more lesson for these agents may be in force.
    pub fn has_room_for(&self, lesson: &Lesson) -> bool {
        let others = || self.in_force().filter(|other| other.id != lesson.id);
        let is_for = |other: &Lesson, agent: &str| agents(other).any(|its| its == agent);
        others().count() < MOST_IN_ALL
            && agents(lesson)
                .all(|agent| others().filter(|other| is_for(other, agent)).count() < MOST_IN_FORCE)
    }

    /// Takes what its author deleted at this date, in seconds since 1970, out of force, and remembers it.
    pub fn delete(&mut self, deletion: &Deletion, at: u64) {
        let free = MOST_REMEMBERED.saturating_sub(self.deleted_events.len());
        self.deleted_events.extend(deletion.events.iter().take(free));
        for id in &deletion.lessons {
            if self.deleted_lessons.len() < MOST_REMEMBERED || self.deleted_lessons.contains_key(id) {
                let up_to = self.deleted_lessons.entry(id.clone()).or_default();
                *up_to = at.max(*up_to);
            }
        }
        for (id, newest) in &mut self.lessons {
            let is_named = deletion.lessons.contains(id) && newest.created_at <= at;
            if is_named || deletion.events.contains(&newest.event) {
                newest.lesson = None;
            }
        }
    }

    /// Returns the lessons that were switched on automatically, ascending by id.
    pub fn in_force(&self) -> impl Iterator<Item = &Lesson> {
        self.lessons.values().filter_map(|newest| newest.lesson.as_deref())
    }

    /// Puts a lesson into force, or takes it out by a person's decision. Where nothing is known of it, any version that
    /// comes is newer.
    pub fn decide(&mut self, id: &LessonId, lesson: Option<Lesson>) {
        let unknown = || Newest {
            version: 0,
            created_at: 0,
            event: EventId::of([0; 32]),
            declined: false,
            lesson: None,
        };
        let newest = self.lessons.entry(id.clone()).or_insert_with(unknown);
        newest.declined = lesson.is_none();
        newest.lesson = lesson.map(Box::new);
    }

    /// Removes every text for which `holds` says so. A lesson that has one goes for good: that version counts as declined, so
    /// that neither it nor an older one comes back.
    pub fn forget(&mut self, holds: impl Fn(&str) -> bool) {
        self.lessons.retain(|id, newest| !holds(id.as_str()) && !holds(&newest.event.to_string()));
        for newest in self.lessons.values_mut() {
            let text = newest.lesson.as_ref().and_then(|lesson| serde_json::to_string(lesson).ok());
            if text.is_some_and(|text| holds(&text)) {
                (newest.lesson, newest.declined) = (None, true);
            }
        }
        self.deleted_lessons.retain(|id, _| !holds(id.as_str()));
        self.deleted_events.retain(|event| !holds(&event.to_string()));
    }
}

/// The agents that a lesson is for; one for everybody counts for the main thread.
fn agents(lesson: &Lesson) -> impl Iterator<Item = &str> {
    let everybody = lesson.scope.agents.is_empty().then_some(MAIN);
    lesson.scope.agents.iter().map(String::as_str).chain(everybody)
}

#[cfg(test)]
mod tests;
