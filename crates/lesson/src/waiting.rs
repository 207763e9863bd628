//! What waits for a decision of the user, as commands publish it for the hook at the start of a session.

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
