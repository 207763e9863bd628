//! What an index that was made before already holds.

use lessons_core::index::header::{BYTES as HEADER_BYTES, Header};
use lessons_core::index::record::{Cursor, Test};
use lessons_core::index::storage::{self, Kind, PLACE_BYTES};
use lessons_core::index::{Damaged, Index};
use sha2::{Digest, Sha256};

use super::layout::Automata;

/// Whether every byte of an index is as it was written. A hook checks only what it reads.
pub fn verify(bytes: &[u8]) -> Result<Header, Damaged> {
    let header = Index::of_bytes(bytes)?.header().clone();
    let body = bytes.get(HEADER_BYTES..).ok_or(Damaged)?;
    if header.body == <[u8; 32]>::from(Sha256::digest(body)) { Ok(header) } else { Err(Damaged) }
}

/// The automata of an index. An index that is damaged anywhere has none.
pub fn automata_of(bytes: &[u8]) -> Result<Automata, Damaged> {
    let header = verify(bytes)?;
    let count = header.triggers.length / PLACE_BYTES as u64;
    let mut automata = Automata::new();
    for position in 0..u32::try_from(count).map_err(|_| Damaged)? {
        let record = storage::record(&bytes, bytes.len() as u64, header.triggers, Kind::Trigger, position)?;
        let trigger = Cursor::new(&record).trigger()?;
        if let Test::Pattern(automaton) = trigger.test {
            automata.insert((trigger.kind, trigger.name), automaton.to_vec());
        }
    }
    Ok(automata)
}
