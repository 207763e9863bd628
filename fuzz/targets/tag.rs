//! What an assistant wrote, searched for tags; and the triggers that are proposed from them.
//!
//! Holds: nothing panics; blocks come in the order of the text and are at most as many as may be; a
//! field is one line without hidden characters, and not empty where it must be there; the pattern made
//! of a literal text matches that text.

#![no_main]

use lessons_pattern::{Regex, js};
use lessons_scanner::tag::trigger::{literal, propose};
use lessons_scanner::tag::{Block, MAX_BLOCKS, Tag, parse};
use lessons_text::neutral;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = parse(text);
    assert!(parsed.blocks.len() + parsed.voided.len() <= MAX_BLOCKS + 1, "{parsed:?}");
    assert!(parsed.blocks.windows(2).all(|pair| pair[0].line < pair[1].line));
    let lines = text.split('\n').count();
    for found in &parsed.blocks {
        assert!((1..=lines).contains(&found.line));
        match &found.block {
            Block::Lesson(tag) => check(tag),
            Block::Cancel(cancel) => assert!(cancel.trigger.is_some() || cancel.mistake.is_some()),
        }
    }
});

fn check(tag: &Tag) {
    let said = &tag.finding;
    assert!(!said.mistake.is_empty() && !said.fix.is_empty());
    let more = [&said.trigger, &said.path, &said.why, &said.agent, &tag.unless];
    let fields = [&said.mistake, &said.fix].into_iter().chain(more.into_iter().flatten());
    for field in fields.chain(&said.tools).chain(&said.tags) {
        assert!(!field.chars().any(neutral::is_hidden), "{field:?}");
    }
    let _ = propose(tag);
    if let Some(text) = &said.trigger {
        let pattern = literal(text);
        if let Ok(regex) = js::expression(&pattern).and_then(|expression| Regex::of(&expression)) {
            assert!(regex.is_match(text), "{pattern:?} is not found in {text:?}");
        }
    }
}
