//! The event file of a day on this machine's disk.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::{Event, MAX_FILE, dropped_name, file_name};
use lessons_home::files;

impl Event {
    /// Appends the line to the file of its day. Errors are ignored: an event is never worth
    /// a call.
    pub fn append(&self, folder: &Path) {
        let path = folder.join(file_name(self.t));
        let with_folder = || files::ensure_folder(folder).ok().and_then(|_| append_to(&path).ok());
        let Some(file) = append_to(&path).ok().or_else(with_folder) else { return };
        let full = file.metadata().map_or(true, |found| !found.is_file() || found.len() > MAX_FILE);
        if full {
            let dropped = folder.join(dropped_name(self.t));
            let _ = append_to(&dropped).and_then(|mut count| count.write_all(b"."));
            return;
        }
        let _ = (&file).write_all(self.line().as_bytes());
    }
}

fn append_to(path: &Path) -> std::io::Result<File> {
    files::open_by(OpenOptions::new().append(true).create(true), path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Outcome;

    fn event() -> Event {
        Event {
            agent: "main".into(),
            us: 170,
            ..Event::new(Outcome::Overflow, Vec::new(), 1_795_188_000_000)
        }
    }

    #[test]
    fn a_full_day_drops_and_counts() {
        let dir = tempfile::tempdir().unwrap();
        let events = dir.path().join("events");
        event().append(&events);
        let path = events.join("2026-11-20.jsonl");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), event().line());
        std::fs::File::options().append(true).open(&path).unwrap().set_len(MAX_FILE + 1).unwrap();
        event().append(&events);
        event().append(&events);
        assert_eq!(std::fs::read(events.join("2026-11-20.dropped")).unwrap(), b"..");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), MAX_FILE + 1);
    }
}
