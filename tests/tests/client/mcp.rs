//! `lessons mcp` beside the real client: its tools reach the model, and what they say comes back.

use std::fs;

use lessons_tests::binaries::built_programs;
use lessons_tests::client::{Pin, Session, with_each_client};
use lessons_tests::model::{Script, Turn};
use serde_json::json;

use crate::world::{World, done, times_told};

/// A session with our server, as `claude mcp add lessons -- lessons mcp` sets it up.
fn session(world: &World, pin: Pin, script: Script) -> Session<'_> {
    let server = json!({ "command": built_programs().join("lessons"), "args": ["mcp"] });
    let config = world.scratch.project().join("mcp.json");
    fs::write(&config, json!({ "mcpServers": { "lessons": server } }).to_string()).unwrap();
    world.session(pin, script).arguments(["--mcp-config", config.to_str().unwrap()])
}

#[test]
fn the_model_asks_for_lessons_and_notes_one() {
    with_each_client(|pin| {
        let world = World::new();
        world.person.types(&["add", "--rule", "Frob with --safe.", "--trigger", "cmd=frob push"]);
        world.person.types(&["add", "--rule", "Twist slowly.", "--trigger", "cmd=frob twist"]);
        let question = Turn::call("mcp__lessons__lessons_query", json!({ "query": "frob safe", "limit": 3 }));
        let note = Turn::call(
            "mcp__lessons__lessons_note",
            json!({ "mistake": "frob pull loses work", "fix": "use frob pull --keep", "trigger": "frob pull" }),
        );
        let call = |command: &str| Turn::call("Bash", json!({ "command": command, "description": "try" }));
        let script = Script::new()
            .turn(question)
            .turn(note)
            .turn(call("frob push"))
            .turn(call("frob twist"))
            .turn(done());
        let requests = session(&world, pin, script).run().requests;
        let answered = requests.main(1).result(0);
        assert!(!answered.is_error && answered.text.contains("Frob with --safe."), "{answered:?}");
        let noted = requests.main(2).result(0);
        assert!(!noted.is_error && noted.text.contains("waits for a person"), "{noted:?}");
        let events: String = fs::read_dir(world.scratch.home().join(".local/share/lessons/events"))
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|file| fs::read_to_string(file.path()).ok())
            .collect();
        let told = events.lines().find(|line| line.contains(r#""agent":"mcp""#)).expect("an event");
        assert!(told.contains(r#""session":""#), "the client says which session it is: {told}");
        assert_eq!(times_told(requests.main(3), "Frob with --safe."), 0, "the hook does not tell it again");
        assert_eq!(times_told(requests.main(4), "Twist slowly."), 1, "what was not asked for is told");
    });
}
