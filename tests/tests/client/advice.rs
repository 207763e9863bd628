//! Advice: when it arrives, and when nothing does.

use lessons_tests::client::{Pin, with_each_client};
use lessons_tests::model::{Script, Turn};
use lessons_tests::plugin::Plugin;
use serde_json::json;

use crate::world::{
    AndBash as _, BUMP, DEPLOY, RULE, TRIGGER, World, bash, done, fenced, tells_once, times_told,
};

#[test]
fn advice_is_in_the_request_after_the_call_and_the_call_has_run() {
    with_each_client(|pin| {
        let world = World::with_lesson(&[]);
        let script = Script::new().turn(bash(DEPLOY)).turn(done());
        let requests = world.session(pin, script).run().requests;
        assert!(!requests.main(0).given().contains(RULE));
        tells_once(requests.main(1), RULE).unwrap();
        assert_eq!(requests.main(1).result(0).text, "deploy-site");
    });
}

#[test]
fn without_the_hook_the_same_session_tells_nothing() {
    let world = World::with(Plugin::new().without_hook("PreToolUse"));
    world.add(RULE, &TRIGGER);
    let script = Script::new().turn(bash(DEPLOY)).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    assert_eq!(requests.main(1).result(0).text, "deploy-site");
    tells_once(requests.main(1), RULE).expect_err("the assertion of the other tests can fail");
    assert!(requests.holding(RULE).is_empty());
}

#[test]
fn a_lesson_is_told_once_and_a_call_that_it_does_not_match_gets_nothing() {
    let world = World::with_lesson(&[]);
    let script =
        Script::new().turn(bash("echo build-site")).turn(bash(DEPLOY)).turn(bash(DEPLOY)).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    let told: Vec<usize> = (1..=3).map(|turn| times_told(requests.main(turn), RULE)).collect();
    assert_eq!(told, [0, 1, 0]);
}

#[test]
fn a_lesson_for_files_is_told_when_one_of_them_is_written() {
    let world = World::new();
    world.add("Keep the header of generated files.", &["--trigger", "glob=gen/**/*.ts"]);
    let path = world.scratch.project().join("gen/a/b.ts");
    let script = Script::new()
        .turn(Turn::call("Write", json!({"file_path": path, "content": "export {};\n"})))
        .turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    tells_once(requests.main(1), "Keep the header of generated files.").unwrap();
    assert!(path.is_file());
}

#[test]
fn a_tool_that_no_lesson_can_be_about_starts_no_hook() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"STARTED"}}"#;
    let plugin = Plugin::new().with_script("lessons-pre-tool-use", &format!("echo '{deny}'"));
    let world = World::with(plugin);
    let search = json!({"query": "select:NotebookEdit", "max_results": 1});
    let script = Script::new().turn(Turn::call("ToolSearch", search).and_bash(DEPLOY)).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    let (search, bash) = (requests.main(1).result(0), requests.main(1).result(1));
    assert!(bash.is_error && bash.text.contains("STARTED"), "the script stands where the hook was: {bash:?}");
    assert!(!search.is_error && !search.text.contains("STARTED"), "{search:?}");
}

#[test]
fn a_lesson_for_a_fetch_is_told() {
    with_each_client(|pin| {
        let world = World::new();
        world.add(RULE, &["--trigger", "tool=WebFetch"]);
        let fetch = json!({"url": "http://127.0.0.1:9/x", "prompt": "What is there?"});
        let script = Script::new().turn(Turn::call("WebFetch", fetch)).turn(done());
        tells_once(world.session(pin, script).run().requests.main(1), RULE).unwrap();
    });
}

#[test]
fn however_much_there_is_to_tell_the_client_cuts_nothing_off() {
    let world = World::new();
    for name in ["alpha", "beta", "gamma"] {
        let long = |about: &str| format!("{name} {about}: {}", format!("{name}✓{about} ").repeat(120));
        world.add(&long("opening"), &["--when", "session"]);
        world.add(&long("call"), &TRIGGER);
    }
    let script = Script::new().turn(bash(DEPLOY)).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    assert!(requests.holding("persisted-output").is_empty());
    for turn in [0, 1] {
        let fresh = requests.main(turn).fresh();
        let lessons = fenced(&fresh);
        assert_eq!(lessons.len(), 1, "{fresh}");
        assert!(lessons[0].contains('✓') && lessons[0].len() <= 4096, "{} bytes", lessons[0].len());
    }
}

#[test]
fn no_text_of_ours_holds_a_path_of_this_machine() {
    let world = World::with_lesson(&BUMP);
    world.add("A second thing to know.", &["--trigger", "cmd=build-site"]);
    world.add("A thing to know at once.", &["--when", "session"]);
    let script = Script::new()
        .turn(bash(DEPLOY).and_bash("echo build-site"))
        .turn(bash("lessons promote 0123456789ab"))
        .turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    for text in [RULE, "A second thing to know.", "A thing to know at once."] {
        assert!(!requests.holding(text).is_empty(), "{}", requests.describe());
    }
    assert!(requests.main(2).result(0).is_error);
    let data = world.scratch.home().join(".local");
    for folder in [world.plugin.folder(), data.as_path()] {
        let folder = folder.to_str().unwrap();
        assert!(requests.holding(folder).is_empty(), "{folder} in:\n{}", requests.describe());
    }
}
