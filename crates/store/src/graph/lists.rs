//! The id lists of a graph as they are in the file, for code that inspects or reorders a graph rather than its lessons, and
//! snapshots: copies of lessons to be put into another graph, whose triggers may have the same ids.

use std::collections::BTreeSet;

use lessons_pattern::Trigger;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Graph, LISTS, Object};
use crate::graph::problem::NodeKind;

/// The ids of topics and triggers that any lesson names.
#[derive(Debug, Default)]
pub struct Named<'g> {
    pub topics: BTreeSet<&'g str>,
    pub triggers: BTreeSet<&'g str>,
}

impl Graph {
    /// The usable triggers, by id.
    pub fn triggers(&self) -> impl Iterator<Item = (&str, &Trigger)> {
        self.triggers.usable()
    }

    /// The ids in one of a lesson's lists (`topics`, `triggers`, `also` or `unless`), as they are in the file.
    pub fn listed<'g>(&'g self, lesson: &str, list: &str) -> impl Iterator<Item = &'g str> + use<'g> {
        let list = self.raw(lesson).and_then(|raw| raw.get(list)?.as_array());
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The ids in all of a lesson's trigger lists.
    pub fn named_by<'g>(&'g self, lesson: &'g str) -> impl Iterator<Item = &'g str> {
        LISTS.iter().flat_map(move |list| self.listed(lesson, list))
    }

    /// The first lesson that names a trigger.
    pub fn naming(&self, trigger: &str) -> Option<&str> {
        self.ids().find(|lesson| self.named_by(lesson).any(|id| id == trigger))
    }

    /// The ids of all nodes of a kind, usable or not.
    pub fn node_ids(&self, kind: NodeKind) -> impl Iterator<Item = &str> {
        self.parts.nodes(kind).keys().map(String::as_str)
    }

    /// A raw node, usable or not.
    pub fn node(&self, kind: NodeKind, id: &str) -> Option<&Value> {
        self.parts.nodes(kind).get(id)
    }

    /// Sets or removes a raw node. The caller updates the lessons that name one that goes.
    pub fn set_node(&mut self, kind: NodeKind, id: &str, raw: Option<Value>) {
        if kind == NodeKind::Trigger {
            self.triggers.remove(id);
            if let Some(raw) = &raw {
                self.triggers.insert(id, super::triggers::read(id, raw).ok());
            }
        }
        super::fields::put(self.parts.nodes_mut(kind), id, raw);
        if kind == NodeKind::Lesson {
            self.read_again(id);
        }
    }

    /// Adds the topics of another graph that this one does not have.
    pub fn add_topics_of(&mut self, other: &Self) {
        let topics = self.parts.nodes_mut(NodeKind::Topic);
        for (id, topic) in other.parts.nodes(NodeKind::Topic) {
            topics.entry(id.as_str()).or_insert_with(|| topic.clone());
        }
    }

    /// Everything that lessons name.
    pub fn named(&self) -> Named<'_> {
        let mut named = Named::default();
        for id in self.ids() {
            named.topics.extend(self.listed(id, "topics"));
            named.triggers.extend(self.named_by(id));
        }
        named
    }

    /// The topics that no lesson names.
    pub fn unnamed_topics(&self) -> Vec<&str> {
        let named = self.named().topics;
        self.node_ids(NodeKind::Topic).filter(|id| !named.contains(id)).collect()
    }

    /// Replaces one of a lesson's trigger lists. The nodes stay.
    pub fn set_trigger_ids(&mut self, lesson: &str, list: &str, ids: Vec<String>) {
        let Some(Value::Object(raw)) = self.parts.nodes_mut(NodeKind::Lesson).get_mut(lesson) else { return };
        super::fields::put_triggers(raw, list, ids);
        self.read_again(lesson);
    }
}

impl Graph {
    /// Puts lessons with their triggers into a graph, or takes them out. A trigger whose id stands for another pattern
    /// there gets an id of its own.
    pub fn place(&mut self, lessons: Vec<(String, Option<Snapshot>)>) {
        self.restore(lessons.iter().map(|(id, _)| (id.as_str(), None)));
        for (id, snapshot) in lessons {
            let Some(mut snapshot) = snapshot else { continue };
            rename_taken_triggers(&mut snapshot, self);
            self.restore([(id.as_str(), Some(snapshot))]);
        }
    }
}

/// Gives each trigger of `snapshot` whose id stands for another pattern in `graph` an id that is free there.
fn rename_taken_triggers(snapshot: &mut Snapshot, graph: &Graph) {
    let is_taken = |(id, node): &(&String, &Value)| {
        graph.node(NodeKind::Trigger, id).is_some_and(|known| known != *node)
    };
    let taken = snapshot.triggers.iter().filter(is_taken);
    let taken: Vec<(String, Value)> = taken.map(|(id, node)| (id.clone(), node.clone())).collect();
    for (id, node) in taken {
        let is_free = |name: &String| {
            graph.node(NodeKind::Trigger, name).is_none_or(|known| *known == node)
                && !snapshot.triggers.contains_key(name)
        };
        let Some(free) = (2..u32::MAX).map(|number| format!("{id}-{number}")).find(is_free) else { continue };
        snapshot.triggers.remove(&id);
        snapshot.triggers.insert(free.clone(), node);
        for list in LISTS {
            for entry in snapshot.lesson.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                if entry.as_str() == Some(&id) {
                    *entry = free.clone().into();
                }
            }
        }
    }
}

/// A raw lesson with the triggers that it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The raw lesson.
    pub lesson: Value,
    /// The raw triggers, by id.
    pub triggers: Object,
}

impl Snapshot {
    /// The lesson `id` of `graph`, if it is there.
    pub fn of(graph: &Graph, id: &str) -> Option<Self> {
        Some(Self { lesson: graph.raw(id)?.clone(), triggers: graph.raw_triggers_of(id) })
    }
}
