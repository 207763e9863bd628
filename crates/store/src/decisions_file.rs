//! `decisions.json` with its parts unparsed: what is wrong with one, and how a part is read alone. [`crate::decisions`] says
//! what it holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lessons_home::files::FileError;
use lessons_home::{Home, files};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::graph::{Graph, Origin};

/// The version of the format.
pub const VERSION: u64 = 1;
/// The name of the file.
pub const FILE: &str = "decisions.json";
/// The largest file that is read, in bytes: twice what a store may have, for its indentation.
pub const MAX_BYTES: u64 = 1 << 30;

/// An error that keeps the decisions from being read. What was published stays in force.
#[derive(Debug, thiserror::Error)]
pub enum DecisionsError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is of another version. It is left alone.
    #[error(
        "{path}: it has version {found}, and this program reads {VERSION}. Update lessons; what is in force stays as it is"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u64,
    },
    /// The file is corrupt.
    #[error(
        "{path}: {reason}, and nothing else tells what you decided; `lessons accept --dry-run` shows what lessons.json \
         holds, and `lessons accept` accepts that and keeps the corrupt file in backups/"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}

impl DecisionsError {
    /// The shell command that fixes it, if there is one.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::File(error) => error.remedy(),
            Self::Version { .. } | Self::Corrupt { .. } => None,
        }
    }
}

/// The format of the file, with its parts unparsed where it is read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionsFile<G = Box<RawValue>, P = Box<RawValue>> {
    pub(crate) change: u64,
    pub(crate) graph: G,
    pub(crate) incidents: P,
    pub(crate) peers: P,
    pub(crate) received: P,
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) trusted: P,
    pub(crate) version: u64,
}

/// The version alone: a later one may have other fields.
#[derive(Deserialize)]
struct FileVersion {
    version: u64,
}

impl DecisionsFile {
    /// Reads the file of `home`; `None` where nothing is decided yet.
    pub(crate) fn read(home: &Home) -> Result<Option<Self>, DecisionsError> {
        let path = home.decisions();
        files::read(&path, MAX_BYTES)?.map(|bytes| Self::parse(&path, &bytes)).transpose()
    }

    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, DecisionsError> {
        let version = |found| DecisionsError::Version { path: path.to_owned(), found };
        match serde_json::from_slice::<Self>(bytes) {
            Ok(file) if file.version == VERSION => Ok(file),
            Ok(file) => Err(version(file.version)),
            Err(error) => match serde_json::from_slice::<FileVersion>(bytes) {
                Ok(FileVersion { version: found }) if found != VERSION => Err(version(found)),
                _ => Err(corrupt(path, &error)),
            },
        }
    }

    /// The accepted lessons in the file at `path`.
    pub(crate) fn graph(&self, path: &Path) -> Result<Graph, DecisionsError> {
        let graph = Graph::parse(path, self.graph.get().as_bytes(), Origin::Own);
        graph.map_err(|error| corrupt(path, &error))
    }
}

/// The error for a file that holds something else.
pub fn corrupt(path: &Path, reason: &dyn ToString) -> DecisionsError {
    DecisionsError::Corrupt { path: path.to_owned(), reason: reason.to_string() }
}

/// Reads one part of the file of `home`, which takes a fraction of the time that all of it takes. A missing file decides
/// nothing.
pub(crate) fn part<T: DeserializeOwned + Default>(
    home: &Home,
    of: impl FnOnce(&DecisionsFile) -> &RawValue,
) -> Result<T, DecisionsError> {
    let Some(file) = DecisionsFile::read(home)? else { return Ok(T::default()) };
    value(&home.decisions(), of(&file))
}

/// Reads a part of the file at `path`.
pub(crate) fn value<T: DeserializeOwned>(path: &Path, raw: &RawValue) -> Result<T, DecisionsError> {
    serde_json::from_str(raw.get()).map_err(|error| corrupt(path, &error))
}
