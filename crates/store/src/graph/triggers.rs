//! The trigger nodes of a graph: ids resolved on the way in, interned on the way out.

use std::collections::BTreeMap;

use lessons_pattern::{Trigger, TriggerKind};
use serde_json::Value;

use super::PutError;
use crate::graph::problem::{Flaw, invalid, shown};

/// The possible lengths of the hash in a trigger's id, in hex digits. The first length that gives a free id is used.
const DIGITS: [usize; 3] = [8, 12, 16];

/// The trigger nodes: all by id, and the usable ones also by content.
#[derive(Debug, Clone, Default)]
pub(super) struct Triggers {
    by_id: BTreeMap<String, Option<Trigger>>,
    by_content: BTreeMap<Trigger, String>,
}

/// The result of looking up a trigger's id.
pub(super) enum Resolved<'a> {
    /// A usable trigger.
    Usable(&'a Trigger),
    /// A node that is no valid trigger.
    Broken,
    /// No node has this id.
    Missing,
}

impl Triggers {
    /// Adds a node; `None` stands for an unusable one.
    pub(super) fn insert(&mut self, id: &str, trigger: Option<Trigger>) {
        if let Some(trigger) = &trigger {
            self.by_content.entry(trigger.clone()).or_insert_with(|| id.to_owned());
        }
        self.by_id.insert(id.to_owned(), trigger);
    }

    /// Removes a node.
    pub(super) fn remove(&mut self, id: &str) {
        if let Some(Some(trigger)) = self.by_id.remove(id)
            && self.by_content.get(&trigger).is_some_and(|known| known == id)
        {
            self.by_content.remove(&trigger);
        }
    }

    /// Looks up the node with this id.
    pub(super) fn resolve(&self, id: &str) -> Resolved<'_> {
        match self.by_id.get(id) {
            Some(Some(trigger)) => Resolved::Usable(trigger),
            Some(None) => Resolved::Broken,
            None => Resolved::Missing,
        }
    }

    /// The usable nodes, by id.
    pub(super) fn usable(&self) -> impl Iterator<Item = (&str, &Trigger)> {
        self.by_id.iter().filter_map(|(id, trigger)| Some((id.as_str(), trigger.as_ref()?)))
    }

    /// The id of a node with this content.
    pub(super) fn id_of(&self, trigger: &Trigger) -> Option<&str> {
        self.by_content.get(trigger).map(String::as_str)
    }

    /// A free id for a trigger.
    pub(super) fn free_id(&self, trigger: &Trigger) -> Result<String, PutError> {
        let mut ids = DIGITS.map(|digits| trigger.id(digits)).into_iter();
        let free = ids.find(|id| !self.by_id.contains_key(id));
        free.ok_or_else(|| PutError::NoFreeId(trigger.clone()))
    }
}

/// Reads a raw node. The error is the flaw that makes it unusable.
pub(super) fn read(id: &str, raw: &Value) -> Result<Trigger, Flaw> {
    let text = |name: &str| raw.get(name).and_then(Value::as_str);
    let Some(name) = text("kind") else {
        return Err(invalid("`kind` is missing", "say what it looks at, for example command_pattern"));
    };
    let Some(pattern) = text("pattern") else {
        return Err(invalid("`pattern` is missing", "say what it looks for"));
    };
    let Some(kind) = TriggerKind::ALL.into_iter().find(|kind| kind.name() == name) else {
        let hint = format!("use one of {}", TriggerKind::ALL.map(TriggerKind::name).join(", "));
        return Err(invalid(format!("`{}` is no kind of trigger", shown(name)), hint));
    };
    let trigger = Trigger::new(kind, pattern);
    match content_digits(id) {
        Some(digits) if trigger.id(digits) != id => Err(Flaw::error(
            "TRIGGER_ID_MISMATCH",
            "its id was made from another kind or pattern",
            format!("rename it to {}, also where lessons name it", trigger.id(digits)),
        )),
        _ => Ok(trigger),
    }
}

/// The number of hex digits in a content-addressed id; `None` for an id that a person chose.
fn content_digits(id: &str) -> Option<usize> {
    let (kind, digits) = id.strip_prefix("t-")?.split_once('-')?;
    TriggerKind::ALL.iter().find(|known| known.short() == kind)?;
    let hex = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (hex && DIGITS.contains(&digits.len())).then_some(digits.len())
}
