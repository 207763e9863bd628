//! What differs between the accepted copies and the files that anybody can edit: compared, accepted, or put back.

use std::collections::BTreeSet;

use lessons_home::{Home, files};
use lessons_lesson::LessonId;
use lessons_store::accepted::SettingTexts;
use lessons_store::load::MAX_BYTES;
use lessons_store::{
    Accepted, ConfigFile, Decisions, DecisionsError, Graph, LessonChange, LoadError, Lock, Snapshot,
    Unaccepted, decisions, durable, load,
};

use crate::backup;
use crate::database::Database;
use crate::error::{LedgerError, Result};
use crate::journal::entries::snapshot_in;
use crate::journal::{Deed, Difference, RESTORE_STORE, Thing, ThingKind};
use crate::transaction;

/// The accepted copies beside the store and the settings, as both are now.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The accepted copies.
    pub accepted: Accepted,
    /// The store.
    pub store: Graph,
    /// The settings of `config.toml` that decide what is in force.
    pub settings: SettingTexts,
    /// The lessons and settings that differ.
    pub unaccepted: Unaccepted,
    /// The reason why the accepted copies cannot be read. Then the store is compared with none.
    pub corrupt: Option<String>,
}

impl Comparison {
    /// Compares the files of `home`.
    pub fn of(home: &Home) -> Result<Self> {
        let (accepted, corrupt) = match Accepted::read(home) {
            Ok(accepted) => (accepted, None),
            Err(corrupt @ DecisionsError::Corrupt { .. }) => {
                (Accepted::none(home), Some(corrupt.to_string()))
            }
            Err(error) => return Err(error.into()),
        };
        let store = load::lessons(home)?;
        let settings = ConfigFile::read(&home.config())?.deciding();
        let unaccepted =
            Unaccepted::between((accepted.graph.lessons(), &accepted.settings), (store.lessons(), &settings));
        Ok(Self { accepted, store, settings, unaccepted, corrupt })
    }

    /// The accepted copies with everything that differs taken over.
    fn accepting(&self) -> Accepted {
        let mut next = self.accepted.clone();
        let lessons = self.unaccepted.lessons.iter().map(|(id, change)| {
            let stored = || Snapshot::of(&self.store, id.as_str());
            (id.to_string(), if *change == LessonChange::Removed { None } else { stored() })
        });
        next.graph.place(lessons.collect());
        next.graph.add_topics_of(&self.store);
        next.settings.clone_from(&self.settings);
        next
    }
}

/// The result of accepting.
#[derive(Debug)]
pub struct Settled {
    /// The differences that were accepted.
    pub comparison: Comparison,
    /// The lessons that are not in the store and were in force, where the accepted copies could not be read, or whose
    /// refusals were lost. They are accepted as removed.
    pub only_in_force: Vec<LessonId>,
    /// The number of the change in the journal; `None` where nothing differed.
    pub change: Option<u64>,
}

/// Accepts everything that differs. A corrupt `decisions.json` is kept in `backups/`, and what the store holds is
/// accepted anew. `in_force` are the user's lessons that are in force, `lost` those that should refuse calls and are nowhere.
pub fn accept(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    in_force: Vec<LessonId>,
    lost: Vec<LessonId>,
) -> Result<Settled> {
    let home = lock.home();
    let decisions = match transaction::recover(lock, database) {
        Ok(()) => Decisions::read(home)?,
        Err(LedgerError::Decisions(DecisionsError::Corrupt { path, .. })) => {
            if let Some(bytes) = files::read(&path, decisions::MAX_BYTES)? {
                backup::back_up(home, &bytes)?;
            }
            Decisions::none(home)
        }
        Err(error) => return Err(error),
    };
    let comparison = Comparison::of(home)?;
    let mut only_in_force = if comparison.corrupt.is_some() { in_force } else { lost };
    only_in_force.retain(|id| comparison.store.get(id).is_none());
    if comparison.unaccepted.is_empty() && comparison.corrupt.is_none() && only_in_force.is_empty() {
        return Ok(Settled { comparison, only_in_force: Vec::new(), change: None });
    }
    let mut next = decisions.clone();
    next.accepted = comparison.accepting();
    let mut rows = Difference::of_decisions(&decisions, &next);
    // Without a row a build would take a block among them for one that was lost by other means.
    rows.extend(only_in_force.iter().map(|id| Difference {
        thing: Thing::new(ThingKind::Accepted, id.as_str()),
        before: None,
        after: None,
    }));
    let change = transaction::carry_out(home, database, deed, &rows, Some(&mut next), || Ok(()))?;
    Ok(Settled { comparison, only_in_force, change: Some(change) })
}

/// Restores the lessons of the store from the accepted copies. A store that cannot be read is kept in `backups/`.
pub fn restore_store(lock: &Lock, database: &mut Database, deed: &Deed) -> Result<Option<u64>> {
    let home = lock.home();
    let deed = &Deed { action: RESTORE_STORE.into(), ..deed.clone() };
    let restored = transaction::run(lock, database, deed, |graph| {
        let accepted = Accepted::read(home)?;
        // A lesson that cannot be used differs from any accepted copy, and without one it goes.
        let differs = |id: &&str| match (accepted.graph.usable(id), graph.usable(id)) {
            (None, None) => accepted.graph.raw(id).is_none(),
            (copy, stored) => copy != stored,
        };
        let ids: BTreeSet<&str> = accepted.graph.ids().chain(graph.ids()).filter(differs).collect();
        let copy = |id: &str| (id.to_owned(), Snapshot::of(&accepted.graph, id));
        let copies: Vec<_> = ids.into_iter().map(copy).collect();
        graph.place(copies);
        graph.add_topics_of(&accepted.graph);
        Ok::<_, DecisionsError>(())
    });
    match restored {
        Ok(((), change)) => Ok(change),
        Err(LedgerError::Load(LoadError::Unreadable { .. })) => replace_store(lock, database, deed),
        Err(error) => Err(error),
    }
}

/// Writes the accepted copies in the place of a store that cannot be read.
fn replace_store(lock: &Lock, database: &mut Database, deed: &Deed) -> Result<Option<u64>> {
    let home = lock.home();
    let accepted = Accepted::read(home)?;
    if let Some(bytes) = files::read(&home.lessons(), MAX_BYTES)? {
        backup::back_up(home, &bytes)?;
    }
    // The old store cannot be read, so the rows name the new one as before and after, and nothing can undo this.
    let unchanged = |id: &str| {
        let copy = snapshot_in(&accepted.graph, id);
        Difference { thing: Thing::new(ThingKind::Lesson, id), before: copy.clone(), after: copy }
    };
    let rows: Vec<Difference> = accepted.graph.ids().map(unchanged).collect();
    let bytes = accepted.graph.to_bytes();
    // A process that died in this change has announced it already.
    if let Some(begun) = database.pending()?.into_iter().find(|entry| entry.action == RESTORE_STORE) {
        durable::replace(&home.lessons(), &bytes)?;
        transaction::recover(lock, database)?;
        return Ok(Some(begun.change));
    }
    let write = || durable::replace(&home.lessons(), &bytes);
    transaction::carry_out(home, database, deed, &rows, None, write).map(Some)
}
