//! A call that is made again with the program that a prompt names.

use lessons_ledger::Finding;

use crate::detected::Calls;
use crate::scratch::{Scratch, jsonl};
use crate::wishes::typed_after;

fn calls() -> Calls<'static> {
    Calls::new("one", 0)
}

/// What is proposed.
fn proposed(calls: &Calls<'_>) -> Vec<Finding> {
    let mut scratch = Scratch::new();
    scratch.write("-p/one.jsonl", jsonl(&calls.lines));
    scratch.scan();
    scratch.waiting().into_iter().map(|found| found.finding).collect()
}

#[test]
fn the_next_order_switches_nothing() {
    for (was, said, next) in [
        ("black src", "great, now run pytest", "pytest src"),
        ("black .", "run pytest on it too", "pytest ."),
    ] {
        assert_eq!(typed_after(was, said, next, &[]), [], "{said}");
    }
    let found = typed_after("npm ci", "uh no, pnpm. now theres a package-lock.json", "pnpm install", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    let failed = calls().bash("docker ps -a web", None).typed("try podman");
    assert_eq!(proposed(&failed.bash("podman ps -a web", Some("podman: command not found"))), []);
}

#[test]
fn who_names_a_program_with_which_the_call_is_made_again_wants_it_in_any_words() {
    let calls = ["gradle check", "./gradlew check", "gradle test", "ls gradle"];
    for prompt in ["the wrapper, gradlew", "hier nur gradlew", "gradlewを使う", "wieso nicht gradlew?"] {
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
    // What runs the same program as well takes nothing's place.
    let prompt = "strip the outputs first (jupyter nbconvert --inplace), amend that one";
    let next = "jupyter nbconvert --inplace a.ipynb && git commit --amend --no-edit a.ipynb";
    assert_eq!(typed_after("git commit a.ipynb -m plot", prompt, next, &[]), []);
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
