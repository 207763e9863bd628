//! The keys of people whose shared lessons a person wants, each with a name of the person's own. They are part of
//! `decisions.json` (see [`crate::decisions`]). A key that is not here is unknown: its events are counted and nothing more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use lessons_home::Home;
use lessons_lesson::id::is_kebab;
use lessons_share::PublicKey;
use serde::{Deserialize, Serialize};

use crate::decisions_file::{self, DecisionsError};

/// The longest name of a peer, in bytes. Names are ASCII.
pub const MAX_NAME_BYTES: usize = 40;

/// The error for a text that is not the name of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name has lower-case letters, digits and single dashes, at most {MAX_NAME_BYTES}, such as ana")]
pub struct NoPeerName;

/// The name that a person gave a peer: kebab-case, at most [`MAX_NAME_BYTES`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl fmt::Display for PeerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

lessons_text::serde_as_text!(PeerName);

lessons_text::named! {
    /// What becomes of a peer's lessons that pass every check.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PeerTrust {
        /// They are candidates, which a person decides about.
        Review = "review",
        /// They advise at once.
        Auto = "auto",
    }
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

/// The peers by their keys, to be changed and written back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<PublicKey, Peer>")]
pub struct Peers(pub BTreeMap<PublicKey, Peer>);

/// Two peers have the same name.
#[derive(Debug, thiserror::Error)]
#[error("two peers have the name {0}")]
pub struct SameName(PeerName);

impl TryFrom<BTreeMap<PublicKey, Peer>> for Peers {
    type Error = SameName;
    fn try_from(peers: BTreeMap<PublicKey, Peer>) -> Result<Self, SameName> {
        let mut names = BTreeSet::new();
        let twin = peers.values().find(|peer| !names.insert(&peer.name));
        match twin.map(|twin| twin.name.clone()) {
            Some(name) => Err(SameName(name)),
            None => Ok(Self(peers)),
        }
    }
}

impl Peers {
    /// Reads the peers of `home`.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        decisions_file::part(home, |file| &file.peers)
    }

    /// Returns the key of the peer with a name.
    pub fn named(&self, name: &PeerName) -> Option<PublicKey> {
        self.0.iter().find(|(_, peer)| peer.name == *name).map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(name: &str) -> Peer {
        Peer { name: name.parse().unwrap(), since: "2026-01-31T10:00:00Z".into(), trust: PeerTrust::Auto }
    }

    fn sample() -> Peers {
        let mut peers = Peers::default();
        peers.0.insert(PublicKey::of([0xab; 32]), peer("ana"));
        peers
    }

    #[test]
    fn peers_are_what_the_sample_says_and_nothing_else_is_read() {
        let key = "ab".repeat(32);
        let text = format!(r#"{{"{key}":{{"name":"ana","since":"2026-01-31T10:00:00Z","trust":"auto"}}}}"#);
        assert_eq!(serde_json::to_string(&sample()).unwrap(), text);
        assert_eq!(serde_json::from_str::<Peers>(&text).unwrap(), sample());
        for (from, to) in [("auto", "always"), ("ana", "A n"), ("abab", "AB"), ("since", "until")] {
            assert!(serde_json::from_str::<Peers>(&text.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn two_peers_of_one_name_are_refused() {
        let mut peers = sample();
        peers.0.insert(PublicKey::of([1; 32]), peer("ana"));
        let text = serde_json::to_string(&peers).unwrap();
        assert!(serde_json::from_str::<Peers>(&text).unwrap_err().to_string().contains("the name ana"));
    }

    #[test]
    fn a_peer_is_found_by_name_until_it_is_trusted_no_more() {
        let mut file = sample();
        let key = PublicKey::of([0xab; 32]);
        assert_eq!(file.named(&"ana".parse().unwrap()), Some(key));
        file.0.remove(&key);
        assert_eq!(file.named(&"ana".parse().unwrap()), None);
    }
}
