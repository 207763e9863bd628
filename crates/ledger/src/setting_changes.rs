//! Changes of `config.toml`, which the journal records setting by setting.

use std::collections::BTreeMap;

use lessons_home::home::Home;
use lessons_store::accepted::Accepted;
use lessons_store::config::ConfigFile;
use lessons_store::durable;
use lessons_store::lock::Lock;

use crate::database::{Database, DatabaseError};
use crate::error::LedgerError;
use crate::follow::follow;
use crate::journal::{Deed, Difference, ThingKind};
use crate::recorded_file::{self, RecordedFile, Saved};

impl RecordedFile for ConfigFile {
    const KIND: ThingKind = ThingKind::Setting;

    fn read(home: &Home) -> Result<Self, LedgerError> {
        Ok(Self::read(&home.config())?)
    }

    fn things(&self) -> BTreeMap<String, String> {
        self.entries()
    }

    fn put_back(&mut self, name: &str, text: Option<&str>) {
        self.put(name, text);
    }

    fn write(&self, home: &Home, differences: &[Difference]) -> Result<(), LedgerError> {
        let accepted = following(home, differences)?;
        durable::replace(&home.config(), &self.to_bytes())?;
        Ok(accepted.iter().try_for_each(|accepted| accepted.write(home))?)
    }
}

/// Changes the settings and records that. Returns the number of the change, if anything changed.
pub fn save(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut ConfigFile),
) -> Result<Option<u64>, LedgerError> {
    let Saved { after, change, .. } = recorded_file::save(lock, database, deed, None, change)?;
    if change.is_none() {
        // A comment or the order of the file may differ.
        durable::replace(&lock.home().config(), &after.to_bytes())?;
    }
    Ok(change)
}

/// Restores settings as they were before a change.
pub(crate) fn put_back(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Option<u64>, LedgerError> {
    recorded_file::put_back::<ConfigFile>(lock, database, deed, undoes, inverse).map(|saved| saved.change)
}

/// Changes the settings where the database cannot be opened, so that the change cannot be written down. Switching a
/// lesson off must work all the same.
pub fn save_unlogged(
    lock: &Lock,
    deed: &Deed,
    change: impl FnOnce(&mut ConfigFile),
) -> Result<(), LedgerError> {
    let home = lock.home();
    let before = ConfigFile::read(&home.config())?;
    let mut after = before.clone();
    change(&mut after);
    let differences = recorded_file::differences(&before, &after);
    deed.consent.to(&differences).map_err(DatabaseError::from)?;
    RecordedFile::write(&after, home, &differences)
}

/// The accepted copies with a change of settings; `None` where there are none yet: they begin with the settings as
/// they are then.
fn following(home: &Home, differences: &[Difference]) -> Result<Option<Accepted>, LedgerError> {
    let mut accepted = Accepted::read(home)?;
    if let Some(accepted) = &mut accepted {
        follow(accepted, differences.iter().map(Difference::changed));
    }
    Ok(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> ConfigFile {
        ConfigFile::parse("config.toml", text.into()).unwrap()
    }

    #[test]
    fn what_a_change_did_can_be_put_back() {
        let text = "# mine\nenabled = true # yes\n\n[seeds]\noff = [\"a\", \"b\"]\n";
        let before = file(text);
        let mut after = before.clone();
        after.switch_off("user/x", None);
        after.switch_on("seed/a");
        let differences = recorded_file::differences(&before, &after);
        let names: Vec<&str> = differences.iter().map(|it| it.thing.name.as_str()).collect();
        assert_eq!(names, ["off.user/x", "seeds.off"]);
        for it in &differences {
            after.put(&it.thing.name, it.before.as_deref());
        }
        assert_eq!(after.entries(), before.entries());
        let text = String::from_utf8(after.to_bytes()).unwrap();
        assert!(text.starts_with("# mine\nenabled = true # yes"), "{text}");
    }
}
