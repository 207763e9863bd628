//! Decisions as entries of the journal: each has a kind, a name and a value, by which it is recorded and put back.

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::LessonId;
use lessons_share::PublicKey;
use lessons_store::{Decisions, Graph, IncidentEntry, NodeKind, Snapshot, TrustedStore, decisions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Difference, Thing, ThingKind};

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

/// Sets a decision to a value as the journal stores it; without one it is removed. Returns `None` for a value that can no
/// longer be read, of which nothing changes.
pub(crate) fn put(decisions: &mut Decisions, kind: ThingKind, name: &str, value: Option<&str>) -> Option<()> {
    fn read<T: DeserializeOwned>(value: Option<&str>) -> serde_json::Result<Option<T>> {
        value.map(serde_json::from_str).transpose()
    }
    match kind {
        ThingKind::Accepted => {
            decisions.accepted.graph.place(vec![(name.to_owned(), read::<Snapshot>(value).ok()?)]);
        }
        ThingKind::AcceptedSetting => {
            decisions::put(&mut decisions.accepted.settings, name.to_owned(), value.map(str::to_owned));
        }
        ThingKind::Trust => {
            let store = value.map(|text| TrustedStore::of_journal(name, text).ok_or(())).transpose().ok()?;
            decisions::put(&mut decisions.trusted.0, name.to_owned(), store);
        }
        ThingKind::Peer => {
            decisions::put(&mut decisions.peers.0, name.parse().ok()?, read(value).ok()?);
        }
        // What is taken out of force so is a person's decision: the same version does not come back by itself.
        ThingKind::Received => {
            let (author, id) = received_name(name)?;
            decisions.received.peer_mut(author).decide(&id, read(value).ok()?);
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
        ThingKind::Accepted => snapshot_in(&decisions.accepted.graph, name),
        _ => texts(decisions, kind).remove(name),
    }
}

/// Returns the decisions of a kind by name, as the journal stores them; for lessons see [`Difference::of_decisions`].
fn texts(decisions: &Decisions, kind: ThingKind) -> BTreeMap<String, String> {
    fn written<K: ToString, V: Serialize>(all: impl IntoIterator<Item = (K, V)>) -> BTreeMap<String, String> {
        all.into_iter().filter_map(|(name, value)| Some((name.to_string(), json(&value)?))).collect()
    }
    let Decisions { accepted, trusted, peers, received, incidents, .. } = decisions;
    match kind {
        ThingKind::AcceptedSetting => accepted.settings.clone(),
        ThingKind::Trust => written(&trusted.0),
        ThingKind::Peer => written(&peers.0),
        ThingKind::Received => {
            written(received.lessons().map(|(author, lesson)| (format!("{author}/{}", lesson.id), lesson)))
        }
        ThingKind::Incident => written(&incidents.entries),
        _ => BTreeMap::new(),
    }
}

impl Difference {
    /// Returns what becomes different in the file of decisions, ascending by kind and name.
    pub fn of_decisions(before: &Decisions, after: &Decisions) -> Vec<Self> {
        let (here, there) = (&before.accepted.graph, &after.accepted.graph);
        let ids: BTreeSet<&str> = here.ids().chain(there.ids()).collect();
        // Comparing raw nodes takes a fraction of the time that writing lessons down takes.
        let triggers: BTreeSet<&str> =
            here.node_ids(NodeKind::Trigger).chain(there.node_ids(NodeKind::Trigger)).collect();
        let is_same = |id: &str| here.node(NodeKind::Trigger, id) == there.node(NodeKind::Trigger, id);
        let are_same_triggers = triggers.into_iter().all(is_same);
        let differs = |id: &&str| {
            here.raw(id) != there.raw(id)
                || !are_same_triggers && here.raw_triggers_of(id) != there.raw_triggers_of(id)
        };
        let lessons = ids.into_iter().filter(differs).map(|id| {
            let (before, after) = (snapshot_in(here, id), snapshot_in(there, id));
            Self { thing: Thing::new(ThingKind::Accepted, id), before, after }
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

/// Returns a lesson of a graph with its triggers, as JSON.
pub(crate) fn snapshot_in(graph: &Graph, id: &str) -> Option<String> {
    json(&Snapshot::of(graph, id)?)
}

/// Plain data as JSON, the same text for the same data.
pub(crate) fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

#[cfg(test)]
mod tests;
