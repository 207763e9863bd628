//! The last notice: when the user was last told something at a session start, and of which files.
//!
//! The file `log/looked` has both: it is written when a notice was printed, and holds, as JSON, the files that differed
//! from what was accepted, in the state that they had then. A file in such a state is not told again.

use std::time::{SystemTime, UNIX_EPOCH};

use lessons_home::{Home, files};
use lessons_lesson::AcceptedSource;

/// The largest record that is read, in bytes: many times what two files need.
const RECORD_LIMIT: u64 = 4096;

/// When the user was last told something, and of which files.
pub(crate) struct LastNotice {
    /// The time of the last notice, in milliseconds since 1970; 0 if there was none.
    pub(crate) at: u64,
    told: Vec<AcceptedSource>,
}

impl LastNotice {
    pub(crate) fn read(home: &Home) -> Self {
        let looked = home.looked().symlink_metadata().and_then(|found| found.modified());
        // A notice that is still to come, as after the clock was set, would hide all until then.
        let looked = looked.ok().filter(|time| *time <= SystemTime::now());
        let since = looked.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let told = files::read(&home.looked(), RECORD_LIMIT).ok().flatten();
        Self {
            at: since.and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(0),
            told: told.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default(),
        }
    }

    /// Whether the user was told of a file in this state.
    pub(crate) fn knows(&self, source: &AcceptedSource) -> bool {
        self.told.contains(source)
    }
}
