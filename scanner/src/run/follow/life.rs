//! The rules for the end of a follower, so that none is ever left behind.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::transcript::file_version::FileVersion;

/// The time from the last change of a transcript to the end.
pub const QUIET: Duration = Duration::from_mins(1);
/// The longest life of a follower.
pub const LONGEST: Duration = Duration::from_hours(8);

/// The identity of the file of a program.
pub(crate) fn program_file(path: &Path) -> Option<FileVersion> {
    std::fs::metadata(path).ok().map(|found| FileVersion::of(&found))
}

/// The times that decide when a follower ends.
#[derive(Debug, Clone)]
pub(crate) struct FollowerLife {
    started: Instant,
    changed: Instant,
    binary: Option<FileVersion>,
}

impl FollowerLife {
    /// It starts at `started`, as the program `binary`. The start counts as a change.
    pub(crate) fn new(started: Instant, binary: Option<FileVersion>) -> Self {
        Self { started, changed: started, binary }
    }

    /// A transcript has changed.
    pub(crate) fn changed(&mut self, now: Instant) {
        self.changed = self.changed.max(now);
    }

    /// Whether it ends now: no transcript has changed for [`QUIET`], it has run for [`LONGEST`], or another program stands in its
    /// place, as after an update. `binary` is the program at its path now.
    pub(crate) fn is_over(&self, now: Instant, binary: Option<FileVersion>) -> bool {
        binary != self.binary || self.left(now).is_zero()
    }

    /// The time to its end if nothing happens.
    pub(crate) fn left(&self, now: Instant) -> Duration {
        let quiet = QUIET.saturating_sub(now.duration_since(self.changed));
        quiet.min(LONGEST.saturating_sub(now.duration_since(self.started)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_nanos(1);

    fn life(start: Instant) -> FollowerLife {
        FollowerLife::new(start, None)
    }

    #[test]
    fn it_ends_a_minute_after_the_last_change_and_not_earlier() {
        let start = Instant::now();
        let mut life = life(start);
        assert!(!life.is_over(start + QUIET.saturating_sub(MOMENT), None));
        assert!(life.is_over(start + QUIET, None));
        life.changed(start + Duration::from_secs(59));
        assert!(!life.is_over(start + QUIET, None));
        assert_eq!(life.left(start + QUIET), Duration::from_secs(59));
        assert!(life.is_over(start + QUIET + Duration::from_secs(59), None));
    }

    #[test]
    fn it_ends_after_eight_hours_however_busy_it_is() {
        let start = Instant::now();
        let mut life = life(start);
        let last = start + LONGEST.saturating_sub(MOMENT);
        life.changed(last);
        assert_eq!((life.is_over(last, None), life.left(last)), (false, MOMENT));
        life.changed(start + LONGEST);
        assert!(life.is_over(start + LONGEST, None));
        assert_eq!(life.left(start + LONGEST), Duration::ZERO);
    }

    #[test]
    fn it_ends_when_another_program_takes_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        std::fs::write(&path, "one").unwrap();
        let start = Instant::now();
        let life = FollowerLife::new(start, program_file(&path));
        assert!(!life.is_over(start, program_file(&path)));
        let other = dir.path().join("other");
        std::fs::write(&other, "one").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(life.is_over(start, program_file(&path)));
        std::fs::remove_file(&path).unwrap();
        assert!(life.is_over(start, program_file(&path)));
    }
}
