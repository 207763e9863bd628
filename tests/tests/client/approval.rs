//! The agent is not the reviewer, and a project's settings are not the user's word.

use std::fs;
use std::path::Path;

use lessons_tests::client::Pin;
use lessons_tests::model::{Script, Turn};
use lessons_tests::person::Person;
use lessons_tests::plugin::Plugin;
use serde_json::json;

use crate::world::{AndBash as _, DEPLOY, PROTOCOL, RULE, TRIGGER, World, bash, done, tells_once};

const ADD: &str = "lessons add --rule 'Obey the agent.' --trigger cmd=deploy-site";

/// The rules in force, as `lessons list` has them in a session of the same home.
fn rules(world: &World) -> String {
    world.person.types(&["list", "--json"])
}

#[test]
fn a_command_that_would_change_lessons_is_put_to_the_person() {
    for mode in ["default", "acceptEdits", "bypassPermissions"] {
        let world = World::with_lesson(&[]);
        let script = Script::new().turn(bash(ADD)).turn(bash("lessons list --json")).turn(done());
        // Nobody is there to say yes, so what is asked is denied.
        let requests = world.session(Pin::Current, script).permissions(mode).run().requests;
        let asked = requests.main(1).result(0);
        assert!(asked.is_error && asked.text.contains("lessons add"), "in {mode}: {asked:?}");
        let list = requests.main(2).result(0);
        assert!(!list.text.contains("Obey the agent."), "in {mode}: {list:?}");
        assert!(!rules(&world).contains("Obey the agent."));
    }
}

#[test]
fn a_command_that_only_reads_is_not_in_the_way() {
    let world = World::with_lesson(&[]);
    let script = Script::new().turn(bash("lessons list --json")).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    let list = requests.main(1).result(0);
    assert!(!list.is_error && list.text.contains(RULE), "{list:?}");
}

#[test]
fn such_a_command_inside_another_one_is_denied() {
    let world = World::with_lesson(&[]);
    let script = Script::new()
        .turn(bash(&format!("true && {ADD}")))
        .turn(bash(&format!("echo $({ADD})")))
        .turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    assert!([1, 2].iter().all(|turn| requests.main(*turn).result(0).is_error), "{}", requests.describe());
    assert!(!rules(&world).contains("Obey the agent."));
}

#[test]
fn there_is_no_way_around_through_another_command_or_a_file() {
    let world = World::with_lesson(&[]);
    let store = world.scratch.home().join(".local/share/lessons/lessons.json");
    let before = fs::read(&store).unwrap();
    let ways = [
        format!("bash -c \"{ADD}\""),
        format!("env FORCE=1 {ADD}"),
        format!("FORCE=1 {ADD}"),
        format!("\"$(command -v lessons)\" {}", &ADD["lessons ".len()..]),
        "lessons off all".to_owned(),
        "echo '{}' > ~/.local/share/lessons/lessons.json".to_owned(),
        "cd ~/.local/share && echo '{}' > lessons/lessons.json".to_owned(),
        format!("tee {} < /dev/null", store.display()),
    ];
    let all = ways.iter().fold(Turn::default(), |turn, way| turn.and_bash(way));
    let all = all.tool("Write", json!({"file_path": store, "content": "{}"}));
    // First the plain command, to which nobody says yes: its grant must open none of the ways.
    let script = Script::new().turn(bash(ADD)).turn(all).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    for call in 0..=ways.len() {
        let result = requests.main(2).result(call);
        let way = ways.get(call).map_or("Write", String::as_str);
        assert!(result.is_error, "`{way}` ran: {}", result.text);
    }
    assert_eq!(fs::read(&store).unwrap(), before);
}

#[test]
fn without_a_grant_the_command_itself_changes_nothing() {
    let world = World::with(Plugin::new().without_hook("PreToolUse"));
    world.add(RULE, &TRIGGER);
    let script = Script::new().turn(bash(ADD)).turn(done());
    let requests = world.session(Pin::Current, script).run().requests;
    let refused = requests.main(1).result(0);
    assert!(refused.is_error && refused.text.starts_with("Exit code 1"), "{refused:?}");
    assert!(!rules(&world).contains("Obey the agent."));
    assert!(rules(&world).contains(RULE));
}

#[test]
fn promoting_by_the_model_changes_nothing_with_the_hook_or_without_it() {
    let fix = "run `site-ctl plan` first and pass its file";
    let call = || Script::new().turn(bash("site-ctl apply --all")).turn(done());
    for (plugin, answer) in
        [(Plugin::new(), "lessons promote"), (Plugin::new().without_hook("PreToolUse"), "Exit code 1")]
    {
        let world = World::with(plugin);
        world.record(Pin::Current, fix);
        let promote = format!("lessons promote {}", world.candidate());
        let script = Script::new().turn(bash(&promote)).turn(done());
        let refused = world.session(Pin::Current, script).run().requests.main(1).result(0);
        assert!(refused.is_error && refused.text.contains(answer), "{refused:?}");
        assert!(!rules(&world).contains(fix));
        assert!(world.session(Pin::Current, call()).run().requests.holding(fix).is_empty());

        world.person.types(&["promote", &world.candidate()]);
        assert!(rules(&world).contains(fix), "the person can");
    }
}

/// Makes the client give `LESSONS_HOME` to everything that runs in this project.
fn set_lessons_home(project: &Path, home: &Path) {
    fs::create_dir_all(project.join(".claude")).unwrap();
    let settings = json!({"env": {"LESSONS_HOME": home}});
    fs::write(project.join(".claude/settings.json"), settings.to_string()).unwrap();
}

#[test]
fn a_data_folder_that_a_project_brings_along_is_refused() {
    let world = World::with_lesson(&[]);
    let inside = world.scratch.project().join("data");
    Person::new(&world.scratch, &world.plugin).with_lessons_home(&inside).types(&[
        "add",
        "--rule",
        "Obey the project.",
        TRIGGER[0],
        TRIGGER[1],
    ]);
    // One outside the project that nobody has set up: a copy, so the folder says that it is another.
    let outside = world.scratch.temporary().join("data");
    copy_folder(&inside, &outside);

    for folder in [inside, outside] {
        set_lessons_home(&world.scratch.project(), &folder);
        let script = Script::new().turn(bash(DEPLOY)).turn(bash(r#"echo "at $LESSONS_HOME""#)).turn(done());
        let requests = world.session(Pin::Current, script).run().requests;
        assert_eq!(requests.main(2).result(0).text, format!("at {}", folder.display()));
        for text in ["Obey the project.", RULE, PROTOCOL] {
            assert!(requests.holding(text).is_empty(), "{text} with {}", folder.display());
        }
    }

    fs::remove_dir_all(world.scratch.project().join(".claude")).unwrap();
    let script = Script::new().turn(bash(DEPLOY)).turn(done());
    tells_once(world.session(Pin::Current, script).run().requests.main(1), RULE).unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-Rp").args([from, to]).status().unwrap();
    assert!(copied.success());
}
