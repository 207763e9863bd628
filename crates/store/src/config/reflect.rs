//! The settings of readings: `reflect.…`.

use toml_edit::Value;

use super::TRUE_OR_FALSE;
use super::reader::{Reader, Whole};

const TOKENS: Whole = Whole { expected: "a whole number from 500 to 100000", allowed: 500..=100_000 };
const READINGS: Whole = Whole { expected: "a whole number from 1 to 50", allowed: 1..=50 };

/// How a model reads what happened in sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectSettings {
    /// Whether the nightly run has a model read.
    pub nightly: bool,
    /// The command line of the model that reads then; `claude` is Claude Code without tools.
    pub command: String,
    /// The most tokens of a reading.
    pub tokens: usize,
    /// The most readings of a night.
    pub readings: usize,
}

impl Default for ReflectSettings {
    /// Nobody reads at night, and a reading is what a model reads well at once.
    fn default() -> Self {
        Self { nightly: false, command: "claude".into(), tokens: 7_000, readings: 3 }
    }
}

impl Reader<'_> {
    /// The settings of readings.
    pub(super) fn reflect(&mut self, default: ReflectSettings) -> ReflectSettings {
        let command =
            |value: &Value| value.as_str().map(str::to_owned).filter(|text| !text.trim().is_empty());
        ReflectSettings {
            nightly: self.get("reflect.nightly", TRUE_OR_FALSE, default.nightly, Value::as_bool),
            command: self.get("reflect.command", "a command line", default.command, command),
            tokens: self.whole("reflect.tokens", &TOKENS, default.tokens),
            readings: self.whole("reflect.readings", &READINGS, default.readings),
        }
    }
}
