//! Files of ours in JSON that name their version: how one is read, and the way out where it cannot be.
//!
//! Upgrade rule: a new field, or a change of what a field means, raises the version of the format, whose module reads both. An
//! older program refuses a newer version and leaves the file alone.

use std::fs;
use std::path::{Path, PathBuf};

use lessons_home::file_error::away;
use lessons_home::files::{self, FileError};
use lessons_text::shell_word::quoted;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// An error that keeps such a file from being read.
#[derive(Debug, thiserror::Error)]
pub enum VersionedFileError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is of another version. It is left alone.
    #[error(
        "{path}: it has version {found}, and this program reads {known}. Update lessons; until then {meanwhile}"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u64,
        /// The version that this program reads.
        known: u64,
        /// The consequence for the person, until then.
        meanwhile: &'static str,
    },
    /// The file is corrupt.
    #[error("{path}: {reason}; fix it with `{fix}`. {after}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
        /// The shell command that fixes it.
        fix: String,
        /// A sentence on what the person has to know or do after that.
        after: &'static str,
    },
}

impl VersionedFileError {
    /// The shell command that fixes it, if there is one.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::File(error) => error.remedy(),
            Self::Version { .. } => None,
            Self::Corrupt { fix, .. } => Some(fix.clone()),
        }
    }
}

/// The format of such a file.
pub(crate) struct Format {
    /// The version that is read.
    pub(crate) version: u64,
    /// The largest file that is read, in bytes.
    pub(crate) max_bytes: u64,
    /// The consequence of a file of another version, as the end of a sentence.
    pub(crate) meanwhile: &'static str,
    /// A sentence on what a person has to know or do after a corrupt file was fixed.
    pub(crate) after: &'static str,
}

/// The version alone, which is read first: a later version may have other fields.
#[derive(Deserialize)]
struct StoredVersion {
    version: u64,
}

impl Format {
    /// Reads a file; `None` where there is none.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>, VersionedFileError> {
        files::read(path, self.max_bytes)?.map(|bytes| self.parse(path, &bytes)).transpose()
    }

    /// Parses the bytes of the file at `path`.
    pub(crate) fn parse<T: DeserializeOwned>(
        &self,
        path: &Path,
        bytes: &[u8],
    ) -> Result<T, VersionedFileError> {
        let corrupt = |error: serde_json::Error| self.corrupt(path, error.to_string(), put_back(path));
        let StoredVersion { version } = serde_json::from_slice(bytes).map_err(corrupt)?;
        if version == self.version {
            serde_json::from_slice(bytes).map_err(corrupt)
        } else {
            let (known, meanwhile) = (self.version, self.meanwhile);
            Err(VersionedFileError::Version { path: path.to_owned(), found: version, known, meanwhile })
        }
    }

    /// The error for a corrupt file that a command fixes.
    pub(crate) fn corrupt(&self, path: &Path, reason: String, fix: String) -> VersionedFileError {
        VersionedFileError::Corrupt { path: path.to_owned(), reason, fix, after: self.after }
    }
}

/// The shell command that moves a corrupt file out of the way, and puts its last nightly copy in its place where there is one.
fn put_back(path: &Path) -> String {
    let moved = away(path);
    let copied = newest_copy(path).map(|copy| {
        format!(" && cp {} {}", quoted(&copy.to_string_lossy()), quoted(&path.to_string_lossy()))
    });
    moved + &copied.unwrap_or_default()
}

/// The newest nightly copy of a file of the data folder.
fn newest_copy(path: &Path) -> Option<PathBuf> {
    let ending = format!(".{}", path.file_name()?.to_str()?);
    let copies = fs::read_dir(path.parent()?.join("backups")).ok()?.flatten().map(|entry| entry.path());
    // Their names hold the day, so they sort by it.
    copies.filter(|copy| copy.to_str().is_some_and(|name| name.ends_with(&ending))).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_file_is_replaced_by_its_newest_copy_if_there_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let (path, shown) = (at("peers.json"), at("peers.json").display().to_string());
        assert_eq!(put_back(&path), format!("mv {shown} {shown}.old"));
        fs::create_dir(at("backups")).unwrap();
        for name in ["2026-11-09.peers.json", "2026-11-10.peers.json", "2026-11-11.json", "2026-11-12.db"] {
            fs::write(at("backups").join(format!("nightly-{name}")), "").unwrap();
        }
        let copy = at("backups/nightly-2026-11-10.peers.json");
        assert_eq!(put_back(&path), format!("mv {shown} {shown}.old && cp {} {shown}", copy.display()));
    }
}
