//! An index that somebody else has written, and a sound one with some bytes changed: how many, and then of
//! each the place in four bytes and what is flipped there. What follows is the whole of the other index.
//!
//! Holds: nothing panics and every search comes to an end; a changed index is refused, or answers as the
//! sound one does; one that is verified as a whole is the sound one.

#![no_main]

use std::sync::LazyLock;

use lessons_fuzz::fixed_index;
use lessons_index::Corrupt;
use lessons_index::matching::matches;
use lessons_index::views::Views;
use lessons_lesson::call::Call;
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_recall::{Question, recall};
use libfuzzer_sys::fuzz_target;

static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| fixed_index().bytes().to_vec());

fn calls() -> [Call<'static>; 2] {
    let bash = Call {
        tool: "Bash".into(),
        command: Some("git stash && rm -rf \"$(pwd)/a b\" | sh -c 'echo aaab é'".into()),
        cwd: Some("/p".into()),
        ..Call::default()
    };
    let edit = Call {
        tool: "Edit".into(),
        paths: vec!["src/a.ts".into()],
        contents: vec!["await fetch(url); // a big cat".repeat(20).into()],
        cwd: Some("/p".into()),
        ..Call::default()
    };
    [bash, edit]
}

/// What is told of each lesson that a call matches.
fn answers(bytes: &[u8], call: &Call<'_>) -> Result<Vec<String>, Corrupt> {
    let loaded = LoadedIndex::parse(bytes.to_vec().into())?;
    let index = loaded.ask()?;
    let place = ProjectLocation::fixed("/p");
    let found = matches(&index, &Views::new(call, &place), "main", &0, &mut ())?;
    let told = |lesson| index.texts(lesson).map(|texts| format!("{}{}", texts.full, texts.brief));
    found.iter().map(|found| told(found.lesson)).collect()
}

/// The lessons that concern a question about everything.
fn recalled(bytes: &[u8]) -> Result<Vec<String>, Corrupt> {
    let loaded = LoadedIndex::parse(bytes.to_vec().into())?;
    let index = loaded.ask()?;
    let question = Question {
        command: Some("git stash && rm -rf a"),
        file: Some("src/a.ts"),
        keyword: Some("big cat"),
        root: Some("/p"),
    };
    let found = recall(&index, &question, &ProjectLocation::fixed("/p"), &0, |_| false)?;
    Ok(found.iter().map(|found| format!("{found:?}")).collect())
}

fuzz_target!(|input: &[u8]| {
    let Some((&flips, rest)) = input.split_first() else { return };
    let length = (usize::from(flips % 8) * 5).min(rest.len());
    let (flips, other) = rest.split_at(length);
    for call in &calls() {
        let _ = answers(other, call);
    }
    let _ = recalled(other);
    if let Ok(loaded) = LoadedIndex::parse(other.to_vec().into()) {
        let _ = (loaded.patterns(), loaded.lessons(), loaded.manifest());
    }

    let mut changed = SOUND.clone();
    for flip in flips.chunks_exact(5) {
        let place = u32::from_le_bytes([flip[0], flip[1], flip[2], flip[3]]) as usize % changed.len();
        changed[place] ^= flip[4];
    }
    for call in &calls() {
        let found = answers(&changed, call);
        assert!(found == Err(Corrupt) || found == answers(&SOUND, call), "{found:?}");
    }
    let found = recalled(&changed);
    assert!(found == Err(Corrupt) || found == recalled(&SOUND), "{found:?}");
    let is_sound = changed == *SOUND;
    assert_eq!(LoadedIndex::parse_whole(changed.into()).is_ok(), is_sound);
});
