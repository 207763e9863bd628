//! What is worked out of patterns, and that an index remembers it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use lessons_lesson::id::Layer;
use lessons_manifest_builder::compile::{Input, compile};
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::seeds;
use lessons_pattern::prepared::{self, regex_of};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use serde_json::Value;

/// The triggers of the shipped lessons that are expressions.
fn shipped() -> Vec<Trigger> {
    let lessons = seeds::lessons();
    let mut all: Vec<Trigger> =
        lessons.iter().flat_map(|lesson| lesson.all_triggers().map(|(_, trigger)| trigger.clone())).collect();
    all.retain(|trigger| !matches!(trigger.kind, TriggerKind::Keyword | TriggerKind::Tool));
    all.sort();
    all.dedup();
    all
}

/// Commands, paths and contents that people use: every text of the sample calls.
fn ordinary() -> Vec<String> {
    fn texts(value: Value, all: &mut Vec<String>) {
        match value {
            Value::String(text) => all.push(text),
            Value::Array(values) => values.into_iter().for_each(|value| texts(value, all)),
            Value::Object(fields) => fields.into_iter().for_each(|(_, value)| texts(value, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    let files = [include_str!("../seeds/ordinary.jsonl"), include_str!("../seeds/phrasings.jsonl")];
    for line in files.into_iter().flat_map(str::lines) {
        texts(serde_json::from_str(line).unwrap(), &mut all);
    }
    all
}

#[test]
fn the_shipped_patterns_answer_as_the_engine_does() {
    let texts = ordinary();
    let triggers = shipped();
    assert!(triggers.len() > 300 && texts.len() > 500, "{} patterns, {} texts", triggers.len(), texts.len());
    for (n, trigger) in triggers.iter().enumerate() {
        let regex = regex_of(trigger.kind, &trigger.pattern).unwrap();
        let automaton = prepared::automaton_of(trigger.kind, &trigger.pattern).unwrap();
        // Every text meets every tenth pattern, once as it is and once with what is not ASCII.
        for text in texts.iter().skip(n % 10).step_by(10) {
            for text in [text.clone(), format!("{text} # é\u{a0}😀")] {
                assert_eq!(automaton.is_match(&text), regex.is_match(&text), "{trigger} on {text:?}");
            }
        }
    }
}

#[test]
fn an_index_remembers_what_was_worked_out() {
    let patterns = Patterns::default();
    let built = compile(&Input::of_layers(vec![LayerInput::of(Layer::Seed, &seeds::lessons())], &patterns));
    let index = in_memory(&built.manifest, &patterns).unwrap();
    assert_eq!(index.manifest().unwrap(), built.manifest, "and what it was made from");
    let remembered = index.patterns().unwrap();
    assert_eq!(remembered.len(), shipped().len());
    for trigger in shipped() {
        assert_eq!(remembered.get(&trigger), patterns.get(&trigger), "{trigger}");
    }
    assert_eq!(remembered.len(), shipped().len(), "all of them were remembered");
    let again = in_memory(&built.manifest, &remembered).unwrap();
    assert!(again.bytes() == index.bytes(), "and so the index is the same");

    let bytes = index.bytes().to_vec();
    for at in (0..bytes.len()).step_by(bytes.len() / 50) {
        let mut corrupt = bytes.clone();
        corrupt[at] ^= 0x10;
        assert!(LoadedIndex::parse_whole(corrupt.into()).is_err(), "{at}");
    }
}
