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

mod changes;
pub(crate) mod rows;

use serde::Serialize;

use lessons_store::graph::Snapshot;

pub use self::changes::Change;

/// Who takes in what sessions hold.
pub const SCANNER: &str = "the scanner";
/// What forgetting a text is called. It is the one change that nothing takes back.
pub const FORGET: &str = "forget";

/// What putting the store back to the accepted copies is called, and taking that back: it changes the store alone, so
/// the accepted copies do not follow.
pub(crate) const RESTORE_STORE: &str = "restored the store";

/// Whether a change took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Announced; whoever did so may be at it, or dead.
    Pending,
    /// It took place.
    Done,
    /// It never did.
    Undone,
}

/// Who changes something, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The person, or the session that had their leave.
    pub actor: String,
    /// What was done, in a word: `promoted`, `rejected`.
    pub action: String,
    /// Milliseconds since 1970.
    pub now: u64,
}

/// What kind of thing a change touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A lesson of `lessons.json`, with the triggers it names.
    Lesson,
    /// A topic of `lessons.json`.
    Topic,
    /// A trigger of `lessons.json` that no changed lesson names.
    Trigger,
    /// Where a candidate stands.
    Candidate,
    /// What a person said of a call at which a lesson fires.
    Label,
    /// The trust in the lessons of a project, by its root.
    Trust,
    /// A setting of `config.toml`, by its key.
    Setting,
    /// The accepted copy of a lesson, by its id.
    Accepted,
    /// The accepted value of a setting, by its key.
    #[serde(rename = "accepted setting")]
    AcceptedSetting,
    /// A text that was forgotten. It has no name.
    Text,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Lesson,
        Self::Topic,
        Self::Trigger,
        Self::Candidate,
        Self::Label,
        Self::Trust,
        Self::Setting,
        Self::Accepted,
        Self::AcceptedSetting,
        Self::Text,
    ];

    /// Its word, as the database has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Topic => "topic",
            Self::Trigger => "trigger",
            Self::Candidate => "candidate",
            Self::Label => "label",
            Self::Trust => "trust",
            Self::Setting => "setting",
            Self::Accepted => "accepted",
            Self::AcceptedSetting => "accepted setting",
            Self::Text => "text",
        }
    }

    /// Whether it stands in the database, and is changed with the row that says so.
    pub fn is_of_the_database(self) -> bool {
        matches!(self, Self::Candidate | Self::Label)
    }

    /// Whether it stands in `accepted.json` and nowhere else.
    pub fn is_of_the_accepted(self) -> bool {
        matches!(self, Self::Accepted | Self::AcceptedSetting)
    }

    /// Whether it stands in `lessons.json`.
    pub fn is_of_the_store(self) -> bool {
        matches!(self, Self::Lesson | Self::Topic | Self::Trigger)
    }
}

/// What a change touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Thing {
    /// What it is.
    pub kind: Kind,
    /// Its id, its root or its key.
    pub name: String,
}

impl Thing {
    pub(crate) fn new(kind: Kind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

/// What a change did to one thing. What it was is JSON, the same text for the same thing, so that texts
/// can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The number of the change. Entries that share it were one.
    pub change: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// Who did it.
    pub actor: String,
    /// What was done, in a word.
    pub action: String,
    /// To what.
    pub thing: Thing,
    /// `None`: it was not there.
    pub before: Option<String>,
    /// `None`: it is gone.
    pub after: Option<String>,
    /// Whether it took place.
    pub state: State,
    /// The number of the change that this one takes back.
    pub undoes: Option<u64>,
    /// A forgotten text was taken out of it, so the thing never was what stands here.
    pub is_redacted: bool,
}

impl Entry {
    /// What, before, and after.
    pub(crate) fn changed(&self) -> (&Thing, Option<&str>, Option<&str>) {
        (&self.thing, self.before.as_deref(), self.after.as_deref())
    }

    /// The lesson as it was before, where this is about one that was there.
    pub fn lesson_before(&self) -> Option<Snapshot> {
        self.snapshot(self.before.as_deref())
    }

    /// The lesson as it was afterwards.
    pub fn lesson_after(&self) -> Option<Snapshot> {
        self.snapshot(self.after.as_deref())
    }

    fn snapshot(&self, text: Option<&str>) -> Option<Snapshot> {
        serde_json::from_str(text.filter(|_| matches!(self.thing.kind, Kind::Lesson | Kind::Accepted))?).ok()
    }
}

/// A thing before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) thing: Thing,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl Difference {
    /// What, before, and after.
    pub(crate) fn changed(&self) -> (&Thing, Option<&str>, Option<&str>) {
        (&self.thing, self.before.as_deref(), self.after.as_deref())
    }
}
