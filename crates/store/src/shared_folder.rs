//! The folder in which shared lessons travel: one file for each event, `<id>.json`, written once and never changed, so
//! that git and folder sync have nothing to merge.

pub mod identity;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lessons_home::files::{self, FileError};
use lessons_lesson::LessonId;
use lessons_share::{Deletion, EventId, PublicKey, SharedLesson, Unverified, Verified, event};

/// Where a project keeps shared lessons, below its root.
pub const PROJECT_FOLDER: [&str; 2] = [".lessons", "shared"];

/// The largest file that is read as an event, in bytes.
const MAX_FILE_BYTES: u64 = event::MAX_BYTES as u64;

/// What the names of events end in.
const SUFFIX: &str = ".json";

/// Returns the folder of the project at `root`. Fails where a link is in its place, which could lead anywhere.
pub fn of_project(root: &Path) -> Result<PathBuf, FileError> {
    let mut folder = root.to_owned();
    for part in PROJECT_FOLDER {
        folder.push(part);
        if folder.is_symlink() {
            return Err(FileError::FolderLink { path: folder });
        }
    }
    Ok(folder)
}

/// Returns the path of an event in a folder.
pub fn file_of(folder: &Path, id: EventId) -> PathBuf {
    folder.join(format!("{id}{SUFFIX}"))
}

/// Returns the event that a file name means. `None` for files of others, which are left alone.
pub fn id_of(name: &str) -> Option<EventId> {
    name.strip_suffix(SUFFIX)?.parse().ok()
}

/// A lesson of the user's that was shared.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnLesson {
    /// The event.
    pub event: EventId,
    /// The date of the event, in seconds since 1970.
    pub created_at: u64,
    /// What it says.
    pub shared: SharedLesson,
}

/// What the user has shared in a folder, as the files there say.
#[derive(Debug, Default)]
pub struct OwnEvents {
    /// The versions of each lesson.
    lessons: BTreeMap<LessonId, Vec<OwnLesson>>,
    /// The last time at which each was withdrawn, in seconds since 1970.
    withdrawn: BTreeMap<LessonId, u64>,
}

impl OwnEvents {
    /// Reads the events of `key` in a folder. Files that are no event, and events of others, are passed over.
    pub fn read(folder: &Path, key: PublicKey) -> Result<Self, FileError> {
        let mut own = Self::default();
        each(folder, |event| {
            // The events of others cost no verification.
            if event.claimed_author() == key
                && let Ok(event) = event.verify()
            {
                own.take(&event);
            }
        })?;
        Ok(own)
    }

    fn take(&mut self, event: &Verified) {
        let created_at = event.said().created_at;
        if let Ok(shared) = SharedLesson::read(event) {
            let lesson = OwnLesson { event: event.id(), created_at, shared };
            self.lessons.entry(lesson.shared.lesson().id.clone()).or_default().push(lesson);
        }
        for lesson in Deletion::read(event).unwrap_or_default().lessons {
            let last = self.withdrawn.entry(lesson).or_default();
            *last = created_at.max(*last);
        }
    }

    /// Returns the newest version of a lesson, withdrawn or not.
    pub fn newest(&self, id: &LessonId) -> Option<&OwnLesson> {
        self.lessons.get(id)?.iter().max_by_key(|own| (own.shared.version, own.created_at, own.event))
    }

    /// Returns the lessons that are not withdrawn.
    pub fn shared(&self) -> impl Iterator<Item = &LessonId> {
        self.lessons.keys().filter(|id| self.standing(id).next().is_some())
    }

    /// Returns the versions of a lesson that are not withdrawn.
    pub fn standing(&self, id: &LessonId) -> impl Iterator<Item = &OwnLesson> {
        let withdrawn = self.withdrawn.get(id).copied();
        let all = self.lessons.get(id).into_iter().flatten();
        all.filter(move |own| withdrawn.is_none_or(|at| own.created_at > at))
    }

    /// Returns the date after which a new event about a lesson counts, in seconds since 1970; 0 where there is none yet.
    pub fn last_said(&self, id: &LessonId) -> u64 {
        let shared = self.newest(id).map_or(0, |own| own.created_at);
        shared.max(self.withdrawn.get(id).copied().unwrap_or(0))
    }
}

/// Returns the text of the file at `path`; `None` if there is none. What is too large for an event is an error: it is
/// another file than one that was written here.
pub fn text_of(path: &Path) -> Result<Option<String>, FileError> {
    let bytes = files::read_foreign(path, MAX_FILE_BYTES)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the number of events in a folder by the author whom each claims. Nothing is verified.
pub fn claimed_authors(folder: &Path) -> Result<BTreeMap<PublicKey, u64>, FileError> {
    let mut authors = BTreeMap::new();
    each(folder, |event| *authors.entry(event.claimed_author()).or_default() += 1)?;
    Ok(authors)
}

/// Reads each event of a folder. What is no event, or cannot be read, is passed over; a missing folder has none.
fn each(folder: &Path, mut take: impl FnMut(Unverified)) -> Result<(), FileError> {
    for entry in files::entries(folder)? {
        if entry.file_name().to_str().and_then(id_of).is_some()
            && let Ok(Some(bytes)) = files::read_foreign(&entry.path(), MAX_FILE_BYTES)
            && let Ok(event) = Unverified::parse(&bytes)
        {
            take(event);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
