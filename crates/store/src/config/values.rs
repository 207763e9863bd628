//! The values of single settings: how each is read, what it takes where it is invalid, and the way between TOML and serde.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toml_edit::{Item, Value as TomlValue};

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

/// A share of sessions, or `off`.
pub(super) mod share_of_sessions {
    use lessons_lesson::lot::Share;
    use serde::{Deserialize, Deserializer, Serializer};

    /// The word for no share.
    const OFF: &str = "off";

    #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        share: &Option<Share>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(&share.map_or_else(|| OFF.to_owned(), |share| share.to_string()))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Share>, D::Error> {
        let text = String::deserialize(from)?;
        if text == OFF { Ok(None) } else { text.parse().map(Some).map_err(serde::de::Error::custom) }
    }
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
