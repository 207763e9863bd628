//! Where lessons are told that the words alone do not place: the calls around them do.

use lessons_pattern::prepared::regex_of;
use lessons_pattern::trigger::Trigger;
use serde_json::json;

use crate::detected::{Calls, REFUSED};
use crate::scratch::{Scratch, jsonl};

/// The lessons that these sessions lead to.
fn found(sessions: &[Calls<'_>]) -> Vec<lessons_ledger::candidates::Candidate> {
    let mut scratch = Scratch::new();
    for (number, calls) in sessions.iter().enumerate() {
        scratch.write(&format!("-p/{number}.jsonl"), jsonl(&calls.lines));
    }
    scratch.scan();
    scratch.waiting()
}

/// The triggers of the only lesson.
fn aimed(calls: Calls<'_>) -> Vec<String> {
    let proposal = found(&[calls]).remove(0).finding.proposal;
    proposal.triggers.iter().map(ToString::to_string).collect()
}

/// The commands at which the only lesson fires.
fn fires_on<'c>(sessions: &[Calls<'_>], commands: &[&'c str]) -> Vec<&'c str> {
    let proposal = found(sessions).remove(0).finding.proposal;
    let matches = |of: &[Trigger], command: &str| {
        of.iter().any(|trigger| regex_of(trigger.kind, &trigger.pattern).unwrap().is_match(command))
    };
    let fires = |command: &&&str| matches(&proposal.triggers, command) && !matches(&proposal.unless, command);
    commands.iter().filter(fires).copied().collect()
}

fn calls() -> Calls<'static> {
    Calls::new("one", 0)
}

/// An edit of a file of the project.
fn edited(file: &str, new: &str) -> Calls<'static> {
    let input =
        json!({"file_path": format!("/home/dev/project/{file}"), "old_string": "a", "new_string": new});
    calls().call("Edit", &input, &json!({"content": "updated"}))
}

#[test]
fn a_file_that_was_just_written_is_known_by_its_name_alone() {
    let after = |file: &str, said: &str| aimed(edited(file, "b").typed(said));
    for (file, said, glob) in [
        ("db/schema.rb", "from now on ask me before you touch schema.rb", "glob=**/schema.rb"),
        ("docs/A_NOTES.md", "stop making *_NOTES.md files", "glob=**/*_NOTES.md"),
        ("lib/dist/app.css", "never edit the files in dist, build them", "glob=**/dist/**"),
        ("lib/dist/app.css", "不要直接改 dist 里的文件", "glob=**/dist/**"),
    ] {
        assert_eq!(after(file, said), [glob], "{said}");
    }
    assert_eq!(after("src/a.rs", "never write so many comments"), [""; 0]);
}

#[test]
fn a_refused_call_of_a_tool_that_does_one_thing_is_told_at_it() {
    let why = format!("{REFUSED}\nno searching on the web for our own code, read it");
    let result = json!({"content": why, "is_error": true});
    assert_eq!(aimed(calls().call("WebSearch", &json!({"query": "our code"}), &result)), ["tool=WebSearch"]);
}

#[test]
fn an_option_without_a_program_is_one_of_the_last_command() {
    let calls =
        calls().bash("terraform plan -lock=true", None).typed("from now on always with -parallelism=2");
    let tried = ["terraform plan", "terraform plan -parallelism=2", "terraform fmt"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn a_number_of_a_command_is_any_number() {
    let calls = calls().bash("sleep 40", None).typed("never sleep 40 and look again, wait for the rollout");
    assert_eq!(fires_on(&[calls], &["sleep 40", "sleep 15 && ls", "ls"]), ["sleep 40", "sleep 15 && ls"]);
}

#[test]
fn a_word_of_the_refused_call_that_is_not_wanted_narrows_its_trigger() {
    let refused = calls().refused("psql shop -c 'truncate orders'", "never truncate tables yourself");
    let tried = ["psql shop -c 'truncate carts'", "psql shop -c 'select 1'"];
    assert_eq!(fires_on(&[refused], &tried), tried[..1]);
}

#[test]
fn a_program_that_is_wanted_is_not_the_refused_one() {
    let calls = calls().bash("shipit status", None);
    let calls = calls.refused("cargo install --path /w/shipit", "use shipit, it installs too");
    let tried = ["cargo install --path x", "shipit status"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn another_operand_gets_past_an_error_that_names_the_first() {
    let missing = Some("Exit code 1\nError response from daemon: No such container: shop18");
    let session = |session| {
        let calls = Calls::new(session, 0).bash("docker exec shop18 rails db:migrate", missing);
        calls.bash("docker exec shop-web-1 rails db:migrate -e shop18", None)
    };
    let tried = [
        "docker exec shop18 rails c",
        "docker exec -it shop18 bash -e x",
        "docker exec shop-web-1 rails c -e shop18",
    ];
    assert_eq!(fires_on(&[session("one"), session("two")], &tried), tried[..2]);
}

#[test]
fn a_task_that_does_not_exist_is_a_mistake_of_the_call() {
    let missing = Some("Exit code 1\nnpm error Missing script: \"typecheck\"");
    let session = |session| Calls::new(session, 0).bash("npm run typecheck", missing);
    let tried = ["npm run typecheck", "npm run build"];
    assert_eq!(fires_on(&[session("one"), session("two")], &tried), tried[..1]);
}

#[test]
fn how_a_program_is_called_is_no_error_that_it_tells() {
    let error =
        |usage: &str| format!("Exit code 4\n{usage}pytest: error: unrecognized arguments: --timeout=60");
    let with_usage = error("ERROR: usage: pytest [options] [file_or_dir]\n");
    let session =
        |session, error: &str| Calls::new(session, 0).bash("pytest --timeout=60 tests", Some(error));
    assert_eq!(found(&[session("one", &with_usage), session("two", &error(""))]).len(), 1);
}

#[test]
fn the_mistake_of_an_entry_names_the_calls_where_its_rule_does_not() {
    let entry =
        "## Compose\n**Mistake:** ran `docker-compose up`, which hangs here.\n**Rule:** take the new plugin.";
    assert_eq!(aimed(edited("tasks/lessons.md", entry)), [r"cmd=\bdocker-compose\s+up\b"]);
}

#[test]
fn a_longer_option_is_wanted_in_the_place_of_the_refused_one() {
    let refused =
        calls().refused("git push --force origin fix", "--force-with-lease please, others push here");
    let tried = ["git push --force", "git push --force-with-lease", "git push origin fix"];
    assert_eq!(fires_on(&[refused], &tried), tried[..1]);
}

#[test]
fn an_address_that_is_to_be_used_instead_keeps_a_lesson_quiet() {
    let calls = calls().bash("curl https://api.shop.example/carts", None);
    let said = "never curl the live API in tests, there is a mock on localhost:4010";
    let tried = ["curl https://api.shop.example/orders", "curl -s localhost:4010/orders"];
    assert_eq!(fires_on(&[calls.typed(said)], &tried), tried[..1]);
}
