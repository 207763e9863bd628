//! Every change of `config.toml`, setting by setting, written down in the journal.

use std::collections::{BTreeMap, BTreeSet};

use lessons_core::home::Home;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::{ConfigError, ConfigFile, WITH_VARIABLE};
use crate::accepted::{Accepted, AcceptedError, SettingTexts, decides};
use crate::database::{Database, DatabaseError};
use crate::durable::{self, WriteError};
use crate::journal::{Deed, Difference, Kind, Thing};
use crate::lock::Lock;
use crate::transaction;

/// Why settings were not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The settings cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What is accepted cannot be read.
    #[error(transparent)]
    Accepted(#[from] AcceptedError),
    /// The database said no.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Changes the settings and writes that down. Returns the number of the change, where it is one.
pub fn save(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    change: impl FnOnce(&mut ConfigFile),
) -> Result<Option<u64>, SaveError> {
    save_as(lock, database, deed, None, change)
}

/// Puts settings where they were before a change.
pub(crate) fn put_back(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: u64,
    inverse: &[Difference],
) -> Result<Option<u64>, SaveError> {
    save_as(lock, database, deed, Some(undoes), |file| {
        for Difference { thing, after, .. } in inverse {
            file.put(&thing.name, after.as_deref());
        }
    })
}

fn save_as(
    lock: &Lock,
    database: &mut Database,
    deed: &Deed,
    undoes: Option<u64>,
    change: impl FnOnce(&mut ConfigFile),
) -> Result<Option<u64>, SaveError> {
    let home = lock.home();
    transaction::settle_what_can_be(home, database);
    let before = ConfigFile::read(&home.config())?;
    let mut after = before.clone();
    change(&mut after);
    let differences = differences(&before, &after);
    let write = || durable::replace(&home.config(), &after.to_bytes());
    if differences.is_empty() {
        write()?;
        return Ok(None);
    }
    let accepted = following(home, &differences)?;
    let write = || -> Result<(), SaveError> {
        write()?;
        Ok(accepted.iter().try_for_each(|accepted| accepted.write(home))?)
    };
    transaction::carry_out(home, database, deed, undoes, &differences, write).map(Some)
}

/// Changes the settings where the database cannot be opened, so that the change cannot be written down. Switching a
/// lesson off must work all the same.
pub fn save_unlogged(lock: &Lock, change: impl FnOnce(&mut ConfigFile)) -> Result<(), SaveError> {
    let home = lock.home();
    let before = ConfigFile::read(&home.config())?;
    let mut after = before.clone();
    change(&mut after);
    let accepted = following(home, &differences(&before, &after))?;
    durable::replace(&home.config(), &after.to_bytes())?;
    Ok(accepted.iter().try_for_each(|accepted| accepted.write(home))?)
}

/// The accepted copies with a change of settings; `None` where there are none yet: they begin with the settings as
/// they are then.
fn following(home: &Home, differences: &[Difference]) -> Result<Option<Accepted>, SaveError> {
    let mut accepted = Accepted::read(home)?;
    if let Some(accepted) = &mut accepted {
        accepted.follow(differences.iter().map(Difference::changed));
    }
    Ok(accepted)
}

fn differences(before: &ConfigFile, after: &ConfigFile) -> Vec<Difference> {
    let (before, after) = (before.entries(), after.entries());
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    keys.into_iter()
        .filter(|key| before.get(*key) != after.get(*key))
        .map(|key| Difference {
            thing: Thing::new(Kind::Setting, key),
            before: before.get(key).cloned(),
            after: after.get(key).cloned(),
        })
        .collect()
}

impl ConfigFile {
    /// Every setting by its key, as TOML.
    pub(crate) fn entries(&self) -> BTreeMap<String, String> {
        let mut entries = BTreeMap::new();
        for (key, item) in self.document.iter() {
            match item.as_table_like() {
                Some(table) => entries.extend(
                    table.iter().filter_map(|(name, item)| Some((format!("{key}.{name}"), text_of(item)?))),
                ),
                None => entries.extend(text_of(item).map(|text| (key.to_owned(), text))),
            }
        }
        entries
    }

    /// The settings that decide what is in force, by their keys.
    pub fn deciding(&self) -> SettingTexts {
        self.entries().into_iter().filter(|(key, _)| decides(key)).collect()
    }

    /// The same file with the accepted values for the settings that decide what is in force.
    #[must_use]
    pub fn with_accepted(mut self, accepted: &SettingTexts) -> Self {
        for key in self.deciding().keys().filter(|key| !accepted.contains_key(*key)) {
            self.put(key, None);
        }
        for (key, text) in accepted {
            self.put(key, Some(text));
        }
        self
    }

    /// The keys that no setting has, such as one with a slip of the pen.
    pub fn unknown(&self) -> Vec<String> {
        let mut every = Self { path: self.path.clone(), document: DocumentMut::new() };
        every.write_defaults();
        let known = every.entries();
        let is_known =
            |key: &str| known.contains_key(key) || WITH_VARIABLE.contains(&key) || key.starts_with("off.");
        self.entries().into_keys().filter(|key| !is_known(key)).collect()
    }

    /// Sets a setting to a value in TOML, or takes it out.
    fn put(&mut self, key: &str, text: Option<&str>) {
        let value = text.and_then(|text| text.parse::<Value>().ok());
        let (table, name) = match key.split_once('.') {
            Some((table, name)) => {
                let item = self.document.entry(table).or_insert_with(|| Item::Table(Table::new()));
                (item.as_table_like_mut(), name)
            }
            None => (Some(self.document.as_table_mut() as &mut dyn TableLike), key),
        };
        match (table, value) {
            (Some(table), Some(value)) => drop(table.insert(name, Item::Value(value))),
            (Some(table), None) => drop(table.remove(name)),
            (None, _) => {}
        }
    }
}

/// Whether a text is a value in TOML.
pub(crate) fn is_value(text: &str) -> bool {
    text.parse::<Value>().is_ok()
}

/// A value without what stands around it.
fn text_of(item: &Item) -> Option<String> {
    let mut value = item.as_value()?.clone();
    value.decor_mut().clear();
    Some(value.to_string())
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
        let differences = differences(&before, &after);
        let names: Vec<&str> = differences.iter().map(|it| it.thing.name.as_str()).collect();
        assert_eq!(names, ["off.user/x", "seeds.off"]);
        for it in &differences {
            after.put(&it.thing.name, it.before.as_deref());
        }
        assert_eq!(after.entries(), before.entries());
        let text = String::from_utf8(after.to_bytes()).unwrap();
        assert!(text.starts_with("# mine\nenabled = true # yes"), "{text}");
    }

    #[test]
    fn a_key_that_no_setting_has_is_told() {
        let text =
            "recallLimit = 3\nrecalLimit = 4\n[scan]\nfollow = true\nfolow = 1\n[off]\n\"user/a\" = \"\"\n";
        assert_eq!(file(text).unknown(), ["recalLimit", "scan.folow"]);
    }

    #[test]
    fn a_setting_in_any_spelling_has_one_key() {
        for text in ["[budget]\nbytes = 1000", "budget.bytes = 1000", "budget = { bytes = 1000 }"] {
            assert_eq!(file(text).entries(), [("budget.bytes".to_owned(), "1000".to_owned())].into());
        }
    }
}
