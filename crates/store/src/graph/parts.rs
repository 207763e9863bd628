//! The maps of a graph file: lessons, topics and triggers.

use serde_json::{Map, Value};

use super::{UnreadableGraph, VERSION};
use crate::problem::{Flaw, shown};

/// The names of the maps.
const NAMES: [&str; 3] = ["lessons", "topics", "triggers"];

/// The raw JSON of a graph, split into its maps.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub(super) lessons: Map<String, Value>,
    pub(super) topics: Map<String, Value>,
    pub(super) triggers: Map<String, Value>,
    /// Unknown fields of the graph itself, without the version.
    pub(super) others: Map<String, Value>,
}

impl Parts {
    /// Splits a file. Checks the version; a missing map is empty.
    pub(super) fn of(mut raw: Map<String, Value>) -> Result<Self, UnreadableGraph> {
        match raw.remove("version") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            None => return Err(UnreadableGraph::Shape { what: "it has no `version`".into() }),
            Some(version) => {
                return Err(UnreadableGraph::Version { found: shown(&version.to_string()) });
            }
        }
        let [lessons, topics, triggers] = NAMES.map(|name| match raw.remove(name) {
            None => Ok(Map::new()),
            Some(Value::Object(part)) => Ok(part),
            Some(_) => Err(UnreadableGraph::Shape { what: format!("`{name}` is not an object") }),
        });
        Ok(Self { lessons: lessons?, topics: topics?, triggers: triggers?, others: raw })
    }
}

/// A flaw for each map that a file does not have.
pub(super) fn missing(raw: &Map<String, Value>) -> Vec<Flaw> {
    let missing = NAMES.into_iter().filter(|name| !raw.contains_key(*name));
    let flaw = |name| {
        Flaw::error(
            "SCHEMA_INVALID",
            format!("the file has no `{name}`"),
            format!("add \"{name}\": {{}}, or restore the file from a backup if there were any"),
        )
    };
    missing.map(flaw).collect()
}
