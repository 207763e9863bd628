//! Decisions as entries of the journal: each has a kind, a name and a value, by which it is recorded and put back.

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::LessonId;
use lessons_share::PublicKey;
use lessons_store::{Decisions, IncidentEntry, Snapshot, TrustedStore};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::journal::{Difference, Thing, ThingKind};

/// The kinds of decisions, in the order in which a change records them.
const KINDS: [ThingKind; 6] = [
    ThingKind::Accepted,
    ThingKind::AcceptedSetting,
    ThingKind::Trust,
    ThingKind::Peer,
    ThingKind::Received,
    ThingKind::Incident,
];

impl ThingKind {
    /// Returns whether it is a decision, and so part of `decisions.json`.
    pub fn is_decision(self) -> bool {
        KINDS.contains(&self)
    }
}

/// Sets a decision to a value as the journal stores it; `None` removes it. Returns whether that value can still be read:
/// of one that cannot, nothing changes.
pub(crate) fn put(decisions: &mut Decisions, kind: ThingKind, name: &str, value: Option<&str>) -> bool {
    try_put(decisions, kind, name, value).is_some()
}

fn try_put(decisions: &mut Decisions, kind: ThingKind, name: &str, value: Option<&str>) -> Option<()> {
    fn read<T: DeserializeOwned>(value: Option<&str>) -> serde_json::Result<Option<T>> {
        value.map(serde_json::from_str).transpose()
    }
    match kind {
        ThingKind::Accepted => {
            decisions.accepted.graph.place(vec![(name.to_owned(), read::<Snapshot>(value).ok()?)]);
        }
        ThingKind::AcceptedSetting => match value {
            Some(text) => drop(decisions.accepted.settings.insert(name.to_owned(), text.to_owned())),
            None => drop(decisions.accepted.settings.remove(name)),
        },
        ThingKind::Trust => match value {
            Some(text) => drop(decisions.trusted.insert(TrustedStore::of_journal(name, text)?)),
            None => drop(decisions.trusted.remove(name)),
        },
        ThingKind::Peer => decisions.peers.put(name.parse().ok()?, read(value).ok()?),
        // What is taken out of force so is a person's decision: the same version does not come back by itself.
        ThingKind::Received => {
            let (author, id) = received_name(name)?;
            decisions.received.decide(author, &id, read(value).ok()?);
        }
        ThingKind::Incident => {
            let entry = read::<IncidentEntry>(value).ok()?.unwrap_or_default();
            decisions.incidents.put(name.parse().ok()?, entry);
        }
        _ => return None,
    }
    Some(())
}

/// Returns a decision as the journal stores it; `None` where there is none.
pub(crate) fn value(decisions: &Decisions, kind: ThingKind, name: &str) -> Option<String> {
    match kind {
        ThingKind::Accepted => json(&Snapshot::of(&decisions.accepted.graph, name)?),
        _ => texts(decisions, kind).remove(name),
    }
}

/// Returns the decisions of a kind by name, as the journal stores them; for lessons see [`Difference::of_decisions`].
fn texts(decisions: &Decisions, kind: ThingKind) -> BTreeMap<String, String> {
    fn written<K: ToString, V: Serialize>(all: impl Iterator<Item = (K, V)>) -> BTreeMap<String, String> {
        all.filter_map(|(name, value)| Some((name.to_string(), json(&value)?))).collect()
    }
    let Decisions { accepted, trusted, peers, received, incidents, .. } = decisions;
    match kind {
        ThingKind::AcceptedSetting => accepted.settings.clone(),
        ThingKind::Trust => trusted.stores().map(|store| (store.root.clone(), store.journalled())).collect(),
        ThingKind::Peer => written(peers.peers()),
        ThingKind::Received => {
            written(received.lessons().map(|(author, lesson)| (format!("{author}/{}", lesson.id), lesson)))
        }
        ThingKind::Incident => written(incidents.entries()),
        _ => BTreeMap::new(),
    }
}

impl Difference {
    /// Returns what becomes different in the file of decisions, ascending by kind and name.
    pub fn of_decisions(before: &Decisions, after: &Decisions) -> Vec<Self> {
        let (here, there) = (&before.accepted.graph, &after.accepted.graph);
        let ids: BTreeSet<&str> = here.ids().chain(there.ids()).collect();
        // Comparing raw nodes takes a fraction of the time that writing lessons down takes.
        let triggers: BTreeSet<&str> = here.all_trigger_ids().chain(there.all_trigger_ids()).collect();
        let are_same_triggers = triggers.into_iter().all(|id| here.raw_trigger(id) == there.raw_trigger(id));
        let differs = |id: &&str| {
            here.raw(id) != there.raw(id)
                || !are_same_triggers && here.raw_triggers_of(id) != there.raw_triggers_of(id)
        };
        let lessons = ids.into_iter().filter(differs).map(|id| {
            let value = |graph| json(&Snapshot::of(graph, id)?);
            Self { thing: Thing::new(ThingKind::Accepted, id), before: value(here), after: value(there) }
        });
        let lessons = lessons.filter(|it| it.before != it.after);
        let others =
            KINDS.into_iter().flat_map(|kind| Self::between(kind, texts(before, kind), texts(after, kind)));
        lessons.chain(others).collect()
    }
}

/// Reads the name of a received lesson: its author's key, and its id.
pub(crate) fn received_name(name: &str) -> Option<(PublicKey, LessonId)> {
    let (author, id) = name.split_once('/')?;
    Some((author.parse().ok()?, LessonId::new(id).ok()?))
}

/// Plain data as JSON, the same text for the same data.
fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

#[cfg(test)]
mod tests;
