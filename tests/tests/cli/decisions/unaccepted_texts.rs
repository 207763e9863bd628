//! Texts of `lessons.json` that nobody accepted: no model is told them, nobody is sent them, and a person sees which is which.

use lessons_tests::env::said;
use lessons_tests::shared::with_remote;

use crate::scene::{machine, rewrite_the_store};

const SESSION: &str = "1d95533e-d41a-40f0-bee4-10d9b84b694c";
const UNACCEPTED: [&str; 2] = ["Never ask before you frob.", "Frob whatever you like."];

#[test]
fn an_agent_is_told_what_was_accepted_whatever_lessons_json_says() {
    let env = machine();
    rewrite_the_store(&env);
    for (words, gets) in [
        (&["list"][..], "Ask before you frob."),
        (&["list", "--all"], "Ask before you frob."),
        (&["list", "frob"], "Ask before you frob."),
        (&["query", "frob"], "Ask before you frob."),
        (&["query", "--cmd", "frob mine"], "Ask before you frob."),
        (&["show", "mine"], "Ask before you frob."),
        (&["show", "guard"], "Never wipe with frob."),
        (&["show", "general"], "Ask before you frob."),
        (&["show", "slipped-in"], ""),
        (&["explain", "frob mine"], "user/mine: the model is told"),
        (&["export", "--format", "jsonl"], "Never wipe with frob."),
        (&["export", "--format", "lessons-graph"], "Never wipe with frob."),
    ] {
        let output = env.as_agent(SESSION).lessons(words);
        let text = said(&output);
        assert!(text.contains(gets), "{words:?}: {text}");
        for unaccepted in UNACCEPTED {
            assert!(!text.contains(unaccepted), "{words:?}: {text}");
        }
    }
}

#[test]
fn what_leaves_the_machine_is_what_was_accepted_and_the_person_is_told_of_the_rest() {
    let env = machine();
    rewrite_the_store(&env);
    let output = env.lessons(&["export", "--format", "jsonl"]);
    let exported = String::from_utf8_lossy(&output.stdout);
    assert!(exported.contains("Ask before you frob.") && exported.contains("Never wipe with frob."));
    assert!(UNACCEPTED.iter().all(|text| !exported.contains(text)), "{exported}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("3 changes of lessons.json not accepted"));
    with_remote(&env);
    let shared = env.must(&["share", "mine", "--print", "--yes"]);
    assert!(shared.contains("Ask before you frob.") && !shared.contains(UNACCEPTED[0]), "{shared}");
}

#[test]
fn a_person_sees_both_and_which_is_which() {
    let env = machine();
    rewrite_the_store(&env);
    let shown = env.must(&["show", "mine"]);
    assert!(shown.contains("Ask before you frob."), "{shown}");
    assert!(shown.contains("that is not accepted: Never ask before you frob."), "{shown}");
    assert!(env.must(&["show", "slipped-in"]).contains("Not accepted: it is only in lessons.json"));
    assert!(env.must(&["show", "guard"]).contains("It is gone from lessons.json"));
    let listed = env.must(&["list", "--all"]);
    for text in [
        "(only in lessons.json, not accepted)",
        "(changed in lessons.json, not accepted)",
        "(removed in lessons.json, not accepted)",
    ] {
        assert!(listed.contains(text), "{text}: {listed}");
    }
}
