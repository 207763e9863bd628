//! `--json` prints JSON, whatever happens.

use lessons_tests::env::said;
use serde_json::Value;

use crate::said::with_a_lesson;

#[test]
fn every_answer_and_every_error_is_json_on_standard_output() {
    let env = with_a_lesson();
    for (argv, code) in [
        (&["status"][..], 0),
        (&["stats"], 0),
        (&["list"], 0),
        (&["candidates"], 0),
        (&["show", "frob-use"], 0),
        (&["edit", "frob-use"], 0),
        (&["edit", "frob-use", "--priority", "7"], 0),
        (&["off", "frob-use", "--for", "2h"], 0),
        (&["on", "frob-use"], 0),
        (&["on", "frob-use"], 0),
        (&["deprecate", "frob-use"], 0),
        (&["deprecate", "frob-use"], 0),
        (&["restore", "frob-use"], 0),
        (&["restore", "frob-use"], 0),
        (&["build"], 0),
        (&["test"], 0),
        (&["scan"], 0),
        (&["report"], 0),
        (&["nightly"], 0),
        (&["report"], 0),
        (&["schedule", "status"], 0),
        (&["schedule", "remove"], 0),
        (&["schedule", "install", "--with", "launchd", "--dry-run"], 0),
        (&["show", "nothing-like-it"], 2),
        (&["promote", "abcd"], 2),
        (&["reject", "abcd"], 2),
        (&["off", "seed/nothing-like-it"], 2),
        (&["trust"], 1),
        (&["untrust"], 2),
        (&["frobnicate"], 2),
        (&["show"], 2),
        (&["add"], 2),
        (&["add", "--rule", "Do it well, please.", "--trigger", "no pattern"], 2),
        (&["add", "--rule", "Do it well, please.", "--priority", "11", "--trigger", "kw=ab"], 2),
    ] {
        let output = env.lessons(&[argv, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{argv:?}: {}", said(&output));
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{argv:?}: {error}: {}", said(&output)));
        let has_error = answer.get("error").is_some();
        assert_eq!(has_error, code != 0, "{argv:?}: {answer}");
        assert!(output.stderr.is_empty(), "{argv:?}: {}", said(&output));
    }
}

#[test]
fn a_disk_without_room_for_the_answer_is_said_on_standard_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
    let output =
        with_a_lesson().command("lessons").args(["list", "--json"]).stdout(full).output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("No space left on device"), "{}", said(&output));
}
