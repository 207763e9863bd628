//! What was told in a context is not told there again, whatever becomes of the lesson.

use lessons_tests::env::TestEnv;
use serde_json::json;

use crate::scene::{add, advice};

/// What a call gets in one session.
fn answer(env: &TestEnv) -> String {
    let call = json!({
        "session_id": "one", "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": "frob mine" }, "tool_use_id": "toolu_1",
    });
    String::from_utf8(env.hook(&call).stdout).expect("text")
}

fn compacts(env: &TestEnv) {
    let start = json!({
        "session_id": "one", "hook_event_name": "SessionStart", "source": "compact", "cwd": env.project(),
    });
    assert!(env.session_start(&start).status.success());
}

#[test]
fn a_lesson_that_is_edited_is_not_told_again() {
    let env = TestEnv::new().without_seeds();
    add(&env, &advice("mine", "Ask before you frob.", "frob mine"), &[]);
    assert!(answer(&env).contains("Ask before you frob."));
    for edit in [["--priority", "9"], ["--rule", "Ask twice before you frob."], ["--mistake", "It breaks."]] {
        env.must(&["edit", "mine", edit[0], edit[1]]);
        assert_eq!(answer(&env), "", "{edit:?}");
    }
}

#[test]
fn a_compaction_goes_by_the_priority_that_a_lesson_has_by_then() {
    let env = TestEnv::new().without_seeds();
    add(&env, &advice("mine", "Ask before you frob.", "frob mine"), &[]);
    assert!(answer(&env).contains("Ask before you frob."));
    compacts(&env);
    assert_eq!(answer(&env), "", "it is below the threshold");
    env.must(&["edit", "mine", "--priority", "7"]);
    assert_eq!(answer(&env), "", "an edit is no compaction");
    compacts(&env);
    assert!(answer(&env).contains("Ask before you frob."), "it has reached the threshold");
    env.must(&["edit", "mine", "--priority", "6"]);
    compacts(&env);
    assert_eq!(answer(&env), "", "it is below the threshold again");
}
