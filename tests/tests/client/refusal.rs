//! Refusals: `bump` until the call is repeated, `block` always.

use lessons_tests::client::{Pin, Step, with_each_client};
use lessons_tests::model::Script;
use lessons_tests::requests::ToolResult;

use crate::world::{AndBash as _, BUMP, DEPLOY, RULE, World, bash, done, times_told};

#[track_caller]
fn assert_refused(result: &ToolResult) {
    assert!(result.is_error && result.text.contains(RULE), "not refused with the rule: {result:?}");
}

#[track_caller]
fn assert_ran(result: &ToolResult, output: &str) {
    assert_eq!((result.is_error, result.text.as_str()), (false, output));
}

#[test]
fn a_bump_refuses_a_call_and_lets_it_pass_when_it_is_repeated() {
    with_each_client(|pin| {
        let world = World::with_lesson(&BUMP);
        let script = Script::new()
            .turn(bash("echo deploy-site >> trace; echo ran"))
            .turn(bash("echo deploy-site >> trace; echo ran"))
            .turn(bash("echo deploy-site two"))
            .turn(done());
        let requests = world.session(pin, script).run().requests;
        assert_refused(&requests.main(1).result(0));
        assert!(requests.main(1).result(0).text.contains("Make the same call again"));
        assert_ran(&requests.main(2).result(0), "ran");
        assert_ran(&requests.main(3).result(0), "deploy-site two");
        let trace = std::fs::read_to_string(world.scratch.project().join("trace")).unwrap();
        assert_eq!(trace, "deploy-site\n", "the refused call did not run");
    });
}

#[test]
fn two_different_calls_of_one_message_are_both_refused() {
    with_each_client(|pin| {
        let world = World::with_lesson(&BUMP);
        let both = bash("echo deploy-site one").and_bash("echo deploy-site two");
        let script = Script::new().turn(both).turn(bash("echo deploy-site two")).turn(done());
        let requests = world.session(pin, script).run().requests;
        assert_refused(&requests.main(1).result(0));
        assert_refused(&requests.main(1).result(1));
        assert_ran(&requests.main(2).result(0), "deploy-site two");
    });
}

#[test]
fn a_slow_call_between_two_different_ones_changes_nothing() {
    let world = World::with_lesson(&BUMP);
    let all = bash("echo deploy-site one").and_bash("sleep 2; echo slow").and_bash("echo deploy-site two");
    let requests = world.session(Pin::Current, Script::new().turn(all).turn(done())).run().requests;
    assert_refused(&requests.main(1).result(0));
    assert_ran(&requests.main(1).result(1), "slow");
    assert_refused(&requests.main(1).result(2));
}

#[test]
fn a_block_refuses_every_time_and_says_who_can_switch_it_off() {
    with_each_client(|pin| {
        let world = World::with_lesson(&[
            "--mode",
            "block",
            "--fires",
            "deploy-site now",
            "--force-block",
            "there is no past here",
        ]);
        let script = Script::new().turn(bash(DEPLOY)).turn(bash(DEPLOY)).turn(bash(DEPLOY)).turn(done());
        let requests = world.session(pin, script).run().requests;
        for turn in 1..=3 {
            assert_refused(&requests.main(turn).result(0));
            assert!(requests.main(turn).result(0).text.contains("lessons off "));
        }
    });
}

#[test]
fn a_refused_call_shows_no_advice_and_keeps_it_for_later() {
    let world = World::with_lesson(&BUMP);
    let advice = "Look at the dashboard afterwards.";
    world.add(advice, &["--trigger", "cmd=deploy-site"]);
    let script = Script::new().turn(bash(DEPLOY)).turn(bash(DEPLOY)).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    assert_eq!([1, 2].map(|turn| times_told(requests.main(turn), advice)), [0, 1]);
}

#[test]
fn after_compaction_a_bump_refuses_again() {
    let world = World::with_lesson(&BUMP);
    let script = Script::new()
        .turn(bash(DEPLOY))
        .turn(bash(DEPLOY))
        .turn(done())
        .turn(crate::start::summary())
        .turn(bash(DEPLOY))
        .turn(done());
    let session = world.session(Pin::Current, script).prompt("ASK ONE").prompt("/compact").prompt("ASK TWO");
    let requests = session.run().requests;
    assert_refused(&requests.main(1).result(0));
    assert_ran(&requests.main(2).result(0), "deploy-site");
    assert_refused(&requests.main(5).result(0));
}

#[test]
fn the_person_is_shown_what_stopped_the_call_and_the_model_is_not() {
    const LINE: &str = "Lessons stopped this";
    with_each_client(|pin| {
        let world = World::with_lesson(&BUMP);
        let script = Script::new().turn(bash(DEPLOY)).turn(done());
        let steps =
            [Step::new("❯", "go on"), Step::new("go on", "\r"), Step::new(LINE, ""), Step::new("Done.", "")];
        let requests = world.session(pin, script).attended(steps).run().requests;
        assert_refused(&requests.main(1).result(0));
        let told = requests.main(1).fresh();
        assert!(told.contains(RULE) && !told.contains(LINE), "{told}");
    });
}

/// A mod of another plugin drops what every hook answered. 2.1.197 knows no mods.
#[test]
fn a_block_that_a_mod_of_another_plugin_drops_is_told_afterwards() {
    with_each_client(|pin| {
        let reason = ["--force-block", "there is no past here"];
        let world =
            World::with_lesson(&[&["--mode", "block", "--fires", "deploy-site now"], &reason[..]].concat());
        let other = world.scratch.home().join("other");
        for (file, text) in [
            (".claude-plugin/plugin.json", r#"{"name":"other","version":"0.0.1"}"#),
            ("hooks/hooks.json", r#"{"modules":["./register.js"]}"#),
            (
                "hooks/register.js",
                "export function register(on) {\n  on('classic.PreToolUse', async ($, e, next) => { await next(e); return {}; });\n}\n",
            ),
        ] {
            let path = other.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let script = Script::new().turn(bash(DEPLOY)).turn(done());
        let result = world.session(pin, script).plugin(&other).run().requests.main(1).result(0);
        world.person.types(&["scan"]);
        let status = world.person.types(&["status"]);
        let was_told = status.contains("blocked ran all the same");
        match pin {
            Pin::Current => {
                assert_ran(&result, "deploy-site");
                assert!(was_told, "{status}");
            }
            Pin::Node20 => {
                assert_refused(&result);
                assert!(!was_told, "{status}");
            }
        }
    });
}
