//! What a build writes down of a store for questions, changed: how many bytes, and then of each the place in four bytes
//! and what is flipped there. What follows is the store, or a part that somebody else has written.
//!
//! Holds: nothing panics; a part says what the store says; a changed one is refused, and one whose sum was made right
//! again is refused or can be asked.

#![no_main]

use std::fs::Metadata;
use std::sync::LazyLock;

use lessons_core::id::Layer;
use lessons_core::index::key::checksum;
use lessons_core::recall::{Corpus, Question};
use lessons_store::recall::part::{Identity, Part, SEED, encode};
use lessons_store::recall::read;
use libfuzzer_sys::fuzz_target;

/// Any file will do: a part says of which it is.
static FILE: LazyLock<Metadata> = LazyLock::new(|| std::fs::metadata("/").expect("there is a root"));

/// What is found for a question about everything.
fn found(corpus: &Corpus<'_>) -> Vec<String> {
    let question = Question {
        command: Some("git stash && rm -rf a"),
        file: Some("src/a.ts"),
        keyword: Some("big cat"),
        root: Some("/p"),
    };
    corpus.recall(&question).iter().map(|found| format!("{found:?}")).collect()
}

fn asked(part: Part<'_>) -> Vec<String> {
    let mut corpus = Corpus::default();
    part.read(&mut corpus, &|_| true);
    found(&corpus)
}

/// The bytes of a part with a sum that is right.
fn forged(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some((head, body)) = bytes.split_at_mut_checked(16) {
        head[8..].copy_from_slice(&checksum(SEED, body).to_le_bytes());
    }
    bytes
}

fuzz_target!(|input: &[u8]| {
    let Some((&flips, rest)) = input.split_first() else { return };
    let (flips, rest) = rest.split_at((usize::from(flips % 8) * 5).min(rest.len()));
    let store = Identity::of(&FILE);
    if let Some(part) = Part::decode(&forged(rest.to_vec()), store, "1") {
        asked(part);
    }
    let mut corpus = Corpus::default();
    let Ok(unread) = read(&mut corpus, &Layer::User, rest, &|_| true) else { return };
    let sound = encode(&corpus, unread, &|_, _| Vec::new(), store, "1").expect("a corpus can be written");
    let part = Part::decode(&sound, store, "1").expect("what was written can be read");
    assert_eq!(asked(part), found(&corpus));

    let mut changed = sound.clone();
    for flip in flips.chunks_exact(5) {
        let place = u32::from_le_bytes([flip[0], flip[1], flip[2], flip[3]]) as usize % changed.len();
        changed[place] ^= flip[4];
    }
    assert_eq!(Part::decode(&changed, store, "1").is_some(), changed == sound);
    if let Some(part) = Part::decode(&forged(changed), store, "1") {
        asked(part);
    }
});
