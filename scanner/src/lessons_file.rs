//! Files of lessons that people, agents and other tools keep: `tasks/lessons.md`, `.learnings/*.md`, `memory/*.md`, and the
//! rules of gptme, hookify and ECC, which are Markdown with front matter.
//!
//! Each entry becomes one finding: its rule whole, the mistake, the date, and the triggers that its code, commands and paths
//! give. The text is another's: it is redacted, flagged, and waits for a person.

mod entry_finding;

use std::path::Path;

use lessons_home::files::{self, FileError};
use lessons_ledger::journal::SCANNER;
use lessons_ledger::{Database, DatabaseError, Deed, Finding, Sighting};

use self::entry_finding::finding;
use crate::lesson_entries::{documents, of_front_matter};

/// The largest file that is read, in bytes.
pub const LIMIT: u64 = 1 << 20;
/// The most entries of a file that become findings.
const MOST_ENTRIES: usize = 500;

/// What a file holds.
#[derive(Debug, Default)]
pub struct LessonsFile {
    /// A finding for each entry, with the place where it stands.
    pub entries: Vec<(Finding, Sighting)>,
    /// The entries that cannot become findings: the number of the line, and the reason.
    pub left_out: Vec<(usize, String)>,
}

/// The reason why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableFile {
    /// It is not there.
    #[error("it is not there")]
    Missing,
    /// It cannot be opened, or is too large.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is in another encoding.
    #[error("it is not UTF-8; save it as UTF-8")]
    Encoding,
}

/// Reads the file at an absolute path without links; see [`read`].
pub fn read_file(path: &Path, project: Option<&str>, now: u64) -> Result<LessonsFile, UnreadableFile> {
    let bytes = files::read_foreign(path, LIMIT)?.ok_or(UnreadableFile::Missing)?;
    let text = std::str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0'));
    Ok(read(text.ok_or(UnreadableFile::Encoding)?, &path.to_string_lossy(), project, now))
}

/// Reads the files again whose entries a person took in, and records what is new in them. Returns the number of new
/// candidates. A file that is gone, or a link by now, is passed over.
pub fn read_again(database: &mut Database, now: u64) -> Result<usize, DatabaseError> {
    let mut new = 0;
    for (file, project) in database.files_of_entries()? {
        let path = Path::new(&file);
        if path.canonicalize().is_ok_and(|real| real == path)
            && let Ok(read) = read_file(path, project.as_deref(), now)
        {
            new += database.record_entries(&read.entries, &Deed::new(SCANNER, "found", now))?.new;
        }
    }
    Ok(new)
}

/// Reads a text. `file` and `project` are absolute paths, which name it; `now` is the time of entries without a date, in
/// milliseconds since 1970.
pub fn read(text: &str, file: &str, project: Option<&str>, now: u64) -> LessonsFile {
    let mut read = LessonsFile::default();
    for document in documents(text) {
        let entries = match of_front_matter(&document) {
            Ok(Some(entry)) => vec![entry],
            Ok(None) => document.entries(),
            Err(why) => {
                read.left_out.push((document.line, why));
                continue;
            }
        };
        for entry in entries {
            read.take(finding(&entry, file, project, now), entry.line);
        }
    }
    read
}

impl LessonsFile {
    fn take(&mut self, found: Result<(Finding, Sighting), String>, line: usize) {
        match found {
            Ok(_) if self.entries.len() >= MOST_ENTRIES => {
                let why =
                    format!("the file has more than {MOST_ENTRIES} entries; what follows is left out too");
                if self.left_out.last().is_none_or(|(_, last)| *last != why) {
                    self.left_out.push((line, why));
                }
            }
            Ok(found) if self.entries.iter().any(|(_, known)| known.uuid == found.1.uuid) => {}
            Ok(found) => self.entries.push(found),
            Err(why) => self.left_out.push((line, why)),
        }
    }
}

#[cfg(test)]
mod tests;
