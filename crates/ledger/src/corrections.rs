//! Corrections by the user, as a detector saw them.

use crate::database::{Database, DatabaseError};
use crate::integers::unsigned;

/// A message of the user that corrects a call, as a detector found it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        let sql = "SELECT uuid, session, time, json_extract(finding, '$.trigger') AS command FROM signal
                    WHERE detector = 'correction'";
        self.select(sql, [], |row| {
            Ok(CorrectionSignal {
                line: row.get("uuid")?,
                session: row.get("session")?,
                time: unsigned(row, "time")?,
                command: row.get("command")?,
            })
        })
    }
}
