//! `peers.json`: the keys of people whose shared lessons a person wants, each with a name of the person's own.
//!
//! ```json
//! {
//!   "peers": { "<public key>": { "name": "ana", "since": "2026-01-31T10:00:00Z", "trust": "review" } },
//!   "version": 1
//! }
//! ```
//!
//! A key that is not here is unknown: its events are counted and nothing more. Keys are sorted at every depth.
//!
//! Upgrade rule: a new field, or a change of what a field means, raises [`VERSION`], and this module reads both. A program
//! that reads an unknown version trusts nobody and leaves the file alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use lessons_home::home::Home;
use lessons_lesson::id::is_kebab;
use lessons_share::key::PublicKey;
use serde::{Deserialize, Serialize};

use crate::config::in_editor;
use crate::durable::{self, WriteError};
use crate::versioned::{Format, VersionedFileError};

/// The version of the format.
pub const VERSION: u64 = 1;
/// The largest `peers.json` that is read, in bytes.
pub const MAX_BYTES: u64 = 4 << 20;
/// The longest name of a peer, in bytes. Names are ASCII.
pub const MAX_NAME_BYTES: usize = 40;

/// The format of the file.
const FORMAT: Format = Format {
    version: VERSION,
    max_bytes: MAX_BYTES,
    meanwhile: "no peer is trusted",
    after: "`lessons peers` lists whom you trust then",
};

/// The error for a text that is not the name of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name has lower-case letters, digits and single dashes, at most {MAX_NAME_BYTES}, such as ana")]
pub struct NoPeerName;

/// The name that a person gave a peer: kebab-case, at most [`MAX_NAME_BYTES`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PeerName(String);

impl PeerName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PeerName {
    type Err = NoPeerName;
    fn from_str(text: &str) -> Result<Self, NoPeerName> {
        // A name of 64 digits would be taken for a key; a shorter one cannot be.
        if is_kebab(text) && text.len() <= MAX_NAME_BYTES {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoPeerName)
        }
    }
}

impl TryFrom<String> for PeerName {
    type Error = NoPeerName;
    fn try_from(text: String) -> Result<Self, NoPeerName> {
        text.parse()
    }
}

impl From<PeerName> for String {
    fn from(name: PeerName) -> Self {
        name.0
    }
}

impl fmt::Display for PeerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What becomes of a peer's lessons that pass every check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeerTrust {
    /// They are candidates, which a person decides about.
    Review,
    /// They advise at once.
    Auto,
}

/// A key that a person trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The name that the person gave it. No two peers have the same.
    pub name: PeerName,
    /// Since when it is trusted, RFC 3339.
    pub since: String,
    /// What becomes of its lessons.
    pub trust: PeerTrust,
}

impl Peer {
    /// Returns its form in the journal: everything but the key, which names it there.
    pub fn journalled(&self) -> String {
        // Plain data; it cannot fail to become JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads it from its form in the journal. Returns `None` for an invalid text, as when a forgotten text was removed.
    pub fn of_journal(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFile {
    peers: BTreeMap<PublicKey, Peer>,
    version: u64,
}

/// The content of `peers.json`, to be changed and written back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeersFile {
    peers: BTreeMap<PublicKey, Peer>,
}

impl PeersFile {
    /// Reads the file of `home`; a missing one trusts nobody.
    pub fn read(home: &Home) -> Result<Self, VersionedFileError> {
        let path = home.peers();
        FORMAT.read(&path)?.map_or_else(|| Ok(Self::default()), |stored| Self::of_stored(&path, stored))
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, VersionedFileError> {
        Self::of_stored(path, FORMAT.parse(path, bytes)?)
    }

    fn of_stored(path: &Path, stored: StoredFile) -> Result<Self, VersionedFileError> {
        let mut names = BTreeSet::new();
        match stored.peers.values().find(|peer| !names.insert(&peer.name)) {
            Some(twin) => {
                let reason = format!("two peers have the name {}", twin.name);
                Err(FORMAT.corrupt(path, reason, in_editor(path)))
            }
            None => Ok(Self { peers: stored.peers }),
        }
    }

    /// Replaces the file of `home` by this one. The caller holds the lock.
    pub fn write(&self, home: &Home) -> Result<(), WriteError> {
        durable::replace(&home.peers(), &self.to_bytes())
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let stored = StoredFile { peers: self.peers.clone(), version: VERSION };
        let mut bytes = serde_json::to_vec_pretty(&stored).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Returns the peers, ascending by key.
    pub fn peers(&self) -> impl Iterator<Item = (PublicKey, &Peer)> {
        self.peers.iter().map(|(key, peer)| (*key, peer))
    }

    /// Returns the peer with a key.
    pub fn get(&self, key: PublicKey) -> Option<&Peer> {
        self.peers.get(&key)
    }

    /// Returns the key of the peer with a name.
    pub fn named(&self, name: &PeerName) -> Option<PublicKey> {
        self.peers().find(|(_, peer)| peer.name == *name).map(|(key, _)| key)
    }

    /// Keeps only the peers for which `is_kept` says so.
    pub fn retain(&mut self, is_kept: impl Fn(PublicKey, &Peer) -> bool) {
        self.peers.retain(|key, peer| is_kept(*key, peer));
    }

    /// Replaces what is known of a key; `None` trusts it no more.
    pub fn put(&mut self, key: PublicKey, peer: Option<Peer>) {
        match peer {
            Some(peer) => drop(self.peers.insert(key, peer)),
            None => drop(self.peers.remove(&key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(name: &str) -> Peer {
        Peer { name: name.parse().unwrap(), since: "2026-01-31T10:00:00Z".into(), trust: PeerTrust::Auto }
    }

    fn parse(text: &str) -> Result<PeersFile, VersionedFileError> {
        PeersFile::parse(Path::new("peers.json"), text.as_bytes())
    }

    fn sample() -> PeersFile {
        let mut file = PeersFile::default();
        file.put(PublicKey::of([0xab; 32]), Some(peer("ana")));
        file
    }

    #[test]
    fn a_file_is_what_the_sample_says() {
        let key = "ab".repeat(32);
        let sample_text = format!(
            "{{\n  \"peers\": {{\n    \"{key}\": {{\n      \"name\": \"ana\",\n      \"since\": \"2026-01-31T10:00:00Z\",\n      \
             \"trust\": \"auto\"\n    }}\n  }},\n  \"version\": 1\n}}\n"
        );
        assert_eq!(String::from_utf8(sample().to_bytes()).unwrap(), sample_text);
        assert_eq!(parse(&sample_text).unwrap(), sample());
    }

    #[test]
    fn a_file_that_cannot_be_used_trusts_nobody_and_says_so() {
        let good = String::from_utf8(sample().to_bytes()).unwrap();
        assert!(matches!(
            parse(&good.replace(": 1", ": 2")),
            Err(VersionedFileError::Version { found: 2, .. })
        ));
        for bad in [
            "",
            "{}",
            "{\"version\":1}",
            &good.replace("auto", "always"),
            &good.replace("ana", "A n"),
            &good.replace("abab", "AB"),
            &good.replace("\"since\"", "\"until\""),
        ] {
            assert!(matches!(parse(bad), Err(VersionedFileError::Corrupt { .. })), "{bad}");
        }
    }

    #[test]
    fn two_peers_of_one_name_are_refused() {
        let mut file = sample();
        file.put(PublicKey::of([1; 32]), Some(peer("ana")));
        let text = String::from_utf8(file.to_bytes()).unwrap();
        assert!(parse(&text).unwrap_err().to_string().contains("the name ana"));
    }

    #[test]
    fn a_peer_is_found_by_name_until_it_is_trusted_no_more() {
        let mut file = sample();
        let key = PublicKey::of([0xab; 32]);
        assert_eq!(file.named(&"ana".parse().unwrap()), Some(key));
        file.put(key, None);
        assert_eq!((file.named(&"ana".parse().unwrap()), file.get(key)), (None, None));
    }

    #[test]
    fn a_peer_of_the_journal_is_the_same_again() {
        assert_eq!(Peer::of_journal(&peer("ana").journalled()), Some(peer("ana")));
        assert_eq!(Peer::of_journal("forgotten"), None);
    }
}
