//! A reader of the values of single settings, which reports those that make no sense.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use toml_edit::{Item, Value};

use super::{BadSetting, ConfigFile};

pub(super) fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
}

/// The range of a setting that is a whole number.
pub(super) struct Whole {
    pub(super) expected: &'static str,
    pub(super) allowed: RangeInclusive<i64>,
}

impl Whole {
    pub(super) fn read<T: TryFrom<i64>>(&self, value: &Value) -> Option<T> {
        let number = value.as_integer().filter(|number| self.allowed.contains(number))?;
        T::try_from(number).ok()
    }
}

/// A reader of single settings that collects the invalid ones.
pub(super) struct Reader<'f> {
    pub(super) file: &'f ConfigFile,
    pub(super) bad: Vec<BadSetting>,
}

impl Reader<'_> {
    pub(super) fn get<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        default: T,
        read: impl Fn(&Value) -> Option<T>,
    ) -> T {
        let Some(found) = self.file.item(key) else { return default };
        found.as_value().and_then(read).unwrap_or_else(|| {
            self.report(key, expected);
            default
        })
    }

    pub(super) fn number<T: TryFrom<i64>>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        allowed: RangeInclusive<i64>,
        default: T,
    ) -> T {
        let whole = Whole { expected, allowed };
        self.get(key, expected, default, |value| whole.read(value))
    }

    pub(super) fn whole(&mut self, key: &'static str, whole: &Whole, default: usize) -> usize {
        self.get(key, whole.expected, default, |value| whole.read(value))
    }

    pub(super) fn off(&mut self) -> BTreeMap<String, Option<Timestamp>> {
        let Some(table) = self.file.document.get("off").and_then(Item::as_table_like) else {
            return BTreeMap::new();
        };
        let mut off = BTreeMap::new();
        for (id, until) in table.iter() {
            match until.as_str().map(|text| (text.is_empty(), text.parse::<Timestamp>())) {
                Some((true, _)) => off.insert(id.to_owned(), None),
                Some((_, Ok(until))) => off.insert(id.to_owned(), Some(until)),
                // It was meant to be off, so it is, although the time is invalid.
                _ => {
                    self.report(&format!("off.{id}"), "\"\" or a time such as \"2026-11-20T12:00:00Z\"");
                    off.insert(id.to_owned(), None)
                }
            };
        }
        off
    }

    pub(super) fn report(&mut self, key: &str, expected: &'static str) {
        let place = self.file.path.display().to_string();
        self.bad.push(BadSetting { place, key: key.to_owned(), expected });
    }
}
