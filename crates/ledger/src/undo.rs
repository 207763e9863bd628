//! Undoing a change.
//!
//! Every change is in the journal with what each thing was before it and after it. Taking one back puts
//! every thing where it was before, as a change of its own, which can be taken back too. A thing that is
//! no longer as the change left it is not touched: then nothing is done, and the later change is named.
//!
//! What cannot be taken back: forgetting a text, by its nature; that a scan has read a session, and the
//! doubts that it raised (a candidate that it found is put away); and what stands outside of our files,
//! such as a scheduler's timer, which `lessons schedule remove` removes.

use std::fmt;

use lessons_home::Home;
use lessons_lesson::KeyPrefix;
use lessons_store::{
    ConfigFile, Graph, Lock, NodeKind, ProjectRoot, Snapshot, StoreLocation, TrustedStore, config,
    decisions::trust,
};
use lessons_text::neutral;

use crate::candidates::target_of;
use crate::database::{Database, DatabaseError, Result};
use crate::error::LedgerError;
use crate::journal::current::{CurrentState, in_graph};
use crate::journal::entries::{self, received_name};
use crate::journal::row_changes::{RowsUndone, label_parts};
use crate::journal::{Change, Deed, Difference, FORGET, JournalEntry, RESTORE_STORE, Thing, ThingKind};
use crate::transaction::{self, ApprovalAfter};
use crate::{decisions, decisions::setting_changes, transaction::shared_files};

/// The number of changes that are read at once.
const PAGE: u32 = 50;

/// An error that kept a change from being undone. Nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// There is no change of this number.
    #[error("there is no change {0}; `lessons log` shows them")]
    Unknown(u64),
    /// The change of this number is final by its nature.
    #[error("change {0} erased a text from all stored data, so it cannot be undone")]
    Final(u64),
    /// The change of the first number is undone already, by that of the second.
    #[error("change {0} is undone already, by change {1}; `lessons undo {1}` brings it back")]
    AlreadyUndone(u64, u64),
    /// A thing was changed since.
    #[error("change {number} cannot be undone: {thing} was changed since, by {}", later_words(later))]
    ChangedSince {
        /// The number of the change.
        number: u64,
        /// The thing.
        thing: Thing,
        /// The last change of the thing.
        later: Box<JournalEntry>,
    },
    /// A thing is not as the change of this number left it, and no entry says why.
    #[error(
        "change {0} cannot be undone: {1} is not as that change left it, and the log does not say why. \
         It was changed by hand, or by a scan"
    )]
    NotAsLeft(u64, Thing),
    /// What a thing was before the change of this number can no longer be read.
    #[error("change {0} cannot be undone: what {1} was before it is no longer kept")]
    NotKept(u64, Thing),
    /// The current state cannot be read or changed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

fn later_words(later: &JournalEntry) -> String {
    if later.action == FORGET {
        return format!("forgetting a text (change {}), which cannot be undone", later.change);
    }
    let (number, action, actor) = (later.change, neutral::line(&later.action), neutral::line(&later.actor));
    format!("change {number} ({action}, by {actor}). Undo that one first: lessons undo {number}")
}

impl From<DatabaseError> for UndoError {
    fn from(error: DatabaseError) -> Self {
        Self::Ledger(error.into())
    }
}

/// A change that was undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The number of the change that undid it.
    pub change: u64,
    /// The change that was undone.
    pub of: Change,
}

impl Undone {
    /// Returns whether it changed what is in force: candidates and answers do not.
    pub fn is_about_what_is_in_force(&self) -> bool {
        self.of.entries.iter().any(|entry| !entry.thing.kind.is_of_the_database())
    }
}

/// Returns the last change that `is_meant` accepts, that was not undone, and that undoes no other.
pub fn latest(database: &Database, is_meant: impl Fn(&Change) -> bool) -> Result<Option<Change>> {
    let mut before = None;
    loop {
        let page = database.changes(before, PAGE)?;
        let Some(oldest) = page.last().map(|change| change.number) else { return Ok(None) };
        before = Some(oldest);
        let stands = |change: &Change| change.undoes.is_none() && change.undone_by.is_none();
        if let Some(found) = page.into_iter().find(|change| stands(change) && is_meant(change)) {
            return Ok(Some(found));
        }
    }
}

/// Undoes the change `number`, as the change `deed`. Publishing the result is up to the caller.
pub fn undo(lock: &Lock, database: &mut Database, number: u64, deed: &Deed) -> Result<Undone, UndoError> {
    let home = lock.home();
    transaction::settle_what_can_be(home, database);
    let of = database.whole_change(number)?.ok_or(UndoError::Unknown(number))?;
    if of.is_final() {
        return Err(UndoError::Final(number));
    }
    if let Some(by) = of.undone_by {
        return Err(UndoError::AlreadyUndone(number, by));
    }
    // What was restored follows no accepted copy, and neither does what takes it back.
    let action = if of.action == RESTORE_STORE { &of.action } else { &deed.action };
    let deed = &Deed { action: action.clone(), undoes: Some(number), ..deed.clone() };
    let inverse = inverse(home, database, &of)?;
    let location = location(&of)?;
    let (store, rest): (Vec<_>, Vec<_>) = inverse.into_iter().partition(|it| it.thing.node().is_some());
    let those = |is_one: fn(ThingKind) -> bool| -> Vec<Difference> {
        rest.iter().filter(|it| is_one(it.thing.kind)).cloned().collect()
    };
    let settings = those(|kind| kind == ThingKind::Setting);
    let mut decided = those(ThingKind::is_decision);
    for it in decided.iter().filter(|it| it.thing.kind == ThingKind::Trust) {
        approval_before(lock, number, it)?;
    }
    let in_database = those(ThingKind::is_of_the_database);
    let mut change = None;
    if !store.is_empty() {
        let undoes_creation =
            rest.iter().any(|it| it.thing.kind == ThingKind::ProjectStore && it.after.is_none());
        // The approval of a project's store goes with the store.
        let trust = decided.iter().position(|it| it.thing.kind == ThingKind::Trust);
        let approval = match (&location, trust) {
            (StoreLocation::Project(_), Some(place)) => {
                ApprovalAfter::Restored(approval_before(lock, number, &decided.remove(place))?)
            }
            _ => ApprovalAfter::Follows,
        };
        let ((), done) = transaction::run_in(&location, lock, database, deed, |graph, rows| {
            rows.approval = approval;
            rows.undoes_creation = undoes_creation;
            rows.changes.extend(in_database.into_iter().map(|it| (it.thing, it.after)));
            put_back(graph, &store, number)
        })?;
        change = done;
    } else if !in_database.is_empty() {
        change = match database.undo_rows(&in_database, deed)? {
            RowsUndone::By(change) => Some(change),
            RowsUndone::Differs(thing) => return Err(UndoError::NotAsLeft(number, thing)),
        };
    }
    if !settings.is_empty() {
        let put_back = |file: &mut ConfigFile| {
            for it in &settings {
                file.put(&it.thing.name, it.after.as_deref());
            }
        };
        change = setting_changes::save(lock, database, deed, put_back)?.or(change);
    }
    if !decided.is_empty() {
        let saved = decisions::save(lock, database, deed, |decisions| {
            for it in &decided {
                entries::put(decisions, it.thing.kind, &it.thing.name, it.after.as_deref());
            }
        })?;
        change = saved.change.or(change);
    }
    for file in those(|kind| kind == ThingKind::Shared) {
        change = Some(shared_files::carry_out(lock, database, deed, &file)?);
    }
    match (change, of.entries.first()) {
        (Some(change), _) => Ok(Undone { change, of }),
        // What it brought is needed by others, and what it took away is back.
        (None, Some(entry)) => Err(UndoError::NotAsLeft(number, entry.thing.clone())),
        (None, None) => Err(UndoError::Unknown(number)),
    }
}

/// Returns the store that a change was made to.
fn location(of: &Change) -> Result<StoreLocation, LedgerError> {
    let Some(root) = of.entries.iter().find_map(|entry| entry.thing.project()) else {
        return Ok(StoreLocation::User);
    };
    let approval = of.entries.iter().find(|entry| entry.thing.kind == ThingKind::Trust);
    let approved_at = approval.map_or(root, |entry| &entry.thing.name);
    Ok(StoreLocation::Project(ProjectRoot::new(root.as_ref())?.approved_at(approved_at)))
}

/// Returns the differences from now to before the change. Fails if a thing is not as the change left it.
fn inverse(home: &Home, database: &Database, of: &Change) -> Result<Vec<Difference>, UndoError> {
    let present = CurrentState::of(home, database);
    let number = of.number;
    let not_as_left = |thing: Thing| -> Result<UndoError> {
        Ok(match database.changed_after(&thing, number)? {
            Some(later) => UndoError::ChangedSince { number, thing, later: Box::new(later) },
            None => UndoError::NotAsLeft(number, thing),
        })
    };
    let mut inverse = Vec::new();
    let mut left_alone = None;
    for entry in of.entries.iter().rev() {
        let thing = entry.thing.clone();
        let is_candidate = thing.kind == ThingKind::Candidate;
        let now = present.text_of(&thing)?;
        match &entry.before {
            // The proposal was withdrawn since.
            None if is_candidate && now.is_none() => {}
            // It was withdrawn by this scan, and the next one proposes it again if it finds it again.
            Some(_) if is_candidate && now.is_none() && entry.after.is_none() => {
                left_alone = Some(UndoError::NotKept(number, thing));
            }
            before if now == entry.after => {
                let is_kept = match (before, thing.kind) {
                    (Some(text), ThingKind::Setting | ThingKind::AcceptedSetting) => config::is_value(text),
                    _ => true,
                };
                if before.is_some() && entry.is_redacted || !is_kept {
                    return Err(UndoError::NotKept(number, thing));
                }
                let after = if is_candidate { Some(target_of(before.clone())) } else { before.clone() };
                inverse.push(Difference { thing, before: now, after });
            }
            // Later changes of the store went into its approval too. It follows this one as it followed them.
            _ if thing.kind == ThingKind::Trust && of.is_of_a_project() => {}
            // Other lessons share it.
            _ if matches!(thing.node(), Some((NodeKind::Topic | NodeKind::Trigger, _))) => {
                left_alone = Some(not_as_left(thing)?);
            }
            _ => return Err(not_as_left(thing)?),
        }
    }
    left_alone.filter(|_| inverse.is_empty()).map_or(Ok(inverse), Err)
}

/// Restores lessons, topics and triggers.
fn put_back(graph: &mut Graph, inverse: &[Difference], number: u64) -> Result<(), UndoError> {
    let not_kept = |thing: &Thing| UndoError::NotKept(number, thing.clone());
    let mut lessons = Vec::new();
    let mut others = Vec::new();
    for it @ Difference { thing, before, after } in inverse {
        let Some((NodeKind::Lesson, id)) = thing.node() else {
            others.push(it);
            continue;
        };
        if in_graph(graph, thing) != *before {
            return Err(UndoError::NotAsLeft(number, thing.clone()));
        }
        let snapshot: Option<Snapshot> =
            after.as_deref().map(serde_json::from_str).transpose().map_err(|_| not_kept(thing))?;
        lessons.push((id, snapshot));
    }
    graph.restore(lessons);
    // A topic or a trigger that came with the change may be named by others by now.
    let named = graph.named();
    let is_named = |thing: &Thing| match thing.node() {
        Some((NodeKind::Topic, id)) => named.topics.contains(id),
        Some((_, id)) => named.triggers.contains(id),
        None => false,
    };
    others.retain(|it| it.after.is_some() || !is_named(&it.thing));
    for Difference { thing, after, .. } in others {
        let raw = after.as_deref().map(serde_json::from_str).transpose().map_err(|_| not_kept(thing))?;
        if let Some((kind, id)) = thing.node() {
            graph.set_node(kind, id, raw);
        }
    }
    Ok(())
}

/// The approval to which `to` leads; `None` for none. Fails if its copy is no longer kept.
fn approval_before(lock: &Lock, number: u64, to: &Difference) -> Result<Option<TrustedStore>, UndoError> {
    let store = to.after.as_deref().map(|text| {
        TrustedStore::of_journal(&to.thing.name, text)
            .filter(|store| trust::approved_lessons(lock.home(), store).is_some())
            .ok_or_else(|| UndoError::NotKept(number, to.thing.clone()))
    });
    store.transpose()
}

/// The name of a peer's lesson as people know it.
fn shown(name: &str) -> String {
    let known = received_name(name).and_then(|(author, id)| {
        Some(format!("peer-{}/{id}", KeyPrefix::of_key(&author.to_string())?.as_str()))
    });
    known.unwrap_or_else(|| name.to_owned())
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = neutral::line(&self.name);
        match self.kind {
            ThingKind::Lesson => write!(f, "user/{name}"),
            ThingKind::Topic
            | ThingKind::Trigger
            | ThingKind::Candidate
            | ThingKind::Setting
            | ThingKind::Incident
            | ThingKind::Peer => write!(f, "{} {name}", self.kind),
            ThingKind::AcceptedSetting | ThingKind::Shared => write!(f, "the {} {name}", self.kind),
            ThingKind::Label => write!(f, "an answer about a call of user/{}", label_parts(&name)[0]),
            ThingKind::Trust => write!(f, "the trust in {name}"),
            ThingKind::Accepted => write!(f, "the accepted copy of user/{name}"),
            ThingKind::ProjectStore => write!(f, "the lessons file of {name}"),
            ThingKind::ProjectLesson => match self.lesson() {
                Some(id) => write!(f, "{id}"),
                None => write!(f, "a lesson of {name}"),
            },
            ThingKind::ProjectTopic | ThingKind::ProjectTrigger => {
                let Some((kind, id)) = self.node() else { return Ok(()) };
                let root = neutral::line(self.project().unwrap_or_default());
                write!(f, "{kind} {} of {root}", neutral::line(id))
            }
            ThingKind::Received => f.write_str(&shown(&name)),
            ThingKind::Text => f.write_str("a text"),
        }
    }
}

#[cfg(test)]
mod tests;
