//! Reading events that are new: from bytes to verified lessons and deletions, whatever the bytes are.
//!
//! An event of an unknown author is never verified: a signature costs some hundred times as much as a hash.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lessons_ledger::EventOutcome;
use lessons_ledger::events::shared::{FileState, LookedAt};
use lessons_share::event::Forged;
use lessons_share::{Deletion, EventId, PublicKey, SharedLesson, Unverified, Verified};
use lessons_store::Peers;

use super::places::{self, Place};
use super::receipt::Receipt;

/// How far in the future the date of an event may be, in seconds: clocks differ.
const AHEAD: u64 = 600;
/// The author of what cannot be read.
const NOBODY: [u8; 32] = [0; 32];

/// A verified lesson of somebody whose key is trusted.
pub(super) struct ReadLesson {
    pub(super) event: Verified,
    pub(super) shared: SharedLesson,
    /// The projects of the places where the event is.
    pub(super) projects: Vec<Option<String>>,
}

/// What was read.
#[derive(Default)]
pub(super) struct Reading {
    /// The lessons, by the ids of their events.
    pub(super) lessons: BTreeMap<EventId, ReadLesson>,
    /// The deletions.
    pub(super) deletions: Vec<(Verified, Deletion)>,
    /// What became of every other event that was looked at.
    pub(super) others: Vec<(EventId, LookedAt)>,
    /// What is said of it.
    pub(super) receipt: Receipt,
}

/// A reader of events.
pub(super) struct Reader<'r> {
    /// The peers.
    pub(super) peers: &'r Peers,
    /// The key of this machine. What it signed is in force here already, or was taken back.
    pub(super) own: Option<PublicKey>,
    /// What was looked at before.
    pub(super) known: &'r HashMap<EventId, LookedAt>,
    /// The number of lessons of an author that wait or are in force.
    pub(super) taken: &'r dyn Fn(PublicKey) -> u64,
    /// The time, in seconds since 1970.
    pub(super) now: u64,
}

impl Reader<'_> {
    /// Reads what is new at a place.
    pub(super) fn place(&self, place: &Place, reading: &mut Reading) {
        let listing = places::files_in(&place.folder);
        reading.receipt.foreign += listing.foreign;
        reading.receipt.not_looked_at += listing.beyond;
        reading.receipt.unread.extend(listing.unread);
        for (id, path) in listing.events {
            if !reading.lessons.contains_key(&id) && self.is_due(id, &path, reading) {
                self.file(id, &path, reading);
            }
            if let Some(read) = reading.lessons.get_mut(&id) {
                read.projects.push(place.project.clone());
            }
        }
    }

    /// Reads events, one on each line. What is no event has no name but its line.
    pub(super) fn lines(&self, bytes: &[u8], reading: &mut Reading) {
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let name = format!("line {number}");
            match Unverified::parse(line) {
                Ok(event) => {
                    let id = event.claimed_id();
                    let is_done = self.known.get(&id).map(|known| known.outcome) == Some(EventOutcome::Done);
                    if is_done {
                        reading.receipt.known += 1;
                    } else if !reading.lessons.contains_key(&id) {
                        self.event(&name, event, None, reading);
                        reading.lessons.entry(id).and_modify(|read| read.projects.push(None));
                    }
                }
                Err(error) => reading.receipt.reject(&name, &error.to_string()),
            }
        }
    }

    /// Whether an event has to be read. The name of a file is enough for one that was.
    fn is_due(&self, id: EventId, path: &Path, reading: &mut Reading) -> bool {
        let Some(LookedAt { author, outcome }) = self.known.get(&id).copied() else { return true };
        let is_trusted = self.peers.0.contains_key(&author);
        let is_due = match outcome {
            EventOutcome::Done => false,
            EventOutcome::UnknownAuthor => is_trusted,
            EventOutcome::Early { due } => due <= self.now,
            EventOutcome::NoRoom { taken } => is_trusted && (self.taken)(author) < taken,
            EventOutcome::Rejected(state) => state != places::state_of(path),
        };
        reading.receipt.known += usize::from(!is_due);
        match outcome {
            EventOutcome::UnknownAuthor if !is_due => reading.receipt.unknown += 1,
            EventOutcome::Early { .. } if !is_due => reading.receipt.early += 1,
            _ => {}
        }
        is_due
    }

    fn file(&self, id: EventId, path: &Path, reading: &mut Reading) {
        let state = places::state_of(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let event = places::read_event(path)
            .and_then(|bytes| Unverified::parse(&bytes).map_err(|error| error.to_string()))
            .and_then(|event| {
                if event.claimed_id() == id { Ok(event) } else { Err("its name is not its id".to_owned()) }
            });
        match event {
            Ok(event) => self.event(&name, event, Some(state), reading),
            Err(reason) => {
                reading.receipt.reject(&name, &reason);
                let author = PublicKey::of(NOBODY);
                reading.others.push((id, LookedAt { author, outcome: EventOutcome::Rejected(state) }));
            }
        }
    }

    /// Takes an event as far as its author is trusted. `state` is that of its file, if it has one.
    fn event(&self, name: &str, event: Unverified, state: Option<FileState>, reading: &mut Reading) {
        let (id, author) = (event.claimed_id(), event.claimed_author());
        let outcome = self.outcome(event, state, reading).unwrap_or_else(|(outcome, reason)| {
            reading.receipt.reject(name, &reason);
            outcome
        });
        reading.others.extend(outcome.map(|outcome| (id, LookedAt { author, outcome })));
    }

    /// What became of an event, `None` where that is still to be decided; where it is rejected, also why.
    fn outcome(
        &self,
        event: Unverified,
        state: Option<FileState>,
        reading: &mut Reading,
    ) -> Result<Option<EventOutcome>, (Option<EventOutcome>, String)> {
        let (id, author) = (event.claimed_id(), event.claimed_author());
        let forged = |why: Forged| (state.map(EventOutcome::Rejected), why.to_string());
        event.check_id().map_err(forged)?;
        if self.own == Some(author) {
            reading.receipt.known += 1;
            return Ok(Some(EventOutcome::Done));
        }
        if !self.peers.0.contains_key(&author) {
            reading.receipt.unknown += 1;
            return Ok(Some(EventOutcome::UnknownAuthor));
        }
        let event = event.verify().map_err(forged)?;
        let date = event.said().created_at;
        if date > self.now.saturating_add(AHEAD) {
            reading.receipt.early += 1;
            return Ok(Some(EventOutcome::Early { due: date.saturating_sub(AHEAD) }));
        }
        if let Some(deletion) = Deletion::read(&event) {
            reading.deletions.push((event, deletion));
            return Ok(None);
        }
        // What it says is signed: no other file of this name can say something else.
        let shared =
            SharedLesson::read(&event).map_err(|error| (Some(EventOutcome::Done), error.to_string()))?;
        reading.lessons.insert(id, ReadLesson { event, shared, projects: Vec::new() });
        Ok(None)
    }
}
