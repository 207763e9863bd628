//! Snapshots: one lesson of a graph with all that it needs to be put into another graph.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Graph;

/// A raw lesson with the triggers that it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The raw lesson.
    pub lesson: Value,
    /// The raw triggers, by id.
    pub triggers: Map<String, Value>,
}

impl Snapshot {
    /// The lesson `id` of `graph`, if it is there.
    pub fn of(graph: &Graph, id: &str) -> Option<Self> {
        Some(Self { lesson: graph.raw(id)?.clone(), triggers: graph.raw_triggers_of(id) })
    }
}
