//! The removal of triggers that match nothing and of topics that no lesson uses.

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::Status;
use lessons_pattern::{Trigger, TriggerKind};
use serde::Serialize;

use crate::graph::Graph;
use crate::graph::problem::NodeKind;
use crate::validate::{Files, fanouts};

/// The most triggers that a lesson keeps by default.
pub const CAP: usize = 8;

/// What a pruning removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    /// Ids of triggers that no active lesson used.
    pub removed_trigger_ids: Vec<String>,
    /// Ids of topics that no lesson used.
    pub removed_topic_ids: Vec<String>,
    /// Lessons that had too many triggers.
    pub trimmed_lessons: Vec<Shortened>,
    /// Lessons that had globs without a matching file.
    pub removed_dead_globs: Vec<Shortened>,
    /// Lessons all of whose triggers are globs without a matching file. They stay.
    pub unreachable_lessons: Vec<String>,
}

/// A lesson that lost triggers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shortened {
    /// The lesson's id.
    pub id: String,
    /// The number of triggers it lost.
    pub removed_count: usize,
    /// The number of triggers it kept.
    pub kept_count: usize,
    /// The lost triggers.
    pub removed: Vec<String>,
}

impl Pruned {
    /// Whether nothing was removed.
    pub fn is_empty(&self) -> bool {
        self.removed_trigger_ids.is_empty()
            && self.removed_topic_ids.is_empty()
            && self.trimmed_lessons.is_empty()
            && self.removed_dead_globs.is_empty()
    }
}

/// Prunes a graph. Active lessons lose globs that match none of `files`, then triggers that most lessons share, but
/// never the last one; then unused triggers and topics are removed.
///
/// Without `files`, no glob counts as dead.
pub fn prune(graph: &mut Graph, files: Option<&Files>, cap: Option<usize>) -> Pruned {
    let mut pruned = Pruned::default();
    if let Some(files) = files {
        (pruned.removed_dead_globs, pruned.unreachable_lessons) = thin(graph, dead_globs(graph, files));
    }
    if let Some(cap) = cap {
        (pruned.trimmed_lessons, _) = thin(graph, most_shared(graph, cap.max(1)));
    }
    pruned.removed_trigger_ids = unused_triggers(graph);
    for id in &pruned.removed_trigger_ids {
        forget(graph, id);
    }
    pruned.removed_topic_ids = graph.unnamed_topics().into_iter().map(str::to_owned).collect();
    for id in &pruned.removed_topic_ids {
        graph.set_node(NodeKind::Topic, id, None);
    }
    pruned
}

/// Takes from each active lesson those of its triggers that `superfluous` names. Returns the lessons that lost some, and the
/// ids of those that would have lost all and keep them.
fn thin(graph: &mut Graph, superfluous: impl Fn(&[String]) -> Vec<String>) -> (Vec<Shortened>, Vec<String>) {
    let (mut shortened, mut unreachable) = (Vec::new(), Vec::new());
    let active: Vec<String> = graph.active().map(|lesson| lesson.id.to_string()).collect();
    for id in active {
        let all: Vec<String> = graph.listed(&id, "triggers").map(str::to_owned).collect();
        let removed = superfluous(&all);
        let kept: Vec<String> = all.into_iter().filter(|id| !removed.contains(id)).collect();
        if removed.is_empty() {
            continue;
        }
        if kept.is_empty() {
            unreachable.push(id);
            continue;
        }
        let (removed_count, kept_count) = (removed.len(), kept.len());
        graph.set_trigger_ids(&id, "triggers", kept);
        shortened.push(Shortened { id, removed_count, kept_count, removed });
    }
    (shortened, unreachable)
}

/// The globs that match no file.
fn dead_globs(graph: &Graph, files: &Files) -> impl Fn(&[String]) -> Vec<String> + use<> {
    let is_dead =
        |trigger: &Trigger| trigger.kind == TriggerKind::FileGlob && files.has_none_for(&trigger.pattern);
    let dead = graph.triggers().filter(|(_, trigger)| is_dead(trigger));
    let dead: BTreeSet<String> = dead.map(|(id, _)| id.to_owned()).collect();
    move |all| all.iter().filter(|id| dead.contains(*id)).cloned().collect()
}

/// The triggers beyond the first `cap` that most lessons share.
fn most_shared(graph: &Graph, cap: usize) -> impl Fn(&[String]) -> Vec<String> + use<> {
    let fanout = fanouts(graph).into_iter().map(|(id, lessons)| (id.to_owned(), lessons));
    let fanout: BTreeMap<String, usize> = fanout.collect();
    move |all| {
        let mut order = all.to_vec();
        order.sort_by_key(|id| (fanout.get(id).copied().unwrap_or(0), id.clone()));
        order.split_off(cap.min(order.len()))
    }
}

/// Triggers that no lesson in force names. What an unusable lesson names stays: somebody may fix it.
fn unused_triggers(graph: &Graph) -> Vec<String> {
    let is_inactive = |id: &&str| graph.usable(id).is_some_and(|lesson| lesson.status != Status::Active);
    let used: BTreeSet<&str> =
        graph.ids().filter(|id| !is_inactive(id)).flat_map(|id| graph.named_by(id)).collect();
    graph.node_ids(NodeKind::Trigger).filter(|id| !used.contains(id)).map(str::to_owned).collect()
}

/// Removes a trigger, also from the lists of lessons that are not in force.
fn forget(graph: &mut Graph, trigger: &str) {
    let ids: Vec<String> = graph.ids().map(str::to_owned).collect();
    for lesson in ids {
        for list in crate::graph::LISTS {
            let before: Vec<String> = graph.listed(&lesson, list).map(str::to_owned).collect();
            if before.iter().any(|id| id == trigger) {
                let kept = before.into_iter().filter(|id| id != trigger).collect();
                graph.set_trigger_ids(&lesson, list, kept);
            }
        }
    }
    graph.set_node(NodeKind::Trigger, trigger, None);
}
