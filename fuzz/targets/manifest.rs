//! A manifest that somebody else has written, and a fixed call matched against it.
//!
//! Holds: nothing panics; what passes the check is used without one (all positions exist); it is
//! written and read back the same; a call matches the same lessons, in the same order, each time.

#![no_main]

use lessons_core::call::Call;
use lessons_core::manifest::Manifest;
use lessons_core::matching::{Views, matches};
use lessons_core::project::Place;
use lessons_fuzz::{InMemory, ask};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(manifest) = Manifest::parse(input) else { return };
    let bytes = manifest.to_bytes().expect("a manifest can be written");
    let back = Manifest::parse(&bytes).expect("what was written can be read");
    assert_eq!(back, manifest);

    let bash = Call {
        tool: "Bash".into(),
        command: Some("git stash && rm -rf \"$(pwd)/a b\" | sh -c 'echo aaab'".into()),
        cwd: Some("/p".into()),
        ..Call::default()
    };
    let edit = Call {
        tool: "Edit".into(),
        paths: vec!["src/a.ts".into()],
        contents: vec!["await fetch(url)".into()],
        cwd: Some("/p".into()),
        ..Call::default()
    };
    let place = Place::fixed("/p");
    for call in [&bash, &edit] {
        let found = matches(&manifest, &Views::new(call, &place), "main", &0);
        assert_eq!(found, matches(&back, &Views::new(call, &place), "main", &0));
        let _ = ask(&manifest, call, "main", &mut InMemory::default());
    }
});
