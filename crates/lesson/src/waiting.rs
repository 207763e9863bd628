//! The number of candidates that wait for a decision, as commands publish it for the hook at the start of a session.

use serde::{Deserialize, Serialize};

/// The number of waiting candidates. A damaged or missing file means that none is known to wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingCount {
    /// The candidates without a flag, which can be reviewed in the client.
    pub unflagged: usize,
    /// The candidates with a flag, whose text only a person at a terminal may read.
    pub flagged: usize,
}
