//! Changes of which project stores are trusted, recorded in the journal.

mod copies;

use std::collections::BTreeSet;

use lessons_home::files::{self, FileError};
use lessons_home::home::Home;
use lessons_lesson::id::LessonId;
use lessons_store::durable::{self, WriteError};
use lessons_store::lock::Lock;
use lessons_store::trust::{List, Preview, Refusals, TrustError, TrustedStore, copy_of};

use self::copies::drop_unused;
pub use self::copies::sweep;
use crate::database::{Database, DatabaseError};
use crate::journal::{Deed, Difference, Kind, Thing};
use crate::transaction;

/// Why trust was not changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustChangeError {
    /// What is trusted cannot be read, or the store of the project cannot be trusted.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl From<FileError> for TrustChangeError {
    fn from(error: FileError) -> Self {
        Self::Trust(error.into())
    }
}

impl From<WriteError> for TrustChangeError {
    fn from(error: WriteError) -> Self {
        Self::Trust(error.into())
    }
}

/// What a person decides about a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Who.
    pub actor: String,
    /// When, RFC 3339.
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
) -> Result<(), TrustChangeError> {
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
    set(lock, database, deed, None, &preview.root, Some(&store))?;
    Ok(())
}

/// The same approval, where it stands already: to approve once more what was approved changes nothing, not even
/// since when it is.
fn standing(home: &Home, store: &TrustedStore) -> Result<Option<TrustedStore>, TrustChangeError> {
    let list = List::read(home)?;
    let is_same = |known: &&TrustedStore| {
        TrustedStore { approved_at: store.approved_at.clone(), ..(*known).clone() } == *store
    };
    Ok(list.stores().find(is_same).cloned())
}

/// Ends the trust in the project at `root`. `None` where there was none. Copies that one who died on the way
/// has left are removed in either case.
pub fn withdraw(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    root: &str,
) -> Result<Option<TrustedStore>, TrustChangeError> {
    set(lock, database, deed, None, root, None).map(|(before, _)| before)
}

/// Puts `store`, or nothing, in the place of what is trusted at `root`, and writes it down. Returns what stood
/// there, and the number of the change where it is one.
pub(crate) fn set(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: Option<u64>,
    root: &str,
    store: Option<&TrustedStore>,
) -> Result<(Option<TrustedStore>, Option<u64>), TrustChangeError> {
    let home = lock.home();
    transaction::settle_what_can_be(home, database);
    let mut list = List::read(home)?;
    let before = match store {
        Some(store) => list.insert(store.clone()),
        None => list.remove(root),
    };
    let mut number = None;
    if before.as_ref() != store {
        let changed = Difference {
            thing: Thing::new(Kind::Trust, root),
            before: before.as_ref().map(TrustedStore::journalled),
            after: store.map(TrustedStore::journalled),
        };
        number = Some(transaction::carry_out(home, database, deed, undoes, &[changed], || {
            Ok::<_, TrustChangeError>(list.write(home)?)
        })?);
    }
    drop_unused(home, database, &list)?;
    Ok((before, number))
}

#[cfg(test)]
mod tests;
