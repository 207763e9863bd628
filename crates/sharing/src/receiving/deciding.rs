//! What becomes of each lesson that was read: older, in force, a candidate, or held for want of room.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use lessons_incident_check::check::IncidentChecker;
use lessons_ledger::events::shared::LookedAt;
use lessons_ledger::forget::memory::ForgottenTexts;
use lessons_ledger::{EventOutcome, Finding, Sighting};
use lessons_lesson::{KeyPrefix, LessonId, Quality};
use lessons_publish::peer_lessons;
use lessons_share::{EventId, ProjectTag, PublicKey};
use lessons_store::decisions::received::{Freshness, FromPeer, MOST_IN_FORCE, Newest};
use lessons_store::{Peer, PeerTrust, Peers, Received};

use super::judge::{Judged, source_of};
use super::reading::{ReadLesson, Reading};
use super::receipt::Receipt;

/// The most lessons of one author that wait for a person in all, as one may invent agents.
const MOST_WAITING: usize = 1_000;

/// What was decided.
#[derive(Default)]
pub(super) struct Decided {
    /// What became of every event that changes nothing that is in force.
    pub(super) events: Vec<(EventId, LookedAt)>,
    /// What became of the others, which are done when the index is built.
    pub(super) events_in_force: Vec<(EventId, LookedAt)>,
    /// The lessons that wait for a person.
    pub(super) candidates: Vec<(Finding, Sighting)>,
    /// The events that their author, who stands beside them, has replaced or deleted.
    pub(super) withdrawn: Vec<(PublicKey, EventId)>,
    /// What is said of it.
    pub(super) receipt: Receipt,
}

/// What a decision about an event reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// A lesson comes into force, leaves it, or is there: the index has to be built.
    InForce,
    /// Nothing that is in force.
    Nothing,
}

/// What a decision depends on.
pub(super) struct Decider<'d> {
    pub(super) peers: &'d Peers,
    /// The projects on this machine, by each form in which an event may name them.
    pub(super) projects: &'d BTreeMap<ProjectTag, String>,
    pub(super) incidents: Option<&'d IncidentChecker<'d>>,
    pub(super) forgotten: &'d ForgottenTexts,
    /// The number of shared lessons that wait, by source and agent.
    pub(super) waiting: BTreeMap<(String, String), usize>,
}

impl Decider<'_> {
    /// Decides about everything that was read, and remembers it.
    pub(super) fn decide(mut self, reading: &Reading, receipt: Receipt, received: &mut Received) -> Decided {
        let mut decided = Decided { receipt, ..Decided::default() };
        let done = |author| LookedAt { author, outcome: EventOutcome::Done };
        for (event, deletion) in &reading.deletions {
            let peer = received.peer_mut(event.author());
            let at = event.said().created_at;
            let named = deletion.lessons.iter().filter_map(|id| peer.lessons.get(id));
            let named = named.filter(|newest| newest.created_at <= at).map(|newest| newest.event);
            let gone = named.chain(deletion.events.iter().copied());
            decided.withdrawn.extend(gone.map(|gone| (event.author(), gone)));
            peer.delete(deletion, at);
            decided.receipt.deletions += 1;
            // What it took out is not known any more after a death, so each counts.
            decided.events_in_force.push((event.id(), done(event.author())));
        }
        for read in newest_first(reading, &mut decided) {
            let author = read.event.author();
            let Some(peer) = self.peers.0.get(&author) else { continue };
            let (outcome, reach) = self.lesson(read, peer, received.peer_mut(author), &mut decided);
            let events = match reach {
                Reach::InForce => &mut decided.events_in_force,
                Reach::Nothing => &mut decided.events,
            };
            events.push((read.event.id(), LookedAt { author, outcome }));
        }
        decided
    }

    /// Decides about one lesson.
    fn lesson(
        &mut self,
        read: &ReadLesson,
        peer: &Peer,
        known: &mut FromPeer,
        decided: &mut Decided,
    ) -> (EventOutcome, Reach) {
        let (event, shared) = (&read.event, &read.shared);
        let id = &shared.lesson().id;
        let declined = known.lessons.get(id).is_some_and(|newest| newest.declined);
        let newest = Newest {
            version: shared.version,
            created_at: event.said().created_at,
            event: event.id(),
            declined,
            lesson: None,
        };
        match known.freshness(id, &newest) {
            Freshness::Stale => {
                decided.receipt.stale += 1;
                return (EventOutcome::Done, Reach::Nothing);
            }
            // It was switched on before, and that pass died, or the database was lost.
            Freshness::Same if known.lessons.get(id).is_some_and(|it| it.lesson.is_some()) => {
                return (EventOutcome::Done, Reach::InForce);
            }
            Freshness::Same if declined => return (EventOutcome::Done, Reach::Nothing),
            Freshness::Same | Freshness::New => {}
        }
        let before = known.lessons.get(id).map(|newest| newest.event).filter(|before| *before != event.id());
        // The event names the one before too, which is still known after a death.
        decided.withdrawn.extend(before.into_iter().chain(shared.earlier).map(|gone| (event.author(), gone)));
        let project = self.projects.get(&shared.project).map(String::as_str);
        let named = project.or_else(|| shared.project.key());
        let judged = Judged::of(event, shared, named, self.incidents);
        let judged = match judged.and_then(|judged| self.without_forgotten(judged)) {
            Ok(judged) => judged,
            Err(reason) => {
                decided.receipt.reject(&event.id().to_string(), &reason);
                known.remember(id, newest);
                return (EventOutcome::Done, Reach::InForce);
            }
        };
        let is_here = project
            .is_some_and(|key| read.projects.iter().any(|own| own.as_deref().is_none_or(|own| own == key)));
        let may_be_automatic = peer.trust == PeerTrust::Auto
            && is_here
            && !declined
            && !peer_lessons::shares_its_prefix(self.peers, event.author());
        let automatic = judged.in_force().filter(|_| may_be_automatic);
        let is_room = match &automatic {
            Some(lesson) => known.has_room_for(lesson),
            None => self.waits(&judged, peer),
        };
        let is_automatic = automatic.is_some();
        let newest = Newest { lesson: automatic.map(Box::new), ..newest };
        if !is_room || !known.remember(id, newest) {
            decided.receipt.no_room += 1;
            return (EventOutcome::NoRoom { taken: self.taken(peer, known) }, Reach::Nothing);
        }
        if is_automatic {
            let prefix = KeyPrefix::of_key(&event.author().to_string());
            let prefix = prefix.as_ref().map(KeyPrefix::as_str).unwrap_or_default();
            decided.receipt.switched_on.push(format!("peer-{prefix}/{id}"));
        } else {
            *self.waiting.entry(waiting_key(&judged, peer)).or_default() += 1;
            decided.candidates.push(judged.candidate(&peer.name));
        }
        // A version that waits takes the one before it out of force, which is not known any more after a death.
        let reach = if peer.trust == PeerTrust::Auto { Reach::InForce } else { Reach::Nothing };
        (EventOutcome::Done, reach)
    }

    /// Fails for a lesson with a text that the person had erased here.
    fn without_forgotten<'e>(&self, judged: Judged<'e>) -> Result<Judged<'e>, String> {
        let lesson = serde_json::to_value(&judged.lesson).unwrap_or_default();
        let is_forgotten = self.forgotten.knows_any(&lesson);
        if is_forgotten { Err("it holds a text that you had forgotten".into()) } else { Ok(judged) }
    }

    /// Whether one more lesson may wait for a person.
    fn waits(&self, judged: &Judged<'_>, peer: &Peer) -> bool {
        let of_agent = self.waiting.get(&waiting_key(judged, peer)).copied().unwrap_or_default();
        of_agent < MOST_IN_FORCE && waiting_of(&self.waiting, peer) < MOST_WAITING
    }

    fn taken(&self, peer: &Peer, known: &FromPeer) -> u64 {
        (waiting_of(&self.waiting, peer) + known.in_force().count()) as u64
    }
}

/// The number of lessons of a peer that wait for a person.
pub(super) fn waiting_of(waiting: &BTreeMap<(String, String), usize>, peer: &Peer) -> usize {
    let source = source_of(&peer.name);
    waiting.iter().filter(|((known, _), _)| *known == source).map(|(_, count)| count).sum()
}

fn waiting_key(judged: &Judged<'_>, peer: &Peer) -> (String, String) {
    let agent = judged.lesson.scope.agents.first().cloned();
    (source_of(&peer.name), agent.unwrap_or_default())
}

/// The newest version of each lesson, in the order in which they get room: by author, the most valuable and the newest
/// first. The versions before it are stale.
fn newest_first<'r>(reading: &'r Reading, decided: &mut Decided) -> Vec<&'r ReadLesson> {
    let age =
        |read: &ReadLesson| (read.shared.version, read.event.said().created_at, Reverse(read.event.id()));
    let mut newest: BTreeMap<(PublicKey, &LessonId), &ReadLesson> = BTreeMap::new();
    for read in reading.lessons.values() {
        let slot = newest.entry((read.event.author(), &read.shared.lesson().id)).or_insert(read);
        if age(read) > age(slot) {
            *slot = read;
        }
    }
    let kept: BTreeSet<EventId> = newest.values().map(|read| read.event.id()).collect();
    for read in reading.lessons.values().filter(|read| !kept.contains(&read.event.id())) {
        let looked = LookedAt { author: read.event.author(), outcome: EventOutcome::Done };
        decided.events.push((read.event.id(), looked));
        decided.receipt.stale += 1;
    }
    let mut order: Vec<&ReadLesson> = newest.into_values().collect();
    let worth = |read: &ReadLesson| -> Quality { read.shared.lesson().quality };
    order.sort_by_key(|read| {
        (read.event.author(), Reverse(worth(read)), Reverse(read.event.said().created_at), read.event.id())
    });
    order
}
