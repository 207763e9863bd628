//! A lesson that says what another one says already is named with the commands that merge or replace it.

use lessons_tests::env::TestEnv;
use serde_json::Value;

use crate::said::said;

/// The warnings about duplicates that `add` gives.
fn duplicates(env: &TestEnv, rule: &str, trigger: &str) -> Vec<String> {
    let added = env.lessons_json(&["add", "--rule", rule, "--trigger", trigger]);
    let warnings = added["warnings"].as_array().cloned().unwrap_or_default();
    let is_meant = |warning: &&Value| warning["code"] == "DUPLICATE_LESSON";
    warnings
        .iter()
        .filter(is_meant)
        .map(|warning| warning["message"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_same_advice_in_other_words_on_the_same_calls_is_named_and_its_remedies_work() {
    let env = TestEnv::new().without_seeds();
    assert!(duplicates(&env, "use pnpm, never npm", r"cmd=\bnpm\b").is_empty());
    let named = duplicates(&env, "always use pnpm rather than npm", r"cmd=\bnpm\s+(install|i)\b");
    assert_eq!(named.len(), 1, "{named:?}");
    let (old, new) = ("general-use-pnpm-never-npm", "general-always-use-pnpm-rather-than");
    assert!(named[0].starts_with(&format!("user/{old} says nearly the same")), "{named:?}");
    for (words, gone) in [(["merge", new, old], new), (["supersede", old, new], old)] {
        assert!(named[0].contains(&format!("lessons {}", words.join(" "))), "{named:?}");
        env.must(&words);
        let left = env.must(&["list", "--mine", "--short"]);
        assert!(!left.contains(&format!("user/{gone} ")), "{left}");
        env.must(&["undo"]);
    }
    assert!(
        duplicates(&env, "use pnpm for every npm script of web", r"cmd=\byarn\b").is_empty(),
        "other calls"
    );
    assert!(duplicates(&env, "pin the version of node", r"cmd=\bnpm\b").is_empty(), "other advice");
}

#[test]
fn the_readmes_own_example_names_the_built_in_lesson() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let named = duplicates(&env, "Use `git stash -u`.", r"cmd=\bgit\s+stash\b");
    assert!(named.iter().any(|text| text.starts_with("seed/git-stash")), "{named:?}");
    let off = named[0].split("lessons off ").nth(1).expect("a command");
    env.must(&["off", off]);
    env.must(&["on", off]);
    env.must(&["undo"]);
}

#[test]
fn a_candidate_names_the_lesson_that_says_the_same() {
    let (env, [plain, _]) = crate::reading::with_candidates();
    env.must(&[
        "add",
        "--rule",
        "With frob push use --safe, which asks.",
        "--trigger",
        r"cmd=\bfrob\s+push\b",
    ]);
    let promoted = said(&env, &env.lessons(&["promote", &plain]));
    assert!(
        promoted.contains("says nearly the same and fires on the same calls; merge the two: lessons merge"),
        "{promoted}"
    );
}
