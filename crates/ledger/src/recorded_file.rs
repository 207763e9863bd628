//! Changes of a file of ours that the journal records thing by thing: read, changed, compared, announced, written.

use std::collections::{BTreeMap, BTreeSet};

use lessons_home::home::Home;
use lessons_store::lock::Lock;

use crate::database::Database;
use crate::error::LedgerError;
use crate::journal::{Deed, Difference, Thing, ThingKind};
use crate::transaction;

/// A file of ours that is written as a whole and recorded thing by thing.
pub(crate) trait RecordedFile: Clone {
    /// The kind of its things.
    const KIND: ThingKind;

    /// Reads the file of `home`. A missing one is empty.
    fn read(home: &Home) -> Result<Self, LedgerError>;

    /// Returns its things by name, each as the journal stores it: the same text for the same state.
    fn things(&self) -> BTreeMap<String, String>;

    /// Puts a thing as the journal stored it; `None` removes it. What cannot be read any more changes nothing.
    fn put_back(&mut self, name: &str, text: Option<&str>);

    /// Replaces the file of `home` by this one, and what follows from these differences with it.
    fn write(&self, home: &Home, differences: &[Difference]) -> Result<(), LedgerError>;
}

/// The result of a change.
pub(crate) struct Saved<F, T = ()> {
    /// The value that the change returned.
    pub(crate) value: T,
    /// The file before it.
    pub(crate) before: F,
    /// The file after it.
    pub(crate) after: F,
    /// The number of the change; `None` where nothing changed.
    pub(crate) change: Option<u64>,
}

/// Changes a file and records that. Nothing is written where no thing changes.
pub(crate) fn save<F: RecordedFile, T>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: Option<u64>,
    change: impl FnOnce(&mut F) -> T,
) -> Result<Saved<F, T>, LedgerError> {
    let home = lock.home();
    transaction::settle_what_can_be(home, database);
    let before = F::read(home)?;
    let mut after = before.clone();
    let value = change(&mut after);
    let differences = differences(&before, &after);
    let change = if differences.is_empty() {
        None
    } else {
        let write = || after.write(home, &differences);
        Some(transaction::carry_out(home, database, deed, undoes, &differences, write)?)
    };
    Ok(Saved { value, before, after, change })
}

/// Restores things as they were before the change `undoes`.
pub(crate) fn put_back<F: RecordedFile>(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Saved<F>, LedgerError> {
    save(lock, database, deed, Some(undoes), |file: &mut F| {
        for Difference { thing, after, .. } in inverse {
            file.put_back(&thing.name, after.as_deref());
        }
    })
}

/// Returns the things that differ, ascending by name.
pub(crate) fn differences<F: RecordedFile>(before: &F, after: &F) -> Vec<Difference> {
    let (mut before, mut after) = (before.things(), after.things());
    let names: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
    names
        .into_iter()
        .map(|name| {
            let (before, after) = (before.remove(&name), after.remove(&name));
            Difference { thing: Thing::new(F::KIND, name), before, after }
        })
        .filter(|difference| difference.before != difference.after)
        .collect()
}
