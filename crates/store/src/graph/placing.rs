//! Copies of lessons put into another graph, whose triggers may have the same ids.

use serde_json::Value;

use super::{Graph, LISTS, Snapshot};

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
    let taken: Vec<(String, Value)> = snapshot
        .triggers
        .iter()
        .filter(|(id, node)| graph.raw_trigger(id).is_some_and(|known| known != *node))
        .map(|(id, node)| (id.clone(), node.clone()))
        .collect();
    for (id, node) in taken {
        let is_free = |name: &String| {
            graph.raw_trigger(name).is_none_or(|known| *known == node)
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
