//! The settings of readings: `reflect.…`.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

use super::values::whole;

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
