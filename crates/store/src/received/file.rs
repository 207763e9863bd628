//! The file itself.

use std::collections::BTreeMap;
use std::path::Path;

use lessons_home::home::Home;
use lessons_share::key::PublicKey;
use serde::{Deserialize, Serialize};

use super::{FromPeer, Received};
use crate::durable::{self, WriteError};
use crate::versioned::{Format, VersionedFileError};

/// The version of the format.
pub const VERSION: u64 = 1;
/// The largest `received.json` that is read, in bytes.
pub const MAX_BYTES: u64 = 256 << 20;

/// The format of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFile {
    peers: BTreeMap<PublicKey, FromPeer>,
    version: u64,
}

/// The format, for reading.
const FORMAT: Format = Format {
    version: VERSION,
    max_bytes: MAX_BYTES,
    meanwhile: "no lesson of a peer is in force",
    after: "Then run `lessons receive`: it takes the shared lessons again, also older versions and those that you have undone",
};

impl Received {
    /// Reads the file of `home`; a missing one is empty.
    pub fn read(home: &Home) -> Result<Self, VersionedFileError> {
        Ok(FORMAT.read(&home.received())?.map(Self::of_stored).unwrap_or_default())
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, VersionedFileError> {
        FORMAT.parse(path, bytes).map(Self::of_stored)
    }

    fn of_stored(stored: StoredFile) -> Self {
        Self { peers: stored.peers }
    }

    /// Replaces the file of `home` by this one. The caller holds the lock.
    pub fn write(&self, home: &Home) -> Result<(), WriteError> {
        durable::replace(&home.received(), &self.to_bytes())
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let stored = StoredFile { peers: self.peers.clone(), version: VERSION };
        let mut bytes = serde_json::to_vec_pretty(&stored).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}
