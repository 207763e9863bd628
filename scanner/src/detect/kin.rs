//! The same demand in other words: signals whose texts, and the calls that they are about, are alike.
//!
//! It is decided over all signals at once, the earliest first, so it does not matter in how many scans they came in. Words
//! are compared, and of scripts that are written without spaces pairs of letters.

use std::collections::HashMap;

use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::signals::WordedSignal;
use lessons_text::digest;
use lessons_text::words::{is_filler, tokens};

use super::Detector;

/// The number of hex digits of a key.
const KEY_DIGITS: usize = 32;

/// Gives the signals of one demand one key.
pub(super) fn join(database: &mut Database) -> Result<(), DatabaseError> {
    for detector in [Detector::Asked, Detector::Correction, Detector::Demand] {
        let signals = database.worded_signals(&[detector.name()])?;
        let keys = keys(&signals);
        let joined: Vec<_> =
            signals.into_iter().zip(keys).filter(|(signal, key)| signal.key != *key).collect();
        if !joined.is_empty() {
            database.join_signals(&joined)?;
        }
    }
    Ok(())
}

/// The key of each signal: that of the earliest one that is like it.
fn keys(signals: &[WordedSignal]) -> Vec<String> {
    // Of the first of each kin: the number of its features, and its key.
    let mut first: Vec<(usize, String)> = Vec::new();
    let mut with_feature: HashMap<String, Vec<usize>> = HashMap::new();
    let mut keys = Vec::with_capacity(signals.len());
    for signal in signals {
        let features = features(signal);
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for number in features.iter().filter_map(|feature| with_feature.get(feature)).flatten() {
            *shared.entry(*number).or_default() += 1;
        }
        let is_kin = |(number, common): (usize, usize)| {
            let (size, _) = first.get(number)?;
            (common * 2 >= features.len() + size - common && common > 0)
                .then_some((common, std::cmp::Reverse(number)))
        };
        if let Some((_, number)) = shared.into_iter().filter_map(is_kin).max() {
            keys.push(first[number.0].1.clone());
        } else {
            let key = digest::hex_of_parts(&[signal.detector.as_bytes(), signal.text.as_bytes()], KEY_DIGITS);
            for feature in &features {
                with_feature.entry(feature.clone()).or_default().push(first.len());
            }
            first.push((features.len(), key.clone()));
            keys.push(key);
        }
    }
    keys
}

/// What a signal is compared by: its telling words, and the calls that it is about.
fn features(signal: &WordedSignal) -> Vec<String> {
    let is_spaced = |word: &String| word.chars().all(|c| c < '\u{2e80}');
    let mut features = Vec::new();
    for word in tokens(&signal.text) {
        if is_spaced(&word) {
            features.extend((!is_filler(&word)).then_some(word));
        } else {
            let letters: Vec<char> = word.chars().collect();
            features.extend(letters.windows(2).map(|pair| pair.iter().collect()));
        }
    }
    features.extend((!signal.calls.is_empty()).then(|| format!("at {}", signal.calls)));
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
    fn one_sentence_of_four_hundred_sessions_is_one_demand() {
        let signal = |number: usize| WordedSignal {
            uuid: format!("u{number}"),
            detector: "repeated demand".into(),
            key: String::new(),
            text: "commit and update the changelog".into(),
            calls: String::new(),
        };
        let signals: Vec<WordedSignal> = (0..400).map(signal).collect();
        let keys = keys(&signals);
        assert!(keys.iter().all(|key| *key == keys[0]));
    }
}
