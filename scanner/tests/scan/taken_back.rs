//! What is taken back just after a prompt: the prompt says why.

use serde_json::json;

use crate::detected::Calls;
use crate::scratch::{Scratch, jsonl};
use crate::wishes::typed_after;

fn calls() -> Calls<'static> {
    Calls::new("one", 0)
}

/// The rules that are proposed, each with its triggers.
fn proposed(calls: &Calls<'_>) -> Vec<(String, Vec<String>)> {
    let mut scratch = Scratch::new();
    scratch.write("-p/one.jsonl", jsonl(&calls.lines));
    scratch.scan();
    let found = scratch.waiting().into_iter().map(|found| found.finding);
    found.map(|it| (it.fix, it.proposal.triggers.iter().map(ToString::to_string).collect())).collect()
}

fn edit<'s>(calls: Calls<'s>, file: &str, old: &str, new: &str) -> Calls<'s> {
    let input =
        json!({"file_path": format!("/home/dev/project/{file}"), "old_string": old, "new_string": new});
    calls.call("Edit", &input, &json!({"content": "updated"}))
}

#[test]
fn an_edit_that_is_undone_is_told_where_the_prompt_says() {
    let said = "why there? everything under gen/ comes out of buf, your field is gone with the next build";
    for undoing in ["git checkout gen", "git restore gen/a.pb.go", "git checkout -- ."] {
        let calls =
            edit(calls(), "gen/a.pb.go", "Lat float32", "Lat float64").typed(said).bash(undoing, None);
        let expected = "Everything under gen/ comes out of buf, your field is gone with the next build";
        assert_eq!(proposed(&calls), [(expected.to_owned(), vec!["glob=**/gen/**".to_owned()])], "{undoing}");
    }
    for (said, next) in [
        (said, "git checkout main"),
        (said, "git status"),
        ("can you undo that again?", "git checkout gen"),
        ("undo", "git checkout gen"),
    ] {
        let calls = edit(calls(), "gen/a.pb.go", "Lat float32", "Lat float64").typed(said).bash(next, None);
        assert_eq!(proposed(&calls), [], "{said} {next}");
    }
}

#[test]
fn a_commit_that_is_undone_is_told_at_commits() {
    let committed =
        |said: &str| calls().bash("git commit -am x", None).typed(said).bash("git reset --soft HEAD~1", None);
    let said = "Wieso gleich ein commit? Das ist meine Sache, lass die Änderungen einfach liegen";
    let found = proposed(&committed(said));
    assert_eq!(found[0].1, [r"cmd=\bgit\s+commit\b"]);
    assert_eq!(proposed(&committed("the colours of the two bars look far too much alike now")), []);
}

#[test]
fn the_next_order_takes_nothing_back() {
    for (was, said, next) in [
        ("./deploy.sh staging", "staging looks good, deploy to production", "./deploy.sh production"),
        ("cargo test -p core", "core is green, same for the server crate", "cargo test -p server"),
        ("black src", "great, now run pytest", "pytest src"),
        ("black .", "run pytest on it too", "pytest ."),
        ("gh pr create --base main", "merged, go on with the next ticket", "git checkout main"),
        ("git commit -am x", "squash the last two commits into one", "git reset --soft HEAD~2"),
    ] {
        assert_eq!(typed_after(was, said, next, &[]), [], "{said}");
    }
    let better = "padStart reads better than pad, and the name of the field is clearer";
    let edits = edit(calls(), "a.ts", "x", "pad(x)").typed(better);
    assert_eq!(proposed(&edit(edits, "a.ts", "pad(x)", "padStart(x)")), []);
    let failed = calls().bash("docker ps -a web", None).typed("try podman");
    assert_eq!(proposed(&failed.bash("podman ps -a web", Some("podman: command not found"))), []);
}

#[test]
fn code_that_the_next_edit_takes_out_again_is_told_where_it_is_written() {
    let said = "QMessageBox в киоске не живёт, у нас для любых сообщений NotifyService::show()";
    let calls = |new: &str, better: &str| {
        let calls = edit(calls(), "src/form.cpp", "return;", new).typed(said);
        edit(calls, "src/form.cpp", new, better)
    };
    let found = proposed(&calls("QMessageBox::information(this, x);", "NotifyService::show(x);"));
    assert_eq!(found, [(said.to_owned(), vec![r"content=\bQMessageBox\b".to_owned()])]);
    // What is named anew was the agent's own, and what stays was not meant.
    assert_eq!(proposed(&calls("class QMessageBox(Base)", "class NotifyBox(Base)")), []);
    assert_eq!(proposed(&calls("QMessageBox::a(1);", "QMessageBox::a(2);")), []);
}

#[test]
fn a_call_that_is_made_again_with_other_words_that_were_named_is_told_at_the_first() {
    let said = "why prod?! what you try out goes to --target dev, prod is run by the scheduler alone";
    let was = "dbt run -s stg+ --target prod";
    let fires = typed_after(
        was,
        said,
        "dbt run -s stg+ --target dev",
        &["dbt build --target prod", "dbt seed --target=prod", "dbt run --target dev"],
    );
    assert_eq!(fires.len(), 1);
    assert_eq!(fires[0].1, ["dbt build --target prod", "dbt seed --target=prod"]);
    assert_eq!(
        typed_after(was, "and now the same for the other models", "dbt run -s mart+ --target prod", &[]),
        []
    );
}

#[test]
fn who_names_a_program_with_which_the_call_is_made_again_wants_it_in_any_words() {
    let calls = ["gradle check", "./gradlew check", "gradle test", "ls gradle"];
    for prompt in ["the wrapper, gradlew", "hier nur gradlew", "gradlew を使う", "wieso nicht gradlew?"] {
        let found = typed_after(calls[0], prompt, calls[1], &calls);
        assert_eq!(found.len(), 1, "{prompt}");
        let (rule, fires) = &found[0];
        assert_eq!(rule, "Use `./gradlew`, not `gradle`");
        assert!(fires.starts_with(&[calls[0], calls[2]]) && !fires.contains(&calls[1]), "{fires:?}");
    }
    let calls = ["ruff check src", "poetry run ruff check src"];
    let found = typed_after(calls[0], "poetry run, as everywhere here", calls[1], &calls);
    assert_eq!(found, [("Use `poetry run ruff`, not `ruff`".to_owned(), vec![calls[0]])]);
    // Who names both says what for.
    let found =
        typed_after("docker compose up", "docker is gone, podman took over", "podman kube play pod.yml", &[]);
    assert_eq!(
        found.iter().map(|(rule, _)| rule.as_str()).collect::<Vec<_>>(),
        ["Use `podman`, not `docker`"]
    );
    // Another order, another purpose, or a call that only looks, says nothing.
    for (prompt, next) in [
        ("good, now the docs", "gradle docs"),
        ("now send it with rsync", "rsync -a build web:/srv"),
        ("does grep find it?", "grep -rn check ."),
    ] {
        assert_eq!(typed_after("gradle check", prompt, next, &[]), [], "{prompt}");
    }
}

#[test]
fn what_was_done_in_the_place_of_something_else_loses_its_secrets() {
    let ran = |runner: &str| format!("DB_PASSWORD='correct horse battery' {runner} run migrate");
    let calls = calls().bash(&ran("npm"), None).typed("pnpm please").bash(&ran("pnpm"), None);
    let lesson = format!("{:?}", proposed(&calls));
    assert!(lesson.contains("Use `pnpm`, not `npm`") && !lesson.contains("horse"), "{lesson}");
}

#[test]
fn what_was_done_instead_counts_behind_whatever_starts_it() {
    for (was, named, now) in [
        ("npx jest tests/a", "vitest please", "npx vitest tests/a"),
        ("python3 -m unittest tests", "pytest please", "python3 -m pytest tests"),
        ("timeout 60 npm test", "pnpm please", "timeout 60 pnpm test"),
        ("if true; then\n\tnpm ci\nfi", "pnpm please", "if true; then\n\tpnpm ci\nfi"),
    ] {
        let calls = calls().bash(was, None).typed(named).bash(now, None);
        assert_eq!(proposed(&calls).len(), 1, "{named}");
    }
}
