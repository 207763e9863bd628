//! Changes of `peers.json`, which the journal records key by key.

use std::collections::BTreeMap;

use lessons_home::home::Home;
use lessons_share::key::PublicKey;
use lessons_store::lock::Lock;
use lessons_store::peers::{Peer, PeersFile};

use crate::database::Database;
use crate::error::LedgerError;
use crate::journal::{Deed, Difference, ThingKind};
use crate::recorded_file::{self, RecordedFile};

impl RecordedFile for PeersFile {
    const KIND: ThingKind = ThingKind::Peer;

    fn read(home: &Home) -> Result<Self, LedgerError> {
        Ok(Self::read(home)?)
    }

    fn things(&self) -> BTreeMap<String, String> {
        self.peers().map(|(key, peer)| (key.to_string(), peer.journalled())).collect()
    }

    fn put_back(&mut self, name: &str, text: Option<&str>) {
        let Ok(key) = name.parse() else { return };
        match text.map(Peer::of_journal) {
            Some(None) => {}
            peer => self.put(key, peer.flatten()),
        }
    }

    fn write(&self, home: &Home, _: &[Difference]) -> Result<(), LedgerError> {
        Ok(self.write(home)?)
    }
}

/// Trusts a key as this peer, or no more, and records that. Returns the number of the change; `None` where nothing
/// changed.
pub fn set(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    key: PublicKey,
    peer: Option<Peer>,
) -> Result<Option<u64>, LedgerError> {
    recorded_file::save(lock, database, deed, None, |file: &mut PeersFile| file.put(key, peer))
        .map(|saved| saved.change)
}

/// Trusts keys as they were trusted before the change `undoes`.
pub(crate) fn put_back(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Option<u64>, LedgerError> {
    recorded_file::put_back::<PeersFile>(lock, database, deed, undoes, inverse).map(|saved| saved.change)
}

#[cfg(test)]
mod tests {
    use lessons_store::peers::PeerTrust;

    use super::*;
    use crate::scratch::Scratch;
    use crate::transaction;

    fn peer(name: &str) -> Peer {
        Peer { name: name.parse().unwrap(), since: "2026-01-31T10:00:00Z".into(), trust: PeerTrust::Auto }
    }

    impl Scratch {
        fn set(&mut self, peer: Option<Peer>) -> Option<u64> {
            set(&self.lock, &mut self.database, &Deed::new("you", "x", 7), key(), peer).unwrap()
        }

        fn trusted(&self) -> Option<Peer> {
            PeersFile::read(self.lock.home()).unwrap().get(key()).cloned()
        }
    }

    fn key() -> PublicKey {
        PublicKey::of([0xab; 32])
    }

    #[test]
    fn trust_is_withdrawn_and_comes_back() {
        let mut scratch = Scratch::new();
        assert!(scratch.set(Some(peer("ana"))).is_some());
        assert_eq!(scratch.set(Some(peer("ana"))), None, "the same again is no change");
        let withdrawn = scratch.set(None).unwrap();
        assert_eq!(scratch.trusted(), None);
        scratch.undo(withdrawn);
        assert_eq!(scratch.trusted(), Some(peer("ana")));
    }

    #[test]
    fn a_change_that_died_before_the_file_never_was_and_one_that_died_after_it_is_done() {
        let mut scratch = Scratch::new();
        let mut after = PeersFile::default();
        after.put(key(), Some(peer("ana")));
        let differences = recorded_file::differences(&PeersFile::default(), &after);
        for (is_written, expected) in [(false, None), (true, Some(()))] {
            let deed = Deed::new("you", "trusted", 8);
            let number = scratch.database.announce(&deed, None, &differences).unwrap();
            if is_written {
                after.write(scratch.lock.home()).unwrap();
            }
            transaction::recover(&scratch.lock, &mut scratch.database).unwrap();
            assert_eq!(scratch.database.whole_change(number).unwrap().map(drop), expected);
        }
    }
}
