//! The settings of a file one by one, each by its key, with its value in TOML.

use std::collections::BTreeMap;

use toml_edit::{Item, Table, TableLike, Value};

use super::{ConfigFile, default_values, domains_of};
use crate::accepted::{SettingTexts, decides};

impl ConfigFile {
    /// Returns everything in the file that is no table, by its key, ascending. Arrays of tables count.
    pub(super) fn items(&self) -> BTreeMap<String, &Item> {
        let mut items = BTreeMap::new();
        let mut left: Vec<(String, &Item)> =
            self.document.iter().map(|(key, item)| (key.to_owned(), item)).collect();
        while let Some((key, item)) = left.pop() {
            match item.as_table_like() {
                Some(table) => left.extend(table.iter().map(|(name, item)| (format!("{key}.{name}"), item))),
                None => drop(items.insert(key, item)),
            }
        }
        items
    }

    /// Returns every setting by its key, with its value in TOML.
    pub fn entries(&self) -> BTreeMap<String, String> {
        self.items().into_iter().filter_map(|(key, item)| Some((key, text_of(item)?))).collect()
    }

    /// Returns the settings that decide what is in force.
    pub fn deciding(&self) -> SettingTexts {
        self.entries().into_iter().filter(|(key, _)| decides(key)).collect()
    }

    /// Returns the file with the accepted values for the settings that decide what is in force.
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

    /// Returns the keys that name no setting, such as misspelt ones.
    pub fn unknown(&self) -> Vec<String> {
        let known = default_values();
        let is_known =
            |key: &str| known.contains_key(key) || key.starts_with("off.") || domains_of(key).is_some();
        self.entries().into_keys().filter(|key| !is_known(key)).collect()
    }

    /// Sets a setting to a value in TOML, or removes it.
    pub fn put(&mut self, key: &str, text: Option<&str>) {
        self.set(key, text.and_then(|text| text.parse().ok()));
    }

    /// Sets a setting, in tables that are made where they are missing, or removes it. Returns `false` where something else
    /// stands in the place of a table. The id of a lesson in `off` is one part of a key, whatever it holds.
    pub(super) fn set(&mut self, key: &str, value: Option<Value>) -> bool {
        let parts: Vec<&str> = match key.split_once('.') {
            Some(("off", id)) => vec!["off", id],
            _ => key.split('.').collect(),
        };
        let Some((name, tables)) = parts.split_last() else { return false };
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for part in tables {
            let inside = table.entry(part).or_insert_with(|| Item::Table(Table::new())).as_table_like_mut();
            let Some(inside) = inside else { return false };
            table = inside;
        }
        match value {
            Some(value) => drop(table.insert(name, Item::Value(value))),
            None => drop(table.remove(name)),
        }
        true
    }
}

/// Returns whether a text is a value in TOML.
pub fn is_value(text: &str) -> bool {
    text.parse::<Value>().is_ok()
}

/// Returns a value without the white space and comments around it.
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
    fn a_key_that_no_setting_has_is_told() {
        let text = "limit = 4\n[query]\nlimit = 3\ntokens = 5\n[scan]\nfollow = true\nfolow = 1\n[off]\n\"user/a\" = \"\"\n";
        assert_eq!(file(text).unknown(), ["limit", "scan.folow"]);
    }

    #[test]
    fn a_setting_in_any_spelling_has_one_key() {
        for text in ["[budget]\nbytes = 1000", "budget.bytes = 1000", "budget = { bytes = 1000 }"] {
            assert_eq!(file(text).entries(), [("budget.bytes".to_owned(), "1000".to_owned())].into());
        }
    }
}
