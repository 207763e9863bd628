//! `lessons.json`: a lessons graph, version 1.
//!
//! ```json
//! {
//!   "lessons": { "<id>": { "rule": "…", "topics": ["git"], "triggers": ["t-cmd-0123abcd"], … } },
//!   "topics": { "git": { "summary": "Git" } },
//!   "triggers": { "t-cmd-0123abcd": { "kind": "command_pattern", "pattern": "git stash" } },
//!   "version": 1
//! }
//! ```
//!
//! A [`Graph`] keeps the raw JSON beside the typed lessons, so that a field we do not know, at any
//! depth, survives. Ids of triggers exist only here: they are resolved when a graph is read and
//! interned when a lesson is put.
//!
//! Upgrade rule: a new optional field needs nothing, older programs keep it. A change of what a
//! field means raises [`VERSION`], and this module reads both. An older program refuses a newer
//! version and leaves the file alone.

pub(crate) mod fields;
mod json;
mod lists;
pub mod problem;
mod relations;
mod triggers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use lessons_lesson::{Lesson, LessonId, Status, TopicId};
use lessons_pattern::Trigger;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use self::json::Parts;
pub use self::lists::Snapshot;
use self::triggers::{Resolved, Triggers};
use crate::graph::problem::{Flaw, Node, NodeKind, Problem};

/// A JSON object.
pub type Object = Map<String, Value>;

/// The version of the format.
pub const VERSION: u64 = 1;

/// The topic of a lesson without one.
pub const GENERAL_TOPIC: &str = "general";

/// The owner of a graph, which decides how strictly it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user, or a shipped file: a number out of range is an error, and its lesson is left out.
    Own,
    /// A project, whose file the user cannot fix: numbers are clamped to their range, and missing lists count as empty.
    Project,
}

/// An error that makes a graph unreadable as a whole. The caller adds the file's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct UnreadableGraph {
    /// The code for programs. A code never changes its meaning.
    pub code: &'static str,
    what: String,
}

impl UnreadableGraph {
    /// The error for bytes that are not JSON.
    fn corrupt(what: impl Into<String>) -> Self {
        Self { code: "CORRUPT_GRAPH", what: what.into() }
    }

    /// The error for JSON that is no graph.
    fn shape(what: &str) -> Self {
        let graph = r#"a lessons graph is {"version": 1, "lessons": {}, "topics": {}, "triggers": {}}"#;
        Self { code: "SCHEMA_INVALID", what: format!("{what}; {graph}") }
    }

    /// The error for a text that is not JSON, from serde's error.
    pub(crate) fn no_json(text: &str, error: &serde_json::Error) -> Self {
        if let Some(before) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
            return Self::corrupt(format!(
                "line {}: two branches changed the same, and git has left both versions here; keep one of them, take out \
                 the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`, then tell git with `git add`",
                before + 1
            ));
        }
        let reason = error.to_string();
        // The position is said in front.
        let reason = reason.rfind(" at line ").and_then(|at| reason.get(..at)).unwrap_or(&reason);
        let reason = crate::graph::problem::shown(reason);
        Self::corrupt(format!("line {}, column {}: {reason}", error.line(), error.column()))
    }
}

/// An error of putting a lesson into a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PutError {
    /// The lesson has no topic; the format requires one.
    #[error("a lesson needs a topic; name one")]
    NoTopic,
    /// All three ids that the format allows for this trigger are taken by other patterns.
    #[error("no id is free for the trigger {0}; change the pattern")]
    NoFreeId(Trigger),
}

/// A lessons graph in memory.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    file: PathBuf,
    parts: Parts,
    lessons: BTreeMap<LessonId, Lesson>,
    triggers: Triggers,
    problems: Vec<Problem>,
    is_lossy: bool,
}

impl Graph {
    /// A graph without lessons, for `file`.
    pub fn empty(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Parses a graph. `file` is its path, which every problem mentions.
    pub fn parse(file: impl Into<PathBuf>, bytes: &[u8], origin: Origin) -> Result<Self, UnreadableGraph> {
        let parsed = json::parse(bytes)?;
        let Value::Object(raw) = parsed.value else {
            return Err(UnreadableGraph::shape("it is not an object"));
        };
        let mut graph = Self::empty(file);
        for flaw in json::missing(&raw) {
            graph.tell(None, flaw);
        }
        let parts = Parts::of(raw)?;
        graph.is_lossy = parsed.rounded || !parsed.duplicates.is_empty();
        let mut broken = BTreeSet::new();
        for path in parsed.duplicates {
            let node = node_at(&path);
            let what = format!("`{}` is there twice", crate::graph::problem::shown(&path.join(".")));
            let hint = "rename one or merge the two by hand; the next write keeps only the last";
            graph.tell(node.clone(), Flaw::error("DUPLICATE_KEY", what, hint));
            broken.extend(node);
        }
        for (id, raw) in parts.nodes(NodeKind::Trigger) {
            let node = Node { kind: NodeKind::Trigger, id: id.clone() };
            let trigger = triggers::read(id, raw).map_err(|flaw| graph.tell(Some(node.clone()), flaw)).ok();
            graph.triggers.insert(id, trigger.filter(|_| !broken.contains(&node)));
        }
        for (id, raw) in parts.nodes(NodeKind::Lesson) {
            let node = Node { kind: NodeKind::Lesson, id: id.clone() };
            let (lesson, flaws) = fields::lesson(id, raw, &|id| graph.triggers.resolve(id), origin);
            for flaw in flaws {
                graph.tell(Some(node.clone()), flaw);
            }
            let lesson = lesson.filter(|_| !broken.contains(&node));
            graph.lessons.extend(lesson.map(|lesson| (lesson.id.clone(), lesson)));
        }
        graph.parts = parts;
        let related = relations::problems(&graph);
        graph.problems.extend(related);
        Ok(graph)
    }

    /// The path of the file that the graph was read from.
    pub fn file(&self) -> &std::path::Path {
        &self.file
    }

    /// The problems found when it was read. Later changes do not show here.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether writing it back loses something that was read: repeated keys, or over-long numbers.
    pub fn is_lossy(&self) -> bool {
        self.is_lossy
    }

    /// The usable lessons, by id.
    pub fn lessons(&self) -> impl ExactSizeIterator<Item = &Lesson> {
        self.lessons.values()
    }

    /// The usable lessons that are active, by id.
    pub fn active(&self) -> impl Iterator<Item = &Lesson> {
        self.lessons().filter(|lesson| lesson.status == Status::Active)
    }

    /// A usable lesson.
    pub fn get(&self, id: &LessonId) -> Option<&Lesson> {
        self.lessons.get(id)
    }

    /// The usable lesson of a text that may be an id.
    pub fn usable(&self, id: &str) -> Option<&Lesson> {
        self.get(&LessonId::new(id).ok()?)
    }

    /// The ids of all lessons, usable or not.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.node_ids(NodeKind::Lesson)
    }

    /// The raw lesson of this id, usable or not.
    pub fn raw(&self, id: &str) -> Option<&Value> {
        self.node(NodeKind::Lesson, id)
    }

    /// Topics with their summaries.
    pub fn topics(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.nodes(NodeKind::Topic).iter().map(|(id, topic)| {
            (id.as_str(), topic.get("summary").and_then(Value::as_str).unwrap_or_default())
        })
    }

    /// Sets the summary of a topic, which is added if it is new.
    pub fn set_topic(&mut self, id: &TopicId, summary: &str) {
        let topics = self.parts.nodes_mut(NodeKind::Topic);
        let topic = topics.entry(id.as_str()).or_insert_with(|| Value::Object(Object::new()));
        match topic {
            Value::Object(topic) => {
                topic.insert("summary".into(), summary.into());
            }
            other => *other = serde_json::json!({ "summary": summary }),
        }
    }

    /// Adds a lesson, or replaces the one with its id. Unknown fields and unchanged ones of a usable one stay as they are; a new topic
    /// gets a summary made of its id; triggers that no lesson names any more are removed.
    pub fn put(&mut self, lesson: &Lesson) -> Result<(), PutError> {
        let id = lesson.id.as_str();
        let mut raw = self.raw(id).and_then(Value::as_object).cloned().unwrap_or_default();
        let named_before = self.named_by(id).map(str::to_owned).collect();
        let old = self.lessons.get(&lesson.id).cloned();
        if old.is_none() {
            raw.clear();
        }
        fields::merge(&mut raw, old.as_ref(), lesson, |trigger| self.intern(trigger, &named_before))?;
        self.parts.nodes_mut(NodeKind::Lesson).insert(id.to_owned(), Value::Object(raw));
        self.lessons.insert(lesson.id.clone(), lesson.clone());
        for topic in &lesson.topics {
            if self.node(NodeKind::Topic, topic.as_str()).is_none() {
                self.set_topic(topic, &topic_summary(topic));
            }
        }
        self.drop_unnamed(named_before);
        Ok(())
    }

    /// Sets raw lessons with the triggers they name back to an earlier state, or removes them.
    ///
    /// For undo: a lesson may be one that this program cannot use.
    pub fn restore<'l>(&mut self, lessons: impl IntoIterator<Item = (&'l str, Option<Snapshot>)>) {
        let mut named_before = BTreeSet::new();
        for (id, snapshot) in lessons {
            named_before.extend(self.named_by(id).map(str::to_owned));
            for (trigger, node) in snapshot.iter().flat_map(|snapshot| &snapshot.triggers) {
                if self.node(NodeKind::Trigger, trigger).is_none() {
                    self.set_node(NodeKind::Trigger, trigger, Some(node.clone()));
                }
            }
            self.set_node(NodeKind::Lesson, id, snapshot.map(|snapshot| snapshot.lesson));
        }
        self.drop_unnamed(named_before);
    }

    /// Makes the typed form of a lesson of this user anew from its raw form.
    fn read_again(&mut self, id: &str) {
        if let Ok(id) = LessonId::new(id) {
            self.lessons.remove(&id);
        }
        if let Some(raw) = self.raw(id) {
            let (lesson, _) = fields::lesson(id, raw, &|id| self.triggers.resolve(id), Origin::Own);
            self.lessons.extend(lesson.map(|lesson| (lesson.id.clone(), lesson)));
        }
    }

    /// The raw triggers that a raw lesson of this graph names.
    pub fn raw_triggers_of(&self, id: &str) -> Object {
        let node = |id: &str| Some((id.to_owned(), self.node(NodeKind::Trigger, id)?.clone()));
        self.named_by(id).filter_map(node).collect()
    }

    /// The bytes of the file: keys sorted at every depth, two spaces of indentation, one newline at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Finds or adds the node of a trigger and returns its id. An id of `preferred` wins over others of the same content,
    /// so that nothing changes without need.
    fn intern(&mut self, trigger: &Trigger, preferred: &BTreeSet<String>) -> Result<String, PutError> {
        let is_it =
            |id: &&String| matches!(self.triggers.resolve(id), Resolved::Usable(known) if known == trigger);
        if let Some(id) = preferred.iter().find(is_it) {
            return Ok(id.clone());
        }
        if let Some(id) = self.triggers.id_of(trigger) {
            return Ok(id.to_owned());
        }
        let id = self.triggers.free_id(trigger)?;
        let node = serde_json::json!({ "kind": trigger.kind.name(), "pattern": trigger.pattern });
        self.parts.nodes_mut(NodeKind::Trigger).insert(id.clone(), node);
        self.triggers.insert(&id, Some(trigger.clone()));
        Ok(id)
    }

    /// Removes those of `candidates` that no lesson names.
    fn drop_unnamed(&mut self, mut candidates: BTreeSet<String>) {
        if candidates.is_empty() {
            return;
        }
        let graph = &*self;
        for id in graph.ids().flat_map(|lesson| graph.named_by(lesson)) {
            candidates.remove(id);
        }
        for id in candidates {
            self.set_node(NodeKind::Trigger, &id, None);
        }
    }

    fn tell(&mut self, node: Option<Node>, flaw: Flaw) {
        self.problems.push(self.problem(node, flaw));
    }

    /// A problem of this graph, at a node or as a whole.
    pub fn problem(&self, node: Option<Node>, flaw: Flaw) -> Problem {
        Problem { file: self.file.clone(), node, flaw }
    }
}

impl Serialize for Graph {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Without the feature `preserve_order` a `serde_json` map is sorted; a test holds that.
        let version = Value::from(VERSION);
        let mut file: BTreeMap<&str, Part<'_>> =
            self.parts.others.iter().map(|(name, value)| (name.as_str(), Part::Other(value))).collect();
        file.insert("version", Part::Other(&version));
        file.extend(NodeKind::ALL.map(|kind| (PARTS[kind as usize], Part::Nodes(self.parts.nodes(kind)))));
        file.serialize(serializer)
    }
}

/// A part of the file while it is written.
#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Nodes(&'a Object),
    Other(&'a Value),
}

/// The names of the maps, by the kinds of their nodes.
pub(crate) const PARTS: [&str; 3] = ["lessons", "topics", "triggers"];

/// The fields of a lesson that name triggers.
pub const LISTS: [&str; 3] = ["triggers", "also", "unless"];

/// The node that a path into the JSON belongs to.
fn node_at(path: &[String]) -> Option<Node> {
    let [part, id, ..] = path else { return None };
    let kind = NodeKind::ALL.into_iter().find(|kind| PARTS[*kind as usize] == part)?;
    Some(Node { kind, id: id.clone() })
}

/// A summary made of an id: `package-managers` becomes `Package managers`.
fn topic_summary(id: &TopicId) -> String {
    let words = id.as_str().replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests;
