//! The lessons of peers that are in force automatically.

use lessons_context::{Context, Result};
use lessons_incident_check::check::IncidentChecker;
use lessons_incident_check::record;
use lessons_index::manifest::MAX_LESSONS;
use lessons_ledger::Database;
use lessons_lesson::{KeyPrefix, Layer, Lesson, QualifiedId};
use lessons_manifest_builder::report::{Noted, Reason};
use lessons_share::PublicKey;
use lessons_store::decisions::received::confined;
use lessons_store::{PeerName, PeerTrust, Peers, Received};

/// A peer whose lessons are taken automatically.
#[derive(Debug)]
pub struct AutoPeer {
    /// The start of the key, which names the lessons.
    pub prefix: KeyPrefix,
    /// The name that the user gave.
    pub name: PeerName,
    /// The lessons, as they may be in force.
    pub lessons: Vec<Lesson>,
}

impl AutoPeer {
    /// The id of a lesson among all lessons.
    pub fn id_of(&self, lesson: &Lesson) -> QualifiedId {
        QualifiedId { layer: Layer::Peer(self.prefix.clone()), id: lesson.id.clone() }
    }
}

/// The peers with lessons that were switched on automatically, as long as they are trusted so.
pub fn of(context: &Context) -> Result<Vec<AutoPeer>> {
    let received = Received::read(&context.home)?;
    if received.lessons().next().is_none() {
        return Ok(Vec::new());
    }
    let peers = Peers::read(&context.home)?;
    let mut auto_peers = Vec::new();
    for (&key, from) in &received.peers {
        let Some(peer) = peers.0.get(&key).filter(|peer| peer.trust == PeerTrust::Auto) else { continue };
        if shares_its_prefix(&peers, key) {
            continue;
        }
        let lessons: Vec<Lesson> = from.in_force().filter_map(confined).take(MAX_LESSONS).collect();
        if let Some(prefix) = KeyPrefix::of_key(&key.to_string()).filter(|_| !lessons.is_empty()) {
            auto_peers.push(AutoPeer { prefix, name: peer.name.clone(), lessons });
        }
    }
    Ok(auto_peers)
}

/// Whether the key begins like that of another peer, so that a lesson of one could pass for the other's. Nothing of either
/// is automatic then.
pub fn shares_its_prefix(peers: &Peers, key: PublicKey) -> bool {
    let prefix = |key: PublicKey| KeyPrefix::of_key(&key.to_string());
    peers.0.keys().any(|other| *other != key && prefix(*other) == prefix(key))
}

/// Takes the lessons that are like a critical incident out, and returns them with the reason.
pub fn withhold(context: &Context, database: &Database, auto_peers: &mut [AutoPeer]) -> Vec<Noted> {
    if auto_peers.is_empty() {
        return Vec::new();
    }
    let index = record::index(context, database).ok().flatten();
    let incidents = index.map(|index| IncidentChecker::with(context, index));
    let Some(incidents) = incidents.filter(|it| it.number() > 0) else {
        return Vec::new();
    };
    let mut withheld = Vec::new();
    for peer in auto_peers {
        for lesson in std::mem::take(&mut peer.lessons) {
            match incidents.critical(&lesson) {
                Some(matched) => {
                    let reason = Reason::Withheld { incident: matched.words() };
                    withheld.push(Noted { id: peer.id_of(&lesson), reason });
                }
                None => peer.lessons.push(lesson),
            }
        }
    }
    withheld
}
