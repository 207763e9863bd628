//! Changes of which project stores are trusted, recorded in the journal.

use std::collections::{BTreeMap, BTreeSet};

use lessons_home::files;
use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_store::durable;
use lessons_store::lock::Lock;
use lessons_store::trust::{Preview, Refusals, TrustError, TrustList, TrustedStore, copy_of};

use crate::approved_copies::drop_unused;
use crate::database::Database;
use crate::error::LedgerError;
use crate::journal::{Deed, Difference, ThingKind};
use crate::recorded_file::{self, RecordedFile, Saved};

impl RecordedFile for TrustList {
    const KIND: ThingKind = ThingKind::Trust;

    fn read(home: &Home) -> Result<Self, LedgerError> {
        Ok(Self::read(home)?)
    }

    fn things(&self) -> BTreeMap<String, String> {
        self.stores().map(|store| (store.root.clone(), store.journalled())).collect()
    }

    fn put_back(&mut self, name: &str, text: Option<&str>) {
        match text.map(|text| TrustedStore::of_journal(name, text)) {
            Some(Some(store)) => drop(self.insert(store)),
            Some(None) => {}
            None => drop(self.remove(name)),
        }
    }

    fn write(&self, home: &Home, _: &[Difference]) -> Result<(), LedgerError> {
        Ok(self.write(home)?)
    }
}

/// The decision of a person about a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The person.
    pub actor: String,
    /// The time of the decision, RFC 3339.
    pub at: String,
    /// The flagged lessons that are taken all the same.
    pub accept: BTreeSet<LessonId>,
    /// Whether its lessons may refuse calls.
    pub refusals: Refusals,
}

/// Keeps the bytes of a preview and trusts them from now on.
pub fn approve(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    preview: &Preview,
    approval: &Approval,
) -> Result<(), LedgerError> {
    let home = lock.home();
    if let Some(id) =
        approval.accept.iter().find(|id| !preview.flagged.iter().any(|flagged| flagged.id == **id))
    {
        return Err(TrustError::NotFlagged { id: id.to_string() }.into());
    }
    // The copy first: a list that names one that is not there would trust nothing, but say it did.
    files::ensure_folder(&home.trusted_copies())?;
    durable::replace(&copy_of(home, &preview.sha256), preview.bytes())?;
    let store = TrustedStore {
        root: preview.root.clone(),
        sha256: preview.sha256.clone(),
        approved_at: approval.at.clone(),
        actor: approval.actor.clone(),
        accepted: approval.accept.iter().cloned().collect(),
        refusals: approval.refusals,
        settings: preview.settings.clone(),
    };
    let store = standing(home, &store)?.unwrap_or(store);
    let trusted = set(lock, database, deed, None, &preview.root, Some(&store));
    if trusted.is_err() {
        // Without its approval the copy is of no use.
        drop_unused(home, database, &TrustList::read(home)?)?;
    }
    trusted.map(drop)
}

/// Returns the same approval if it is there already: to approve it once more changes nothing, not even
/// its time.
fn standing(home: &Home, store: &TrustedStore) -> Result<Option<TrustedStore>, LedgerError> {
    let list = TrustList::read(home)?;
    let is_same = |known: &&TrustedStore| {
        TrustedStore { approved_at: store.approved_at.clone(), ..(*known).clone() } == *store
    };
    Ok(list.stores().find(is_same).cloned())
}

/// Ends the trust in the project at `root`. Returns `None` if there was none. Copies that a process that died
/// left behind are removed in either case.
pub fn withdraw(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    root: &str,
) -> Result<Option<TrustedStore>, LedgerError> {
    set(lock, database, deed, None, root, None).map(|(before, _)| before)
}

/// Replaces what is trusted at `root` by `store`, or by nothing, and records that. Returns what was trusted
/// there, and the number of the change, if it is one.
pub(crate) fn set(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: Option<u64>,
    root: &str,
    store: Option<&TrustedStore>,
) -> Result<(Option<TrustedStore>, Option<u64>), LedgerError> {
    let change_list = |list: &mut TrustList| match store {
        Some(store) => drop(list.insert(store.clone())),
        None => drop(list.remove(root)),
    };
    let Saved { before, after, change, .. } = recorded_file::save(lock, database, deed, undoes, change_list)?;
    drop_unused(lock.home(), database, &after)?;
    Ok((before.get(root).cloned(), change))
}

#[cfg(test)]
mod tests;
