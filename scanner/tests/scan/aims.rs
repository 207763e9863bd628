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
    let found = found(sessions);
    let proposal = &found.first().expect("a lesson").finding.proposal;
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
fn who_refuses_an_edit_and_names_the_folder_around_it_means_that_folder() {
    let why = "what is in ops/live belongs to the night shift, change ops/trial";
    let refused = calls().refused_edit("/home/dev/project/ops/live/limits.yaml", why);
    assert_eq!(aimed(refused), ["glob=**/ops/live/**"]);
    // The folder in which it belongs is none of it, whatever was done there before.
    let why = "please always have specs in input/specs";
    let before = calls().bash("ls input/specs", None).call(
        "Write",
        &json!({"file_path": "/home/dev/project/input/specs/a.js", "content": "a"}),
        &json!({"content": "written"}),
    );
    assert_eq!(aimed(before.refused_edit("/home/dev/project/lib/b.js", why)), [""; 0]);
}

#[test]
fn who_wants_no_new_packages_means_the_commands_that_add_them() {
    let calls = calls().bash("ls", None).typed("never add new dependencies without asking me");
    let tried = [
        "npm i -D left-pad",
        "cargo add rand",
        "pip install -U rich",
        "npm install 2>&1 | tail",
        "npm install --prefix web",
        "npm install\nnpm test",
        "pip install -qr a.txt",
        "npm ci",
    ];
    assert_eq!(fires_on(&[calls], &tried), tried[..3]);
}

#[test]
fn a_variable_that_an_option_needs_is_told_where_the_option_is() {
    let error = "Exit code 2\ngo: -race requires cgo; enable cgo by setting CGO_ENABLED=1";
    let calls = calls().bash("go test -race ./mail", Some(error));
    let calls = calls.bash("CGO_ENABLED=1 go test -race ./mail", None);
    let tried = ["go test -race ./tax", "go test ./tax", "CGO_ENABLED=1 go test -race ./tax"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn an_option_is_named_whatever_mark_stands_around_it() {
    for said in ["don't push with \"-f\" here", "不要用-f推送到远程分支"] {
        let calls = calls().bash("git push -f origin main", None).typed(said);
        let tried = ["git push -f origin dev", "git push origin dev"];
        assert_eq!(fires_on(&[calls], &tried), tried[..1], "{said}");
    }
}

#[test]
fn a_command_that_is_to_have_an_option_is_told_where_it_lacks_it() {
    let ran = calls().bash("docker compose -f dev.yml up", None);
    let calls = ran.typed("docker compose up always with --build");
    assert_eq!(
        fires_on(&[calls], &["docker compose up", "docker compose up --build"]),
        ["docker compose up"]
    );
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
fn how_things_are_done_here_counts_at_a_call_that_was_just_made() {
    let amend = "git commit --amend -m 'SHOP-4: fix the cart'";
    for said in [
        "commit messages must start with the ticket number",
        "los mensajes de commit tienen que ir en inglés",
        "commit message 要用英文写",
    ] {
        let calls = calls().bash("git commit -m 'fix the cart'", None).typed(said).bash(amend, None);
        assert_eq!(fires_on(&[calls], &["git commit -m x", "git push"]), ["git commit -m x"], "{said}");
    }
    let every = calls().bash("kubectl get pods", None).typed("every kubectl gets --context staging from you");
    let tried = ["kubectl logs web", "kubectl logs web --context staging", "helm ls"];
    assert_eq!(fires_on(&[every], &tried), tried[..1]);
    for said in [
        "the button must be blue",
        "every row needs a key",
        "it must be ready before every commit here",
        "every handler goes in src/handlers/all.ts here",
    ] {
        assert!(found(&[edited("src/a.tsx", "b").typed(said)]).is_empty(), "{said}");
    }
}

#[test]
fn a_folder_that_is_not_ours_counts_where_something_in_it_was_just_written() {
    let after =
        |file: &str| found(&[edited(file, "b").typed("we don't touch vendor/, it is not ours")]).len();
    assert_eq!((after("vendor/a.php"), after("src/a.php")), (1, 0));
}

#[test]
fn a_folder_whose_name_begins_with_a_dot_keeps_it() {
    let calls = edited(".github/workflows/ci.yml", "b").typed("don't touch .github/workflows, ops owns it");
    assert_eq!(aimed(calls), ["glob=**/.github/workflows/**"]);
}

#[test]
fn a_name_that_is_not_wanted_is_looked_for_in_what_was_just_written() {
    let calls = edited("src/a.ts", "import uniq from 'lodash/uniq'").typed("use es-toolkit, not lodash");
    assert_eq!(aimed(calls), [r"content=\blodash\b"]);
}

#[test]
fn an_option_of_another_command_is_no_exception() {
    let calls = calls().refused("apt-get install ffmpeg", "never use apt-get here, use nix-shell -p ffmpeg");
    let tried = ["apt-get install -p x", "nix-shell -p ffmpeg"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn a_rule_in_another_language_is_one_where_it_names_code() {
    for (rule, trigger) in [
        ("Nie `kubectl apply` direkt ausführen", r"cmd=\bkubectl\s+apply\b"),
        ("Deploy with `make deploy-staging`, never with `kubectl apply`.", r"cmd=\bkubectl\s+apply\b"),
    ] {
        let input = json!({"file_path": "/home/dev/project/CLAUDE.md", "old_string": "# Rules", "new_string": format!("# Rules\n- {rule}")});
        let calls = calls().call("Edit", &input, &json!({"content": "updated"}));
        assert_eq!(aimed(calls), [trigger], "{rule}");
    }
}

#[test]
fn a_setting_that_a_command_is_to_have_is_missed_where_it_runs_without() {
    let noted = |rule: &str, tried: &[&'static str]| {
        let input = json!({"file_path": "/home/dev/project/CLAUDE.md", "old_string": "# Rules", "new_string": format!("# Rules\n- {rule}")});
        fires_on(&[calls().call("Edit", &input, &json!({"content": "updated"}))], tried)
    };
    let tried = ["bin/rails db:seed", "LOCALE=en bin/rails db:seed", "bin/rails test"];
    assert_eq!(
        noted("`bin/rails db:seed` needs `LOCALE=en`, the names are empty otherwise", &tried),
        tried[..1]
    );
}

#[test]
fn a_command_that_names_files_is_told_where_it_lacks_what_it_must_have() {
    let noted = |rule: &str, tried: &[&'static str]| {
        let input = json!({"file_path": "/home/dev/project/CLAUDE.md", "old_string": "# Rules", "new_string": format!("# Rules\n- {rule}")});
        fires_on(&[calls().call("Edit", &input, &json!({"content": "updated"}))], tried)
    };
    let tried = [
        "ansible-playbook -i inventories/prod site.yml --tags sshd",
        "ansible-playbook -i inventories/prod site.yml --limit fra",
        "ansible-lint site.yml",
    ];
    let rule = "Never run `ansible-playbook -i inventories/prod site.yml` without `--limit <region>`: it hits all of them";
    assert_eq!(noted(rule, &tried), tried[..1]);
    let tried = ["dbt run", "dbt run --select a"];
    assert_eq!(noted("Never run `dbt run` without `--select`, that is 40 dollars", &tried), tried[..1]);
}

#[test]
fn what_is_to_be_used_instead_keeps_quiet_wherever_it_is_said() {
    let calls = calls().refused("pip install requests", "don't use pip here, use uv");
    let tried = ["pip install x", "uv pip install x", "uv add pip"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn of_an_option_and_one_that_begins_like_it_the_wanted_one_is_quiet() {
    let calls = calls().bash("git push --force origin kim/a", None);
    let calls = calls.typed("from now on --force-with-lease, plain --force is out");
    let tried = ["git push --force origin x", "git push --force-with-lease origin x", "git push"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn the_file_of_an_option_is_about_what_is_started_with_it() {
    let calls = calls()
        .bash("docker compose up -d", None)
        .typed("merk dir: hier immer mit -f compose.dev.yml starten");
    let tried = ["docker compose up -d", "docker compose -f compose.dev.yml up -d", "docker ps"];
    assert_eq!(fires_on(&[calls], &tried), tried[..1]);
}

#[test]
fn a_name_between_chinese_words_is_one_of_code() {
    let calls = edited("src/a.ts", "console.log(1)").typed("别用 console.log,用 src/log.ts 里的 logger");
    assert_eq!(aimed(calls), [r"content=\bconsole\.log\b"]);
    let calls = edited("src/a.rs", "println!(1)").typed("println! は使わないで、tracing::info! にして");
    assert_eq!(aimed(calls), [r"content=\bprintln\b"]);
}

#[test]
fn an_end_of_names_is_no_hidden_file() {
    let at = |said: &str| aimed(edited("a.txt", "b").typed(said));
    assert_eq!(at("don't edit the .ipynb directly, they are generated"), ["glob=**/*.ipynb"]);
    assert_eq!(at("never edit .npmrc in this repo"), ["glob=**/.npmrc*"]);
}

#[test]
fn a_file_that_a_command_was_not_to_read_is_told_at_commands() {
    let tried = ["cat .env", "source .env && make", "cat .env.example"];
    assert_eq!(
        fires_on(&[calls().refused("cat .env", "don't read .env, see .env.example")], &tried),
        tried[..2]
    );
}

#[test]
fn what_is_named_by_its_words_may_have_run_some_calls_before() {
    let calls = calls().bash("rake db:migrate", None);
    let calls = (0..5).fold(calls, |calls, _| calls.bash("git status", None));
    let tried = ["rake db:migrate", "bin/rails db:migrate"];
    assert_eq!(fires_on(&[calls.typed("use bin/rails, not rake")], &tried), tried[..1]);
}

#[test]
fn an_option_that_was_just_used_is_unwanted_where_it_is_asked_why() {
    let tried = ["cargo build --release", "cargo build"];
    let calls = calls().bash("cargo build --release", None);
    let said = "why do you build with --release? a debug build is enough";
    assert_eq!(fires_on(&[calls.typed(said)], &tried), tried[..1]);
}

#[test]
fn an_option_that_was_just_used_is_unwanted_where_it_is_to_be_left_out_in_any_language() {
    let tried = ["svn update --force", "svn update"];
    for said in
        ["from now on update without --force", "ab jetzt immer ohne --force", "a partir de ahora sin --force"]
    {
        let calls = calls().bash("svn update --force", None).typed(said);
        assert_eq!(fires_on(&[calls], &tried), tried[..1], "{said}");
    }
    // However the program was started when it was said.
    let tried =
        ["ruff check . --unsafe-fixes", "uv run ruff check --unsafe-fixes src", "uv run ruff check src"];
    let said = "zapamiętaj na przyszłość: ruff bez --unsafe-fixes, te importy są potrzebne do rejestru";
    let calls = calls().bash("uv run ruff check --fix --unsafe-fixes src/models", None).typed(said);
    assert_eq!(fires_on(&[calls], &tried), tried[..2]);
}

#[test]
fn what_others_may_do_and_words_to_go_on_are_no_rules() {
    for said in ["the user must never book two shifts", "ein rabatt darf nie größer als der preis sein"] {
        assert!(found(&[edited("src/a.rs", "b").typed(said)]).is_empty(), "{said}");
    }
    let session = |id: &'static str, said: &str| Calls::new(id, 0).typed(said).bash("git status", None);
    for said in ["parfait, continue", "add the case to src/a.rs and run the tests"] {
        let sessions = ["one", "two", "three"].map(|id| session(id, said));
        assert!(found(&sessions).is_empty(), "{said}");
    }
}

#[test]
fn a_program_that_is_missing_is_told_at_its_calls_from_a_folder_of_its_name_too() {
    let missing = Some("Exit code 127\n/bin/bash: line 1: go: command not found");
    let session =
        |session| Calls::new(session, 0).bash("cd /home/dev/map/go && go build ./cmd/server/ 2>&1", missing);
    let tried = ["cd /home/dev/map/go && go build ./cmd/server/ 2>&1", "go test ./...", "cat go.mod"];
    assert_eq!(fires_on(&[session("one"), session("two")], &tried), tried[..2]);
}
