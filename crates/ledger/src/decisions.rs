//! Changes of `decisions.json`: recorded entry by entry, and put back by what the journal says. [`check`] decides which
//! file counts.

pub mod accepting;
pub(crate) mod check;
pub mod setting_changes;
pub(crate) mod takeover;

use std::collections::BTreeSet;

use lessons_home::{Home, files};
use lessons_lesson::LessonId;
use lessons_store::decisions::trust::copy_of;
use lessons_store::{Decisions, Lock, Preview, Refusals, TrustError, TrustList, TrustedStore, durable};

use crate::database::Database;
use crate::error::Result;
use crate::forget::{self, Seeker};
use crate::journal::{Deed, Difference};
use crate::transaction::{self, carry_out, drop_unused_copies, sweep_copies};

/// The result of a change.
pub struct Saved<T = ()> {
    /// The value that the change returned.
    pub value: T,
    /// The decisions before it.
    pub before: Decisions,
    /// The decisions after it.
    pub after: Decisions,
    /// The number of the change; `None` where no decision changed.
    pub change: Option<u64>,
}

/// Changes decisions and records that.
pub fn save<T>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut Decisions) -> T,
) -> Result<Saved<T>> {
    let home = lock.home();
    check::check(home, database)?;
    transaction::settle_what_can_be(home, database);
    let before = Decisions::read(home)?;
    let mut after = before.clone();
    let value = change(&mut after);
    let differences = Difference::of_decisions(&before, &after);
    let change = if differences.is_empty() {
        // What came from peers and is not in force decides nothing, nor does a topic; they are written along.
        if after.to_bytes() != before.to_bytes() {
            check::write_unrecorded(home, database, &after)?;
        }
        None
    } else {
        Some(carry_out(home, database, deed, &differences, Some(&mut after), || Ok(()))?)
    };
    follow(home, database, &before, &after)?;
    Ok(Saved { value, before, after, change })
}

/// Lets follow what is made from decisions: the table of incidents, and the approved copies of projects.
fn follow(home: &Home, database: &mut Database, before: &Decisions, after: &Decisions) -> Result<()> {
    if before.incidents != after.incidents {
        let held = before.incidents.entries.iter().filter(|(_, entry)| entry.incident().is_some());
        for (id, _) in held.filter(|(id, _)| after.incidents.entry(**id).incident().is_none()) {
            database.remove_incident(*id)?;
        }
        database.follow_incidents(&after.incidents)?;
    }
    if before.trusted != after.trusted {
        drop_unused_copies(home, database, &after.trusted)?;
    }
    Ok(())
}

/// Removes a text from the decisions, and the evidence that names one of `candidates`: of a lesson, a setting and a reason
/// only the text goes; an incident, a peer, a peer's lesson and the trust in a project that hold it go whole. Returns
/// whether they held it.
pub fn forget(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    seeker: &Seeker,
    candidates: &[String],
) -> Result<bool> {
    let saved = save(lock, database, deed, |decisions| take_out(decisions, seeker, candidates))?;
    saved.value?;
    Ok(saved.change.is_some() || saved.before.to_bytes() != saved.after.to_bytes())
}

/// Takes a text out of decisions, such as those of a backup.
pub fn take_out(
    decisions: &mut Decisions,
    seeker: &Seeker,
    candidates: &[String],
) -> Result<(), lessons_store::graph::UnreadableGraph> {
    let holds = |text: &str| seeker.is_in(text.as_bytes());
    forget::lessons::take_out(&mut decisions.accepted.graph, seeker, candidates)?;
    // The same replacement as in the settings themselves, so that both stay equal.
    let without = |text: String| seeker.take_out_of(&text).unwrap_or(text);
    let settings = std::mem::take(&mut decisions.accepted.settings);
    decisions.accepted.settings =
        settings.into_iter().map(|(key, text)| (without(key), without(text))).collect();
    decisions.incidents.forget(holds, |reason| seeker.take_out_of(reason));
    // A name or key with another text in its place would be somebody else's.
    decisions.peers.0.retain(|key, peer| !holds(&key.to_string()) && !holds(peer.name.as_str()));
    decisions.received.forget(holds);
    decisions.trusted.0.retain(|root, store| !holds(root) && !holds(&store.journalled()));
    Ok(())
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
pub fn approve_store(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    preview: &Preview,
    approval: &Approval,
) -> Result<()> {
    let home = lock.home();
    let is_flagged = |id: &LessonId| preview.flagged.iter().any(|(flagged, _)| flagged == id);
    if let Some(id) = approval.accept.iter().find(|id| !is_flagged(id)) {
        return Err(TrustError::NotFlagged(id.clone()).into());
    }
    // The copy first: a list that names one that is not there would trust nothing, but say it did.
    files::ensure_folder(&home.trusted_copies())?;
    durable::replace(&copy_of(home, &preview.sha256), &preview.bytes)?;
    let store = TrustedStore {
        root: preview.root.clone(),
        sha256: preview.sha256.clone(),
        approved_at: approval.at.clone(),
        actor: approval.actor.clone(),
        accepted: approval.accept.iter().cloned().collect(),
        refusals: approval.refusals,
        settings: preview.settings.clone(),
    };
    // To approve the same once more changes nothing, not even its time.
    let list = TrustList::read(home)?;
    let is_same = |known: &TrustedStore| {
        TrustedStore { approved_at: store.approved_at.clone(), ..known.clone() } == store
    };
    let store = list.0.get(&store.root).filter(|known| is_same(known)).cloned().unwrap_or(store);
    let trust = |decisions: &mut Decisions| decisions.trusted.0.insert(store.root.clone(), store);
    let saved = save(lock, database, deed, trust);
    // Without its approval the copy is of no use.
    sweep_copies(lock, database)?;
    saved.map(drop)
}

/// Ends the trust in the project at `root`. Returns `None` if there was none. Copies that a process that died
/// left behind are removed in either case.
pub fn withdraw_store(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    root: &str,
) -> Result<Option<TrustedStore>> {
    let saved = save(lock, database, deed, |decisions| decisions.trusted.0.remove(root))?;
    sweep_copies(lock, database)?;
    Ok(saved.value)
}

#[cfg(test)]
mod tests;
