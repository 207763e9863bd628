//! Installing from an unpacked folder into the real client, and the first session after it.

use std::fs;
use std::path::Path;
use std::process::Command;

use lessons_tests::client::{Pin, Session, with_each_client};
use lessons_tests::model::Script;
use lessons_tests::person::Person;
use lessons_tests::plugin::Plugin;
use lessons_tests::scratch::Scratch;
use serde_json::Value;

use crate::world::{World, bash, done, tells_once, times_told};

/// A call that a built-in lesson is about, and what the lesson says.
const CALL: &str = "git stash";
const BUILT_IN: &str = "Use `git stash push -u`";

/// A session of whatever plugins are installed, in which the model makes [`CALL`].
fn session(scratch: &Scratch, pin: Pin) -> Session<'_> {
    Session::new(scratch, pin, Script::new().turn(bash(CALL)).turn(done()))
}

/// Installs from a folder that is deleted afterwards. Returns what was said.
fn install(scratch: &Scratch, pin: Pin, unpacked: Plugin) -> String {
    let said = Person::new(scratch, &unpacked).with_client(scratch, pin).types(&["install", "--yes"]);
    drop(unpacked);
    said
}

/// The user of the installed command.
fn user(scratch: &Scratch, pin: Pin) -> Person {
    let installed = scratch.home().join(".local/bin/lessons");
    Person::new(scratch, &Plugin::new()).with_client(scratch, pin).with_program(&installed)
}

/// The plugins that somebody has installed, with their versions. The client brings some of its own, since 2.1.332.
fn plugins(scratch: &Scratch, pin: Pin) -> Vec<String> {
    let mut client = Command::new(pin.program());
    client.args(["plugin", "list", "--json"]).env_clear().env("HOME", scratch.home());
    client.env("PATH", "/usr/bin:/bin").env("CLAUDE_CONFIG_DIR", scratch.home().join(".claude"));
    let output = client.env("DISABLE_AUTOUPDATER", "1").output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |plugin: &Value| format!("{} {}", plugin["id"], plugin["version"]).replace('"', "");
    list.as_array().unwrap().iter().map(name).filter(|name| !name.contains("@builtin")).collect()
}

#[test]
fn an_unpacked_folder_installs_and_the_first_session_is_told_a_built_in_lesson() {
    with_each_client(|pin| {
        let scratch = Scratch::new();
        let said = install(&scratch, pin, Plugin::new());
        assert!(said.contains("It works.") && said.contains("git stash push -u"), "{said}");
        assert_eq!(plugins(&scratch, pin), ["lessons@lessons 0.1.0"]);
        tells_once(session(&scratch, pin).run().requests.main(1), BUILT_IN).unwrap();

        let user = user(&scratch, pin);
        user.types(&["add", "--rule", "Mine.", "--trigger", "cmd=frob"]);
        let said = install(&scratch, pin, Plugin::new().of_version("0.2.0"));
        assert!(said.contains("version 0.2.0"), "{said}");
        assert_eq!(plugins(&scratch, pin), ["lessons@lessons 0.2.0"]);
        tells_once(session(&scratch, pin).run().requests.main(1), BUILT_IN).unwrap();

        let said = user.types(&["uninstall"]);
        assert!(said.contains("Your lessons are left in"), "{said}");
        assert_eq!(plugins(&scratch, pin), [""; 0]);
        assert!(!scratch.home().join(".local/bin/lessons").exists());
        assert_eq!(times_told(session(&scratch, pin).run().requests.main(1), BUILT_IN), 0);
        let store = fs::read_to_string(scratch.home().join(".local/share/lessons/lessons.json")).unwrap();
        assert!(store.contains("Mine."), "{store}");
    });
}

#[test]
fn a_line_of_a_slash_command_runs_past_no_block_where_the_client_asks() {
    with_each_client(|pin| {
        let scratch = Scratch::new();
        install(&scratch, pin, Plugin::new());
        let user = user(&scratch, pin);
        let block = ["--mode", "block", "--fires", "deploy-site", "--force-block", "there is no past here"];
        user.types(
            &[&["add", "--rule", "Announce it.", "--trigger", "cmd=deploy-site"][..], &block].concat(),
        );
        let commands = scratch.project().join(".claude/commands");
        fs::create_dir_all(&commands).unwrap();
        let line = "---\nallowed-tools: Bash(echo:*)\n---\nIt is !`echo deploy-site`, and !`echo all-well`\n";
        fs::write(commands.join("go.md"), line).unwrap();
        let script = Script::new().turn(bash("echo deploy-site")).turn(done());
        let session = Session::new(&scratch, pin, script).prompt("/go").permissions("bypassPermissions");
        let requests = session.run().requests;
        let asked = requests.main(0).given();
        match pin {
            Pin::Current => assert!(asked.contains("Announce it."), "{asked}"),
            // It raises no event before such a line, and the entry harms nothing.
            Pin::Node20 => assert!(asked.contains("It is deploy-site, and all-well"), "{asked}"),
        }
        let result = requests.main(1).result(0);
        assert!(result.is_error && result.text.contains("Announce it."), "{result:?}");

        user.types(&["uninstall"]);
        let settings = fs::read_to_string(scratch.home().join(".claude/settings.json")).unwrap_or_default();
        assert!(!settings.contains("PreSkillShellCommand"), "{settings}");
    });
}

#[test]
fn with_the_plugin_alone_the_first_session_is_told_a_built_in_lesson() {
    with_each_client(|pin| {
        let world = World::new();
        let script = Script::new().turn(bash(CALL)).turn(done());
        tells_once(world.session(pin, script).run().requests.main(1), BUILT_IN).unwrap();
    });
}

#[test]
fn a_marketplace_can_be_added_and_the_command_linked_afterwards() {
    let scratch = Scratch::new();
    let pin = Pin::Current;
    let market = scratch.home().join("market");
    let unpacked = Plugin::new();
    fs::create_dir_all(market.join(".claude-plugin")).unwrap();
    fs::create_dir_all(market.join("plugins")).unwrap();
    copy(unpacked.folder(), &market.join("plugins/lessons"));
    let entry = r#"{"name":"team","owner":{"name":"us"},"plugins":[{"name":"lessons","source":"./plugins/lessons"}]}"#;
    fs::write(market.join(".claude-plugin/marketplace.json"), entry).unwrap();
    for words in [["marketplace", "add", market.to_str().unwrap()].as_slice(), &["install", "lessons@team"]] {
        let mut client = Command::new(pin.program());
        client.arg("plugin").args(words).env_clear().env("HOME", scratch.home()).env("PATH", "/usr/bin:/bin");
        let output = client.env("CLAUDE_CONFIG_DIR", scratch.home().join(".claude")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    tells_once(session(&scratch, pin).run().requests.main(1), BUILT_IN).unwrap();

    // Claude Code keeps a copy, from which the person links the command.
    let cached = scratch.home().join(".claude/plugins/cache/team/lessons/0.1.0/bin/lessons");
    let person = Person::new(&scratch, &unpacked).with_client(&scratch, pin).with_program(&cached);
    let shown = person.types(&["install", "--status"]);
    assert!(shown.contains("is not linked") && shown.contains(cached.to_str().unwrap()), "{shown}");
    person.types(&["install", "--yes"]);
    assert!(user(&scratch, pin).types(&["install", "--status"]).contains("A terminal finds"));
    assert_eq!(plugins(&scratch, pin), ["lessons@team 0.1.0"]);
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}
