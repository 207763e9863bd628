//! Changes of which project stores are trusted, recorded in the journal.

use std::collections::BTreeSet;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_store::durable;
use lessons_store::lock::Lock;
use lessons_store::trust::{Preview, Refusals, TrustError, TrustList, TrustedStore, copy_of};

use crate::approved_copies;
use crate::database::Database;
use crate::decisions;
use crate::error::LedgerError;
use crate::journal::Deed;

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
    let saved = decisions::save(lock, database, deed, |decisions| decisions.trusted.insert(store));
    // Without its approval the copy is of no use.
    approved_copies::sweep(lock, database)?;
    saved.map(drop)
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
    let saved = decisions::save(lock, database, deed, |decisions| decisions.trusted.remove(root))?;
    approved_copies::sweep(lock, database)?;
    Ok(saved.value)
}

#[cfg(test)]
mod tests;
