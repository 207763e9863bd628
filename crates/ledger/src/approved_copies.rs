//! The approved copies of project stores: which of them nothing needs any more.

use std::collections::BTreeSet;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_store::durable;
use lessons_store::lock::Lock;
use lessons_store::trust::{TrustList, TrustedStore, is_sha256};

use crate::database::Database;
use crate::error::LedgerError;

/// The number of changes of trust whose copies are kept, so that they can be undone.
const KEPT: u32 = 20;

/// Removes the copies that nothing needs, such as those that a process left that died while ending trust.
pub fn sweep(lock: &Lock, database: &Database) -> Result<(), LedgerError> {
    drop_unused(lock.home(), database, &TrustList::read(lock.home())?)
}

/// Removes the copies that are not trusted and that no undoing could bring back.
pub(crate) fn drop_unused(home: &Home, database: &Database, list: &TrustList) -> Result<(), LedgerError> {
    let folder = home.trusted_copies();
    durable::sweep(&folder)?;
    let mut needed: BTreeSet<String> = list.stores().map(|store| store.sha256.clone()).collect();
    for entry in database.journal_of_trust(KEPT)? {
        let texts = [&entry.before, &entry.after].into_iter().flatten();
        let stores = texts.filter_map(|text| TrustedStore::of_journal(&entry.thing.name, text));
        needed.extend(stores.map(|store| store.sha256));
    }
    for entry in files::entries(&folder)? {
        let name = entry.file_name();
        let hash = name.to_str().and_then(|name| name.strip_suffix(".json"));
        if hash.is_some_and(|hash| is_sha256(hash) && !needed.contains(hash)) {
            durable::remove(&entry.path())?;
        }
    }
    Ok(())
}
