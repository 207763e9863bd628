//! The file itself.

use std::collections::BTreeMap;
use std::path::Path;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_share::key::PublicKey;
use serde::{Deserialize, Serialize};

use super::{FromPeer, Received, ReceivedError};
use crate::durable::{self, WriteError};

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

/// The version alone, which is read first: a later version may have other fields.
#[derive(Deserialize)]
struct StoredVersion {
    version: u64,
}

impl Received {
    /// Reads the file of `home`; a missing one is empty.
    pub fn read(home: &Home) -> Result<Self, ReceivedError> {
        let path = home.received();
        match files::read(&path, MAX_BYTES)? {
            Some(bytes) => Self::parse(&path, &bytes),
            None => Ok(Self::default()),
        }
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ReceivedError> {
        let corrupt = |error: serde_json::Error| ReceivedError::Corrupt {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let StoredVersion { version } = serde_json::from_slice(bytes).map_err(corrupt)?;
        if version != VERSION {
            return Err(ReceivedError::Version { path: path.to_owned(), found: version });
        }
        let StoredFile { peers, .. } = serde_json::from_slice(bytes).map_err(corrupt)?;
        Ok(Self { peers })
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
