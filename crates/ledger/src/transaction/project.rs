//! Changes of a project's store: the file in the project, and the approval that follows it.
//!
//! A person's own change needs no second approval. Where the store is as they approved it, the approval goes on to what
//! the change makes of it. Where it holds more, such as what a colleague changed and nobody has looked at, the approved
//! copy takes over exactly this change, and the rest waits for `lessons trust` as before.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lessons_home::{Home, files};
use lessons_store::decisions::trust::{copy_of, is_sha256, sha256};
use lessons_store::load::Stored;
use lessons_store::{
    Decisions, Graph, Lock, ProjectRoot, Refusals, TrustList, TrustedStore, decisions, decisions::trust,
    durable,
};

use super::RowChanges;
use crate::database::Database;
use crate::error::Result;
use crate::journal::current::THERE;
use crate::journal::{Deed, Difference, JournalEntry, Thing, ThingKind};
use crate::transaction::follow::follow_store;

/// What becomes of the approval of a project's store with a change of it.
#[derive(Debug, Default)]
pub(crate) enum ApprovalAfter {
    /// It follows the change.
    #[default]
    Follows,
    /// It is as it was before the change that is undone; `None` where there was none.
    Restored(Option<TrustedStore>),
}

/// A project's store before and after a change.
pub(super) struct Rewrite<'a> {
    /// The root of the project.
    pub(super) root: &'a ProjectRoot,
    /// What was there before.
    pub(super) stored: &'a Stored,
    /// The bytes of the file after.
    pub(super) bytes: &'a [u8],
}

/// Writes a project's store, and the list of trusted stores after it.
pub(super) fn carry_out(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    rewrite: &Rewrite<'_>,
    rows: RowChanges,
    mut differences: Vec<Difference>,
) -> Result<u64> {
    let home = lock.home();
    let root = &rewrite.root.path;
    let mut decisions = Decisions::read(home)?;
    let approval = &rewrite.root.approval;
    let trusted = decisions.trusted.0.get(approval).cloned();
    let next = match rows.approval {
        ApprovalAfter::Follows => followed(home, deed, rewrite, &differences, trusted.as_ref())?,
        ApprovalAfter::Restored(store) => store,
    };
    // An undone change takes the file away that it created, unless something else is in it by now.
    let is_removed = rows.undoes_creation && rewrite.bytes == Graph::empty(rewrite.root.store()).to_bytes();
    let there = |is_there: bool| is_there.then(|| THERE.to_owned());
    let thing = Thing::new(ThingKind::ProjectStore, root);
    let store =
        Difference { thing, before: there(rewrite.stored.bytes.is_some()), after: there(!is_removed) };
    differences.extend(Some(store).filter(|store| store.before != store.after));
    let is_trust_changed = trusted != next;
    if is_trust_changed {
        differences.push(Difference {
            thing: Thing::new(ThingKind::Trust, approval),
            before: trusted.as_ref().map(TrustedStore::journalled),
            after: next.as_ref().map(TrustedStore::journalled),
        });
        decisions::put(&mut decisions.trusted.0, approval.to_owned(), next);
    }
    let write = || {
        if !is_removed {
            return durable::replace_in_project(&rewrite.root.store(), rewrite.bytes);
        }
        durable::remove_elsewhere(&rewrite.root.store())?;
        durable::remove_if_empty(&rewrite.root.folder());
        Ok(())
    };
    let decisions = Some(&mut decisions).filter(|_| is_trust_changed);
    let change = super::carry_out(home, database, deed, &differences, decisions, write);
    sweep_copies(lock, database)?;
    change
}

/// The approval after a change that a person makes; `None` where they have not approved the store. The approved copy is
/// kept before anything names it.
fn followed(
    home: &Home,
    deed: &Deed,
    rewrite: &Rewrite<'_>,
    differences: &[Difference],
    trusted: Option<&TrustedStore>,
) -> Result<Option<TrustedStore>> {
    let was = rewrite.stored.bytes.as_deref();
    let is_as_approved = |store: &TrustedStore| was.is_some_and(|bytes| sha256(bytes) == store.sha256);
    let copy = match trusted {
        // There is nothing in it that anybody else could have written.
        None if rewrite.stored.graph.ids().next().is_none() => rewrite.bytes.to_vec(),
        None => return Ok(None),
        Some(store) if is_as_approved(store) => rewrite.bytes.to_vec(),
        Some(store) => match trust::approved_lessons(home, store) {
            Some(mut copy) => {
                follow_store(&mut copy, differences.iter().map(Difference::changed));
                copy.to_bytes()
            }
            // Without its copy nothing of it is in force, and there is nothing to add to.
            None => return Ok(Some(store.clone())),
        },
    };
    let sha256 = sha256(&copy);
    if let Some(store) = trusted.filter(|store| store.sha256 == sha256) {
        return Ok(Some(store.clone()));
    }
    files::ensure_folder(&home.trusted_copies())?;
    durable::replace(&copy_of(home, &sha256), &copy)?;
    let (approved_at, actor) = (time(deed.now), deed.actor.clone());
    Ok(Some(match trusted {
        Some(store) => TrustedStore { sha256, approved_at, actor, ..store.clone() },
        None => TrustedStore {
            root: rewrite.root.approval.clone(),
            sha256,
            approved_at,
            actor,
            accepted: BTreeSet::new(),
            refusals: Refusals::BecomeAdvice,
            settings: None,
        },
    }))
}

/// Milliseconds since 1970 in RFC 3339, to the second.
fn time(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(|time| Timestamp::from_millisecond(time).ok());
    time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The number of changes of trust whose copies are kept, so that they can be undone.
const KEPT: u32 = 20;

/// Removes the copies that nothing needs, such as those that a process left that died while ending trust.
pub fn sweep_copies(lock: &Lock, database: &Database) -> Result<()> {
    drop_unused_copies(lock.home(), database, &TrustList::read(lock.home())?)
}

/// Removes the copies that are not trusted and that no undoing could bring back.
pub(crate) fn drop_unused_copies(home: &Home, database: &Database, list: &TrustList) -> Result<()> {
    let folder = home.trusted_copies();
    durable::sweep(&folder)?;
    let mut needed: BTreeSet<String> = list.0.values().map(|store| store.sha256.clone()).collect();
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

/// Removes what a process left in a project that died in a change of its store.
pub(super) fn sweep(entries: &[JournalEntry]) {
    let roots: BTreeSet<&str> = entries.iter().filter_map(|entry| entry.thing.project()).collect();
    for root in roots.into_iter().filter_map(|root| ProjectRoot::new(root.as_ref()).ok()) {
        // What cannot be removed is removed with the next change of this store.
        let _ = durable::sweep(&root.folder());
        if entries.iter().any(|entry| entry.thing.kind == ThingKind::ProjectStore) {
            durable::remove_if_empty(&root.folder());
        }
    }
}

#[cfg(test)]
mod tests;
