//! The same demand in other words: signals whose texts, and the calls that they are about, are alike.
//!
//! It is decided over all signals at once, the earliest first, so it does not matter in how many scans they came in. Words
//! are compared, and of scripts that are written without spaces pairs of letters.

use std::cmp::Reverse;
use std::collections::HashMap;

use lessons_ledger::recording::signals::WordedSignal;
use lessons_ledger::{Database, DatabaseError};
use lessons_text::digest;
use lessons_text::words::{is_filler, tokens};

use super::statement;
use crate::detect::Detector;
use crate::detect::statement::phrases::is_lead;
use crate::detect::statement::sentence::sentences;

/// The number of hex digits of a key.
const KEY_DIGITS: usize = 32;

/// Gives the signals of one demand one key, and those of failures with one way out.
pub(crate) fn join(database: &mut Database) -> Result<(), DatabaseError> {
    for detector in [Detector::Asked, Detector::Correction, Detector::Demand, Detector::Repetition] {
        let signals = database.worded_signals(&[detector.name()])?;
        let keys = if detector == Detector::Repetition { keys_of_ways_out(&signals) } else { keys(&signals) };
        let joined = signals.into_iter().zip(keys).filter(|(signal, key)| signal.key != *key);
        database.join_signals(&joined.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// The first signal of a kin.
struct FirstOfKin<'s> {
    key: String,
    /// The number of its features.
    size: usize,
    calls: &'s str,
    sides: Sides,
}

/// What a demand wants, and what it does not want.
#[derive(Debug, Default)]
struct Sides {
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

impl Sides {
    fn of(text: &str) -> Self {
        let Some(found) = statement(sentences(text), &|_| false) else { return Self::default() };
        let telling = |words: Vec<String>| {
            words.into_iter().filter(|word| !is_filler(word) && !is_lead(word)).collect()
        };
        Self { wanted: telling(found.wanted), unwanted: telling(found.unwanted) }
    }

    /// Whether two demands want what the other does not.
    fn oppose(&self, other: &Self) -> bool {
        let wants = |one: &Self, other: &Self| {
            one.wanted.iter().any(|word| other.unwanted.contains(word) && !one.unwanted.contains(word))
        };
        let has_all = |one: &Self, other: &Self| {
            one.unwanted.is_empty() && one.wanted.iter().all(|word| other.unwanted.contains(word))
        };
        wants(self, other) && (wants(other, self) || has_all(self, other))
            || wants(other, self) && has_all(other, self)
    }
}

impl FirstOfKin<'_> {
    /// Whether a signal with as many features, of which some are common, is of the same kin: at least half of what both have.
    /// The calls that they are about count as one feature more, where both name some.
    fn is_like(&self, signal: &WordedSignal, features: usize, common: usize) -> bool {
        let name_calls = !self.calls.is_empty() && !signal.calls.is_empty();
        let same_calls = usize::from(name_calls && self.calls == signal.calls);
        let different_calls = if name_calls { 2 - 2 * same_calls } else { 0 };
        let all = features + self.size - common + same_calls + different_calls;
        (common + same_calls) * 2 >= all
    }
}

/// The key of each signal: that of the earliest one that is like it.
fn keys(signals: &[WordedSignal]) -> Vec<String> {
    let mut first: Vec<FirstOfKin<'_>> = Vec::new();
    let mut with_feature: HashMap<String, Vec<usize>> = HashMap::new();
    let mut keys = Vec::with_capacity(signals.len());
    for signal in signals {
        let (features, sides) = (features(&signal.text), Sides::of(&signal.text));
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for number in features.iter().filter_map(|feature| with_feature.get(feature)).flatten() {
            *shared.entry(*number).or_default() += 1;
        }
        let is_kin = |(number, common): &(usize, usize)| {
            let first = &first[*number];
            first.is_like(signal, features.len(), *common) && !first.sides.oppose(&sides)
        };
        let kin =
            shared.into_iter().filter(is_kin).max_by_key(|(number, common)| (*common, Reverse(*number)));
        if let Some((number, _)) = kin {
            keys.push(first[number].key.clone());
        } else {
            let key = digest::hex_of_parts(&[signal.detector.as_bytes(), signal.text.as_bytes()], KEY_DIGITS);
            for feature in &features {
                with_feature.entry(feature.clone()).or_default().push(first.len());
            }
            first.push(FirstOfKin { key: key.clone(), size: features.len(), calls: &signal.calls, sides });
            keys.push(key);
        }
    }
    keys
}

/// The key of each failure: that of the earliest one that the same way out got past, whatever its error said.
fn keys_of_ways_out(signals: &[WordedSignal]) -> Vec<String> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for signal in signals.iter().filter(|signal| !signal.way_out.is_empty()) {
        first.entry(&signal.way_out).or_insert(&signal.key);
    }
    let key =
        |signal: &WordedSignal| first.get(&*signal.way_out).map_or(&*signal.key, |first| *first).to_owned();
    signals.iter().map(key).collect()
}

/// What a text is compared by: its telling words.
pub(crate) fn features(text: &str) -> Vec<String> {
    let is_spaced = |word: &String| word.chars().all(|c| c < '\u{2e80}');
    let mut features = Vec::new();
    for word in tokens(text) {
        if is_spaced(&word) {
            features.extend((!is_filler(&word)).then_some(word));
        } else {
            let letters: Vec<char> = word.chars().collect();
            features.extend(letters.windows(2).map(|pair| pair.iter().collect()));
        }
    }
    features.sort_unstable();
    features.dedup();
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> bool {
        let signal = |text: &str| WordedSignal {
            uuid: text.into(),
            detector: "repeated demand".into(),
            key: String::new(),
            text: text.into(),
            way_out: String::new(),
            calls: String::new(),
        };
        let keys = keys(&[signal(one), signal(other)]);
        keys[0] == keys[1]
    }

    #[test]
    fn a_demand_in_other_words_is_the_same_demand() {
        assert!(alike("commit and update the changelog", "update changelog and commit it please"));
        assert!(alike("actualiza el módulo y pruébalo", "actualiza el módulo, pruébalo"));
        assert!(alike("更新模块然后测试", "请更新模块然后测试"));
        assert!(!alike("commit and update the changelog", "commit and push the branch"));
        assert!(!alike("更新模块然后测试", "删除旧的训练日志"));
    }

    #[test]
    fn the_opposite_of_a_demand_is_another_demand() {
        for (one, other) in [
            ("Always use yarn here, never bun", "From now on use bun here again, not yarn"),
            (
                "Always write single quotes, never double quotes",
                "Always write double quotes, never single quotes",
            ),
            ("Never squash the branch", "Always squash the branch"),
        ] {
            assert!(!alike(one, other) && !alike(other, one), "{one} / {other}");
            assert!(alike(one, one) && alike(other, &format!("{other} please")));
        }
        assert!(alike("Use yarn, not bun", "i told you: yarn, not bun"));
    }

    #[test]
    fn calls_tell_two_demands_apart_only_where_both_name_some() {
        let signal = |text: &str, calls: &str| WordedSignal {
            uuid: text.into(),
            detector: "repeated demand".into(),
            key: String::new(),
            text: text.into(),
            way_out: String::new(),
            calls: calls.into(),
        };
        let joined = |one: &str, other: &str| {
            let keys = keys(&[signal("Work with Sonnet 5", one), signal("Work with Sonnet", other)]);
            keys[0] == keys[1]
        };
        assert!(joined("tool=Agent", "") && joined("tool=Agent", "tool=Agent"));
        assert!(!joined("tool=Agent", "cmd=git"));
    }

    #[test]
    fn failures_with_one_way_out_have_one_key() {
        let signal = |(key, way_out): &(&str, &str)| WordedSignal {
            uuid: String::new(),
            detector: "repeated failure".into(),
            key: (*key).into(),
            text: String::new(),
            way_out: (*way_out).into(),
            calls: String::new(),
        };
        let joined = |rows: &[(&str, &str)]| keys_of_ways_out(&rows.iter().map(signal).collect::<Vec<_>>());
        let way = r#"[{"pattern":"-n dev"}]"#;
        assert_eq!(joined(&[("a", ""), ("b", way), ("c", way), ("d", "")]), ["a", "b", "b", "d"]);
        assert_eq!(
            joined(&[("b", way), ("a", ""), ("a", way), ("", ""), ("e", "")]),
            ["b", "a", "b", "", "e"]
        );
    }

    #[test]
    fn one_sentence_of_four_hundred_sessions_is_one_demand() {
        let signal = |number: usize| WordedSignal {
            uuid: format!("u{number}"),
            detector: "repeated demand".into(),
            key: String::new(),
            text: "commit and update the changelog".into(),
            way_out: String::new(),
            calls: String::new(),
        };
        let signals: Vec<WordedSignal> = (0..400).map(signal).collect();
        let keys = keys(&signals);
        assert!(keys.iter().all(|key| *key == keys[0]));
    }
}
