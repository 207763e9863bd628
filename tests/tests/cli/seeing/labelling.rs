//! Hits labelled by a person, and what a lesson needs to refuse calls.

use insta::assert_snapshot;
use lessons_manifest_builder::seeds;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::{with_commands, with_frob};

const ID: &str = "use-frob-push-safe-which";

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
    lessons: use-frob-push-safe-which would have refused 3 different calls of the past (3 in all), and nobody has said yet whether that is right: 0 of 3 looked at. Look at them, then switch it on:
      lessons replay use-frob-push-safe-which --label
      lessons edit use-frob-push-safe-which --mode block
    or say why it should block without that: --force-block "REASON"
    "#);
    assert_snapshot!(label(&env, "y\nmaybe\nyes\n"), @r#"
    exit 0

    1 of 3 (3 more to let it block calls)
      Bash `frob push ac`
      1 call, 0 failed, last 2026-11-01 10:03 UTC
    Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    2 of 3 (2 more to let it block calls)
      Bash `frob push ab`
      1 call, 0 failed, last 2026-11-01 10:02 UTC
    Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    3 of 3 (1 more to let it block calls)
      Bash `frob push aa`
      1 call, 0 failed, last 2026-11-01 10:01 UTC
    Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    2 answers about user/use-frob-push-safe-which kept: 2 right, 0 wrong.
    2 of 3 answered.
    Next: lessons replay use-frob-push-safe-which --label
    "#);
    assert_eq!(lesson(&env)["examples"]["fires"].as_array().map(Vec::len), Some(2));
    assert!(block(&env).starts_with("exit 2"));
    assert_snapshot!(label(&env, "y\n"), @r#"
    exit 0

    1 of 1 (1 more to let it block calls)
      Bash `frob push aa`
      1 call, 0 failed, last 2026-11-01 10:01 UTC
    Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 1 answer about user/use-frob-push-safe-which kept: 1 right, 0 wrong.
    It may block calls.
    Next: lessons edit use-frob-push-safe-which --mode block
    "#);
    assert_snapshot!(block(&env), @r#"
    exit 0
    user/use-frob-push-safe-which changed; it is in force from the next call on, everywhere
      on cmd=\bfrob\s+push\b unless cmd=\s--safe\b
    Next: lessons show user/use-frob-push-safe-which
    "#);
    assert_eq!(lesson(&env)["mode"], "block");
    assert_snapshot!(label(&env, ""), @r#"
    exit 0
    Nothing to ask about user/use-frob-push-safe-which: you have answered for all of them.
    It blocks calls, and may.
    Next: lessons show use-frob-push-safe-which
    "#);
}

#[test]
fn every_key_does_what_it_says() {
    let env = with_hits(5);
    // Skipped ones are asked about again another time.
    assert!(label(&env, "s\n\nskip\nq\n").ends_with("Nothing was kept."));
    assert!(label(&env, "Y\nno\nquit\n").contains("2 answers about"));
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
    exit 1

    1 of 2 (2 more to let it block calls)
      Bash `frob push ab`
      1 call, 0 failed, last 2026-11-01 10:02 UTC
    Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 
    2 of 2 (1 more to let it block calls)
      Bash `frob push aa`
      1 call, 0 failed, last 2026-11-01 10:01 UTC
    Is it right that use-frob-push-safe-which fires here? y)es n)o s)kip q)uit: 2 answers about user/use-frob-push-safe-which kept: 1 right, 1 wrong.
    It is not in force now: it should keep quiet on this example of its own and does not: Bash `frob push ab`.
    1 of 2 are wrong, too many to let it block calls.
    Next: lessons edit use-frob-push-safe-which --unless 'cmd=PATTERN', then lessons replay use-frob-push-safe-which
    "#);
    assert_snapshot!(block(&env), @r#"
    exit 2
    --- stderr
    lessons: use-frob-push-safe-which would be wrong too often: of 2 different calls that you have looked at, 1 should not be refused, and one in twenty may be. Narrow it first, for example:
      lessons edit use-frob-push-safe-which --unless 'cmd=PATTERN'
    or say why it should block without that: --force-block "REASON"
    "#);
    let wrong = lesson(&env)["examples"]["quiet"][0]["command"].as_str().expect("a command").to_owned();
    env.must(&["edit", ID, "--unless", r"cmd=\s--safe\b", "--unless", &format!("cmd={wrong}")]);
    assert!(block(&env).starts_with("exit 0"), "all that is left is right");
}

#[test]
fn one_wrong_hit_in_twenty_may_be() {
    let env = with_hits(25);
    assert!(label(&env, &format!("n\n{}q\n", "y\n".repeat(19))).contains("It may block calls."));
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
    lessons: --force-block needs a reason: why should it block without proof?
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
    lessons: never-wipe-with-frob would block calls: there are no sessions on this machine to try it on first. If it should anyway, say why: --force-block "REASON"
    "#);
    let code = env.lessons(&[&add[..], &["--mode", "block", "--json"]].concat());
    let json: Value = serde_json::from_slice(&code.stdout).expect("JSON");
    assert_eq!(json["code"], "UNPROVEN_BLOCK");
    env.must(&[&add[..], &["--mode", "block", "--force-block", "there is nothing to look at"]].concat());
    let advice = said(&env, &env.lessons(&[&add[..4], &["frob x", "--force-block", "why"]].concat()));
    assert!(advice.starts_with("exit 2"), "{advice}");
}

/// A lesson that refuses `frob push`, as JSON. It says of itself that it may.
fn blocking(evidence: &[&str]) -> String {
    json!({
        "id": "wipe", "rule": "Never wipe with frob.", "mode": "block", "evidence": evidence,
        "triggers": [{"kind": "command_pattern", "pattern": r"\bfrob\s+push\b"}],
        "examples": {"fires": [{"tool": "Bash", "command": "frob push x"}]},
    })
    .to_string()
}

fn is_unproven(env: &TestEnv, output: &std::process::Output) -> bool {
    let said = said(env, output);
    said.starts_with("exit 2") && said.contains("would have refused")
}

#[test]
fn no_way_into_the_store_leads_around_it() {
    let env = with_hits(2);
    let block = blocking(&["forced:block: says who"]);
    assert!(is_unproven(&env, &env.lessons_given(&["add", "--json-input", "-"], block.as_bytes())));

    // A colleague's lessons, who had reasons of their own.
    let other = with_hits(2);
    let forced = other
        .lessons_given(&["add", "--json-input", "-", "--force-block", "I know better"], block.as_bytes());
    assert!(forced.status.success(), "{}", said(&other, &forced));
    let graph = env.project().join("theirs.json");
    std::fs::write(&graph, std::fs::read(other.data().join("lessons.json")).unwrap()).unwrap();
    let import = ["import", "--format", "lessons-graph", graph.to_str().unwrap()];
    assert!(is_unproven(&env, &env.lessons(&import)), "{}", said(&env, &env.lessons(&import)));
    env.must(&[&import[..], &["--force-block", "she does"]].concat());
    assert_eq!(env.lessons_json(&["show", "wipe"])["lesson"]["evidence"], json!(["forced:block: she does"]));

    // What makes a lesson fire on more than was looked at.
    env.must(&["add", "--rule", "Look twice at frob.", "--trigger", "cmd=frob", "--topic", "frob"]);
    let merged = said(&env, &env.lessons(&["merge", "frob-look-twice-at-frob", "wipe"]));
    assert!(merged.contains("would have refused") && merged.starts_with("exit 2"), "{merged}");
}

#[test]
fn a_reason_counts_for_the_change_that_it_was_given_for() {
    let env = with_hits(2);
    let force = ["--mode", "block", "--force-block", "a token ghp_cccccccccccccccccccccccccccccccccccc"];
    env.must(&[&["edit", ID, "--fires", "frob push a"], &force[..]].concat());
    env.must(&["edit", ID, "--mode", "advise"]);
    assert!(is_unproven(&env, &env.lessons(&["edit", ID, "--mode", "block", "--trigger", "cmd=frob"])));
    assert!(is_unproven(&env, &env.lessons(&["edit", ID, "--mode", "block"])));
    // The same reason again is a reason.
    env.must(&[&["edit", ID, "--trigger", "cmd=frob"], &force[..]].concat());
    assert_eq!(lesson(&env)["evidence"].as_array().map(Vec::len), Some(1));

    // The reason of one lesson is none for the lesson that takes its place.
    let other = blocking(&[]);
    let other = env.lessons_given(
        &["add", "--json-input", "-", "--unless", r"cmd=\s--safe\b", "--force-block", "b"],
        other.as_bytes(),
    );
    assert!(other.status.success(), "{}", said(&env, &other));
    let merge = ["merge", ID, "wipe"];
    assert!(is_unproven(&env, &env.lessons(&merge)), "{}", said(&env, &env.lessons(&merge)));
    env.must(
        &[&merge[..], &["--force-block", "sk-ant-api03-cccccccccccccccccccccccccccc is no reason"]].concat(),
    );
    let wipe = env.lessons_json(&["show", "wipe"])["lesson"]["evidence"].clone();
    assert_eq!(wipe.as_array().map(Vec::len), Some(2), "{wipe}");
    let store = std::fs::read_to_string(env.data().join("lessons.json")).unwrap();
    assert!(!store.contains("cccc"), "a secret in a reason is not stored: {store}");
}

#[test]
fn a_reason_is_given_in_one_way_and_does_not_get_lost() {
    let env = with_hits(2);
    let smuggled = ["--evidence", "forced:block: says who", "--mode", "block", "--fires", "frob push a"];
    let add = ["add", "--rule", "Never push with frob.", "--trigger", r"cmd=\bfrob push\b"];
    assert!(is_unproven(&env, &env.lessons(&[&add[..], &smuggled].concat())));
    assert!(is_unproven(&env, &env.lessons(&[&["edit", ID], &smuggled[..]].concat())));
    env.must(&["edit", ID, "--evidence", "forced:block: says who", "--evidence", "commit:3f2a"]);
    assert_eq!(lesson(&env)["evidence"], json!(["commit:3f2a"]));
    env.must(&["edit", ID, "--mode", "block", "--fires", "frob push a", "--force-block", "I know"]);
    env.must(&["edit", ID, "--evidence", "commit:77aa"]);
    assert_eq!(lesson(&env)["evidence"], json!(["commit:77aa", "forced:block: I know"]));
    let emptied = json!({"evidence": []}).to_string();
    let edited = env.lessons_given(&["edit", ID, "--json-input", "-"], emptied.as_bytes());
    assert!(edited.status.success(), "{}", said(&env, &edited));
    assert_eq!(lesson(&env)["evidence"], json!(["forced:block: I know"]));
}

#[test]
fn whoever_writes_a_lesson_does_not_prove_it() {
    let env = with_hits(2);
    let fires = ["--fires", "frob push aa", "--fires", "frob push ab"];
    assert!(is_unproven(&env, &env.lessons(&[&["edit", ID, "--mode", "block"], &fires[..]].concat())));
    env.must(&[&["edit", ID], &fires[..]].concat());
    assert!(is_unproven(&env, &env.lessons(&["edit", ID, "--mode", "block"])));
    assert!(label(&env, "y\ny\n").contains("It may block calls."), "a person says so, and that counts");
    // Taken back, it no longer does.
    env.must(&["undo"]);
    assert!(is_unproven(&env, &env.lessons(&["edit", ID, "--mode", "block"])));
    env.must(&["undo", "5"]);
    env.must(&["edit", ID, "--mode", "block"]);
}

#[test]
fn a_promotion_says_what_to_do_and_that_is_all_there_is_to_it() {
    let (env, [plain, _]) = crate::seeing::reading::with_candidates();
    with_commands(&env, "past", 1, &["frob push a", "frob push b"]);
    let refused =
        said(&env, &env.lessons(&["promote", &plain, "--mode", "block"])).replace(&plain, "CANDIDATE");
    assert_snapshot!(refused, @r#"
    exit 2
    --- stderr
    lessons: frob-use-frob-push-safe-which would have refused 2 different calls of the past (2 in all), and nobody has said yet whether that is right: 0 of 2 looked at. Save it as advice, look at them, then switch it on:
      lessons promote CANDIDATE --mode advise
      lessons replay frob-use-frob-push-safe-which --label
      lessons edit frob-use-frob-push-safe-which --mode block
    or say why it should block without that: --force-block "REASON"
    "#);
    env.must(&["promote", &plain, "--mode", "advise"]);
    let id = "frob-use-frob-push-safe-which".to_owned();
    let labelled = env.lessons_given(&["replay", &id, "--label"], b"y\ny\n");
    assert!(said(&env, &labelled).contains("It may block calls."), "{}", said(&env, &labelled));
    env.must(&["edit", &id, "--mode", "block"]);
}

#[test]
fn an_import_can_come_in_as_advice() {
    let env = with_hits(2);
    let other = with_hits(0);
    let forced = other.lessons_given(
        &["add", "--json-input", "-", "--force-block", "I know better"],
        blocking(&[]).as_bytes(),
    );
    assert!(forced.status.success(), "{}", said(&other, &forced));
    let graph = env.project().join("theirs.json");
    std::fs::write(&graph, std::fs::read(other.data().join("lessons.json")).unwrap()).unwrap();
    let path = graph.to_str().unwrap();
    let import = ["import", "--format", "lessons-graph", path];
    assert_snapshot!(said(&env, &env.lessons(&import)), @r#"
    exit 2
    --- stderr
    lessons: nothing was imported:
    wipe would have refused 2 different calls of the past (2 in all), and nobody has said yet whether that is right: 0 of 2 looked at. Import it as advice, look at them, then switch it on:
      lessons import --format lessons-graph PROJECT/theirs.json --as-advice
      lessons replay wipe --label
      lessons edit wipe --mode block
    or say why it should block without that: --force-block "REASON"
    "#);
    assert_snapshot!(said(&env, &env.lessons(&[&import[..], &["--as-advice"]].concat())), @r"
    exit 0
    1 lesson imported
      user/wipe: it blocks calls there; here it advises until you have seen what it would block
    Next: lessons list
    ");
    assert_eq!(env.lessons_json(&["show", "wipe"])["lesson"].get("mode"), None);
    assert!(said(&env, &env.lessons_given(&["replay", "wipe", "--label"], b"y\ny\n")).contains("It may"));
    env.must(&["edit", "wipe", "--mode", "block"]);
    // It blocks here by now, and goes on doing so.
    env.must(&[&import[..], &["--as-advice"]].concat());
    assert_eq!(env.lessons_json(&["show", "wipe"])["lesson"]["mode"], "block");
}

#[test]
fn what_is_asked_about_is_what_it_would_refuse() {
    let env = TestEnv::new().without_seeds();
    // Advice looks at what was typed, a refusal at what would run.
    with_commands(&env, "one", 1, &["echo 'do not frob push a'", "\"frob\" push b", "frob push c"]);
    with_frob(&env);
    let labelled = label(&env, "y\ny\n");
    assert!(labelled.contains("It may block calls.") && !labelled.contains("echo"), "{labelled}");
    // What it does not fire on as it is would be no example of it.
    assert_eq!(lesson(&env)["examples"]["fires"].as_array().map(Vec::len), Some(1));
    env.must(&["edit", ID, "--mode", "block"]);
}

#[test]
fn an_answer_is_kept_also_of_a_call_that_cannot_be_an_example() {
    let env = TestEnv::new().without_seeds();
    with_commands(&env, "one", 1, &[&format!("frob push {}", "a b ".repeat(600)), "frob push c"]);
    with_frob(&env);
    let labelled = label(&env, "y\ny\n");
    assert!(labelled.contains("2 answers about") && labelled.contains("1 call did not become"), "{labelled}");
    assert_eq!(lesson(&env)["examples"]["fires"].as_array().map(Vec::len), Some(1));
    env.must(&["edit", ID, "--mode", "block"]);
}

#[test]
fn a_wrong_answer_that_puts_a_lesson_out_of_force_shows_in_the_exit_code() {
    let env = with_hits(3);
    let labelled = label(&env, "n\nq\n");
    assert!(labelled.starts_with("exit 1") && labelled.contains("not in force"), "{labelled}");
    assert!(label(&env, "q\n").starts_with("exit 0"));
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
