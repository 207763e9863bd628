//! What waits for a decision of the user, as commands publish it for the hook at the start of a session.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The number of waiting candidates. A damaged or missing file means that none is known to wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingCount {
    /// The candidates without a flag, which can be reviewed in the client.
    pub unflagged: usize,
    /// The candidates with a flag, whose text only a person at a terminal may read.
    pub flagged: usize,
}

/// An incident whose text was withheld from the model, and that nobody has decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldNotice {
    /// The id of the incident.
    pub id: String,
    /// Where the text came from.
    pub source: String,
    /// The rules that it raised.
    pub rules: Vec<String>,
    /// The time, in milliseconds since 1970.
    pub at: u64,
}

/// The last look at the files with instructions for the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLook {
    /// The time when it began, in milliseconds since 1970. Files that changed later were not looked at.
    pub at: u64,
    /// The files in which it found a text like an incident. They may have changed since.
    pub held: Vec<MemoryFile>,
}

/// A file with instructions for the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFile {
    /// The path.
    pub path: PathBuf,
    /// The root of the project whose sessions read it; `None` for a file of the client's own.
    pub project: Option<PathBuf>,
}
