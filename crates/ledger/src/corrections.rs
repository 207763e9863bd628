//! Corrections by the user, as a detector saw them.

use serde::Deserialize;

use crate::database::{Database, DatabaseError};

/// A message of the user that corrects a call, as a detector found it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CorrectionSignal {
    /// The id of its line.
    pub line: String,
    /// The session.
    pub session: String,
    /// The time of the message, in milliseconds since 1970.
    pub time: u64,
    /// The corrected command, without its secrets; `None` where it was no command.
    pub command: Option<String>,
}

impl Database {
    /// The signals of corrections by the user.
    pub fn corrections(&self) -> Result<Vec<CorrectionSignal>, DatabaseError> {
        let sql =
            "SELECT uuid AS line, session, time, json_extract(finding, '$.trigger') AS command FROM signal
                    WHERE detector = 'correction'";
        self.rows(sql, [])
    }
}
