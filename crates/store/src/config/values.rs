//! Single settings: the entries of a file, each by its key with its value in TOML; how a value is read, what it takes where
//! it is invalid, and the way between TOML and serde.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use lessons_lesson::Share;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use toml_edit::{Item, Table, TableLike, Value as TomlValue};

use crate::accepted::{SettingTexts, decides};
use crate::config::{ConfigFile, default_values, domains_of};

/// A whole number from `LOW` to `HIGH`.
pub(super) fn whole<'de, const LOW: i64, const HIGH: i64, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: TryFrom<i64>,
    D: Deserializer<'de>,
{
    let number = i64::deserialize(deserializer).ok().filter(|number| (LOW..=HIGH).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Error::custom(format!("a number from {LOW} to {HIGH}")))
}

/// A number from 0 to 1.
pub(super) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer).ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| Error::custom("a number from 0 to 1"))
}

pub(super) fn folders<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    Vec::deserialize(deserializer).map_err(|_| Error::custom("a list of folders"))
}

pub(super) fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Vec::deserialize(deserializer).map_err(|_| Error::custom("a list of ids"))
}

/// The topics and tags that are the business of an agent.
pub(super) fn domains(value: &Value) -> Result<Vec<String>, String> {
    Vec::deserialize(value).map_err(|_| "a list of topics and tags".to_owned())
}

/// The time until which something is switched off; `None` is for ever.
pub(super) fn end_of_switch(value: &Value) -> Result<Option<Timestamp>, String> {
    let text = value.as_str();
    let until = text.and_then(|text| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) });
    until.ok_or_else(|| "\"\" or a time such as \"2026-11-20T12:00:00Z\"".to_owned())
}

/// Reads a type from one of its settings alone. The error is what the setting takes.
pub(super) fn read<T: DeserializeOwned>(key: &str, value: &Value) -> Result<T, String> {
    let one = Map::from_iter([(key.to_owned(), value.clone())]);
    T::deserialize(Value::Object(one)).map_err(|error| {
        let error = error.to_string();
        let expected = error.rsplit_once(", expected ").map_or(error.as_str(), |(_, expected)| expected);
        expected.replace("a boolean", "true or false")
    })
}

/// A value of TOML for serde. What is no value, such as a list of tables, is null, which no setting takes.
pub(super) fn json(item: &Item) -> Value {
    fn of(value: &TomlValue) -> Value {
        match value {
            TomlValue::String(text) => text.value().as_str().into(),
            TomlValue::Integer(number) => (*number.value()).into(),
            TomlValue::Float(number) => (*number.value()).into(),
            TomlValue::Boolean(value) => (*value.value()).into(),
            TomlValue::Array(values) => values.iter().map(of).collect(),
            TomlValue::Datetime(_) | TomlValue::InlineTable(_) => Value::Null,
        }
    }
    item.as_value().map_or(Value::Null, of)
}

/// A value of a setting in TOML.
pub(super) fn toml(value: &Value) -> TomlValue {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::Array(values) => values.iter().map(toml).collect(),
        Value::Null | Value::Object(_) => false.into(),
    }
}

/// The word for no share of sessions.
const OFF: &str = "off";

#[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
pub(super) fn write_share<S: Serializer>(share: &Option<Share>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&share.map_or_else(|| OFF.to_owned(), |share| share.to_string()))
}

/// A share of sessions, or `off`.
pub(super) fn read_share<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Share>, D::Error> {
    let text = String::deserialize(from)?;
    if text == OFF { Ok(None) } else { text.parse().map(Some).map_err(Error::custom) }
}

/// How a model reads what happened in sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReflectSettings {
    /// Whether the nightly run has a model read.
    #[serde(rename = "reflect.nightly")]
    pub nightly: bool,
    /// The command line of the model that reads then; `claude` is Claude Code without tools.
    #[serde(rename = "reflect.command", deserialize_with = "command")]
    pub command: String,
    /// The most tokens of a reading.
    #[serde(rename = "reflect.tokens", deserialize_with = "whole::<500, 100_000, _, _>")]
    pub tokens: usize,
    /// The most readings of a night.
    #[serde(rename = "reflect.readings", deserialize_with = "whole::<1, 50, _, _>")]
    pub readings: usize,
}

impl Default for ReflectSettings {
    /// Nobody reads at night, and a reading is what a model reads well at once.
    fn default() -> Self {
        Self { nightly: false, command: "claude".into(), tokens: 7_000, readings: 3 }
    }
}

fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer).ok().filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| Error::custom("a command line"))
}

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
    pub(super) fn set(&mut self, key: &str, value: Option<TomlValue>) -> bool {
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
    text.parse::<TomlValue>().is_ok()
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
