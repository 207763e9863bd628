//! The removal of triggers that match nothing and of topics that no lesson uses.

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::Status;
use lessons_pattern::{Trigger, TriggerKind};
use serde::Serialize;

use super::CurateError;
use crate::graph::Graph;
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
pub fn prune(graph: &mut Graph, files: Option<&Files>, cap: Option<usize>) -> Result<Pruned, CurateError> {
    let mut pruned = Pruned::default();
    if let Some(files) = files {
        dead_globs(graph, files, &mut pruned);
    }
    if let Some(cap) = cap {
        most_shared(graph, cap.max(1), &mut pruned);
    }
    pruned.removed_trigger_ids = unused_triggers(graph);
    for id in &pruned.removed_trigger_ids {
        forget(graph, id);
    }
    pruned.removed_topic_ids = graph.unnamed_topics().into_iter().map(str::to_owned).collect();
    for id in &pruned.removed_topic_ids {
        graph.set_raw_topic(id, None);
    }
    Ok(pruned)
}

fn active(graph: &Graph) -> Vec<String> {
    graph.active().map(|lesson| lesson.id.to_string()).collect()
}

fn triggers_of(graph: &Graph, lesson: &str) -> Vec<String> {
    graph.trigger_ids(lesson, "triggers").map(str::to_owned).collect()
}

fn dead_globs(graph: &mut Graph, files: &Files, pruned: &mut Pruned) {
    let is_dead =
        |trigger: &Trigger| trigger.kind == TriggerKind::FileGlob && files.has_none_for(&trigger.pattern);
    let dead = graph.triggers().filter(|(_, trigger)| is_dead(trigger));
    let dead: BTreeSet<String> = dead.map(|(id, _)| id.to_owned()).collect();
    for lesson in active(graph) {
        let (removed, kept): (Vec<String>, Vec<String>) =
            triggers_of(graph, &lesson).into_iter().partition(|id| dead.contains(id));
        if removed.is_empty() {
            continue;
        }
        if kept.is_empty() {
            pruned.unreachable_lessons.push(lesson);
            continue;
        }
        pruned.removed_dead_globs.push(shorten(graph, &lesson, removed, kept));
    }
}

fn most_shared(graph: &mut Graph, cap: usize, pruned: &mut Pruned) {
    let fanout = fanouts(graph).into_iter().map(|(id, lessons)| (id.to_owned(), lessons));
    let fanout: BTreeMap<String, usize> = fanout.collect();
    for lesson in active(graph) {
        let all = triggers_of(graph, &lesson);
        let mut order = all.clone();
        order.sort_by_key(|id| (fanout.get(id).copied().unwrap_or(0), id.clone()));
        let removed = order.split_off(cap.min(order.len()));
        if !removed.is_empty() {
            let kept = all.into_iter().filter(|id| !removed.contains(id)).collect();
            pruned.trimmed_lessons.push(shorten(graph, &lesson, removed, kept));
        }
    }
}

fn shorten(graph: &mut Graph, lesson: &str, removed: Vec<String>, kept: Vec<String>) -> Shortened {
    let shortened =
        Shortened { id: lesson.to_owned(), removed_count: removed.len(), kept_count: kept.len(), removed };
    graph.set_trigger_ids(lesson, "triggers", kept);
    shortened
}

/// Triggers that no lesson in force names. What an unusable lesson names stays: somebody may fix it.
fn unused_triggers(graph: &Graph) -> Vec<String> {
    let is_inactive = |id: &&str| graph.usable(id).is_some_and(|lesson| lesson.status != Status::Active);
    let used: BTreeSet<&str> =
        graph.ids().filter(|id| !is_inactive(id)).flat_map(|id| graph.named_by(id)).collect();
    graph.all_trigger_ids().filter(|id| !used.contains(id)).map(str::to_owned).collect()
}

/// Removes a trigger, also from the lists of lessons that are not in force.
fn forget(graph: &mut Graph, trigger: &str) {
    let ids: Vec<String> = graph.ids().map(str::to_owned).collect();
    for lesson in ids {
        for list in crate::graph::LISTS {
            let before: Vec<String> = graph.trigger_ids(&lesson, list).map(str::to_owned).collect();
            if before.iter().any(|id| id == trigger) {
                let kept = before.into_iter().filter(|id| id != trigger).collect();
                graph.set_trigger_ids(&lesson, list, kept);
            }
        }
    }
    graph.set_raw_trigger(trigger, None);
}
