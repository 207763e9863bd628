//! The journal: what was changed, when, by whom, and what it was before.
//!
//! A row says of one [`Thing`] what it was before a change and what it was afterwards, so a change
//! carries its own inverse (see [`crate::undo`]). Rows that share a number were one change.
//!
//! It covers what is ours: lessons, candidates, trust and settings. What is set up for others, a schedule or a project's
//! files for git, stands where its owner looks for it and is taken back there.
//!
//! What stands in the database itself, such as where a candidate stands, is changed in the transaction
//! that writes the row. For a file the row is written first and marked afterwards. A row that is still
//! pending at the next start belongs to a process that died in between: whether the file was written
//! shows in the file itself, and the row is marked to say so (see [`crate::transaction::recover`]).
//!
//! The [consent](Consent) to a change is asked when the change is known in full and before a row of it is written. The
//! journal asks it for every change, so no command can forget to ask.

pub(crate) mod current;
pub(crate) mod entries;
pub(crate) mod row_changes;
pub(crate) mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lessons_lesson::{Layer, LessonId, ProjectHash, QualifiedId};
use lessons_store::{NodeKind, Snapshot, StoreLocation};
use serde::Serialize;

/// The actor of everything that a scan records.
pub const SCANNER: &str = "the scanner";
/// The actor of what is recorded without anybody's deed.
pub const SELF: &str = "lessons";
/// The action of forgetting a text, the one change that nothing can undo.
pub const FORGET: &str = "forget";

/// The action of restoring the store from the accepted copies, and of undoing that: it changes the store alone, so
/// the accepted copies do not follow.
pub(crate) const RESTORE_STORE: &str = "restored the store";

lessons_text::named! {
    /// Whether a change took place.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// It is announced. The process that announced it may be at work, or dead.
        Pending = "pending",
        /// It took place.
        Done = "done",
        /// It did not take place.
        Undone = "undone",
    }
}

/// The author, name and time of a change that is about to be made, and the permission for it.
#[derive(Clone)]
pub struct Deed {
    /// The person, or the session that a person allowed to do it.
    pub actor: String,
    /// The action in a word: `promoted`, `rejected`.
    pub action: String,
    /// Milliseconds since 1970.
    pub now: u64,
    /// The permission, which is asked for when the change is known.
    pub consent: Consent,
    /// The number of the change that it takes back.
    pub undoes: Option<u64>,
}

impl Deed {
    /// A change that needs no permission.
    pub fn new(actor: impl Into<String>, action: impl Into<String>, now: u64) -> Self {
        Self { actor: actor.into(), action: action.into(), now, consent: Consent::Given, undoes: None }
    }
}

lessons_text::named! {
    /// The kind of a thing that a change touches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ThingKind {
        /// A lesson of `lessons.json`, with the triggers it names.
        Lesson = "lesson",
        /// A topic of `lessons.json`.
        Topic = "topic",
        /// A trigger of `lessons.json` that no changed lesson names.
        Trigger = "trigger",
        /// The status of a candidate.
        Candidate = "candidate",
        /// The answer of a person about a call at which a lesson fires.
        Label = "label",
        /// The trust in the lessons of a project, by its root.
        Trust = "trust",
        /// A setting of `config.toml`, by its key.
        Setting = "setting",
        /// The accepted copy of a lesson, by its id.
        Accepted = "accepted",
        /// The accepted value of a setting, by its key.
        AcceptedSetting = "accepted setting",
        /// What is decided of an incident, by its id.
        Incident = "incident",
        /// The trust in a peer, by the peer's key.
        Peer = "peer",
        /// The store of a project: that there is one. By the project's root.
        ProjectStore = "project store",
        /// A lesson of a project's store, with the triggers it names. Its name is the project's root, a line break, and its id;
        /// so are the names of the next two.
        ProjectLesson = "project lesson",
        /// A topic of a project's store.
        ProjectTopic = "project topic",
        /// A trigger of a project's store that no changed lesson names.
        ProjectTrigger = "project trigger",
        /// A lesson of a colleague that is in force automatically, by its author's key and its id.
        Received = "received",
        /// The file of a shared lesson, or of the wish that one is used no more, by its path.
        Shared = "shared file",
        /// A forgotten text. It has no name.
        Text = "text",
    }
}

/// The kinds of a part of a store: in the user's own store, and in that of a project.
fn kinds_of(node: NodeKind) -> [ThingKind; 2] {
    match node {
        NodeKind::Lesson => [ThingKind::Lesson, ThingKind::ProjectLesson],
        NodeKind::Topic => [ThingKind::Topic, ThingKind::ProjectTopic],
        NodeKind::Trigger => [ThingKind::Trigger, ThingKind::ProjectTrigger],
    }
}

impl ThingKind {
    /// Returns whether it is a row of the database, and changes with the journal row.
    pub fn is_of_the_database(self) -> bool {
        matches!(self, Self::Candidate | Self::Label)
    }

    /// Returns whether it is part of a project's store, or that store.
    pub fn is_of_a_project(self) -> bool {
        matches!(self, Self::ProjectStore | Self::ProjectLesson | Self::ProjectTopic | Self::ProjectTrigger)
    }
}

/// A thing that a change touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Thing {
    /// The kind of the thing.
    pub kind: ThingKind,
    /// The id, root or key of the thing.
    pub name: String,
}

impl Thing {
    pub(crate) fn new(kind: ThingKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }

    /// Returns the thing that is a part of a store.
    pub(crate) fn of(store: &StoreLocation, node: NodeKind, id: &str) -> Self {
        let [own, of_project] = kinds_of(node);
        match store {
            StoreLocation::User => Self::new(own, id),
            StoreLocation::Project(root) => Self::new(of_project, format!("{}{IN_PROJECT}{id}", root.path)),
        }
    }

    /// Returns which part of a store it is, and its id there.
    pub fn node(&self) -> Option<(NodeKind, &str)> {
        let node = NodeKind::ALL.into_iter().find(|node| kinds_of(*node).contains(&self.kind))?;
        if !self.kind.is_of_a_project() {
            return Some((node, &self.name));
        }
        Some((node, self.name.split_once(IN_PROJECT).map_or("", |(_, id)| id)))
    }

    /// Returns the root of the project of whose store it is a part.
    pub fn project(&self) -> Option<&str> {
        let root = || self.name.split_once(IN_PROJECT).map_or(&*self.name, |(root, _)| root);
        self.kind.is_of_a_project().then(root)
    }

    /// Returns the full id of a lesson of the user or of a project.
    pub fn lesson(&self) -> Option<QualifiedId> {
        let (NodeKind::Lesson, id) = self.node()? else { return None };
        let layer = self.project().map_or(Layer::User, |root| Layer::Project(ProjectHash::of_root(root)));
        Some(QualifiedId { layer, id: LessonId::new(id).ok()? })
    }
}

/// What separates root and id in the name of a part of a project's store. No root holds it (`ProjectRoot`).
const IN_PROJECT: char = '\n';

/// One row of the journal: a thing before and after a change. Both are JSON, the same text for the same state, so that
/// texts can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    /// The number of the change. Entries that share it were one.
    pub change: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The person or program that made the change.
    pub actor: String,
    /// The action in a word.
    pub action: String,
    /// The thing that was changed.
    pub thing: Thing,
    /// The thing before the change; `None` if it did not exist.
    pub before: Option<String>,
    /// The thing after the change; `None` if it is gone.
    pub after: Option<String>,
    /// Whether it took place.
    pub state: State,
    /// The number of the change that this one undoes.
    pub undoes: Option<u64>,
    /// Whether a forgotten text was removed from it, so that the thing never was as the entry says.
    pub is_redacted: bool,
}

impl JournalEntry {
    /// Returns the thing, its state before and its state after.
    pub(crate) fn changed(&self) -> (&Thing, Option<&str>, Option<&str>) {
        (&self.thing, self.before.as_deref(), self.after.as_deref())
    }

    /// Returns the lesson before the change and after it; `None` twice where the entry is about something else.
    pub fn lessons(&self) -> [Option<Snapshot>; 2] {
        let kinds = [ThingKind::Lesson, ThingKind::ProjectLesson, ThingKind::Accepted];
        let is_lesson = kinds.contains(&self.thing.kind);
        let snapshot = |text: &String| serde_json::from_str(text).ok();
        [&self.before, &self.after].map(|text| text.as_ref().filter(|_| is_lesson).and_then(snapshot))
    }
}

/// One change that took place.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of the change.
    pub number: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The person or program that made it.
    pub actor: String,
    /// The action in a word.
    pub action: String,
    /// The entries, one for each thing.
    pub entries: Vec<JournalEntry>,
    /// The change that this one undoes.
    pub undoes: Option<u64>,
    /// The change that undid this one, and was not undone itself.
    pub undone_by: Option<u64>,
}

impl Change {
    /// Returns whether it changed the store of a project.
    pub fn is_of_a_project(&self) -> bool {
        self.entries.iter().any(|entry| entry.thing.kind.is_of_a_project())
    }

    /// Returns whether nothing can undo it.
    pub fn is_final(&self) -> bool {
        self.action == FORGET || self.entries.iter().any(|entry| entry.thing.kind == ThingKind::Text)
    }
}

/// A thing before and after a change that is about to be recorded. Both states are JSON, as in [`JournalEntry`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The thing.
    pub thing: Thing,
    /// Its state before the change; `None` if it did not exist.
    pub before: Option<String>,
    /// Its state after the change; `None` if it is removed.
    pub after: Option<String>,
}

impl Difference {
    /// Returns what differs between things of one kind by name, ascending.
    pub(crate) fn between(
        kind: ThingKind,
        mut before: BTreeMap<String, String>,
        mut after: BTreeMap<String, String>,
    ) -> impl Iterator<Item = Self> {
        let names: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
        let difference = move |name: String| {
            let (before, after) = (before.remove(&name), after.remove(&name));
            Self { thing: Thing::new(kind, name), before, after }
        };
        names.into_iter().map(difference).filter(|it| it.before != it.after)
    }

    /// Returns the thing, its state before and its state after.
    pub(crate) fn changed(&self) -> (&Thing, Option<&str>, Option<&str>) {
        (&self.thing, self.before.as_deref(), self.after.as_deref())
    }
}

/// The refusal of a change. Nothing of the change was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConsentRefused(pub String);

/// A function that permits or refuses a change, given everything that it changes.
type Ask = dyn Fn(&[Difference]) -> Result<(), ConsentRefused> + Send + Sync;

/// The permission for the changes of a command.
#[derive(Clone, Default)]
pub enum Consent {
    /// Every change is permitted: a person decided, or the change decides nothing.
    #[default]
    Given,
    /// Each change is put to a function first.
    Asked(Arc<Ask>),
}

impl Consent {
    /// Consent that is asked of `ask` for each change.
    pub fn asked(ask: impl Fn(&[Difference]) -> Result<(), ConsentRefused> + Send + Sync + 'static) -> Self {
        Self::Asked(Arc::new(ask))
    }

    /// Asks for a change.
    pub(crate) fn to(&self, changes: &[Difference]) -> Result<(), ConsentRefused> {
        match self {
            Self::Given => Ok(()),
            Self::Asked(ask) => ask(changes),
        }
    }
}
