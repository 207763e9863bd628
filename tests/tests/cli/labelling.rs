//! Hits labelled by a person, and what a lesson needs to refuse calls.

use insta::assert_snapshot;
use lessons_manifest_builder::seeds;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::replaying::{with_commands, with_frob};
use crate::said::said;

const ID: &str = "general-use-frob-push-safe-which";

/// A machine on which `frob push` was run on so many branches.
fn with_hits(hits: u32) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let commands: Vec<String> = (0..hits).map(|hit| format!("frob push {}", branch(hit))).collect();
    with_commands(&env, "one", 1, &commands.iter().map(String::as_str).collect::<Vec<_>>());
    with_frob(&env);
    env
}

/// A name without a number: numbers do not tell calls apart.
fn branch(number: u32) -> String {
    let letter = |number| char::from(b'a' + u8::try_from(number % 26).expect("a letter"));
    [letter(number / 26), letter(number)].iter().collect()
}

fn label(env: &TestEnv, answers: &str) -> String {
    said(env, &env.lessons_given(&["replay", ID, "--label"], answers.as_bytes()))
}

fn lesson(env: &TestEnv) -> Value {
    env.lessons_json(&["show", ID])["lesson"].clone()
}

fn block(env: &TestEnv) -> String {
    said(env, &env.lessons(&["edit", ID, "--mode", "block"]))
}

#[test]
fn answers_are_kept_as_examples_and_open_the_way_to_refuse() {
    let env = with_hits(3);
    assert_snapshot!(block(&env), @r#"
    exit 2
    --- stderr
    lessons: a lesson that refuses calls needs an example of one; take one of your sessions (`lessons replay ID --label`), or give one with --fires (`examples.fires`) (UNPROVED_REFUSAL)
    "#);
    assert_snapshot!(label(&env, "y\nmaybe\nyes\n"), @r#"
    exit 0

    1 of 3 (3 more to let it refuse calls)
      Bash `frob push ac`
      1 call, 0 failed, last 2026-11-01 10:03 UTC
    Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    2 of 3 (2 more to let it refuse calls)
      Bash `frob push ab`
      1 call, 0 failed, last 2026-11-01 10:02 UTC
    Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    3 of 3 (1 more to let it refuse calls)
      Bash `frob push aa`
      1 call, 0 failed, last 2026-11-01 10:01 UTC
    Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    2 answers kept as examples of user/general-use-frob-push-safe-which: 2 right, 0 wrong.
    2 of 3 looked at.
    Next: lessons replay general-use-frob-push-safe-which --label
    "#);
    assert_eq!(lesson(&env)["examples"]["fires"].as_array().map(Vec::len), Some(2));
    assert!(block(&env).starts_with("exit 2"));
    assert_snapshot!(label(&env, "y\n"), @r#"
    exit 0

    1 of 1 (1 more to let it refuse calls)
      Bash `frob push aa`
      1 call, 0 failed, last 2026-11-01 10:01 UTC
    Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 1 answer kept as examples of user/general-use-frob-push-safe-which: 1 right, 0 wrong.
    It may refuse calls.
    Next: lessons edit general-use-frob-push-safe-which --mode block
    "#);
    assert_snapshot!(block(&env), @r#"
    exit 0
    user/general-use-frob-push-safe-which changed; it is in force from the next call on
    Next: lessons show user/general-use-frob-push-safe-which
    "#);
    assert_eq!(lesson(&env)["mode"], "block");
    assert_snapshot!(label(&env, ""), @r#"
    exit 0
    Nothing to ask about user/general-use-frob-push-safe-which: you have looked at all of them.
    It refuses calls, and may.
    Next: lessons show general-use-frob-push-safe-which
    "#);
}

#[test]
fn every_key_does_what_it_says() {
    let env = with_hits(5);
    // Skipped ones are asked about again another time.
    assert!(label(&env, "s\n\nskip\nq\n").ends_with("Nothing was kept."));
    assert!(label(&env, "Y\nno\nquit\n").contains("2 answers kept"));
    let examples = lesson(&env)["examples"].clone();
    assert_eq!(
        (examples["fires"].as_array().map(Vec::len), examples["quiet"].as_array().map(Vec::len)),
        (Some(1), Some(1))
    );
    assert!(label(&env, "").contains("1 of 3 ("), "and the others not");
}

#[test]
fn a_wrong_hit_keeps_the_lesson_out_until_it_is_narrowed() {
    let env = with_hits(2);
    assert_snapshot!(label(&env, "n\ny\n"), @r#"
    exit 0

    1 of 2 (2 more to let it refuse calls)
      Bash `frob push ab`
      1 call, 0 failed, last 2026-11-01 10:02 UTC
    Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    2 of 2 (1 more to let it refuse calls)
      Bash `frob push aa`
      1 call, 0 failed, last 2026-11-01 10:01 UTC
    Is it right that general-use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 2 answers kept as examples of user/general-use-frob-push-safe-which: 1 right, 1 wrong.
    It is not in force now: it should keep quiet on this example of its own and does not: Bash `frob push ab`.
    1 of 2 are wrong, too many to let it refuse calls.
    Next: lessons edit general-use-frob-push-safe-which --unless 'cmd=PATTERN', then lessons replay general-use-frob-push-safe-which
    "#);
    assert_snapshot!(block(&env), @r#"
    exit 2
    --- stderr
    lessons: general-use-frob-push-safe-which would be wrong too often: of 2 different calls that you have looked at, 1 should not be refused, and one in twenty may be. Narrow it first, for example
      lessons edit general-use-frob-push-safe-which --unless 'cmd=PATTERN'
    or say why it should refuse all the same: --force-block "REASON"
    "#);
    let wrong = lesson(&env)["examples"]["quiet"][0]["command"].as_str().expect("a command").to_owned();
    env.must(&["edit", ID, "--unless", r"cmd=\s--safe\b", "--unless", &format!("cmd={wrong}")]);
    assert!(block(&env).starts_with("exit 0"), "all that is left is right");
}

#[test]
fn one_wrong_hit_in_twenty_may_be() {
    let env = with_hits(25);
    assert!(label(&env, &format!("n\n{}q\n", "y\n".repeat(19))).contains("It may refuse calls."));
    let blocked = block(&env);
    assert!(blocked.starts_with("exit 0") && blocked.contains("in force"), "{blocked}");
    let tested = said(&env, &env.lessons(&["test"]));
    assert!(
        tested.starts_with("exit 1") && tested.contains("keep quiet"),
        "it is said all the same: {tested}"
    );
    let env = with_hits(25);
    assert!(label(&env, &format!("n\nn\n{}q\n", "y\n".repeat(18))).contains("too many"));
    assert!(block(&env).contains("one in twenty"));
}

#[test]
fn a_reason_takes_the_place_of_proof_and_is_written_down() {
    let env = with_hits(2);
    let forced = env.lessons(&[
        "edit",
        ID,
        "--mode",
        "block",
        "--force-block",
        "it lost a day's work",
        "--fires",
        "frob push a",
    ]);
    assert!(said(&env, &forced).starts_with("exit 0"), "{}", said(&env, &forced));
    assert_eq!(lesson(&env)["evidence"], json!(["forced:block: it lost a day's work"]));
    // Narrower needs nothing, wider needs proof or another reason.
    env.must(&["edit", ID, "--unless", r"cmd=\s--(safe|dry)\b", "--unless", r"cmd=\s--safe\b"]);
    let wider = said(&env, &env.lessons(&["edit", ID, "--trigger", r"cmd=\bfrob\b"]));
    assert!(wider.starts_with("exit 2") && wider.contains("lessons replay"), "{wider}");
    let empty = env.lessons(&["edit", ID, "--trigger", r"cmd=\bfrob\b", "--force-block", " "]);
    assert_snapshot!(said(&env, &empty), @r#"
    exit 2
    --- stderr
    lessons: --force-block needs a reason: why should it refuse without proof?
    "#);
}

#[test]
fn without_a_past_a_reason_is_required() {
    let env = TestEnv::new().without_seeds();
    let add = [
        "add",
        "--rule",
        "Never wipe with frob.",
        "--trigger",
        r"cmd=\bfrob wipe\b",
        "--fires",
        "frob wipe /",
    ];
    assert_snapshot!(said(&env, &env.lessons(&[&add[..], &["--mode", "block"]].concat())), @r#"
    exit 2
    --- stderr
    lessons: general-never-wipe-with-frob would refuse calls: there are no sessions on this machine to try it on first. If it should all the same, say why: --force-block "REASON"
    "#);
    let code = env.lessons(&[&add[..], &["--mode", "block", "--json"]].concat());
    let json: Value = serde_json::from_slice(&code.stdout).expect("JSON");
    assert_eq!(json["code"], "UNPROVEN_BLOCK");
    env.must(&[&add[..], &["--mode", "block", "--force-block", "there is nothing to look at"]].concat());
    let advice = said(&env, &env.lessons(&[&add[..4], &["frob x", "--force-block", "why"]].concat()));
    assert!(advice.starts_with("exit 2"), "{advice}");
}

#[test]
fn no_way_into_the_store_leads_around_it() {
    let env = with_hits(2);
    let block = json!({
        "id": "wipe", "rule": "Never wipe with frob.", "mode": "block", "evidence": ["forced:block: says who"],
        "triggers": [{"kind": "command_pattern", "pattern": r"\bfrob\s+push\b"}],
        "examples": {"fires": [{"tool": "Bash", "command": "frob push x"}]},
    });
    let refused = |output: &std::process::Output| said(&env, output).contains("wipe would have refused");
    assert!(refused(&env.lessons_given(&["add", "--json-input", "-"], block.to_string().as_bytes())));

    // A colleague's lessons, who had reasons of their own.
    let other = with_hits(2);
    let forced = other.lessons_given(
        &["add", "--json-input", "-", "--force-block", "I know better"],
        block.to_string().as_bytes(),
    );
    assert!(forced.status.success(), "{}", said(&other, &forced));
    let graph = env.project().join("theirs.json");
    std::fs::write(&graph, std::fs::read(other.data().join("lessons.json")).unwrap()).unwrap();
    let import = ["import", "--format", "lessons-graph", graph.to_str().unwrap()];
    assert!(refused(&env.lessons(&import)), "{}", said(&env, &env.lessons(&import)));
    env.must(&[&import[..], &["--force-block", "she does"]].concat());
    assert_eq!(env.lessons_json(&["show", "wipe"])["lesson"]["evidence"], json!(["forced:block: she does"]));

    // What makes a lesson fire on more than was looked at.
    env.must(&["add", "--rule", "Look twice at frob.", "--trigger", "cmd=frob", "--topic", "frob"]);
    let merged = said(&env, &env.lessons(&["merge", "frob-look-twice-at-frob", "wipe"]));
    assert!(merged.contains("would have refused") && merged.starts_with("exit 2"), "{merged}");
}

#[test]
fn only_a_person_labels_and_only_their_own_lessons() {
    let env = with_hits(2);
    let agent = env.as_agent("s").lessons(&["replay", ID, "--label"]);
    assert!(said(&env, &agent).starts_with("exit 1"), "{}", said(&env, &agent));
    assert_snapshot!(said(&env, &env.lessons(&["replay", ID, "--label", "--json"])), @r#"
    exit 2
    {"error":"--label asks questions, which --json cannot"}
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["replay", ID, "--label", "--unless", "cmd=x"])), @r#"
    exit 2
    --- stderr
    lessons: your answers become examples of a lesson as it stands: change or add it first
    "#);
    let seed = format!("seed/{}", seeds::lessons()[0].id);
    let said = said(&env, &env.lessons(&["replay", &seed, "--label"]));
    assert!(said.starts_with("exit 2") && said.contains("not yours to change"), "{said}");
}
