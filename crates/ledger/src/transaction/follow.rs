//! The accepted copies follow each change that a person makes by a command: by exactly what it changed.

use std::collections::BTreeSet;

use lessons_store::accepted::decides;
use lessons_store::graph::{LISTS, Object};
use lessons_store::{Accepted, Graph, NodeKind, Snapshot, decisions};
use serde_json::Value;

use crate::journal::{Thing, ThingKind};

/// One thing of a change as the journal records it: the thing, its state before, its state after.
pub(crate) type ChangedThing<'a> = (&'a Thing, Option<&'a str>, Option<&'a str>);

/// Takes over what a change did to lessons, topics and settings. The same change twice does what it does once.
pub(crate) fn follow<'a>(accepted: &mut Accepted, things: impl IntoIterator<Item = ChangedThing<'a>>) {
    let mut parts = Vec::new();
    for (thing, before, after) in things {
        let name = thing.name.as_str();
        if matches!(thing.kind, ThingKind::Lesson | ThingKind::Topic | ThingKind::Trigger) {
            parts.push((thing, before, after));
        } else if thing.kind == ThingKind::Setting && decides(name) {
            decisions::put(&mut accepted.settings, name.to_owned(), after.map(str::to_owned));
        }
    }
    follow_store(&mut accepted.graph, parts);
}

/// Takes over into a copy of a store what a change did to the store's lessons and topics.
pub(crate) fn follow_store<'a>(copy: &mut Graph, parts: impl IntoIterator<Item = ChangedThing<'a>>) {
    let (mut lessons, mut gone) = (Vec::new(), Vec::new());
    for (thing, before, after) in parts {
        match thing.node() {
            Some((NodeKind::Lesson, id)) => {
                let now = Snapshot::of(copy, id);
                lessons.push((id.to_owned(), next(now, read(before), read(after))));
            }
            Some((NodeKind::Topic, id)) => match after.and_then(|text| serde_json::from_str(text).ok()) {
                Some(topic) => copy.set_node(NodeKind::Topic, id, Some(topic)),
                None => gone.push(id),
            },
            Some((NodeKind::Trigger, _)) | None => {}
        }
    }
    copy.place(lessons);
    // A copy that was made by other means may still name it.
    gone.retain(|id| !copy.named().topics.contains(id));
    for id in gone {
        copy.set_node(NodeKind::Topic, id, None);
    }
}

fn read(text: Option<&str>) -> Option<Snapshot> {
    serde_json::from_str(text?).ok()
}

/// The accepted copy of a lesson after a command that found it as `before` and left it as `after`.
fn next(now: Option<Snapshot>, before: Option<Snapshot>, after: Option<Snapshot>) -> Option<Snapshot> {
    match (now, before, after) {
        // It is gone, or it was made by other means, and editing it does not accept it.
        (_, _, None) | (None, Some(_), Some(_)) => None,
        (_, None, Some(after)) => Some(after),
        (Some(now), Some(before), Some(after)) if now == before => Some(after),
        (Some(now), Some(before), Some(after)) => Some(patched(now, &before, &after)),
    }
}

/// An accepted copy with the fields that a command changed. The store said something else already, by other means.
fn patched(mut now: Snapshot, before: &Snapshot, after: &Snapshot) -> Snapshot {
    let (Value::Object(lesson), Some(old), Some(new)) =
        (&mut now.lesson, before.lesson.as_object(), after.lesson.as_object())
    else {
        return after.clone();
    };
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys.into_iter().filter(|key| old.get(*key) != new.get(*key)) {
        match new.get(key) {
            _ if LISTS.contains(&key.as_str()) => patch_list(lesson, key, old, new),
            Some(value) => drop(lesson.insert(key.clone(), value.clone())),
            None => drop(lesson.remove(key)),
        }
    }
    let named: BTreeSet<&str> = LISTS.iter().flat_map(|list| ids(lesson, list)).collect();
    let changed = after.triggers.iter().filter(|(id, node)| before.triggers.get(*id) != Some(*node));
    now.triggers.extend(changed.map(|(id, node)| (id.clone(), node.clone())));
    now.triggers.retain(|id, _| named.contains(id.as_str()));
    now
}

/// Adds to a list of triggers what a command added to it, and takes out what it took out.
fn patch_list(lesson: &mut Object, list: &str, old: &Object, new: &Object) {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (ids(old, list).collect(), ids(new, list).collect());
    let kept: Vec<&str> = ids(lesson, list).filter(|id| !old.contains(id) || new.contains(id)).collect();
    let added = new.difference(&old).filter(|id| !kept.contains(id));
    let patched: Vec<String> = kept.iter().chain(added).map(|id| (*id).to_owned()).collect();
    lesson.insert(list.to_owned(), patched.into());
}

/// The ids of triggers in a list of a raw lesson.
fn ids<'a>(lesson: &'a Object, list: &str) -> impl Iterator<Item = &'a str> {
    lesson.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests;
